//===- Records.h - schedules that a tuner has recorded ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A record has the fastest schedule that a tuner has found for a task (Tasks.h) on a machine. It
/// is a file of schedules with one kernel, after a header of comments:
///
///     // tssa record 1
///     // task: <the key of the task>
///     // machine: <the id of the machine>
///     // epoch: <the epoch of the code generator>
///     // threads: 1
///     // seconds: 7.82e-05 of 1.16e-04
///     // constants: 1 2
///     te.kernel @kernel(...) -> ... { ... } schedule { the stores of the task, then the loops }
///
/// It lies at DIR/records/<task>.<machine>.mlir.
///
/// A record of ends has the layouts of a kernel's operands and results, where a tuner has found
/// better ones than the compiler chooses. Its task is the kernel without a schedule, its schedule
/// has stores and no loops, and it lies at DIR/ends/<task>.<machine>.mlir. Its seconds are those of
/// all kernels that it changes, with conversions.
///
/// A record of sizes says for which sizes a kernel that is open gets versions. Its task is the
/// kernel between layouts that are applied, without a schedule, and it lies at
/// DIR/sizes/<task>.<machine>.mlir. Each line `// sizes: 8 128` behind the seconds has the values
/// of the parameters that are sizes (te::getSizeParameters), in order. The kernel with these sizes
/// is a task of its own, perhaps with a record of loops. `// sizes: 8 128 in 4..16 64..256` also
/// gives these loops to launches whose sizes lie between the bounds. The seconds are those of the
/// program at one of the tuples, with all versions and with none.
///
/// Records are untrusted: what reads them refuses text that is not exactly of this form, and takes
/// nothing from it but loops (RecordedLoops.h), stores, or sizes.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_RECORDS_H
#define TSSA_PIPELINE_RECORDS_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tssa/Target/CPU.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace tssa {

/// What a record has for a kernel: loops, stores, or the sizes of its versions.
enum class RecordKind { Loops, Ends, Sizes };

/// The most bytes of a record.
constexpr uint64_t maxRecordBytes = uint64_t(1) << 20;

/// What a record says of its measurement.
struct RecordInfo {
  /// The id of the machine, and the epoch of the code generator.
  std::string machine, epoch;
  /// The number of threads that ran the kernel.
  unsigned threads = 1;
  /// The seconds that a run of the kernel takes, with the schedule and with the default one.
  double seconds = 0, defaultSeconds = 0;
};

/// The most tuples of sizes for which a kernel has versions, and the largest size.
constexpr size_t maxVersions = 16;
constexpr int64_t maxSize = int64_t(1) << 40;

/// Sizes for which a kernel has a version.
struct VersionSizes {
  llvm::SmallVector<int64_t> sizes;
  /// The least and the greatest sizes for which the loops of the version are good; empty if these
  /// are `sizes` alone.
  llvm::SmallVector<std::pair<int64_t, int64_t>> ranges;
};

/// The header of a record.
struct RecordHeader {
  /// The key of the task.
  std::string task;
  RecordInfo info;
  /// The numbers of the parameters that are constants.
  llvm::SmallVector<unsigned> constants;
  /// In a record of sizes, those of its versions.
  std::vector<VersionSizes> versions = {};
};

/// What a program took from a folder of records.
struct TunedUse {
  unsigned kernels = 0;  ///< that can be tuned, and conversions
  unsigned recorded = 0; ///< of these, those that have loops of a record
  unsigned versions = 0; ///< for sizes, of open kernels
  /// The seconds of one run of the kernels that have loops of a record, as their records say, with
  /// them and by default.
  double seconds = 0, defaultSeconds = 0;
};

struct Record {
  RecordHeader header;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The only op of the module.
  mlir::tssa::te::KernelOp kernel;
};

/// Why a record cannot be used.
enum class RecordFault {
  Unreadable, ///< no regular file, or no right to read it
  Damaged,    ///< the text is too long or not of the form
  Version,    ///< of another version of the form
  Epoch,      ///< of another epoch
  Machine,    ///< of another machine
  Task,       ///< the kernel is not that of the key
  Loops,      ///< the schedule has other ops than loops
  Size,       ///< too much code is unrolled
  Refused     ///< the loops do not fit the kernel
};

/// The number of faults.
constexpr unsigned numRecordFaults = unsigned(RecordFault::Refused) + 1;

/// Returns what a record with this fault is, such as "damaged" or "of another epoch".
llvm::StringRef getName(RecordFault fault);

/// The error of a record that cannot be used.
class RecordError : public llvm::ErrorInfo<RecordError> {
public:
  static char ID;
  RecordError(RecordFault fault, const llvm::Twine &text) : fault(fault), text(text.str()) {}
  RecordFault getFault() const { return fault; }
  void log(llvm::raw_ostream &stream) const override { stream << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  RecordFault fault;
  std::string text;
};

/// Returns the id of a machine: the name of its CPU and 16 hexadecimal digits of the SHA-256 of
/// what `cpu::printMachine` prints.
std::string getMachineId(const cpu::Machine &machine);

/// Returns 16 hexadecimal digits of a hash of the sources that make code of a schedule, and of
/// LLVM's version. Seconds of another epoch say little of the code that is made now.
llvm::StringRef getEpoch();

/// Returns the text of the task of a record of this kind: a kernel with its stores; for ends,
/// without.
std::string getRecordTask(mlir::tssa::te::KernelOp kernel, llvm::ArrayRef<unsigned> constants,
                          RecordKind kind);

/// Prints a record. `kernel` has the stores of its task and loops, or the stores of its ends;
/// `constants` as in KernelTask.
std::string printRecord(mlir::tssa::te::KernelOp kernel, llvm::ArrayRef<unsigned> constants,
                        const RecordInfo &info, RecordKind kind = RecordKind::Loops);

/// Prints a record of sizes of `kernel`, which has no schedule, with 1 to maxVersions versions.
std::string printSizes(mlir::tssa::te::KernelOp kernel, llvm::ArrayRef<unsigned> constants,
                       const RecordInfo &info, llvm::ArrayRef<VersionSizes> versions);

/// Reads the header of a record, without the kernel. Fails with a RecordError.
llvm::Expected<RecordHeader> parseRecordHeader(llvm::StringRef text);

/// Reads a record and checks that its kernel has the key of its header, and a schedule of stores
/// and loops, of stores alone, or none. Prints nothing. Fails with a RecordError.
llvm::Expected<Record> parseRecord(llvm::StringRef text, mlir::MLIRContext &context,
                                   RecordKind kind = RecordKind::Loops);

/// Returns the name of the folder of records of this kind, such as `records`.
llvm::StringRef getFolderName(RecordKind kind);

/// Returns the path of the record of a task for a machine, in the folder `dir`.
std::string getRecordPath(llvm::StringRef dir, llvm::StringRef task, llvm::StringRef machine,
                          RecordKind kind = RecordKind::Loops);

/// Fails, with a sentence, unless `dir` is a folder.
llvm::Error checkRecordFolder(llvm::StringRef dir);

/// Returns the names of the records in the folder `dir`, sorted. There are none if the folder has
/// no folder `records`, `ends` or `sizes`. Fails if that cannot be listed.
llvm::Expected<std::vector<std::string>> listRecords(llvm::StringRef dir,
                                                     RecordKind kind = RecordKind::Loops);

/// Reads a file that may be a record. Fails with a RecordError for what is no regular file, and for
/// more than `maxRecordBytes`.
llvm::Expected<std::string> readRecordText(llvm::StringRef path);

/// Writes the text of a record to its path in the folder `dir`, under a temporary name first. Makes
/// the folders that are missing.
llvm::Error writeRecord(llvm::StringRef dir, llvm::StringRef text,
                        RecordKind kind = RecordKind::Loops);

} // namespace tssa

#endif // TSSA_PIPELINE_RECORDS_H
