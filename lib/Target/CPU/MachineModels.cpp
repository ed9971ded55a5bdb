//===- MachineModels.cpp - models of CPUs by name -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineModels.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using mlir::tssa::layout::MachineModel;

namespace tssa::cpu {

namespace {
/// The ports are for whole vector registers: a CPU that splits instructions of 512 bits in two has
/// half of its ports. Third-level caches differ between CPUs of one name; these are of a common
/// one.
struct KnownCPU {
  const char *name;
  int fmaPorts, loadPorts;
  int l1KiB, l1Ways, l2KiB, l3KiB;
};
} // namespace

static constexpr KnownCPU knownCPUs[] = {
    {"x86-64-v3", 2, 2, 32, 8, 256, 8 << 10},
    {"x86-64-v4", 2, 2, 32, 8, 1024, 32 << 10},
    {"haswell", 2, 2, 32, 8, 256, 8 << 10},
    {"broadwell", 2, 2, 32, 8, 256, 8 << 10},
    {"skylake", 2, 2, 32, 8, 256, 8 << 10},
    {"skylake-avx512", 2, 2, 32, 8, 1024, 39424},
    {"cascadelake", 2, 2, 32, 8, 1024, 39424},
    {"cooperlake", 2, 2, 32, 8, 1024, 39424},
    {"icelake-client", 1, 2, 48, 12, 512, 8 << 10},
    {"icelake-server", 2, 2, 48, 12, 1280, 60 << 10},
    {"tigerlake", 1, 2, 48, 12, 1280, 12 << 10},
    {"rocketlake", 1, 2, 48, 12, 512, 16 << 10},
    {"alderlake", 2, 3, 48, 12, 1280, 30 << 10},
    {"raptorlake", 2, 3, 48, 12, 2048, 36 << 10},
    {"sapphirerapids", 2, 2, 48, 12, 2048, 105 << 10},
    {"emeraldrapids", 2, 2, 48, 12, 2048, 320 << 10},
    {"graniterapids", 2, 2, 48, 12, 2048, 504 << 10},
    {"znver1", 1, 1, 32, 8, 512, 8 << 10},
    {"znver2", 2, 2, 32, 8, 512, 16 << 10},
    {"znver3", 2, 2, 32, 8, 512, 32 << 10},
    {"znver4", 1, 1, 32, 8, 1024, 32 << 10},
    {"znver5", 2, 2, 48, 12, 1024, 32 << 10},
};

std::optional<MachineModel> lookupMachineModel(StringRef cpu, unsigned vectorBytes) {
  const KnownCPU *known =
      llvm::find_if(knownCPUs, [&](const KnownCPU &other) { return cpu == other.name; });
  if (known == std::end(knownCPUs))
    return std::nullopt;
  MachineModel model;
  model.lanes = vectorBytes / 4;
  model.registers = vectorBytes == 64 ? 32 : 16;
  model.fmaPorts = known->fmaPorts;
  model.loadPorts = known->loadPorts;
  model.l1Bytes = int64_t(known->l1KiB) << 10;
  model.l1Ways = known->l1Ways;
  model.l2Bytes = int64_t(known->l2KiB) << 10;
  model.l3Bytes = int64_t(known->l3KiB) << 10;
  return model;
}

namespace {
/// The products that dot products of a CPU add in a cycle, for each multiply-add of f32.
struct DotRates {
  const char *name;
  double bf16, bytes;
};
} // namespace

static constexpr DotRates dotRates[] = {
    {"cooperlake", 0.5, 4},    {"sapphirerapids", 0.5, 4}, {"emeraldrapids", 0.5, 4},
    {"graniterapids", 0.5, 4}, {"znver4", 2, 4},           {"znver5", 2, 4},
};

/// Those of other CPUs. All of them that add bytes have this rate; of bf16 it is not known.
static constexpr DotRates otherRates = {"", 0, 4};

void setDotProducts(StringRef cpu, ArrayRef<std::string> features, MachineModel &model) {
  auto has = [&](const char *feature) { return is_contained(features, feature); };
  const DotRates *known =
      llvm::find_if(dotRates, [&](const DotRates &rates) { return cpu == rates.name; });
  const DotRates &rates = known == std::end(dotRates) ? otherRates : *known;
  double f32 = static_cast<double>(model.getF32Products());
  bool isWide = has("avx512f") && has("avx512vl");
  model.bf16Products = isWide && has("avx512bf16") ? static_cast<int64_t>(f32 * rates.bf16) : 0;
  model.byteProducts = isWide && has("avx512vnni") || !isWide && has("avxvnni")
                           ? static_cast<int64_t>(f32 * rates.bytes)
                           : 0;
  // A product of two registers takes 16 cycles on all CPUs that have them.
  bool hasMatrices = has("amx-tile");
  model.bf16MatrixProducts = hasMatrices && has("amx-bf16") ? 512 : 0;
  model.byteMatrixProducts = hasMatrices && has("amx-int8") ? 1024 : 0;
}

StringRef nameHost(StringRef reported, bool hasFP16) {
  static constexpr StringLiteral withoutFP16[] = {"skylake-avx512", "cascadelake",    "cooperlake",
                                                  "icelake-client", "icelake-server", "tigerlake",
                                                  "rocketlake"};
  return hasFP16 && llvm::is_contained(withoutFP16, reported) ? "sapphirerapids" : reported;
}

//===----------------------------------------------------------------------===//
// Caches of the host
//===----------------------------------------------------------------------===//

/// Returns the first line of a file, without its end; empty if the file cannot be read.
static std::string readLine(const Twine &folder, StringRef name) {
  SmallString<128> path;
  folder.toVector(path);
  sys::path::append(path, name);
  auto file = MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().split('\n').first.trim().str() : std::string();
}

/// Returns a number, perhaps with K or M; 0 if the text is none.
static int64_t parseSize(StringRef text) {
  int64_t unit = text.consume_back("K") ? 1 << 10 : text.consume_back("M") ? 1 << 20 : 1, number;
  int64_t size;
  return text.getAsInteger(10, number) || llvm::MulOverflow(number, unit, size) ? 0 : size;
}

void readCaches(StringRef folder, MachineModel &model) {
  MachineModel found = model;
  found.l1Bytes = found.l2Bytes = found.l3Bytes = 0;
  for (unsigned number = 0;; ++number) {
    std::string cache = (folder + "/index" + Twine(number)).str();
    std::string level = readLine(cache, "level");
    if (level.empty())
      break;
    if (readLine(cache, "type") == "Instruction")
      continue;
    int64_t size = parseSize(readLine(cache, "size"));
    if (level == "1") {
      found.l1Bytes = size;
      found.l1Ways = parseSize(readLine(cache, "ways_of_associativity"));
      found.lineBytes = parseSize(readLine(cache, "coherency_line_size"));
    } else if (level == "2") {
      found.l2Bytes = size;
    } else if (level == "3") {
      found.l3Bytes = size;
    }
  }
  if (succeeded(checkMachineModel(found, [](const Twine &) {})))
    model = found;
}

} // namespace tssa::cpu
