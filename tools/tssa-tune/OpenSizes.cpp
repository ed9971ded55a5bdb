//===- OpenSizes.cpp - a model tuned for some of its sizes ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenSizes.h"
#include "ProgramRace.h"
#include "RecordFolder.h"
#include "dialects/te/Analysis/Signature.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Tuner/Report.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace tssa::tuner;

namespace tssa::tune {

/// By how much versions must be faster at a point.
static constexpr double leastGain = 0.01;

using Sizes = SmallVector<int64_t>;

Expected<std::vector<SizePoint>> makePoints(const Options &options, mlir::ModuleOp module) {
  mlir::tssa::te::EntrySymbols symbols(module.lookupSymbol<mlir::func::FuncOp>("main"));
  std::vector<std::string> names;
  for (const mlir::tssa::te::EntrySymbol &symbol : symbols.get())
    names.push_back(symbol.name);
  for (auto &[name, sizes] : options.sizes)
    if (!is_contained(names, name))
      return createStringError("--sizes: the model has no open size '" + name + "', but " +
                               (names.empty() ? "none" : "'" + join(names, "', '") + "'"));
  std::vector<SizePoint> points;
  if (!names.empty())
    points.emplace_back();
  for (const std::string &name : names) {
    auto given = options.sizes.find(name);
    std::vector<int64_t> sizes =
        given == options.sizes.end() ? std::vector<int64_t>{1} : given->second;
    std::vector<SizePoint> next;
    for (const SizePoint &point : points)
      for (int64_t size : sizes) {
        next.push_back(point);
        next.back()[name] = size;
      }
    points = std::move(next);
    if (points.size() > maxVersions)
      return createStringError("--sizes gives more than " + Twine(maxVersions) +
                               " combinations of sizes");
  }
  return points;
}

std::string print(const SizePoint &point) {
  std::string text;
  for (auto &[name, size] : point)
    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(size);
  return text;
}

/// Returns the versions that an earlier run has recorded for the kernel, or none.
static std::vector<Sizes> readEarlier(const Options &options, const std::string &key,
                                      const std::string &machine, mlir::MLIRContext &context) {
  auto text = readRecordText(getRecordPath(options.folder, key, machine, RecordKind::Sizes));
  auto record =
      text ? parseRecord(*text, context, RecordKind::Sizes) : Expected<Record>(text.takeError());
  if (!record) {
    consumeError(record.takeError());
    return {};
  }
  return record->header.info.epoch == getEpoch() ? record->header.sizes : std::vector<Sizes>();
}

/// Writes the records of the versions at the points that are kept to `folder`. `programs` are those
/// without and with versions. With `merges`, versions for sizes of no point stay.
static Error writeVersions(StringRef folder, const Options &options, const cpu::Machine &machine,
                           const ModelTasks &model, ArrayRef<bool> isKept,
                           ArrayRef<Program> programs, bool merges) {
  RecordInfo info{getMachineId(machine), getEpoch().str(), options.threads, 0, 0};
  for (auto [point, kept] : enumerate(isKept)) {
    info.seconds += kept && !programs.empty() ? programs[1].seconds[point] : 0;
    info.defaultSeconds += kept && !programs.empty() ? programs[0].seconds[point] : 0;
  }
  if (info.seconds == 0) // nothing was timed yet
    info.seconds = info.defaultSeconds = 1;
  for (const OpenKernel &open : model.openKernels) {
    mlir::tssa::te::KernelOp kernel = *open.kernel;
    std::string key = getTaskKey(getTaskText(kernel, open.constants));
    SetVector<Sizes> sizes;
    if (merges)
      for (const Sizes &earlier : readEarlier(options, key, info.machine, *kernel.getContext()))
        if (none_of(open.sizes, [&](auto &ofPoint) { return is_contained(ofPoint, earlier); }))
          sizes.insert(earlier);
    for (auto [ofPoint, kept] : zip_equal(open.sizes, isKept))
      if (kept)
        sizes.insert_range(ofPoint);
    std::string path = getRecordPath(folder, key, info.machine, RecordKind::Sizes);
    if (sizes.empty()) {
      if (std::error_code error = sys::fs::remove(path))
        return createStringError(error, "cannot remove '" + path + "': " + error.message());
      continue;
    }
    std::string text = printSizes(kernel, open.constants, info,
                                  ArrayRef(sizes.getArrayRef()).take_back(maxVersions));
    if (Error error = writeRecord(folder, text, RecordKind::Sizes))
      return error;
  }
  return Error::success();
}

Error decideVersions(mlir::MLIRContext &context, const Options &options,
                     const cpu::Machine &machine, ArrayRef<SizePoint> points,
                     const ModelTasks &model) {
  SmallString<128> folder;
  scope_exit remove([&] { sys::fs::remove_directories(folder); });
  if (Error error = copyLoops(options.folder, folder))
    return error;
  SmallVector<bool> isKept(points.size(), true);
  if (Error error = writeVersions(folder, options, machine, model, isKept, {}, /*merges=*/false))
    return error;
  std::vector<Program> programs = {{"by default", "", {}},
                                   {"with versions", folder.str().str(), {}}};
  if (Error error = raceProgram(context, options, machine, points, programs)) {
    outs() << "no kernel gets versions: " << toString(std::move(error)) << '\n';
    return Error::success();
  }
  for (auto [number, point] : enumerate(points)) {
    double seconds = programs[1].seconds[number], byDefault = programs[0].seconds[number];
    isKept[number] = seconds < byDefault * (1 - leastGain);
    outs() << "the program at " << print(point) << ": " << printTime(byDefault) << " by default, "
           << printTime(seconds) << " with versions of its kernels"
           << (isKept[number] ? "" : ": these stay out") << '\n';
  }
  auto inMegabytes = [](uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; };
  outs() << format("the artifact has %.1f MB by default, %.1f MB with versions\n",
                   inMegabytes(programs[0].bytes), inMegabytes(programs[1].bytes));
  return writeVersions(options.folder, options, machine, model, isKept, programs, /*merges=*/true);
}

} // namespace tssa::tune
