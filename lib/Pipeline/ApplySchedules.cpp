//===- ApplySchedules.cpp - schedules from a file -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/LayoutOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Pipeline/Passes.h"
#include "tssa/Pipeline/Schedules.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/SourceMgr.h"

#include <map>

namespace tssa {
#define GEN_PASS_DEF_APPLYSCHEDULES
#include "tssa/Pipeline/Passes.h.inc"
} // namespace tssa

using namespace mlir;
using namespace mlir::tssa;
using ::tssa::KernelGroup;

/// Reads a file of schedules. Emits an error at `module` if it cannot be read, and at the line of
/// the file that is wrong.
static OwningOpRef<ModuleOp> readSchedules(ModuleOp module, StringRef path) {
  auto fail = [&](const Twine &reason) {
    emitError(module.getLoc(), "schedule '") << path << "'" << reason;
    return OwningOpRef<ModuleOp>();
  };
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return fail(" cannot be read: " + file.getError().message());
  if (llvm::Error error = ::tssa::checkText((*file)->getBuffer()))
    return fail(": " + llvm::toString(std::move(error)));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  OwningOpRef<ModuleOp> records = parseSourceFile<ModuleOp>(sources, module.getContext());
  if (records && records->getOps<te::KernelOp>().empty())
    return fail(": expected kernels with schedules, as --emit=schedule writes them");
  return records;
}

namespace {
/// A schedule of the file and the launches that get it.
struct Assignment {
  te::KernelOp record;
  SmallVector<te::LaunchOp> launches;
};

/// Gives schedules to the kernels of a program.
class ScheduleApplier {
public:
  explicit ScheduleApplier(ModuleOp module)
      : symbols(module), groups(::tssa::groupKernels(module)) {}

  /// Finds the launches that the schedule of `record` is for. Returns whether the program has them.
  /// Fails after an error if a launch already has a schedule of the file.
  FailureOr<bool> assign(te::KernelOp record) {
    std::string key = ::tssa::getKernelKey(record);
    auto found = groups.find(key);
    if (found == groups.end())
      return false;
    Assignment assignment{record, found->second.launches};
    if (auto positions = takePositions(record)) {
      assignment.launches.clear();
      for (int64_t position : *positions) {
        if (position >= static_cast<int64_t>(found->second.launches.size()))
          return false;
        assignment.launches.push_back(found->second.launches[position]);
      }
    }
    for (te::LaunchOp launch : assignment.launches)
      if (!assigned.insert(launch).second)
        return emitError(record.getLoc(), "kernel '")
               << record.getSymName() << "' is a second schedule for the same launches";
    assignments[key].push_back(std::move(assignment));
    return true;
  }

  /// Gives the launches their schedules.
  void apply() {
    for (auto &[key, list] : assignments)
      apply(groups[key], list);
  }

private:
  /// Removes the positions from the schedule of `record` and returns them. Returns nothing if the
  /// schedule is for all launches.
  static std::optional<SmallVector<int64_t>> takePositions(te::KernelOp record) {
    for (auto op : llvm::make_early_inc_range(record.getSchedule().getOps<layout::LaunchesOp>())) {
      SmallVector<int64_t> positions(op.getPositions());
      op.erase();
      return positions;
    }
    return std::nullopt;
  }

  /// Gives each schedule to a copy of the kernel. If no launch is left for the kernel itself, it
  /// takes the place of the copy with its name, or else of the last one.
  void apply(KernelGroup &group, ArrayRef<Assignment> list) {
    te::KernelOp kernel = group.kernels.front();
    size_t count = 0;
    const Assignment *inPlace = &list.back();
    for (const Assignment &assignment : list) {
      count += assignment.launches.size();
      if (te::KernelOp(assignment.record).getSymName() == kernel.getSymName())
        inPlace = &assignment;
    }
    if (count < group.launches.size() || group.kernels.size() > 1)
      inPlace = nullptr;
    for (const Assignment &assignment : list)
      if (&assignment != inPlace)
        addCopy(kernel, assignment);
    if (inPlace) {
      te::KernelOp record = inPlace->record;
      StringRef name = chooseName(kernel, record);
      if (name != kernel.getSymName() && !symbols.lookup(name))
        (void)symbols.rename(kernel, name); // cannot fail: the name is free
      kernel.getSchedule().takeBody(record.getSchedule());
    }
  }

  void addCopy(te::KernelOp kernel, const Assignment &assignment) {
    te::KernelOp copy = kernel.clone(), record = assignment.record;
    copy.setSymName(chooseName(kernel, record));
    copy.getSchedule().takeBody(record.getSchedule());
    symbols.insert(copy, Block::iterator(kernel));
    for (te::LaunchOp launch : assignment.launches)
      launch.setKernelAttr(FlatSymbolRefAttr::get(copy.getSymNameAttr()));
  }

  /// Returns the name of `record` if it is a variant of `kernel`, as the passes name variants, so
  /// that a program which replays its own schedules has the same names.
  static StringRef chooseName(te::KernelOp kernel, te::KernelOp record) {
    StringRef name = record.getSymName();
    return name.starts_with((kernel.getSymName() + "_").str()) ? name : kernel.getSymName();
  }

  SymbolTable symbols;
  llvm::StringMap<KernelGroup> groups;
  llvm::MapVector<std::string, SmallVector<Assignment, 1>, std::map<std::string, unsigned>>
      assignments; ///< by key
  llvm::SmallPtrSet<Operation *, 16> assigned;
};

struct ApplySchedules : ::tssa::impl::ApplySchedulesBase<ApplySchedules> {
  using ApplySchedulesBase::ApplySchedulesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> records = readSchedules(module, file);
    if (!records)
      return signalPassFailure();
    ScheduleApplier applier(module);
    unsigned numMissed = 0, numRecords = 0;
    for (auto record : records->getOps<te::KernelOp>()) {
      FailureOr<bool> found = applier.assign(record);
      if (failed(found))
        return signalPassFailure();
      ++numRecords;
      numMissed += !*found;
    }
    applier.apply();
    if (numMissed)
      emitWarning(module.getLoc(), "schedule '")
          << file << "': " << numMissed << " of " << numRecords
          << " schedules are for kernels or launches that the program does not have";
  }
};
} // namespace
