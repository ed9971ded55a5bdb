//===- WorkerPoolTest.cpp - several workers, and some that are lost -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Tuner/Protocol.h"
#include "tssa/Pipeline/Records.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tssa;
using namespace tssa::tuner;
using search::TrialStatus;

namespace {
/// Measures by shell scripts in the place of the workers. They have a folder of their own.
class WorkerPoolTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("pool", path));
    folder = path.str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  /// Returns the functions of scripts. `hello` answers as a worker does, `ready` also takes the
  /// task, and `serve SECONDS` measures all that comes. Each point is noted in the file NAME.
  std::string getPrologue(llvm::StringRef name, llvm::StringRef cpu, llvm::StringRef epoch) {
    WorkerHost host{
        cpu::printMachine(llvm::cantFail(cpu::resolveMachine(cpu))), epoch.str(), {}, {}};
    Answer answer, outcome;
    answer.host = host;
    outcome.outcomes.emplace_back().seconds = 1;
    return "cd " + folder + "; me=" + name.str() + "; hello() { read -r a; cat <<'END'\n" +
           print(answer) + "\nEND\n}; ready() { hello; read -r a; echo '{\"ok\": true}'; }; " +
           "measured() { sed 's/\"seconds\":1[^,]*,/\"seconds\":'$1',/' <<'END'\n" +
           print(outcome) + "\nEND\n}; serve() { while read -r a; do case $a in *open*) " +
           "echo '{\"ok\": true}'; continue;; esac; for p in $(echo $a | tr -c 'a-z0-9' ' '); " +
           "do case $p in p[0-9]) echo $p >> $me; " +
           "echo '{\"built\": true}'; measured $1;; esac; done; done; }; ";
  }

  void add(llvm::StringRef name, llvm::StringRef script, llvm::StringRef cpu = "x86-64-v3",
           llvm::StringRef epoch = getEpoch()) {
    commands.push_back(
        {name.str(), {"/bin/sh", "-c", getPrologue(name, cpu, epoch) + script.str()}});
  }

  std::unique_ptr<WorkerPool> start() {
    WorkerOptions options;
    options.openSeconds = options.buildSeconds = options.runSeconds = 60;
    auto pool = createWorkerPool(options, commands,
                                 [&](const std::string &text) { warnings.push_back(text); });
    if (pool)
      return std::move(*pool);
    error = llvm::toString(pool.takeError());
    return nullptr;
  }

  std::string open(Measurer &measurer) {
    return llvm::toString(measurer.open({"key", "text"}, "default"));
  }

  /// Measures points p0, p1 and so on, and returns their times, or statuses below zero.
  std::vector<double> measure(Measurer &measurer, int count) {
    std::vector<std::string> points;
    for (int i = 0; i < count; ++i)
      points.push_back("p" + std::to_string(i));
    auto outcomes = measurer.measure(points, std::nullopt);
    error = llvm::toString(outcomes.takeError());
    std::vector<double> times;
    if (outcomes)
      for (const Outcome &outcome : *outcomes)
        times.push_back(outcome.isMeasured() ? outcome.seconds : -double(outcome.status));
    return times;
  }

  /// Returns what a worker has measured.
  std::string readNotes(llvm::StringRef name) {
    auto file = llvm::MemoryBuffer::getFile(folder + "/" + name);
    std::string text = file ? (*file)->getBuffer().str() : "";
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }

  std::string folder, error;
  std::vector<WorkerCommand> commands;
  std::vector<std::string> warnings;
};
} // namespace

using Times = std::vector<double>;

TEST_F(WorkerPoolTest, TwoWorkersShareARound) {
  add("one", "hello; serve 1");
  add("two", "hello; sleep 0.2; serve 2"); // slower, which changes nothing
  auto pool = start();
  ASSERT_TRUE(pool) << error;
  EXPECT_EQ(pool->getHost().machine.cpu, "x86-64-v3");
  EXPECT_EQ(open(*pool), "");
  EXPECT_EQ(measure(*pool, 5), (Times{1, 2, 1, 2, 1}));
  EXPECT_EQ(readNotes("one"), "p0 p2 p4 ");
  EXPECT_EQ(readNotes("two"), "p1 p3 ");
  EXPECT_EQ(measure(*pool, 1), Times{1});
}

TEST_F(WorkerPoolTest, PointsOfALostWorkerAreMeasuredByOthers) {
  add("one", "hello; serve 1");
  // It measures one point, ends with the next one, and cannot be started for some time.
  add("two", "test -e dies && { rm dies; exit 3; }; ready; test -e died && serve 2; read -r a; "
             "echo '{\"built\": true}'; measured 2; echo '{\"built\": true}'; touch dies died; "
             "exit 4");
  auto pool = start();
  ASSERT_TRUE(pool) << error;
  EXPECT_EQ(open(*pool), "");
  EXPECT_EQ(measure(*pool, 6), (Times{1, 2, 1, 1, 1, 1}));
  EXPECT_EQ(readNotes("one"), "p0 p2 p4 p3 p5 ");
  // It is there again in the next round.
  EXPECT_EQ(measure(*pool, 2), (Times{1, 2}));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(WorkerPoolTest, ACandidateThatEndsTheWorkerIsNoLoss) {
  add("one", "ready; read -r a; echo '{\"built\": true}'; exit 139");
  auto pool = start();
  ASSERT_TRUE(pool) << error;
  EXPECT_EQ(open(*pool), "");
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(measure(*pool, 1), Times{-double(TrialStatus::Crash)}) << error;
}

// A watched worker tells how it ended by its exit code: others are those of the connection.
TEST_F(WorkerPoolTest, ALostConnectionIsNoCandidatesFault) {
  add("one",
      "test -e cut2 && { hello; serve 1; }; test -e cut && { touch cut2; end='kill -9 $$'; } "
      "|| end='exit 255'; ready; read -r a; echo '{\"built\": true}'; touch cut; eval $end");
  auto pool = start();
  ASSERT_TRUE(pool) << error;
  EXPECT_EQ(open(*pool), "");
  EXPECT_EQ(measure(*pool, 3), (Times{1, 1, 1})) << error;
  EXPECT_TRUE(warnings.empty());
}

TEST_F(WorkerPoolTest, AfterThreeLossesItIsGivenUp) {
  add("one", "hello; serve 1");
  add("two", "test -e died && { echo no route >&2; exit 255; }; ready; touch died");
  auto pool = start();
  ASSERT_TRUE(pool) << error;
  EXPECT_EQ(open(*pool), "");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(warnings.size(), i < 3 ? 0u : 1u);
    EXPECT_EQ(measure(*pool, 2), (Times{1, 1})) << error;
  }
  EXPECT_EQ(warnings.front(),
            "the worker 'two' is given up: the worker ended with exit code 255: no route");
  EXPECT_EQ(llvm::cantFail(pool->compare({"p0"})).size(), 1u);
}

TEST_F(WorkerPoolTest, AllAreLost) {
  for (const char *name : {"one", "two"})
    add(name, "test -e died$me && exit 3; ready; touch died$me");
  auto pool = start();
  ASSERT_TRUE(pool) << error;
  EXPECT_EQ(open(*pool), "");
  EXPECT_EQ(measure(*pool, 2), Times());
  EXPECT_EQ(error, "no worker is left: the worker 'two' cannot be used: the worker ended with exit "
                   "code 3");
  EXPECT_EQ(warnings.size(), 2u);
  llvm::Error lost = pool->open({"key", "text"}, "default");
  EXPECT_TRUE(lost.isA<WorkersLost>());
  llvm::consumeError(std::move(lost));
  EXPECT_EQ(llvm::toString(pool->compare({"p0"}).takeError()), error);
}

TEST_F(WorkerPoolTest, AKernelThatCannotBeOpenedIsNoLoss) {
  add("one", "hello; while read -r a; do echo '{\"error\": \"no kernel\"}'; done");
  add("two", "hello; read -r a; exit 3");
  auto pool = start();
  ASSERT_TRUE(pool) << error;
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(open(*pool), "no kernel");
  EXPECT_TRUE(warnings.empty());
}

TEST_F(WorkerPoolTest, FinalsAreTimedByOneWorker) {
  add("one", "hello; serve 1");
  add("two", "hello; serve 2");
  auto pool = start();
  ASSERT_TRUE(pool) << error;
  EXPECT_EQ(open(*pool), "");
  EXPECT_EQ(llvm::cantFail(pool->compare({"p7"})).size(), 1u);
  EXPECT_EQ(readNotes("one"), "p7 ");
  EXPECT_EQ(readNotes("two"), "");
}

TEST_F(WorkerPoolTest, AllAreOfOneMachineAndEpoch) {
  add("one", "hello; serve 1");
  add("two", "hello; serve 2", "x86-64-v4");
  EXPECT_FALSE(start());
  auto getId = [](llvm::StringRef cpu) {
    return getMachineId(llvm::cantFail(cpu::resolveMachine(cpu)));
  };
  EXPECT_EQ(error, "the worker 'two' cannot be used: it is of machine " + getId("x86-64-v4") +
                       ", others are of " + getId("x86-64-v3"));
  commands.clear();
  add("old", "hello; serve 1", "x86-64-v3", "0123");
  EXPECT_FALSE(start());
  EXPECT_EQ(error, "the worker 'old' cannot be used: its code generator is of epoch 0123, that of "
                   "the tuner is of " +
                       getEpoch().str());
}

TEST_F(WorkerPoolTest, CannotBeUsed) {
  auto getError = [&](llvm::StringRef script) {
    commands.clear();
    add("one", script);
    EXPECT_FALSE(start());
    EXPECT_TRUE(llvm::StringRef(error).consume_front("the worker 'one' cannot be used: ")) << error;
    return error.substr(error.find(": ") + 2);
  };
  EXPECT_EQ(getError("read -r a; echo '{\"error\": \"no CPU\"}'"), "no CPU");
  EXPECT_EQ(getError("echo '{\"ok\": true}'; read -r a"), "it answers with garbage");
  EXPECT_EQ(getError("echo '{\"hello\": {}}'; read -r a"), "it answers with garbage");
  EXPECT_EQ(getError("echo garbage; read -r a"), "it answers with garbage");
  EXPECT_EQ(getError("printf 'first\\033\\nsecond\\n' >&2; exit 2"),
            "the worker ended with exit code 2: first?");
  // It writes more to its standard error than a pipe takes.
  EXPECT_EQ(getError("yes 2>/dev/null | head -c 1000000 >&2; echo x"), "it answers with garbage");
  EXPECT_NE(getError("hello | sed 's/cpu = /core = /'"), "");
}

//===----------------------------------------------------------------------===//
// The worker's side
//===----------------------------------------------------------------------===//

/// Guards a worker whose input is a new socket, and ends the input. Returns how it ended.
static int guard(llvm::function_ref<int()> serve, bool isShutDown) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    _exit(runUntilInputEnds(serve));
  }
  close(ends[1]);
  if (isShutDown)
    shutdown(ends[0], SHUT_WR);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  close(ends[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(WorkerGuard, EndsWithItsInput) {
  auto hang = [] {
    while (true)
      pause();
    return 0;
  };
  EXPECT_EQ(guard(hang, /*isShutDown=*/true), 128 + SIGKILL);
  EXPECT_EQ(guard([] { return 5; }, /*isShutDown=*/false), 5);
}
