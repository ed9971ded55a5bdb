//===- ApplyRecords.cpp - loops that a tuner has recorded -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1. List the records of the folder once.
// 2. For each task of the program: read the record of its key and this machine, and compare the
//    header before anything else is parsed.
// 3. Give the loops to a copy of the kernel, and prove that they fit (RecordedLoops.h).
// 4. Give them to the kernel, or count why not.
//
// Records of sizes (SizeVersions.h): the kernel gets a version for each tuple of sizes, and the
// version the loops of its own record, if there is one.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/layout/IR/MachineModel.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/Transforms/FixSizes.h"
#include "mlir/IR/Remarks.h"
#include "tssa/Pipeline/Passes.h"
#include "tssa/Pipeline/RecordedLoops.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/SizeVersions.h"
#include "tssa/Pipeline/Tasks.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

#include <set>

namespace tssa {
#define GEN_PASS_DEF_APPLYRECORDS
#include "tssa/Pipeline/Passes.h.inc"
} // namespace tssa

using namespace mlir;
using namespace mlir::tssa;
using ::tssa::KernelTask;
using ::tssa::Record;
using ::tssa::RecordError;
using ::tssa::RecordFault;
using ::tssa::RecordHeader;
using ::tssa::RecordKind;
using ::tssa::TunedUse;

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("record").category("apply-records");
}

static llvm::Error makeFault(RecordFault fault, const Twine &text) {
  return llvm::make_error<RecordError>(fault, text);
}

static std::string format(double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3e", seconds);
  return text;
}

namespace {
/// A version that is not in the program yet.
struct OwningVersion {
  OwningOpRef<te::KernelOp> kernel;
  KernelTask task; ///< of the kernel
  ::tssa::VersionSizes sizes;
};

/// Gives the loops of records, or their stores, to the kernels of a program.
class RecordApplier {
public:
  RecordApplier(ModuleOp module, StringRef dir, StringRef machine, StringRef epoch, RecordKind kind,
                const std::vector<std::string> &names, TunedUse *use)
      : machine(layout::getMachineModel(module)), dir(dir), machineId(machine), epoch(epoch),
        kind(kind), names(names.begin(), names.end()), use(use) {}

  void apply(const KernelTask &task) {
    te::KernelOp kernel = task.kernel;
    std::string obstacle = ::tssa::findObstacle(kernel);
    if (!obstacle.empty() && kind == RecordKind::Ends)
      return;
    if (!obstacle.empty()) {
      remark::missed(kernel.getLoc(), getRemarkOptions())
          << remark::metric("Kernel", kernel.getSymName()) << remark::reason("{0}", obstacle);
      return;
    }
    if (use && kind == RecordKind::Loops)
      ++use->kernels;
    std::string key = ::tssa::getTaskKey(::tssa::getTaskText(kernel, task.constants));
    // Most kernels have the ends that the compiler chooses.
    if (!hasRecord(key) && kind == RecordKind::Ends)
      return;
    if (!hasRecord(key))
      return explain(kernel, key, ("no record for " + machineId + " of epoch " + epoch).str());
    ++numFound;
    llvm::Expected<RecordHeader> header = tryRecord(task, key);
    if (!header)
      return miss(kernel, key, header.takeError());
    explain(kernel, *header);
    count(task, *header);
  }

  /// Makes the versions of an open kernel for which there is a record, all of them or none.
  std::vector<OwningVersion> makeVersions(const KernelTask &task) {
    te::KernelOp kernel = task.kernel;
    std::string key = ::tssa::getTaskKey(::tssa::getTaskText(kernel, task.constants));
    if (!hasRecord(key)) {
      explain(kernel, key, ("no record of sizes for " + machineId + " of epoch " + epoch).str());
      return {};
    }
    ++numFound;
    llvm::Expected<std::vector<OwningVersion>> versions = tryVersions(task, key);
    if (versions)
      return std::move(*versions);
    miss(kernel, key, versions.takeError());
    return {};
  }

  void countVersion() {
    if (use)
      ++use->versions;
  }

  unsigned getNumApplied() const { return numApplied; }

  /// Emits the warning about the records that were not used, if there are any.
  void warn(ModuleOp module) const {
    std::string text;
    for (auto [fault, count] : llvm::enumerate(numMissed))
      if (count)
        text += (Twine(text.empty() ? "" : ", ") + Twine(count) + " " +
                 ::tssa::getName(RecordFault(fault)))
                    .str();
    if (!text.empty())
      emitWarning(module.getLoc(), "tuned '") << dir << "': " << numFound - numApplied << " of "
                                              << numFound << " records were not used: " << text;
  }

private:
  /// Returns whether there is a record of the task, for any machine.
  bool hasRecord(const std::string &key) const {
    auto found = names.lower_bound(key + ".");
    return found != names.end() && StringRef(*found).starts_with(key + ".");
  }

  /// Reads the record of a task, or fails with a RecordError.
  llvm::Expected<Record> readRecord(const KernelTask &task, StringRef key) {
    std::string path = ::tssa::getRecordPath(dir, key, machineId, kind);
    if (!names.count(llvm::sys::path::filename(path).str()))
      return makeFault(RecordFault::Machine, "there is none for " + machineId);
    llvm::Expected<std::string> text = ::tssa::readRecordText(path);
    if (!text)
      return text.takeError();
    llvm::Expected<RecordHeader> header = ::tssa::parseRecordHeader(*text);
    if (!header)
      return header.takeError();
    if (header->info.machine != machineId)
      return makeFault(RecordFault::Machine, "it is for " + header->info.machine);
    if (header->info.epoch != epoch)
      return makeFault(RecordFault::Epoch, "it is of " + header->info.epoch + ", not of " + epoch);
    if (header->task != key)
      return makeFault(RecordFault::Task, "it is for " + header->task);
    te::KernelOp kernel = task.kernel;
    return ::tssa::parseRecord(*text, *kernel.getContext(), kind);
  }

  /// Gives the kernel the loops of its record and returns the header, or fails with a RecordError.
  llvm::Expected<RecordHeader> tryRecord(const KernelTask &task, StringRef key) {
    llvm::Expected<Record> record = readRecord(task, key);
    if (!record)
      return record.takeError();
    te::KernelOp kernel = task.kernel;
    OwningOpRef<te::KernelOp> copy = kernel.clone();
    bool hasLoops = kind == RecordKind::Loops;
    (hasLoops ? ::tssa::addRecordedLoops : ::tssa::addRecordedStores)(*copy, record->kernel);
    if (llvm::Error error =
            (hasLoops ? ::tssa::proveLoops : ::tssa::proveStores)(*copy, task.constants, machine))
      return error;
    kernel.getSchedule().takeBody(copy->getSchedule());
    ++numApplied;
    return std::move(record->header);
  }

  /// Makes the versions of a record of sizes, or fails with a RecordError.
  llvm::Expected<std::vector<OwningVersion>> tryVersions(const KernelTask &task, StringRef key) {
    llvm::Expected<Record> record = readRecord(task, key);
    if (!record)
      return record.takeError();
    std::vector<OwningVersion> versions;
    for (const ::tssa::VersionSizes &sizes : record->header.versions) {
      OwningVersion &version = versions.emplace_back();
      version.sizes = sizes;
      llvm::Expected<KernelTask> made = ::tssa::makeVersion(task, sizes.sizes, version.kernel);
      if (!made)
        return makeFault(RecordFault::Refused, llvm::toString(made.takeError()));
      version.task = std::move(*made);
    }
    ++numApplied;
    explain(task.kernel, record->header);
    return versions;
  }

  /// Counts loops that a kernel has got.
  void count(const KernelTask &task, const RecordHeader &header) {
    if (!use || kind != RecordKind::Loops)
      return;
    ++use->recorded;
    for (te::LaunchOp launch : task.launches) {
      double calls = te::countTrips(launch);
      use->seconds += calls * header.info.seconds;
      use->defaultSeconds += calls * header.info.defaultSeconds;
    }
  }

  /// Counts a record that cannot be used, and says why.
  void miss(te::KernelOp kernel, StringRef key, llvm::Error error) {
    llvm::handleAllErrors(std::move(error), [&](const RecordError &fault) {
      ++numMissed[unsigned(fault.getFault())];
      explain(kernel, key, (::tssa::getName(fault.getFault()) + ": " + fault.message()).str());
    });
  }

  static void explain(te::KernelOp kernel, StringRef key, const std::string &reason) {
    remark::missed(kernel.getLoc(), getRemarkOptions())
        << remark::metric("Kernel", kernel.getSymName()) << remark::metric("Task", key)
        << remark::reason("{0}", reason);
  }

  static void explain(te::KernelOp kernel, const RecordHeader &header) {
    remark::passed(kernel.getLoc(), getRemarkOptions())
        << remark::metric("Kernel", kernel.getSymName()) << remark::metric("Task", header.task)
        << remark::metric("Seconds", format(header.info.seconds))
        << remark::metric("DefaultSeconds", format(header.info.defaultSeconds));
  }

  layout::MachineModel machine;
  StringRef dir, machineId, epoch;
  RecordKind kind;
  std::set<std::string> names; ///< of the files in the folder
  unsigned numFound = 0, numApplied = 0;
  unsigned numMissed[::tssa::numRecordFaults] = {}; ///< by fault
  TunedUse *use;                                    ///< or null
};

/// Gives kernels the versions of records of sizes, and these the loops of their own records.
class VersionMaker {
public:
  VersionMaker(ModuleOp module, RecordApplier &sizes, RecordApplier &loops)
      : machine(layout::getMachineModel(module)), symbols(module), sizes(sizes), loops(loops) {}

  void apply(const KernelTask &task) {
    SmallVector<te::LaunchOp> launches = ::tssa::findVersionedLaunches(task);
    te::KernelOp open = task.kernel;
    if (launches.empty() || te::getSizeParameters(open).empty())
      return;
    SmallVector<::tssa::SizeVersion> versions, ofRanges;
    last = open;
    for (OwningVersion &version : sizes.makeVersions(task)) {
      std::string name = ::tssa::getVersionName(open, version.sizes.sizes);
      te::KernelOp kernel = insert(std::move(version.kernel), name);
      loops.apply(version.task);
      sizes.countVersion();
      SizeVersion &added = versions.emplace_back();
      added.kernel = kernel;
      for (int64_t size : version.sizes.sizes)
        added.ranges.push_back({size, size});
      if (version.sizes.ranges.empty() || !layout::hasLoops(kernel))
        continue;
      if (OwningOpRef<te::KernelOp> ofRange = makeOpen(task, kernel))
        ofRanges.push_back({insert(std::move(ofRange), ::tssa::getRangeName(name)),
                            version.sizes.ranges,
                            /*isOpen=*/true});
    }
    llvm::append_range(versions, ofRanges);
    for (te::LaunchOp launch : launches)
      ::tssa::launchVersions(launch, versions);
  }

private:
  using SizeVersion = ::tssa::SizeVersion;

  te::KernelOp insert(OwningOpRef<te::KernelOp> kernel, StringRef name) {
    kernel->setSymName(name);
    te::KernelOp inserted = kernel.release();
    symbols.insert(inserted, std::next(last->getIterator()));
    last = inserted;
    return inserted;
  }

  /// Returns the open kernel with the loops of a version, or null if they fit only the version.
  OwningOpRef<te::KernelOp> makeOpen(const KernelTask &task, te::KernelOp version) {
    te::KernelOp open = task.kernel;
    OwningOpRef<te::KernelOp> copy = open.clone();
    ::tssa::addRecordedLoops(*copy, version);
    llvm::Error error = ::tssa::proveOpenLoops(*copy, task.constants, machine);
    if (!error)
      return copy;
    remark::missed(open.getLoc(), getRemarkOptions())
        << remark::metric("Kernel", version.getSymName())
        << remark::reason("{0}", "its loops fit no range: " + llvm::toString(std::move(error)));
    return {};
  }

  layout::MachineModel machine;
  SymbolTable symbols;
  RecordApplier &sizes, &loops;
  Operation *last = nullptr; ///< behind which the next version comes
};

struct ApplyRecords : ::tssa::impl::ApplyRecordsBase<ApplyRecords> {
  using ApplyRecordsBase::ApplyRecordsBase;
  ApplyRecords(::tssa::ApplyRecordsOptions options, TunedUse *use)
      : ApplyRecordsBase(std::move(options)), use(use) {}

  /// The dry run compiles with other passes.
  void getDependentDialects(DialectRegistry &registry) const override {
    ::tssa::addProofDialects(registry);
  }

  void runOnOperation() override {
    if (llvm::Error error = ::tssa::checkRecordFolder(dir))
      return fail(std::move(error));
    if (to != "kernels" && to != "ends" && to != "conversions" && to != "sizes")
      return fail(llvm::createStringError(
          "expected 'kernels', 'ends', 'conversions' or 'sizes', got '" + to + "'"));
    // Versions are counted as such, and not their loops.
    llvm::Expected<RecordApplier> loops =
        makeApplier(RecordKind::Loops, to == "sizes" ? nullptr : use);
    llvm::Expected<RecordApplier> others =
        makeApplier(to == "ends" ? RecordKind::Ends : RecordKind::Sizes, use);
    if (!loops || !others)
      return fail(llvm::joinErrors(loops.takeError(), others.takeError()));
    ModuleOp module = getOperation();
    VersionMaker versions(module, *others, *loops);
    for (const KernelTask &task : ::tssa::findTasks(module))
      if (to == "sizes")
        versions.apply(task);
      else if (::tssa::isConversion(task.kernel) == (to == "conversions"))
        (to == "ends" ? *others : *loops).apply(task);
    for (const RecordApplier &applier : {std::cref(*loops), std::cref(*others)}) {
      applier.warn(module);
      numApplied += applier.getNumApplied();
    }
  }

private:
  /// Returns what applies the records of this kind.
  llvm::Expected<RecordApplier> makeApplier(RecordKind kind, TunedUse *counts) {
    llvm::Expected<std::vector<std::string>> names = ::tssa::listRecords(dir, kind);
    if (!names)
      return names.takeError();
    StringRef own = epoch.empty() ? ::tssa::getEpoch() : StringRef(epoch);
    return RecordApplier(getOperation(), dir, machine, own, kind, *names, counts);
  }

  void fail(llvm::Error error) {
    emitError(getOperation().getLoc()) << llvm::toString(std::move(error));
    signalPassFailure();
  }

  TunedUse *use = nullptr;
};
} // namespace

namespace tssa {
std::unique_ptr<Pass> createApplyRecords(ApplyRecordsOptions options, TunedUse *use) {
  return std::make_unique<::ApplyRecords>(std::move(options), use);
}
} // namespace tssa
