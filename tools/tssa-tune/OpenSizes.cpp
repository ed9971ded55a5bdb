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
#include "tssa/Pipeline/SizeVersions.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Tuner/Report.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <set>

using namespace llvm;
using namespace tssa::tuner;

namespace tssa::tune {

/// By how much the program must be faster with versions at a point, and a kernel: the constants
/// that it packs in another way are in the artifact twice.
static constexpr double leastGain = 0.01, leastGainOfKernel = 0.02;

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

/// Returns by how much the loops of a size may serve, given its neighbours, which may be null.
static std::pair<int64_t, int64_t> getRange(int64_t size, const int64_t *smaller,
                                            const int64_t *larger) {
  auto getMiddle = [](int64_t a, int64_t b) {
    return static_cast<int64_t>(std::sqrt(static_cast<double>(a) * static_cast<double>(b)));
  };
  int64_t least = size - size / 2, greatest = std::min(2 * size, maxSize);
  if (smaller)
    least = std::max(least, getMiddle(*smaller, size) + 1);
  if (larger)
    greatest = std::min(greatest, getMiddle(size, *larger));
  return {std::min(least, size), std::max(greatest, size)};
}

/// Returns the points with each of `sizes` for the dim `name`.
static std::vector<TunedPoint> combine(ArrayRef<TunedPoint> points, const std::string &name,
                                       std::vector<int64_t> sizes) {
  llvm::sort(sizes);
  sizes.erase(llvm::unique(sizes), sizes.end());
  std::vector<TunedPoint> result;
  for (const TunedPoint &point : points)
    for (size_t i = 0; i < sizes.size(); ++i) {
      TunedPoint &added = result.emplace_back(point);
      added.sizes[name] = sizes[i];
      std::tie(added.least[name], added.greatest[name]) =
          getRange(sizes[i], i > 0 ? &sizes[i - 1] : nullptr,
                   i + 1 < sizes.size() ? &sizes[i + 1] : nullptr);
    }
  return result;
}

Expected<std::vector<TunedPoint>> makePoints(const Options &options, mlir::ModuleOp module) {
  mlir::tssa::te::EntrySymbols symbols(module.lookupSymbol<mlir::func::FuncOp>("main"));
  std::vector<std::string> names;
  for (const mlir::tssa::te::EntrySymbol &symbol : symbols.get())
    names.push_back(symbol.name);
  for (auto &[name, sizes] : options.sizes)
    if (!is_contained(names, name))
      return createStringError("--sizes: the model has no open size '" + name + "', but " +
                               (names.empty() ? "none" : "'" + join(names, "', '") + "'"));
  std::vector<TunedPoint> points(names.empty() ? 0 : 1);
  for (const std::string &name : names) {
    auto given = options.sizes.find(name);
    points = combine(points, name,
                     given == options.sizes.end() ? std::vector<int64_t>{1} : given->second);
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

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

namespace {
/// What is gained at a point: by versions for its sizes, and by their loops at both ends of its
/// range.
struct Gain {
  bool ofVersions = true, ofRanges = true;
};
} // namespace

/// Returns the versions that an earlier run has recorded for the kernel, or none.
static std::vector<VersionSizes> readEarlier(const Options &options, const std::string &key,
                                             const std::string &machine,
                                             mlir::MLIRContext &context) {
  auto text = readRecordText(getRecordPath(options.folder, key, machine, RecordKind::Sizes));
  auto record =
      text ? parseRecord(*text, context, RecordKind::Sizes) : Expected<Record>(text.takeError());
  if (!record) {
    consumeError(record.takeError());
    return {};
  }
  return record->header.info.epoch == getEpoch() ? record->header.versions
                                                 : std::vector<VersionSizes>();
}

/// Returns the versions of a kernel at the points that gain, after those of `earlier` for other
/// sizes, and the last ones if there are too many.
static std::vector<VersionSizes> chooseVersions(const OpenKernel &kernel, ArrayRef<Gain> gains,
                                                std::vector<VersionSizes> earlier) {
  auto isOf = [](const SmallVector<int64_t> &sizes) {
    return [&sizes](const VersionSizes &version) { return version.sizes == sizes; };
  };
  erase_if(earlier, [&](const VersionSizes &version) {
    return any_of(kernel.versions,
                  [&](auto &ofPoint) { return any_of(ofPoint, isOf(version.sizes)); });
  });
  std::vector<VersionSizes> chosen = std::move(earlier);
  for (auto [ofPoint, gain] : zip_equal(kernel.versions, gains))
    for (const VersionSizes &version : ofPoint)
      if (gain.ofVersions && none_of(chosen, isOf(version.sizes))) {
        chosen.push_back(version);
        if (!gain.ofRanges)
          chosen.back().ranges.clear();
      }
  if (chosen.size() > maxVersions)
    chosen.erase(chosen.begin(), chosen.end() - maxVersions);
  return chosen;
}

/// Writes the record of sizes of a kernel to `folder`, or removes it if there are no versions.
static Error writeVersions(StringRef folder, const OpenKernel &open, const RecordInfo &info,
                           ArrayRef<VersionSizes> versions) {
  mlir::tssa::te::KernelOp kernel = *open.kernel;
  if (!versions.empty())
    return writeRecord(folder, printSizes(kernel, open.constants, info, versions),
                       RecordKind::Sizes);
  std::string path = getRecordPath(folder, getTaskKey(getTaskText(kernel, open.constants)),
                                   info.machine, RecordKind::Sizes);
  if (std::error_code error = sys::fs::remove(path))
    return createStringError(error, "cannot remove '" + path + "': " + error.message());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Decision
//===----------------------------------------------------------------------===//

/// Returns all sizes at which the program is timed: the points, then the ends of their ranges.
static std::vector<SizePoint> findRaces(ArrayRef<TunedPoint> points) {
  std::vector<SizePoint> races;
  for (auto part : {&TunedPoint::sizes, &TunedPoint::least, &TunedPoint::greatest})
    for (const TunedPoint &point : points)
      if (!is_contained(races, point.*part))
        races.push_back(point.*part);
  return races;
}

namespace {
/// What the program takes with and without versions.
class VersionRace {
public:
  VersionRace(ArrayRef<TunedPoint> points, StringRef folder)
      : points(points), races(findRaces(points)),
        programs{{"by default", ""}, {"with versions", folder.str()}} {}

  Error run(mlir::MLIRContext &context, const Options &options, const cpu::Machine &machine) {
    return raceProgram(context, options, machine, races, programs);
  }
  /// Says how fast the programs were.
  void describe() const;
  /// Returns at which points the versions of a kernel gain.
  std::vector<Gain> findGains(const OpenKernel &kernel) const;
  const RaceResult &getDefault(const SizePoint &sizes) const { return get(programs[0], sizes); }
  const RaceResult &getVersions(const SizePoint &sizes) const { return get(programs[1], sizes); }

private:
  const RaceResult &get(const Program &program, const SizePoint &sizes) const {
    return program.results[find(races, sizes) - races.begin()];
  }
  bool isFaster(const SizePoint &sizes) const {
    return getVersions(sizes).seconds < getDefault(sizes).seconds * (1 - leastGain);
  }
  bool isFaster(const OpenKernel &kernel, const SizePoint &sizes) const;

  ArrayRef<TunedPoint> points;
  std::vector<SizePoint> races;
  std::vector<Program> programs;
};
} // namespace

void VersionRace::describe() const {
  for (const SizePoint &sizes : races)
    outs() << "the program at " << print(sizes) << ": " << printTime(getDefault(sizes).seconds)
           << " by default, " << printTime(getVersions(sizes).seconds)
           << " with versions of its kernels\n";
  auto inMegabytes = [](uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; };
  outs() << format("the artifact has %.1f MB by default, %.1f MB with all versions\n",
                   inMegabytes(programs[0].bytes), inMegabytes(programs[1].bytes));
}

/// Returns whether the launches of a kernel take less time with versions. A kernel that the program
/// does not launch under its name, since others were merged with it, is as fast as the program.
bool VersionRace::isFaster(const OpenKernel &kernel, const SizePoint &sizes) const {
  mlir::tssa::te::KernelOp open = *kernel.kernel;
  const std::map<std::string, double> &with = getVersions(sizes).kernels;
  auto byDefault = getDefault(sizes).kernels.find(open.getSymName().str());
  if (byDefault == getDefault(sizes).kernels.end())
    return isFaster(sizes);
  double seconds = 0;
  auto add = [&](const std::string &name) {
    if (auto found = with.find(name); found != with.end())
      seconds += found->second;
  };
  add(open.getSymName().str());
  std::set<std::string> names;
  for (ArrayRef<VersionSizes> versions : kernel.versions)
    for (const VersionSizes &version : versions)
      names.insert(getVersionName(open, version.sizes));
  for (const std::string &name : names) {
    add(name);
    add(getRangeName(name));
  }
  return seconds > 0 ? seconds < byDefault->second * (1 - leastGainOfKernel) : isFaster(sizes);
}

std::vector<Gain> VersionRace::findGains(const OpenKernel &kernel) const {
  std::vector<Gain> gains;
  for (const TunedPoint &point : points)
    gains.push_back({isFaster(point.sizes) && isFaster(kernel, point.sizes),
                     isFaster(kernel, point.least) && isFaster(kernel, point.greatest)});
  return gains;
}

/// Says how many kernels have versions at a point, and for how many others these serve.
static void describe(const TunedPoint &point, size_t ofVersions, size_t ofRanges, size_t kernels) {
  outs() << ofVersions << " of " << kernels << " kernels get versions for " << print(point.sizes);
  if (point.least != point.greatest)
    outs() << "; the loops of " << ofRanges << " serve from " << print(point.least) << " to "
           << print(point.greatest);
  outs() << '\n';
}

Error decideVersions(mlir::MLIRContext &context, const Options &options,
                     const cpu::Machine &machine, ArrayRef<TunedPoint> points,
                     const ModelTasks &model) {
  SmallString<128> folder;
  scope_exit remove([&] { sys::fs::remove_directories(folder); });
  if (Error error = copyLoops(options.folder, folder))
    return error;
  RecordInfo info{getMachineId(machine), getEpoch().str(), options.threads, 1, 1};
  std::vector<Gain> all(points.size());
  for (const OpenKernel &kernel : model.openKernels)
    if (Error error = writeVersions(folder, kernel, info, chooseVersions(kernel, all, {})))
      return error;
  VersionRace race(points, folder);
  if (Error error = race.run(context, options, machine)) {
    outs() << "no kernel gets versions: " << toString(std::move(error)) << '\n';
    return Error::success();
  }
  race.describe();
  info.seconds = race.getVersions(points.front().sizes).seconds;
  info.defaultSeconds = race.getDefault(points.front().sizes).seconds;
  std::vector<size_t> ofVersions(points.size()), ofRanges(points.size());
  for (const OpenKernel &open : model.openKernels) {
    mlir::tssa::te::KernelOp kernel = *open.kernel;
    std::vector<Gain> gains = race.findGains(open);
    for (auto [number, gain] : enumerate(gains)) {
      ofVersions[number] += gain.ofVersions;
      ofRanges[number] += gain.ofVersions && gain.ofRanges;
    }
    std::string key = getTaskKey(getTaskText(kernel, open.constants));
    std::vector<VersionSizes> earlier = readEarlier(options, key, info.machine, context);
    if (Error error = writeVersions(options.folder, open, info,
                                    chooseVersions(open, gains, std::move(earlier))))
      return error;
  }
  for (auto [number, point] : enumerate(points))
    describe(point, ofVersions[number], ofRanges[number], model.openKernels.size());
  return Error::success();
}

} // namespace tssa::tune
