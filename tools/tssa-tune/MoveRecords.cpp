//===- MoveRecords.cpp - carries records from folder to folder ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Look.h"
#include "Tune.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/Tasks.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

using namespace llvm;

namespace tssa::tune {
namespace {

/// Counts records that cannot be used, by fault.
class Faults {
public:
  /// Counts the fault of `error`. Another error is returned.
  Error take(Error error) {
    return handleErrors(std::move(error), [&](const RecordError &fault) {
      ++counts[static_cast<unsigned>(fault.getFault())];
    });
  }
  void add(RecordFault fault, uint64_t count = 1) { counts[static_cast<unsigned>(fault)] += count; }

  /// Prints one warning if there is a fault: how many records of `where` are not `done`.
  void warn(const Twine &where, StringRef done) const {
    uint64_t all = 0;
    std::string text;
    for (auto [fault, count] : enumerate(counts))
      if (count > 0) {
        all += count;
        text += (Twine(text.empty() ? "" : ", ") + Twine(count) + " " +
                 getName(static_cast<RecordFault>(fault)))
                    .str();
      }
    if (all > 0)
      errs() << "tssa-tune: warning: " << where << ": " << all
             << (all == 1 ? " record was not " : " records were not ") << done << ": " << text
             << '\n';
  }

private:
  std::array<uint64_t, numRecordFaults> counts{};
};

/// Returns the name of a machine in the database.
std::string getMachineName(const RecordInfo &info) {
  return info.machine + "/t" + std::to_string(info.threads);
}

/// Copies the records of a kind that is files only, of all machines and epochs. A folder that has
/// one for the same kernel and machine keeps it. Wrong ones are counted in `faults`.
Error copyFiles(RecordKind kind, const std::string &from, const std::string &to,
                mlir::MLIRContext &context, Faults &faults) {
  auto names = listRecords(from, kind);
  if (!names)
    return names.takeError();
  uint64_t count = 0;
  for (const std::string &name : *names) {
    SmallString<128> path(from);
    sys::path::append(path, getFolderName(kind), name);
    Expected<std::string> text = readRecordText(path);
    Expected<Record> record = text ? parseRecord(*text, context, kind)
                                   : Expected<Record>(text.takeError());
    if (!record) {
      if (Error error = faults.take(record.takeError()))
        return error;
      continue;
    }
    const RecordHeader &header = record->header;
    if (sys::fs::exists(getRecordPath(to, header.task, header.info.machine, kind)))
      continue;
    if (Error error = writeRecord(to, *text, kind))
      return error;
    ++count;
  }
  if (count > 0)
    outs() << count << (count == 1 ? " record" : " records") << " of " << getFolderName(kind)
           << " copied\n";
  return Error::success();
}

Error writeRecords(const Options &options) {
  Expected<cpu::Machine> machine = cpu::resolveMachine("native");
  if (!machine)
    return machine.takeError();
  Expected<search::Database> database = openExisting(options);
  if (!database)
    return database.takeError();
  auto context = createContext();
  std::string name = getMachineId(*machine) + "/t" + std::to_string(options.threads);
  auto rows = database->readRecords(name, getEpoch());
  if (!rows)
    return rows.takeError();
  Faults faults;
  faults.add(RecordFault::Damaged, rows->invalid);
  uint64_t count = 0;
  for (const search::Record &row : rows->valid) {
    Expected<Record> record = parseRecord(row.schedule, *context);
    if (!record) {
      if (Error error = faults.take(record.takeError()))
        return error;
      continue;
    }
    const RecordHeader &header = record->header;
    if (header.task != row.task || getMachineName(header.info) != name ||
        header.info.epoch != row.epoch) {
      faults.add(RecordFault::Damaged);
      continue;
    }
    if (Error error = writeRecord(options.exported, row.schedule))
      return error;
    ++count;
  }
  for (RecordKind kind : {RecordKind::Ends, RecordKind::Sizes})
    if (Error error = copyFiles(kind, options.folder, options.exported, *context, faults))
      return error;
  faults.warn(options.folder, "exported");
  outs() << count << (count == 1 ? " record" : " records") << " of this machine written to "
         << options.exported << "/records\n";
  return Error::success();
}

/// Takes records over, one file after the other.
class RecordImport {
public:
  RecordImport(const Options &options, search::Database &database, const std::string &machine)
      : options(options), database(database), machine(machine), context(createContext()) {}

  Error run();

private:
  Error take(const std::string &name);
  Error takeOwn(Record &record, const std::string &text);
  Expected<bool> copy(const RecordHeader &header, StringRef text);

  const Options &options;
  search::Database &database;
  std::string machine; ///< the id of this machine
  std::unique_ptr<mlir::MLIRContext> context;
  Faults faults;
  uint64_t numOwn = 0, numFaster = 0, numOther = 0, numCopied = 0;
};

} // namespace

/// Writes the record to the folder of the database unless that has one to keep: a faster one, or
/// one that cannot be compared. Records of this build's epoch replace others.
Expected<bool> RecordImport::copy(const RecordHeader &header, StringRef text) {
  std::string path = getRecordPath(options.folder, header.task, header.info.machine);
  Expected<std::string> there = readRecordText(path);
  Expected<Record> record =
      there ? parseRecord(*there, *context) : Expected<Record>(there.takeError());
  if (!record) {
    consumeError(record.takeError());
  } else {
    const RecordInfo &known = record->header.info, &given = header.info;
    bool isComparable = known.epoch == given.epoch && known.threads == given.threads;
    bool isNewer = known.epoch != given.epoch && given.epoch == getEpoch();
    if (isComparable ? known.seconds <= given.seconds : !isNewer)
      return false;
  }
  if (Error error = writeRecord(options.folder, text))
    return std::move(error);
  return true;
}

/// Takes over a record of this machine and epoch.
Error RecordImport::takeOwn(Record &record, const std::string &text) {
  const RecordHeader &header = record.header;
  std::string name = getMachineName(header.info);
  auto known = database.readRecord(header.task, name, header.info.epoch);
  if (!known)
    return known.takeError();
  ++numOwn;
  numFaster += !*known || header.info.seconds < (*known)->seconds;
  search::WriteBatch batch;
  batch.tasks.push_back({header.task, getTaskText(record.kernel, header.constants)});
  batch.records.push_back({header.task, name, header.info.epoch, header.info.seconds, text});
  return database.write(batch);
}

Error RecordImport::take(const std::string &name) {
  SmallString<128> path(options.imported);
  sys::path::append(path, "records", name);
  Expected<std::string> text = readRecordText(path);
  if (!text)
    return faults.take(text.takeError());
  Expected<Record> record = parseRecord(*text, *context);
  if (!record)
    return faults.take(record.takeError());
  const RecordInfo &info = record->header.info;
  bool isOwn = info.machine == machine && info.epoch == getEpoch();
  if (isOwn)
    if (Error error = takeOwn(*record, *text))
      return error;
  // The compiler needs no file for a kernel that keeps the default.
  bool needsFile = info.seconds < info.defaultSeconds;
  Expected<bool> isCopied = needsFile ? copy(record->header, *text) : false;
  if (!isCopied)
    return isCopied.takeError();
  numOther += !isOwn;
  numCopied += !isOwn && *isCopied;
  return Error::success();
}

Error RecordImport::run() {
  if (!sys::fs::is_directory(options.imported))
    return createStringError("'" + options.imported + "' is no folder");
  auto names = listRecords(options.imported);
  if (!names)
    return names.takeError();
  for (const std::string &name : *names)
    if (Error error = take(name))
      return error;
  for (RecordKind kind : {RecordKind::Ends, RecordKind::Sizes})
    if (Error error = copyFiles(kind, options.imported, options.folder, *context, faults))
      return error;
  faults.warn(options.imported, "imported");
  outs() << numOwn << (numOwn == 1 ? " record" : " records") << " of this machine, " << numFaster
         << " of them new or faster; " << numOther << " of another machine or epoch, " << numCopied
         << " of them copied\n";
  return Error::success();
}

int exportRecords(const Options &options) {
  Error error = writeRecords(options);
  return error ? report("tssa-tune", std::move(error)) : Success;
}

int importRecords(const Options &options) {
  Expected<cpu::Machine> machine = cpu::resolveMachine("native");
  if (!machine)
    return report("tssa-tune", machine.takeError());
  Expected<search::Database> database = openDatabase(options);
  if (!database)
    return report("tssa-tune", database.takeError());
  Error error = RecordImport(options, *database, getMachineId(*machine)).run();
  return error ? report("tssa-tune", std::move(error)) : Success;
}

} // namespace tssa::tune
