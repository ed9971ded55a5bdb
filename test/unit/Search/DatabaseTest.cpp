//===- DatabaseTest.cpp - tests of what a database keeps -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DatabaseTest.h"

#include "tssa/Search/Random.h"

#include <csignal>
#include <thread>

using namespace tssa::search;

namespace {

TEST_F(DatabaseTest, KeepsTasksAndTrials) {
  {
    Database database = open();
    WriteBatch batch = makeBatch(2);
    batch.trials[1].status = TrialStatus::Timeout;
    batch.trials[1].seconds = std::nullopt;
    ASSERT_EQ(getMessage(database.write(batch)), "");
    batch.tasks[0].text = "another text";
    batch.trials.clear();
    ASSERT_EQ(getMessage(database.write(batch)), "");
  }
  Database database = open();
  EXPECT_EQ(llvm::cantFail(database.readTask("k"))->text, "text");
  EXPECT_EQ(llvm::cantFail(database.readTask("other")), std::nullopt);
  Database::Trials trials = llvm::cantFail(database.readTrials("k"));
  ASSERT_EQ(trials.valid.size(), 2u);
  EXPECT_EQ(trials.invalid, 0u);
  const Trial &first = trials.valid[0];
  EXPECT_EQ(first.task, "k");
  EXPECT_EQ(first.point, "rows=6");
  EXPECT_EQ(first.status, TrialStatus::Measured);
  EXPECT_EQ(first.seconds, 1.0);
  EXPECT_EQ(first.wallSeconds, 0.5);
  EXPECT_EQ(first.when, 1800000000);
  EXPECT_EQ(first.epoch, "e1");
  EXPECT_EQ(first.machine, "m1");
  EXPECT_EQ(trials.valid[1].status, TrialStatus::Timeout);
  EXPECT_EQ(trials.valid[1].seconds, std::nullopt);
  EXPECT_TRUE(llvm::cantFail(database.readTrials("other")).valid.empty());
}

TEST_F(DatabaseTest, KeepsRowsForTheCostModel) {
  Database database = open();
  EXPECT_EQ(llvm::cantFail(database.findLastTrial()), 0);
  WriteBatch batch = makeBatch(6);
  batch.tasks.push_back({"other", "text"});
  for (auto [number, trial] : llvm::enumerate(batch.trials)) {
    trial.features = {float(number), -0.5f, 1e30f};
    trial.featureHash = UINT64_MAX - 1;
  }
  batch.trials[1].status = TrialStatus::Wrong;
  batch.trials[1].seconds = std::nullopt;
  batch.trials[2].features.clear();
  batch.trials[3].featureHash = 7;
  batch.trials[4].machine = "m2";
  batch.trials[5].task = "other";
  ASSERT_EQ(getMessage(database.write(batch)), "");
  EXPECT_EQ(llvm::cantFail(database.findLastTrial()), 6);
  auto read = [&](uint64_t hash, int64_t last, size_t most, std::string machine = "m1") {
    return llvm::cantFail(database.readRows({machine, "e1", hash, last, most}));
  };
  std::vector<Row> rows = read(UINT64_MAX - 1, 100, 100);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].task, hashBytes("k"));
  EXPECT_EQ(rows[0].features, (Features{0, -0.5f, 1e30f}));
  EXPECT_EQ(rows[0].seconds, 1.0);
  EXPECT_EQ(rows[1].seconds, std::nullopt);
  EXPECT_EQ(rows[2].task, hashBytes("other"));
  EXPECT_EQ(read(UINT64_MAX - 1, 5, 100).size(), 2u);
  EXPECT_EQ(read(UINT64_MAX - 1, 100, 1).front().features.front(), 5);
  EXPECT_EQ(read(7, 100, 100).size(), 1u);
  EXPECT_EQ(read(8, 100, 100).size(), 0u);
  EXPECT_EQ(read(UINT64_MAX - 1, 100, 100, "m2").size(), 1u);
  // Damaged features are none.
  runSQL("UPDATE trial SET features = substr(features, 1, 10) WHERE id = 1;"
         "UPDATE trial SET features = substr(features, 1, 8) || x'0000c07f' WHERE id = 6");
  EXPECT_EQ(read(UINT64_MAX - 1, 100, 100).size(), 1u);
}

TEST_F(DatabaseTest, KeepsTheFastestRecord) {
  Database database = open();
  std::string schedule("a\0b", 3);
  auto write = [&](double seconds, std::string text, std::string machine = "m1") {
    WriteBatch batch = makeBatch(0);
    batch.records = {{"k", machine, "e1", seconds, text}};
    return database.write(batch);
  };
  ASSERT_EQ(getMessage(write(2, "slow")), "");
  ASSERT_EQ(getMessage(write(1, schedule)), "");
  ASSERT_EQ(getMessage(write(1.5, "slower")), "");
  ASSERT_EQ(getMessage(write(0.5, "other machine", "m2")), "");
  std::optional<Record> record = llvm::cantFail(database.readRecord("k", "m1", "e1"));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->seconds, 1);
  EXPECT_EQ(record->schedule, schedule);
  EXPECT_EQ(llvm::cantFail(database.readRecord("k", "m2", "e1"))->schedule, "other machine");
  EXPECT_FALSE(llvm::cantFail(database.readRecord("k", "m1", "e2")));
}

TEST_F(DatabaseTest, ListsRecordsAndKeys) {
  Database database = open();
  EXPECT_TRUE(llvm::cantFail(database.readRecords("m1", "e1")).valid.empty());
  WriteBatch batch;
  batch.tasks = {{"ab", "b"}, {"aa", "a"}, {"b%", "c"}};
  batch.records = {
      {"b%", "m1", "e1", 3, "c"}, {"aa", "m1", "e1", 1, "a"}, {"ab", "m2", "e1", 2, ""}};
  ASSERT_EQ(getMessage(database.write(batch)), "");
  Database::Records records = llvm::cantFail(database.readRecords("m1", "e1"));
  EXPECT_EQ(records.invalid, 0u);
  ASSERT_EQ(records.valid.size(), 2u);
  EXPECT_EQ(records.valid[0].task, "aa");
  EXPECT_EQ(records.valid[1].task, "b%");
  EXPECT_EQ(records.valid[1].seconds, 3);
  EXPECT_EQ(records.valid[1].schedule, "c");
  EXPECT_TRUE(llvm::cantFail(database.readRecords("m1", "e2")).valid.empty());

  using Keys = std::vector<std::string>;
  EXPECT_EQ(llvm::cantFail(database.findKeys("a", 9)), (Keys{"aa", "ab"}));
  EXPECT_EQ(llvm::cantFail(database.findKeys("a", 1)), Keys{"aa"});
  EXPECT_EQ(llvm::cantFail(database.findKeys("b%", 9)), Keys{"b%"});
  EXPECT_EQ(llvm::cantFail(database.findKeys("%", 9)), Keys{});
}

TEST_F(DatabaseTest, KeepsSessions) {
  Database database = open();
  EXPECT_FALSE(llvm::cantFail(database.findLastSession()));
  int64_t first = llvm::cantFail(database.beginSession(UINT64_MAX, "--trials=8"));
  int64_t second = llvm::cantFail(database.beginSession(7, ""));
  EXPECT_NE(first, second);
  EXPECT_EQ(llvm::cantFail(database.findLastSession()), second);
  WriteBatch batch;
  batch.proposals = {
      {first, "k", 0, "rows=6"}, {second, "k", 0, "rows=1"}, {first, "k", 1, "rows=2"}};
  ASSERT_EQ(getMessage(database.write(batch)), "");
  std::optional<Session> session = llvm::cantFail(database.readSession(first));
  ASSERT_TRUE(session);
  EXPECT_EQ(session->seed, UINT64_MAX);
  EXPECT_EQ(session->options, "--trials=8");
  ASSERT_EQ(session->proposals.size(), 2u);
  EXPECT_EQ(session->proposals[0].point, "rows=6");
  EXPECT_EQ(session->proposals[1].point, "rows=2");
  EXPECT_EQ(session->proposals[1].round, 1);
  EXPECT_FALSE(llvm::cantFail(database.readSession(99)));
}

TEST_F(DatabaseTest, KeepsTimesOfPrograms) {
  Database database = open();
  int64_t number = llvm::cantFail(database.beginSession(7, ""));
  EXPECT_FALSE(llvm::cantFail(database.readSession(number))->program);
  for (double seconds : {3e-3, 2e-3})
    ASSERT_EQ(getMessage(database.writeProgram(number, {4e-3, seconds})), "");
  std::optional<Session> session = llvm::cantFail(database.readSession(number));
  ASSERT_TRUE(session && session->program);
  EXPECT_EQ(session->program->defaultSeconds, 4e-3);
  EXPECT_EQ(session->program->seconds, 2e-3);
  EXPECT_EQ(getMessage(database.writeProgram(number, {0, 1})),
            say("was not changed: the times of a program are no times"));
  EXPECT_NE(getMessage(database.writeProgram(number + 1, {2, 1})), "");
}

TEST_F(DatabaseTest, WritesAllOfABatchOrNothing) {
  Database database = open();
  auto expectRefused = [&](const WriteBatch &batch, const char *why) {
    EXPECT_EQ(getMessage(database.write(batch)), say(std::string("was not changed: ") + why));
    EXPECT_FALSE(llvm::cantFail(database.readTask("k")));
  };
  auto expectBadTrial = [&](auto change, const char *why) {
    WriteBatch batch = makeBatch(3);
    change(batch.trials[2]);
    expectRefused(batch, why);
  };
  expectBadTrial([](Trial &trial) { trial.point = std::string(65537, 'x'); },
                 "a text of a trial is too long, or it has no task");
  expectBadTrial([](Trial &trial) { trial.status = TrialStatus(6); },
                 "a trial has an unknown status");
  expectBadTrial([](Trial &trial) { trial.seconds = std::nullopt; },
                 "exactly the measured trials have a time");
  expectBadTrial([](Trial &trial) { trial.seconds = 1 / 0.0; },
                 "a time of a trial is out of range");
  WriteBatch batch = makeBatch(1);
  batch.records = {{"k", "m1", "e1", 1, std::string((1 << 20) + 1, 'x')}};
  expectRefused(batch, "the schedule of a record is too long");
  batch = makeBatch(1);
  batch.tasks.push_back({"", ""});
  expectRefused(batch, "a task has no key or a longer one than is possible");
  batch = makeBatch(1);
  batch.trials[0].task = "no such task";
  EXPECT_EQ(getMessage(database.write(batch)),
            say("could not be read or written: constraint failed"));
  EXPECT_FALSE(llvm::cantFail(database.readTask("k")));
}

TEST_F(DatabaseTest, SurvivesAnAbortInATransaction) {
  ASSERT_EQ(getMessage(open().write(makeBatch(3))), "");
  // More than fits into SQLite's cache, so that a part is in the log before the end.
  WriteBatch large = makeBatch(200);
  for (Trial &trial : large.trials)
    trial.point = std::string(60000, 'x');
  int status = wait(start([&] {
    // Every connection from now on calls this after each row that it writes.
    static int rows = 0;
    auto install = [](sqlite3 *handle, const char **, const void *) -> int {
      sqlite3_update_hook(
          handle,
          +[](void *, int, const char *, const char *, sqlite3_int64) {
            if (++rows == 190)
              ::abort();
          },
          nullptr);
      return SQLITE_OK;
    };
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(+install));
    return differs(getMessage(open().write(large)), "");
  }));
  EXPECT_EQ(status, -SIGABRT);
  EXPECT_GT(std::filesystem::file_size(path + "-wal"), 4u << 20);
  EXPECT_EQ(countTrials(), 3u);
  ASSERT_EQ(getMessage(open().write(makeBatch(1))), "");
  EXPECT_EQ(countTrials(), 4u);
}

TEST_F(DatabaseTest, SurvivesKillsAtAnyTime) {
  open();
  size_t before = 0;
  for (int milliseconds = 1; milliseconds < 40; milliseconds += 3) {
    pid_t child = start([&] {
      Database database = open();
      while (true)
        if (llvm::Error error = database.write(makeBatch(7)))
          return differs(llvm::toString(std::move(error)), "");
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    ::kill(child, SIGKILL);
    EXPECT_EQ(wait(child), -SIGKILL);
    size_t count = countTrials();
    EXPECT_EQ(count % 7, 0u);
    EXPECT_GE(count, before);
    before = count;
  }
  EXPECT_GT(before, 0u);
}

TEST_F(DatabaseTest, ManyProcessesMakeOneFile) {
  for (int turn = 0; turn < 25; ++turn) {
    path = folder / (std::to_string(turn) + ".db");
    // All begin at once: when the parent closes its end.
    int gate[2];
    ASSERT_EQ(::pipe(gate), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i)
      children.push_back(start([&] {
        char nothing;
        ::close(gate[1]);
        if (::read(gate[0], &nothing, 1) != 0)
          return 1;
        return differs(getOpenError(20000), "");
      }));
    ::close(gate[0]);
    ::close(gate[1]);
    for (pid_t child : children)
      EXPECT_EQ(wait(child), 0);
  }
}

TEST_F(DatabaseTest, TwoProcessesMakeAndWriteOneFile) {
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i)
    children.push_back(start([&] {
      llvm::Expected<Database> database = Database::open(path, 20000);
      if (!database)
        return differs(llvm::toString(database.takeError()), "");
      for (int batch = 0; batch < 50; ++batch)
        if (llvm::Error error = database->write(makeBatch(4)))
          return differs(llvm::toString(std::move(error)), "");
      return 0;
    }));
  for (pid_t child : children)
    EXPECT_EQ(wait(child), 0);
  EXPECT_EQ(countTrials(), 400u);
}

} // namespace
