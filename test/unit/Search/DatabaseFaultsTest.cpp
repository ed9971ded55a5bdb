//===- DatabaseFaultsTest.cpp - tests of files that cannot be used -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DatabaseTest.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

namespace fs = std::filesystem;
using namespace tssa::search;

namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class DatabaseFaultsTest : public DatabaseTest {
protected:
  /// Opening fails with this text and leaves the file as it is.
  void expectRefused(const std::string &text) {
    std::string before = readFile(path);
    EXPECT_EQ(getOpenError(50), say(text));
    EXPECT_EQ(readFile(path), before);
  }
  void makeDatabase() { ASSERT_EQ(getMessage(open().write(makeBatch(3))), ""); }
};

TEST_F(DatabaseFaultsTest, RefusesWhatIsNoDatabase) {
  std::ofstream(path) << std::string(5000, 'x');
  expectRefused("is no SQLite database");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_EQ(getOpenError(), say("cannot be opened: it is a folder"));
  path = folder / "no" / "tune.db";
  EXPECT_EQ(getOpenError(), say("cannot be opened: there is no such folder"));
  path = "";
  EXPECT_EQ(getOpenError(), say("is no path of a database"));
}

TEST_F(DatabaseFaultsTest, TakesEveryNameForAFile) {
  int status = wait(start([&] {
    fs::current_path(folder);
    int failures = 0;
    for (const char *name : {":memory:", "file:tune.db?mode=memory", "tune.db"}) {
      path = name;
      failures += differs(getOpenError(), "");
      failures += !fs::exists(folder / name);
    }
    return failures;
  }));
  EXPECT_EQ(status, 0);
}

TEST_F(DatabaseFaultsTest, RefusesOtherVersionsAndPrograms) {
  makeDatabase();
  runSQL("PRAGMA user_version = 4; PRAGMA wal_checkpoint");
  expectRefused("has version 4, this build reads versions up to 3");
  runSQL("PRAGMA user_version = -1; PRAGMA wal_checkpoint");
  expectRefused("has no version that was ever written");
  runSQL("PRAGMA user_version = 0; PRAGMA wal_checkpoint");
  expectRefused("has no version that was ever written");
  runSQL("PRAGMA user_version = 3; PRAGMA application_id = 5; PRAGMA wal_checkpoint");
  expectRefused("is a database of another program");
  fs::remove(path);
  runSQL("CREATE TABLE bookmarks (address TEXT)");
  expectRefused("is a database of another program");
}

TEST_F(DatabaseFaultsTest, MigratesFromNothing) {
  std::ofstream(path).close();
  EXPECT_EQ(getOpenError(), "");
  fs::remove(path);
  runSQL("VACUUM");
  EXPECT_EQ(getOpenError(), "");
  makeDatabase();
  EXPECT_EQ(countTrials(), 3u);
}

TEST_F(DatabaseFaultsTest, MigratesFromTheFirstVersion) {
  makeDatabase();
  runSQL("ALTER TABLE trial DROP COLUMN features; DROP TABLE program; PRAGMA user_version = 1; "
         "PRAGMA wal_checkpoint");
  EXPECT_EQ(getOpenError(), "");
  EXPECT_EQ(countTrials(), 3u);
  // A file that says the first version but has the tables of this one stays as it is.
  runSQL("PRAGMA user_version = 1; PRAGMA wal_checkpoint");
  expectRefused("could not be read or written: SQL logic error");
}

TEST_F(DatabaseFaultsTest, MigratesFromTheSecondVersion) {
  makeDatabase();
  runSQL("DROP TABLE program; PRAGMA user_version = 2; PRAGMA wal_checkpoint");
  EXPECT_EQ(getOpenError(), "");
  EXPECT_EQ(countTrials(), 3u);
}

TEST_F(DatabaseFaultsTest, RefusesOtherTables) {
  makeDatabase();
  fs::path good = folder / "good.db";
  fs::copy_file(path, good);
  for (const char *sql : {"CREATE TRIGGER t AFTER INSERT ON trial BEGIN DELETE FROM task; END",
                          "CREATE VIEW v AS SELECT * FROM task", "DROP TABLE proposal",
                          "DROP TABLE proposal; CREATE VIEW proposal AS SELECT * FROM trial",
                          "ALTER TABLE record ADD COLUMN more"}) {
    fs::copy_file(good, path, fs::copy_options::overwrite_existing);
    runSQL(sql);
    expectRefused("has other tables than version 3 has");
  }
}

TEST_F(DatabaseFaultsTest, FindsDamage) {
  makeDatabase();
  std::string good = readFile(path);
  size_t refused = 0;
  for (size_t at = 0; at < good.size(); at += 61) {
    std::string damaged = good;
    for (size_t i = at; i < std::min(at + 16, damaged.size()); ++i)
      damaged[i] ^= char(0x5a);
    std::ofstream(path, std::ios::binary) << damaged;
    fs::remove(path + "-wal");
    fs::remove(path + "-shm");
    llvm::Expected<Database> database = Database::open(path, 50);
    if (!database) {
      ++refused;
      EXPECT_NE(llvm::toString(database.takeError()), "");
      continue;
    }
    // Damage in a text is not seen, but what is read stays in range.
    llvm::Expected<Database::Trials> trials = database->readTrials("k");
    if (trials)
      EXPECT_LE(trials->valid.size() + trials->invalid, 3u);
    else
      llvm::consumeError(trials.takeError());
  }
  EXPECT_GT(refused, 10u);
  // SQLite takes a file of one byte for an empty one.
  for (size_t size = 2; size < good.size(); size += 511) {
    std::ofstream(path, std::ios::binary) << good.substr(0, size);
    // The end of the last page is free.
    if (getOpenError(50) == "")
      EXPECT_EQ(countTrials(), 3u) << size;
    else
      EXPECT_LE(size + 511, good.size()) << size;
  }
  EXPECT_EQ(countTrials(), 3u);
}

// Opening looks at every page, not only at those that it needs.
TEST_F(DatabaseFaultsTest, FindsDamageInATable) {
  makeDatabase();
  sqlite3 *handle = nullptr;
  sqlite3_stmt *statement = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_prepare_v2(handle, "SELECT rootpage FROM sqlite_schema WHERE name = 'trial'",
                               -1, &statement, nullptr),
            SQLITE_OK);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
  int page = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp((page - 1) * 4096 + 3);
  file.write("\xff\xff\xff\xff", 4);
  file.close();
  std::string error = getOpenError();
  EXPECT_EQ(error.find(say("is a damaged SQLite database")), 0u) << error;
}

TEST_F(DatabaseFaultsTest, LeavesOutRowsOutOfRange) {
  makeDatabase();
  runSQL("PRAGMA foreign_keys = OFF;"
         "UPDATE trial SET status = 17 WHERE id = 1;"
         "UPDATE trial SET seconds = -1 WHERE id = 2;"
         "INSERT INTO trial SELECT 9, task, zeroblob(70000), status, seconds, wall, time, epoch, "
         "machine, NULL FROM trial WHERE id = 3;"
         "INSERT INTO record VALUES ('k', 'm1', 'e1', 1.0, zeroblob(1048577));"
         "INSERT INTO record VALUES ('k', 'm2', 'e1', 9e999, 'x');"
         "INSERT INTO record VALUES ('k', 'm3', 'e1', 1.0, zeroblob(17000000));"
         "INSERT INTO task VALUES ('long', zeroblob(1048577));"
         "INSERT INTO session VALUES (1, 7, zeroblob(1048577));"
         "INSERT INTO session VALUES (2, 7, '');"
         "INSERT INTO proposal VALUES (1, 2, 'k', -1, 'x')");
  Database database = open();
  Database::Trials trials = llvm::cantFail(database.readTrials("k"));
  EXPECT_EQ(trials.valid.size(), 1u);
  EXPECT_EQ(trials.invalid, 3u);
  EXPECT_EQ(getMessage(database.readRecord("k", "m1", "e1")),
            say("has a bad row: the schedule of a record is too long"));
  EXPECT_EQ(getMessage(database.readRecord("k", "m2", "e1")),
            say("has a bad row: the time of a record is out of range"));
  EXPECT_EQ(getMessage(database.readRecord("k", "m3", "e1")),
            say("could not be read or written: string or blob too big"));
  EXPECT_EQ(getMessage(database.readTask("long")),
            say("has a bad row: the text of a task is too long"));
  EXPECT_EQ(getMessage(database.readSession(1)),
            say("has a bad row: the options of a session are too long"));
  EXPECT_EQ(getMessage(database.readSession(2)),
            say("has a bad row: the round of a proposal is negative"));
}

TEST_F(DatabaseFaultsTest, WaitsForLocksUntilTheTimeout) {
  makeDatabase();
  std::string locked = say("is locked by another process, for more than 50 ms");
  Database database = open(50);
  sqlite3 *other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(getMessage(database.write(makeBatch(1))), locked);
  EXPECT_EQ(getOpenError(50), locked);
  EXPECT_EQ(llvm::cantFail(database.readTrials("k")).valid.size(), 3u);
  ASSERT_EQ(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(getMessage(database.write(makeBatch(1))), "");
  sqlite3_close(other);
  // A file that is being made.
  path = folder / "new.db";
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(getOpenError(50), say("is locked by another process, for more than 50 ms"));
  sqlite3_close(other);
  EXPECT_EQ(getOpenError(50), "");
}

// Here SQLite itself does not wait.
TEST_F(DatabaseFaultsTest, WaitsForOneThatMakesTheFile) {
  sqlite3 *other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(getOpenError(50), say("is locked by another process, for more than 50 ms"));
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
  });
  EXPECT_EQ(getOpenError(20000), "");
  end.join();
  sqlite3_close(other);
}

TEST_F(DatabaseFaultsTest, RefusesReadOnlyFolders) {
  makeDatabase();
  std::string writable = folder / "writable.db";
  fs::copy_file(path, writable);
  ASSERT_EQ(::chmod(writable.c_str(), 0666), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder.c_str(), 0555), 0);
  std::string before = readFile(path);
  std::string fresh = folder / "new.db";
  int status = wait(start([&] {
    // The superuser may write everywhere.
    if (::geteuid() == 0 && ::setuid(65534) != 0)
      return skipped;
    int failures =
        differs(getOpenError(), say("cannot be written: the file or its folder is read-only"));
    path = writable;
    failures +=
        differs(getOpenError(), say("cannot be written: the file or its folder is read-only"));
    path = fresh;
    return failures + differs(getOpenError(), say("cannot be made: its folder is read-only"));
  }));
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  if (status == skipped)
    GTEST_SKIP() << "no other user can be had";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(readFile(path), before);
  EXPECT_EQ(countTrials(), 3u);
}

TEST_F(DatabaseFaultsTest, SurvivesALimitOfFileSizes) {
  makeDatabase();
  int status = wait(start([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit small{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &small);
    Database database = open();
    WriteBatch large = makeBatch(100);
    for (Trial &trial : large.trials)
      trial.point = std::string(60000, 'x');
    int failures = differs(llvm::toString(database.write(large)),
                           say("could not be read or written: disk I/O error (File too large)"));
    return failures + differs(llvm::toString(database.write(makeBatch(1))), "");
  }));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(countTrials(), 4u);
}

TEST_F(DatabaseFaultsTest, SurvivesAFullDisk) {
  int status = wait(start([&] {
    // A disk of 256 KB that only this process sees; without rights, as the superuser of its own.
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
      return skipped;
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=256k") != 0)
      return skipped;
    Database database = open();
    if (llvm::Error error = database.write(makeBatch(3)))
      return differs(llvm::toString(std::move(error)), "");
    WriteBatch large = makeBatch(100);
    for (Trial &trial : large.trials)
      trial.point = std::string(60000, 'x');
    int failures = differs(llvm::toString(database.write(large)),
                           say("could not be written: the disk is full"));
    failures += differs(std::to_string(countTrials()), "3");
    path = folder / "new.db";
    std::ofstream(folder / "rest") << std::string(1 << 20, 'x');
    failures += differs(getOpenError(), say("could not be written: the disk is full"));
    return failures;
  }));
  if (status == skipped)
    GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_EQ(status, 0);
}

} // namespace
