//===- ProgressLineTest.cpp - a line that tells what a tool does ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/common/LineEraser.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace std::chrono_literals;
using namespace tssa::tools;
using llvm::StringRef;

/// Returns what `work` writes to a terminal of this kind and width, in a process of its own.
static std::string runOnTerminal(const char *kind, unsigned short width, void (*work)()) {
  int terminal = -1;
  winsize size{24, width, 0, 0};
  pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    ::setenv("TERM", kind, /*overwrite=*/1);
    work();
    ::_exit(0);
  }
  std::string text;
  char bytes[4096];
  for (ssize_t count; (count = ::read(terminal, bytes, sizeof(bytes))) > 0;)
    text.append(bytes, static_cast<size_t>(count));
  ::close(terminal);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return text;
}

static void showForMoreThanASecond() {
  ProgressLine line("model.onnx");
  line.show({"code", 12, 113});
  std::this_thread::sleep_for(1200ms);
}

TEST(ProgressLineTest, Words) {
  EXPECT_EQ(describe({"read"}), "read");
  EXPECT_EQ(describe({"layout", 0, 113}), "layout, 113 kernels");
  EXPECT_EQ(describe({"code", 1, 1}), "code, 1 of 1 kernel");
}

TEST(ProgressLineTest, AppearsAfterASecondAndGoes) {
  std::string text = runOnTerminal("xterm", 80, showForMoreThanASecond);
  EXPECT_TRUE(StringRef(text).starts_with("\rmodel.onnx: code, 12 of 113 kernels, 1 s\x1b[K\r"))
      << text;
  EXPECT_TRUE(StringRef(text).ends_with("\r\x1b[K")) << text;
}

TEST(ProgressLineTest, FitsIntoTheTerminal) {
  std::string text = runOnTerminal("xterm", 16, showForMoreThanASecond);
  EXPECT_TRUE(StringRef(text).starts_with("\rmodel.onnx: cod\x1b[K\r")) << text;
}

TEST(ProgressLineTest, QuickJobIsSilent) {
  EXPECT_EQ(runOnTerminal("xterm", 80, [] { ProgressLine("m").show({"read"}); }), "");
}

TEST(ProgressLineTest, TerminalThatCannotEraseStaysEmpty) {
  EXPECT_EQ(runOnTerminal("dumb", 80, showForMoreThanASecond), "");
}

TEST(ProgressLineTest, TextErasesTheLine) {
  auto work = [] {
    ProgressLine line("m");
    LineEraser eraser(line);
    line.show({"te"});
    std::this_thread::sleep_for(1200ms);
    llvm::errs() << "m: warning: " << 1 << '\n';
    llvm::outs() << "result\n";
    llvm::outs().flush();
  };
  std::string text = runOnTerminal("xterm", 80, work);
  EXPECT_TRUE(StringRef(text).starts_with("\rm: te, 1 s\x1b[K\r")) << text;
  EXPECT_TRUE(StringRef(text).contains("\r\x1b[Km: warning: 1\r\n")) << text;
  EXPECT_TRUE(StringRef(text).contains("result\r\n")) << text;
}

TEST(ProgressLineTest, ForkHasNoLine) {
  auto work = [] {
    ProgressLine line("m");
    line.show({"te"});
    std::this_thread::sleep_for(1200ms);
    pid_t child = ::fork();
    if (child == 0) {
      line.show({"other"});
      line.erase();
      llvm::errs() << "child\n";
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  };
  std::string text = runOnTerminal("xterm", 80, work);
  EXPECT_TRUE(StringRef(text).contains("child\r\n")) << text;
  EXPECT_FALSE(StringRef(text).contains("other")) << text;
}
