//===- DatabaseTest.h - a folder for databases, and children that use them -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TEST_UNIT_SEARCH_DATABASETEST_H
#define TSSA_TEST_UNIT_SEARCH_DATABASETEST_H

#include "Messages.h"

#include "tssa/Search/Database.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <functional>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tssa::search {

class DatabaseTest : public testing::Test {
protected:
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tssa-database-" + std::to_string(::getpid()));
  std::string path = folder / "tune.db";

  void SetUp() override {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Database open(unsigned timeout = 5000) { return llvm::cantFail(Database::open(path, timeout)); }
  /// The error of opening, or "".
  std::string getOpenError(unsigned timeout = 5000) {
    llvm::Expected<Database> database = Database::open(path, timeout);
    return database ? "" : llvm::toString(database.takeError());
  }
  /// What an error says of `path` is this.
  std::string say(const std::string &text) const { return "'" + path + "' " + text; }

  static Trial makeTrial(const std::string &task, double seconds) {
    Trial trial;
    trial.task = task;
    trial.point = "rows=6";
    trial.seconds = seconds;
    trial.wallSeconds = 0.5;
    trial.when = 1800000000;
    trial.epoch = "e1";
    trial.machine = "m1";
    return trial;
  }
  /// A task with `count` trials.
  static WriteBatch makeBatch(size_t count) {
    WriteBatch batch;
    batch.tasks = {{"k", "text"}};
    for (size_t i = 0; i < count; ++i)
      batch.trials.push_back(makeTrial("k", double(i + 1)));
    return batch;
  }
  size_t countTrials() { return llvm::cantFail(open().readTrials("k")).valid.size(); }

  /// Runs statements as another program would.
  void runSQL(const std::string &sql) {
    sqlite3 *handle = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  static constexpr int skipped = 77;
  /// Starts a process that ends with the result of `child`, without destructors.
  static pid_t start(const std::function<int()> &child) {
    pid_t process = ::fork();
    if (process == 0)
      ::_exit(child());
    return process;
  }
  /// The exit status of a process, or minus the signal that ended it.
  static int wait(pid_t process) {
    int status = 0;
    EXPECT_EQ(::waitpid(process, &status, 0), process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
};

/// For a child: prints a text that differs from the expected one, and returns whether it does.
inline int differs(const std::string &text, const std::string &expected) {
  if (text == expected)
    return 0;
  fprintf(stderr, "got:      %s\nexpected: %s\n", text.c_str(), expected.c_str());
  return 1;
}

} // namespace tssa::search

#endif // TSSA_TEST_UNIT_SEARCH_DATABASETEST_H
