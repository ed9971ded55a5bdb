//===- Database.h - what was measured, in one file -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The results of tuning, in one SQLite file that several processes may use at a time. It is in
/// write-ahead mode (https://www.sqlite.org/wal.html): a process that is killed loses at most the
/// batch that it was writing, and the file stays whole.
///
/// The file may come from elsewhere. Opening checks its structure, its version and its tables; what
/// is read is checked for its size and range, and the reader must still parse a point with the
/// task's space and check a schedule as it checks any other.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_DATABASE_H
#define TSSA_SEARCH_DATABASE_H

#include "tssa/Search/CostModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tssa::search {

/// What is tuned. The key is a hash of `text`.
struct Task {
  std::string key;
  std::string text;
};

/// How a trial ended. The numbers are those in the file.
enum class TrialStatus : int64_t {
  Measured = 0,
  BuildFailed = 1,
  Wrong = 2,
  Timeout = 3,
  Crash = 4,
  OutOfMemory = 5,
};

/// A point that was tried. A task of this key must exist.
struct Trial {
  std::string task;
  /// As `Space::print` writes it.
  std::string point;
  TrialStatus status = TrialStatus::Measured;
  /// The time of the kernel, positive and finite; exactly the measured trials have one.
  std::optional<double> seconds;
  /// How long building and measuring took together, in seconds.
  double wallSeconds = 0;
  /// When, in seconds since 1970.
  int64_t when = 0;
  /// Which code generator: times of different epochs are not compared.
  std::string epoch;
  std::string machine;
  /// What the cost model knows of the point, or nothing, and the hash of the names
  /// (`CostModel::getFeatureHash`).
  Features features = {};
  uint64_t featureHash = 0;
};

/// The fastest schedule of a task on one machine with one epoch.
struct Record {
  std::string task;
  std::string machine;
  std::string epoch;
  double seconds = 0;
  std::string schedule;
};

/// A point that a session proposed, in the order of its proposals.
struct Proposal {
  int64_t session = 0;
  std::string task;
  int64_t round = 0;
  std::string point;
};

/// What one run of a program takes by default, and with what a session found. Both are positive and
/// finite.
struct ProgramTimes {
  double defaultSeconds = 0, seconds = 0;
};

/// A run of the tuner: with its seed and options, the trials and the proposals it can be replayed.
struct Session {
  uint64_t seed = 0;
  std::string options;
  std::vector<Proposal> proposals;
  std::optional<ProgramTimes> program; ///< if the whole program was timed
};

/// What is written together. The tasks come first.
struct WriteBatch {
  std::vector<Task> tasks;
  std::vector<Trial> trials;
  std::vector<Record> records;
  std::vector<Proposal> proposals;
};

class Connection;

class Database {
public:
  /// The version of the tables that this build reads and writes.
  static constexpr int64_t version = 3;
  /// Longer texts are not written, and a row that has one is not read.
  static constexpr size_t maxKeyBytes = 256;
  static constexpr size_t maxPointBytes = 65536;
  static constexpr size_t maxTextBytes = 1 << 20;
  static constexpr size_t maxScheduleBytes = 1 << 20;

  /// Opens the file at `path`, or makes it; its folder must exist. An older version is brought to
  /// this one in one transaction. Fails with one sentence, and leaves the file as it is, if it is
  /// no SQLite database, is damaged, belongs to another program, has a newer version, cannot be
  /// written, or is locked for longer than `timeoutMilliseconds`.
  static llvm::Expected<Database> open(llvm::StringRef path, unsigned timeoutMilliseconds = 5000);
  Database(Database &&);
  Database &operator=(Database &&);
  ~Database();

  /// Writes all of `batch` in one transaction, or nothing and fails. A task that is there stays. A
  /// record replaces a slower one of its task, machine and epoch.
  llvm::Error write(const WriteBatch &batch);
  /// Returns the number of a new session.
  llvm::Expected<int64_t> beginSession(uint64_t seed, llvm::StringRef options);
  /// Writes what the program takes, in place of earlier times of the session, which must exist.
  llvm::Error writeProgram(int64_t session, const ProgramTimes &times);

  /// The task with this key, or none. If its text is not the caller's, the file is not to be used
  /// for the task: one of the two has a wrong key.
  llvm::Expected<std::optional<Task>> readTask(llvm::StringRef key);
  struct Trials {
    std::vector<Trial> valid;
    /// How many rows were left out because a value is too long or out of range.
    uint64_t invalid = 0;
  };
  /// All trials of a task in the order in which they were written.
  llvm::Expected<Trials> readTrials(llvm::StringRef task);
  /// The number of the last trial that was written, 0 if there is none. It grows.
  llvm::Expected<int64_t> findLastTrial();
  /// Which rows of trials a cost model takes.
  struct RowQuery {
    std::string machine, epoch;
    uint64_t featureHash = 0;
    int64_t lastTrial = 0; ///< no later ones
    size_t most = 0;       ///< the last ones, so many
  };
  /// The rows of the trials that have features with this hash, in the order in which they were
  /// written. The task of a row is the hash of its key. What is damaged is left out.
  llvm::Expected<std::vector<Row>> readRows(const RowQuery &query);
  /// The record of a task on a machine with an epoch, or none. A row that is out of range is an
  /// error, which the caller may take for none.
  llvm::Expected<std::optional<Record>> readRecord(llvm::StringRef task, llvm::StringRef machine,
                                                   llvm::StringRef epoch);
  struct Records {
    std::vector<Record> valid;
    /// How many rows were left out because a value is too long or out of range.
    uint64_t invalid = 0;
  };
  /// All records of a machine with an epoch, in the order of their tasks.
  llvm::Expected<Records> readRecords(llvm::StringRef machine, llvm::StringRef epoch);
  /// The keys that begin with `prefix`, at most `most` of them, in order.
  llvm::Expected<std::vector<std::string>> findKeys(llvm::StringRef prefix, size_t most);
  /// A session with its proposals in order, or none. Fails if a row is out of range.
  llvm::Expected<std::optional<Session>> readSession(int64_t number);
  /// The number of the last session, or none.
  llvm::Expected<std::optional<int64_t>> findLastSession();

private:
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection;
};

} // namespace tssa::search

#endif // TSSA_SEARCH_DATABASE_H
