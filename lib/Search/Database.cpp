//===- Database.cpp - opening and migrating the file -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How a file is opened: nothing is written before it is known that the file is empty or ours.
///
///   1. Read the header: version, mark of the program, names of the tables.
///   2. Turn on the write-ahead log. This waits as writing does.
///   3. In a transaction that keeps others out, migrate from the version that is found then.
///   4. Check the structure of the file and compare the tables with those of this version.
///
//===----------------------------------------------------------------------===//
#include "tssa/Search/Database.h"

#include "SQLite.h"
#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <thread>

using namespace tssa::search;
using llvm::Expected;
using llvm::StringRef;

/// The mark of this program in the header: "TSSA".
static constexpr int64_t applicationID = 0x54535341;

static constexpr StringRef programTable =
    "CREATE TABLE program (session INTEGER NOT NULL PRIMARY KEY REFERENCES session (id), "
    "standard REAL NOT NULL, tuned REAL NOT NULL)";
static constexpr StringRef tables[] = {
    "CREATE TABLE task (key TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE trial (id INTEGER PRIMARY KEY, task TEXT NOT NULL REFERENCES task (key), "
    "point TEXT NOT NULL, status INTEGER NOT NULL, seconds REAL, wall REAL NOT NULL, "
    "time INTEGER NOT NULL, epoch TEXT NOT NULL, machine TEXT NOT NULL, features BLOB)",
    "CREATE INDEX trial_by_task ON trial (task)",
    "CREATE TABLE record (task TEXT NOT NULL REFERENCES task (key), machine TEXT NOT NULL, "
    "epoch TEXT NOT NULL, seconds REAL NOT NULL, schedule BLOB NOT NULL, "
    "PRIMARY KEY (task, machine, epoch))",
    "CREATE TABLE session (id INTEGER PRIMARY KEY, seed INTEGER NOT NULL, options TEXT NOT NULL)",
    "CREATE TABLE proposal (id INTEGER PRIMARY KEY, "
    "session INTEGER NOT NULL REFERENCES session (id), task TEXT NOT NULL, "
    "round INTEGER NOT NULL, point TEXT NOT NULL)",
    "CREATE INDEX proposal_by_session ON proposal (session)",
    programTable};

/// From version 0, an empty file.
static llvm::Error createTables(Connection &connection) {
  for (StringRef table : tables)
    if (llvm::Error error = connection.run(table))
      return error;
  return connection.run("PRAGMA application_id = " + std::to_string(applicationID));
}

/// From version 1, whose trials have no features.
static llvm::Error addFeatures(Connection &connection) {
  return connection.run("ALTER TABLE trial ADD COLUMN features BLOB");
}

/// From version 2, which has no times of programs.
static llvm::Error addPrograms(Connection &connection) { return connection.run(programTable); }

struct Migration {
  int64_t from, to;
  llvm::Error (*run)(Connection &);
};
/// From each version one leads to a later one.
static constexpr Migration migrations[] = {
    {0, Database::version, createTables}, {1, 2, addFeatures}, {2, 3, addPrograms}};

/// The version of a file that is empty or ours and that this build can read. Called in a
/// transaction.
static Expected<int64_t> readVersion(Connection &connection) {
  Expected<int64_t> version = connection.readNumber("PRAGMA user_version");
  if (!version)
    return version;
  Expected<int64_t> program = connection.readNumber("PRAGMA application_id");
  if (!program)
    return program;
  Expected<int64_t> entries = connection.readNumber("SELECT count(*) FROM sqlite_schema");
  if (!entries)
    return entries;
  bool isEmpty = *version == 0 && *program == 0 && *entries == 0;
  if (!isEmpty && *program != applicationID)
    return connection.makeError("is a database of another program");
  if (*version > Database::version)
    return connection.makeError("has version " + llvm::Twine(*version) +
                                ", this build reads versions up to " +
                                llvm::Twine(Database::version));
  if (*version < 0 || (!isEmpty && *version == 0))
    return connection.makeError("has no version that was ever written");
  return version;
}

/// Refuses a file that is neither empty nor ours nor of a version that this build can read.
static llvm::Error checkOrigin(Connection &connection) {
  // Another process may make the file between two statements.
  Transaction transaction(connection);
  if (llvm::Error error = transaction.beginReading())
    return error;
  return readVersion(connection).takeError();
}

/// Another process that opens the same new file may keep SQLite from changing the mode without
/// waiting for it, so this waits by itself.
static llvm::Error turnOnLog(Connection &connection) {
  using namespace std::chrono;
  auto end = steady_clock::now() + milliseconds(connection.getTimeout());
  while (true) {
    Statement statement(connection, "PRAGMA journal_mode = WAL");
    bool isOn = statement.step() && statement.getBytes(0) == "wal";
    if (isOn)
      return llvm::Error::success();
    if (!statement.isLocked() || steady_clock::now() >= end) {
      if (llvm::Error error = statement.takeError())
        return error;
      return connection.makeError("cannot have a write-ahead log: its file system has no shared "
                                  "memory");
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
}

static llvm::Error migrate(Connection &connection) {
  Transaction transaction(connection);
  if (llvm::Error error = transaction.begin())
    return error;
  Expected<int64_t> from = readVersion(connection);
  if (!from)
    return from.takeError();
  for (int64_t version = *from; version < Database::version;) {
    const Migration *next =
        llvm::find_if(migrations, [&](const Migration &step) { return step.from == version; });
    if (llvm::Error error = next->run(connection))
      return error;
    version = next->to;
  }
  if (*from < Database::version)
    if (llvm::Error error =
            connection.run("PRAGMA user_version = " + std::to_string(Database::version)))
      return error;
  return transaction.commit();
}

/// The tables must be those of this version to the letter: a trigger, a view or another type of a
/// column would change what a statement does.
static llvm::Error checkTables(Connection &connection) {
  Statement statement(connection, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL");
  size_t known = 0, unknown = 0;
  while (statement.step())
    ++(llvm::is_contained(tables, statement.getBytes(0)) ? known : unknown);
  if (llvm::Error error = statement.takeError())
    return error;
  if (known != std::size(tables) || unknown)
    return connection.makeError("has other tables than version " + llvm::Twine(Database::version) +
                                " has");
  return llvm::Error::success();
}

static llvm::Error checkStructure(Connection &connection) {
  Expected<std::string> result = connection.readText("PRAGMA quick_check(1)");
  if (!result)
    return result.takeError();
  if (*result != "ok")
    return connection.makeError("is a damaged SQLite database: " +
                                StringRef(*result).take_front(200));
  return llvm::Error::success();
}

Database::Database(std::unique_ptr<Connection> connection) : connection(std::move(connection)) {}
Database::Database(Database &&) = default;
Database &Database::operator=(Database &&) = default;
Database::~Database() = default;

Expected<Database> Database::open(StringRef path, unsigned timeoutMilliseconds) {
  auto connection = std::make_unique<Connection>();
  if (llvm::Error error = connection->open(path, timeoutMilliseconds))
    return std::move(error);
  for (StringRef setting : {"PRAGMA cell_size_check = ON", "PRAGMA mmap_size = 0",
                            "PRAGMA foreign_keys = ON", "PRAGMA synchronous = NORMAL"})
    if (llvm::Error error = connection->run(setting))
      return std::move(error);
  for (auto *step : {checkOrigin, turnOnLog, migrate, checkStructure, checkTables})
    if (llvm::Error error = step(*connection))
      return std::move(error);
  return Database(std::move(connection));
}
