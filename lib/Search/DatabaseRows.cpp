//===- DatabaseRows.cpp - reading and writing rows -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Search/Database.h"

#include "SQLite.h"
#include "tssa/Search/Random.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cmath>

using namespace tssa::search;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static bool isTime(double seconds) { return std::isfinite(seconds) && seconds > 0; }

static bool isKey(StringRef text) { return !text.empty() && text.size() <= Database::maxKeyBytes; }

/// Why a row is not written and not read, or nullptr.
static const char *findFault(const Task &task) {
  if (!isKey(task.key))
    return "a task has no key or a longer one than is possible";
  return task.text.size() > Database::maxTextBytes ? "the text of a task is too long" : nullptr;
}

static const char *findFault(const Trial &trial) {
  if (!isKey(trial.task) || trial.point.size() > Database::maxPointBytes ||
      trial.epoch.size() > Database::maxKeyBytes || trial.machine.size() > Database::maxKeyBytes)
    return "a text of a trial is too long, or it has no task";
  if (trial.status < TrialStatus::Measured || trial.status > TrialStatus::OutOfMemory)
    return "a trial has an unknown status";
  if (trial.seconds.has_value() != (trial.status == TrialStatus::Measured))
    return "exactly the measured trials have a time";
  if ((trial.seconds && !isTime(*trial.seconds)) || !std::isfinite(trial.wallSeconds) ||
      trial.wallSeconds < 0)
    return "a time of a trial is out of range";
  return nullptr;
}

/// The features of a trial as bytes, little-endian: the hash of their names, then each as a float.
/// Nothing without features.
static std::string packFeatures(const Trial &trial) {
  std::string bytes;
  if (trial.features.empty())
    return bytes;
  bytes.resize(sizeof(uint64_t) + trial.features.size() * sizeof(float));
  llvm::support::endian::write64le(bytes.data(), trial.featureHash);
  char *next = bytes.data() + sizeof(uint64_t);
  for (float feature : trial.features) {
    llvm::support::endian::write32le(next, llvm::bit_cast<uint32_t>(feature));
    next += sizeof(float);
  }
  return bytes;
}

/// The features with the names of `hash`, or none if `bytes` are no such features.
static Features unpackFeatures(StringRef bytes, uint64_t hash) {
  constexpr size_t most = sizeof(uint64_t) + CostModel::maxFeatures * sizeof(float);
  if (bytes.size() < sizeof(uint64_t) || bytes.size() > most ||
      (bytes.size() - sizeof(uint64_t)) % sizeof(float) != 0 ||
      llvm::support::endian::read64le(bytes.data()) != hash)
    return {};
  Features features;
  for (bytes = bytes.drop_front(sizeof(uint64_t)); !bytes.empty();
       bytes = bytes.drop_front(sizeof(float))) {
    float feature = llvm::bit_cast<float>(llvm::support::endian::read32le(bytes.data()));
    if (!std::isfinite(feature))
      return {};
    features.push_back(feature);
  }
  return features;
}

static const char *findFault(const Record &record) {
  if (!isKey(record.task) || record.machine.size() > Database::maxKeyBytes ||
      record.epoch.size() > Database::maxKeyBytes)
    return "a text of a record is too long, or it has no task";
  if (record.schedule.size() > Database::maxScheduleBytes)
    return "the schedule of a record is too long";
  return isTime(record.seconds) ? nullptr : "the time of a record is out of range";
}

static const char *findFault(const Proposal &proposal) {
  if (!isKey(proposal.task) || proposal.point.size() > Database::maxPointBytes)
    return "a text of a proposal is too long, or it has no task";
  return proposal.round < 0 ? "the round of a proposal is negative" : nullptr;
}

static void bindRow(Statement &statement, const Task &task) {
  statement.bind(0, StringRef(task.key)).bind(1, StringRef(task.text));
}

static void bindRow(Statement &statement, const Trial &trial) {
  statement.bind(0, StringRef(trial.task))
      .bind(1, StringRef(trial.point))
      .bind(2, int64_t(trial.status))
      .bind(3, trial.seconds)
      .bind(4, std::optional<double>(trial.wallSeconds))
      .bind(5, trial.when)
      .bind(6, StringRef(trial.epoch))
      .bind(7, StringRef(trial.machine))
      .bindBytes(8, packFeatures(trial));
}

static void bindRow(Statement &statement, const Record &record) {
  statement.bind(0, StringRef(record.task))
      .bind(1, StringRef(record.machine))
      .bind(2, StringRef(record.epoch))
      .bind(3, std::optional<double>(record.seconds))
      .bindBytes(4, record.schedule);
}

static void bindRow(Statement &statement, const Proposal &proposal) {
  statement.bind(0, proposal.session)
      .bind(1, StringRef(proposal.task))
      .bind(2, proposal.round)
      .bind(3, StringRef(proposal.point));
}

template <typename Row>
static Error writeRows(Connection &connection, StringRef sql, const std::vector<Row> &rows) {
  Statement statement(connection, sql);
  for (const Row &row : rows) {
    if (const char *fault = findFault(row))
      return connection.makeError(llvm::Twine("was not changed: ") + fault);
    bindRow(statement, row);
    if (Error error = statement.run())
      return error;
  }
  return statement.takeError();
}

Error Database::write(const WriteBatch &batch) {
  Transaction transaction(*connection);
  if (Error error = transaction.begin())
    return error;
  if (Error error = writeRows(*connection, "INSERT OR IGNORE INTO task VALUES (?, ?)", batch.tasks))
    return error;
  if (Error error = writeRows(*connection,
                              "INSERT INTO trial (task, point, status, seconds, wall, time, epoch, "
                              "machine, features) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                              batch.trials))
    return error;
  if (Error error = writeRows(*connection,
                              "INSERT INTO record VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                              "seconds = excluded.seconds, schedule = excluded.schedule "
                              "WHERE excluded.seconds < seconds",
                              batch.records))
    return error;
  if (Error error = writeRows(
          *connection, "INSERT INTO proposal (session, task, round, point) VALUES (?, ?, ?, ?)",
          batch.proposals))
    return error;
  return transaction.commit();
}

Expected<int64_t> Database::beginSession(uint64_t seed, StringRef options) {
  if (options.size() > maxTextBytes)
    return connection->makeError("was not changed: the options of a session are too long");
  Statement statement(*connection, "INSERT INTO session (seed, options) VALUES (?, ?)");
  if (Error error = statement.bind(0, int64_t(seed)).bind(1, options).run())
    return std::move(error);
  return connection->getLastRow();
}

Error Database::writeProgram(int64_t session, const ProgramTimes &times) {
  if (!isTime(times.defaultSeconds) || !isTime(times.seconds))
    return connection->makeError("was not changed: the times of a program are no times");
  Statement statement(*connection, "INSERT OR REPLACE INTO program VALUES (?, ?, ?)");
  return statement.bind(0, session)
      .bind(1, std::optional<double>(times.defaultSeconds))
      .bind(2, std::optional<double>(times.seconds))
      .run();
}

/// Reads what the program of a session takes, or nothing.
static Expected<std::optional<ProgramTimes>> readProgram(Connection &connection, int64_t session) {
  Statement statement(connection, "SELECT standard, tuned FROM program WHERE session = ?");
  std::optional<ProgramTimes> times;
  if (statement.bind(0, session).step())
    times = {statement.getReal(0).value_or(-1), statement.getReal(1).value_or(-1)};
  if (Error error = statement.takeError())
    return std::move(error);
  if (times && (!isTime(times->defaultSeconds) || !isTime(times->seconds)))
    return connection.makeError("has a bad row: the times of a program are no times");
  return times;
}

Expected<std::optional<Task>> Database::readTask(StringRef key) {
  Statement statement(*connection, "SELECT text FROM task WHERE key = ?");
  if (!statement.bind(0, key).step()) {
    if (Error error = statement.takeError())
      return std::move(error);
    return std::nullopt;
  }
  Task task{key.str(), statement.getBytes(0).str()};
  if (const char *fault = findFault(task))
    return connection->makeError(llvm::Twine("has a bad row: ") + fault);
  return task;
}

Expected<Database::Trials> Database::readTrials(StringRef task) {
  Statement statement(*connection, "SELECT point, status, seconds, wall, time, epoch, machine "
                                   "FROM trial WHERE task = ? ORDER BY id");
  statement.bind(0, task);
  Trials trials;
  while (statement.step()) {
    Trial trial;
    trial.task = task.str();
    trial.point = statement.getBytes(0).str();
    trial.status = TrialStatus(statement.getNumber(1));
    trial.seconds = statement.getReal(2);
    trial.wallSeconds = statement.getReal(3).value_or(-1);
    trial.when = statement.getNumber(4);
    trial.epoch = statement.getBytes(5).str();
    trial.machine = statement.getBytes(6).str();
    if (findFault(trial))
      ++trials.invalid;
    else
      trials.valid.push_back(std::move(trial));
  }
  if (Error error = statement.takeError())
    return std::move(error);
  return trials;
}

Expected<int64_t> Database::findLastTrial() {
  return connection->readNumber("SELECT coalesce(max(id), 0) FROM trial");
}

Expected<std::vector<Row>> Database::readRows(const RowQuery &query) {
  Statement statement(*connection,
                      "SELECT task, seconds, features FROM trial WHERE machine = ? AND epoch = ? "
                      "AND id <= ? AND length(features) > 0 ORDER BY id DESC LIMIT ?");
  statement.bind(0, StringRef(query.machine))
      .bind(1, StringRef(query.epoch))
      .bind(2, query.lastTrial)
      .bind(3, int64_t(query.most));
  std::vector<Row> rows;
  while (statement.step()) {
    Row row{hashBytes(statement.getBytes(0)), {}, statement.getReal(1)};
    row.features = unpackFeatures(statement.getBytes(2), query.featureHash);
    if (!row.features.empty() && (!row.seconds || isTime(*row.seconds)))
      rows.push_back(std::move(row));
  }
  if (Error error = statement.takeError())
    return std::move(error);
  std::reverse(rows.begin(), rows.end());
  return rows;
}

Expected<std::optional<Record>> Database::readRecord(StringRef task, StringRef machine,
                                                     StringRef epoch) {
  Statement statement(*connection, "SELECT seconds, schedule FROM record "
                                   "WHERE task = ? AND machine = ? AND epoch = ?");
  if (!statement.bind(0, task).bind(1, machine).bind(2, epoch).step()) {
    if (Error error = statement.takeError())
      return std::move(error);
    return std::nullopt;
  }
  Record record{task.str(), machine.str(), epoch.str(), statement.getReal(0).value_or(-1),
                statement.getBytes(1).str()};
  if (const char *fault = findFault(record))
    return connection->makeError(llvm::Twine("has a bad row: ") + fault);
  return record;
}

Expected<Database::Records> Database::readRecords(StringRef machine, StringRef epoch) {
  Statement statement(*connection, "SELECT task, seconds, schedule FROM record "
                                   "WHERE machine = ? AND epoch = ? ORDER BY task");
  statement.bind(0, machine).bind(1, epoch);
  Records records;
  while (statement.step()) {
    Record record{statement.getBytes(0).str(), machine.str(), epoch.str(),
                  statement.getReal(1).value_or(-1), statement.getBytes(2).str()};
    if (findFault(record))
      ++records.invalid;
    else
      records.valid.push_back(std::move(record));
  }
  if (Error error = statement.takeError())
    return std::move(error);
  return records;
}

Expected<std::vector<std::string>> Database::findKeys(StringRef prefix, size_t most) {
  Statement statement(*connection, "SELECT key FROM task WHERE substr(key, 1, length(?1)) = ?1 "
                                   "ORDER BY key LIMIT ?2");
  statement.bind(0, prefix).bind(1, int64_t(most));
  std::vector<std::string> keys;
  while (statement.step())
    keys.push_back(statement.getBytes(0).str());
  if (Error error = statement.takeError())
    return std::move(error);
  return keys;
}

Expected<std::optional<int64_t>> Database::findLastSession() {
  Statement statement(*connection, "SELECT id FROM session ORDER BY id DESC LIMIT 1");
  std::optional<int64_t> number;
  if (statement.step())
    number = statement.getNumber(0);
  if (Error error = statement.takeError())
    return std::move(error);
  return number;
}

Expected<std::optional<Session>> Database::readSession(int64_t number) {
  Statement header(*connection, "SELECT seed, options FROM session WHERE id = ?");
  if (!header.bind(0, number).step()) {
    if (Error error = header.takeError())
      return std::move(error);
    return std::nullopt;
  }
  Session session;
  session.seed = uint64_t(header.getNumber(0));
  session.options = header.getBytes(1).str();
  if (session.options.size() > maxTextBytes)
    return connection->makeError("has a bad row: the options of a session are too long");
  Statement rows(*connection,
                 "SELECT task, round, point FROM proposal WHERE session = ? ORDER BY id");
  rows.bind(0, number);
  while (rows.step()) {
    Proposal proposal{number, rows.getBytes(0).str(), rows.getNumber(1), rows.getBytes(2).str()};
    if (const char *fault = findFault(proposal))
      return connection->makeError(llvm::Twine("has a bad row: ") + fault);
    session.proposals.push_back(std::move(proposal));
  }
  if (Error error = rows.takeError())
    return std::move(error);
  Expected<std::optional<ProgramTimes>> program = readProgram(*connection, number);
  if (!program)
    return program.takeError();
  session.program = *program;
  return session;
}
