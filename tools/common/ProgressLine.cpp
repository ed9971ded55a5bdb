//===- ProgressLine.cpp - a line that tells what a tool does --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressLine.h"

#include <atomic>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace std::chrono_literals;

namespace tssa::tools {

std::string describe(const ProgressEvent &event) {
  std::string text = event.step, count = std::to_string(event.kernels);
  if (event.kernels == 0)
    return text;
  std::string noun = event.kernels == 1 ? " kernel" : " kernels";
  if (event.done == 0)
    return text + ", " + count + noun;
  return text + ", " + std::to_string(event.done) + " of " + count + noun;
}

static void writeToTerminal(std::string_view text) {
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

/// Whether the terminal shows a line.
static std::atomic<bool> isDrawn = false;

void eraseProgressLine() {
  if (isDrawn.exchange(false))
    writeToTerminal("\r\x1b[K");
}

/// Returns whether standard error is a terminal that understands how to erase a line.
static bool canDraw() {
  const char *kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) && kind && std::string_view(kind) != "dumb";
}

/// Returns how many characters a line has.
static size_t getWidth() {
  winsize size{};
  bool isKnown = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return isKnown ? size.ws_col - 1 : 79;
}

unsigned getTerminalHeight(int file) {
  winsize size{};
  bool isKnown = ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
  return isKnown ? size.ws_row : 24;
}

ProgressLine::ProgressLine(std::string job)
    : job(std::move(job)), isTerminal(canDraw()), owner(::getpid()) {
  if (isTerminal)
    thread = std::thread([this] { run(); });
}

void ProgressLine::show(const ProgressEvent &event) {
  if (!isTerminal || ::getpid() != owner)
    return;
  std::string described = describe(event);
  std::lock_guard<std::mutex> lock(mutex);
  text = std::move(described);
}

void ProgressLine::erase() {
  if (!isTerminal || ::getpid() != owner)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  eraseProgressLine();
  erased = Clock::now();
}

void ProgressLine::end() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
    eraseProgressLine();
  }
  ended.notify_all();
  if (thread.joinable())
    thread.join();
}

void ProgressLine::run() {
  std::unique_lock<std::mutex> lock(mutex);
  for (auto pause = 1000ms; !ended.wait_for(lock, pause, [&] { return isEnding; }); pause = 500ms)
    draw();
}

void ProgressLine::draw() {
  if (Clock::now() - erased < 300ms)
    return; // the text that made room may come in pieces
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
  std::string line = job + ": " + (text.empty() ? text : text + ", ");
  line += std::to_string(seconds) + " s";
  isDrawn = true;
  writeToTerminal("\r" + line.substr(0, getWidth()) + "\x1b[K\r");
}

} // namespace tssa::tools
