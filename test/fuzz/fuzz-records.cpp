//===- fuzz-records.cpp - hostile records of a tuner -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives a record to a program of one kernel and compiles it up to stage loops. A record is used or
/// not, but compiling never fails. The first byte of the input says which program. If it is a small
/// letter, the rest is a schedule, or the sizes of versions, from which a right record is made; if
/// it is a capital letter, the rest is the whole record, with the words TASK and EPOCH for those
/// that are right.
///
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/layout/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "test/fuzz/Context.h"
#include "test/fuzz/TextMutator.h"
#include "tssa/Pipeline/Passes.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Pipeline/Tasks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa;

static constexpr llvm::StringLiteral machine = "some";

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral product = R"(
te.kernel @k(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %y = te.compute @y (d0: 4, d1: 2) reduce (d2: 8) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<4x8xf32>
    %b = te.read %w[d2, d1] : tensor<8x2xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4x2xf32>
  te.return %y : tensor<4x2xf32>
}
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x2xf32> {
  %w = te.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [1.0, 2.0], [3.0, 4.0],
                          [5.0, 6.0], [7.0, 8.0]]> : tensor<8x2xf32>
  %y = te.launch @k(%x, %w) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
})";

static constexpr llvm::StringLiteral rows = R"(
te.kernel @k(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %s = te.compute @sum (d0: 4) reduce (d1: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<4x64xf32>
    %e = math.exp %a : f32
    te.yield %e : f32
  } combine arith.addf : tensor<4xf32>
  %z = te.compute @map (d0: 4, d1: 64) {
    %a = te.read %x[d0, d1] : tensor<4x64xf32>
    %e = math.exp %a : f32
    %b = te.read %s[d0] : tensor<4xf32>
    %q = arith.divf %e, %b : f32
    te.yield %q : f32
  } : tensor<4x64xf32>
  te.return %z : tensor<4x64xf32>
}
func.func @main(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %y = te.launch @k(%x) : (tensor<4x64xf32>) -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
})";

static constexpr llvm::StringLiteral chain = R"(
te.kernel @k(%x: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %s = te.compute @a (d0: 6, d1: 10) {
    %a = te.read %x[d0, d1] : tensor<6x10xf32>
    %b = arith.negf %a : f32
    te.yield %b : f32
  } : tensor<6x10xf32>
  %z = te.compute @b (d0: 6, d1: 10) {
    %a = te.read %s[d0, d1] : tensor<6x10xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<6x10xf32>
  te.return %z : tensor<6x10xf32>
} schedule {
  layout.store 0 as map<pad(1, to 4), split(1, [*, 4])>
}
func.func @main(%x: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %y = te.launch @k(%x) : (tensor<6x10xf32>) -> tensor<6x10xf32>
  return %y : tensor<6x10xf32>
})";

/// A window over rows of which nobody knows how many there are, and a size that is none.
static constexpr llvm::StringLiteral openRows = R"(
te.kernel @k(%x: tensor<?x?xf32> {te.sizes = array<i64: 2, 3>}, %i: index, %n: index, %m: index) -> tensor<?x?xf32> {
  %s = te.compute @sum (d0: %n) reduce (d1: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + s1 - s0](%m, %i) : tensor<?x?xf32> where (d1 - s0 + s1 >= 0, -d1 + s0 - s1 + 2 >= 0) else 0.0
    te.yield %a : f32
  } combine arith.addf : tensor<?xf32>
  %z = te.compute @map (d0: %n, d1: %m) {
    %a = te.read %x[d0, d1] : tensor<?x?xf32>
    %b = te.read %s[d0] : tensor<?xf32>
    %q = arith.divf %a, %b : f32
    te.yield %q : f32
  } : tensor<?x?xf32>
  te.return %z : tensor<?x?xf32>
}
func.func @main(%x: tensor<?x?xf32>, %i: index, %n: index, %m: index) -> tensor<?x?xf32> {
  %y = te.launch @k(%x, %i, %n, %m) sizes(%n, %m) : (tensor<?x?xf32>, index, index, index) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
})";

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// Returns a record of the task with `schedule` behind its stores.
static std::string makeRecord(const KernelTask &task, llvm::StringRef schedule) {
  std::string text = printRecord(task.kernel, task.constants,
                                 RecordInfo{machine.str(), getEpoch().str(), 1, 1e-6, 2e-6});
  llvm::StringRef begin = llvm::StringRef(text).rtrim();
  begin.consume_back("}");
  bool hasStores = begin.contains("} schedule {");
  return (begin + (hasStores ? "" : "} schedule {\n") + schedule + "}\n").str();
}

/// Returns versions of which the bytes are the logarithms of the sizes.
static std::vector<VersionSizes> makeVersions(llvm::StringRef bytes) {
  auto next = [&]() -> int64_t {
    if (bytes.empty())
      return 1;
    unsigned byte = static_cast<unsigned char>(bytes.front());
    bytes = bytes.drop_front();
    return (int64_t(1) << (byte % 41)) - (byte >> 7);
  };
  std::vector<VersionSizes> versions;
  do {
    VersionSizes &version = versions.emplace_back();
    version.sizes = {next(), next()};
    for (int64_t size : version.sizes)
      version.ranges.push_back({std::min(size, next()), std::max(size, next())});
  } while (!bytes.empty() && versions.size() < maxVersions);
  return versions;
}

static std::string replaceAll(std::string text, llvm::StringRef from, llvm::StringRef to) {
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to.str());
  return text;
}

/// A folder for records, which is removed at the end.
struct Folder {
  Folder() {
    if (llvm::sys::fs::createUniqueDirectory("fuzz-records", path))
      std::abort();
  }
  ~Folder() { llvm::sys::fs::remove_directories(path); }

  void write(RecordKind kind, llvm::StringRef task, llvm::StringRef text) const {
    std::string file = getRecordPath(path, task, machine, kind);
    std::error_code error = llvm::sys::fs::create_directories(llvm::sys::path::parent_path(file));
    llvm::raw_fd_ostream(file, error) << text;
    if (error)
      std::abort();
  }
  llvm::SmallString<64> path;
};

/// Compiles up to stage loops. Nothing may fail.
static void compile(ModuleOp module, llvm::StringRef folder) {
  PassManager manager(module.getContext()), loops(module.getContext());
  manager.addPass(createApplyRecords({folder.str(), machine.str(), "", "kernels"}));
  layout::buildApplyStores(manager);
  manager.addPass(createApplyRecords({folder.str(), machine.str(), "", "sizes"}));
  layout::buildSchedules(manager, /*point=*/0);
  if (failed(manager.run(module)))
    __builtin_trap();
  OwningOpRef<ModuleOp> alone = ModuleOp::create(module.getLoc());
  for (auto kernel : module.getOps<te::KernelOp>())
    alone->getBody()->push_back(kernel->clone());
  cpu::buildLoopsStage(loops);
  if (failed(loops.run(*alone)))
    __builtin_trap();
}

//===----------------------------------------------------------------------===//
// The fuzzer
//===----------------------------------------------------------------------===//

static DialectRegistry getDialects() {
  DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// Usually changes tokens, and keeps the first byte.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  bool isSchedule = size > 1 && llvm::isLower(data[0]);
  if (size < 2 || seed % 8 == 0 || (!isSchedule && seed % 2 == 0))
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text =
      ::tssa::fuzz::TextMutator(seed).mutate({reinterpret_cast<const char *>(data) + 1, size - 1});
  if (text.size() + 1 > maxSize)
    return size;
  std::copy(text.begin(), text.end(), data + 1);
  return text.size() + 1;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Folder folder;
  static ::tssa::fuzz::Context contexts(getDialects());
  if (size == 0)
    return 0;
  llvm::StringRef input(reinterpret_cast<const char *>(data), size);
  static constexpr llvm::StringLiteral programs[] = {product, rows, chain, openRows};
  unsigned number = input.front() % std::size(programs);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(programs[number], ParserConfig(&contexts.get()));
  bool isOpen = programs[number] == openRows;
  std::vector<KernelTask> tasks = findTasks(*module);
  std::string key = getTaskKey(getTaskText(tasks.front().kernel, tasks.front().constants));
  std::string rest = input.drop_front().str();
  if (isOpen && llvm::isLower(input.front()))
    rest =
        printSizes(tasks.front().kernel, tasks.front().constants,
                   RecordInfo{machine.str(), getEpoch().str(), 1, 1e-6, 2e-6}, makeVersions(rest));
  else if (llvm::isLower(input.front()))
    rest = makeRecord(tasks.front(), rest);
  folder.write(isOpen ? RecordKind::Sizes : RecordKind::Loops, key,
               replaceAll(replaceAll(rest, "TASK", key), "EPOCH", getEpoch()));
  compile(*module, folder.path);
  return 0;
}
