//===- Progress.cpp - tells what the compiler does ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <poll.h>
#include <unistd.h>

using namespace llvm;

namespace tssa::compile {

Progress::Progress(const Options &options)
    : options(options), line(sys::path::filename(options.input).str()), eraser(line) {}

ProgressFunction Progress::getFunction() {
  return [this](const ProgressEvent &event) { show(event); };
}

void Progress::show(const ProgressEvent &event) {
  line.show(event);
  std::lock_guard<std::mutex> lock(mutex);
  bool isNew = event.step != current.step;
  if (isNew)
    endStep();
  current = event;
  if (options.progressFile >= 0)
    write(event, isNew);
}

/// Prints the current step, if there is one, with its seconds.
void Progress::endStep() {
  Clock::time_point now = Clock::now();
  std::chrono::duration<double> elapsed = now - begin;
  begin = now;
  if (options.verbose && !current.step.empty())
    errs() << format("%9.3f s  ", elapsed.count()) << tools::describe(current) << '\n';
}

/// Writes an event as a line of JSON. Leaves out kernels that come soon after the last one, and
/// what a reader that does not read has no room for.
void Progress::write(const ProgressEvent &event, bool isNew) {
  constexpr auto leastPause = std::chrono::milliseconds(50);
  Clock::time_point now = Clock::now();
  if (!isNew && now - written < leastPause && event.done != event.kernels)
    return;
  written = now;
  std::string text;
  raw_string_ostream stream(text);
  stream << json::Value(json::Object{{"step", event.step},
                                     {"done", int64_t(event.done)},
                                     {"kernels", int64_t(event.kernels)}})
         << '\n';
  pollfd file{options.progressFile, POLLOUT, 0};
  if (::poll(&file, 1, /*timeout=*/0) == 1 && (file.revents & POLLOUT)) [[maybe_unused]]
    ssize_t count = ::write(options.progressFile, text.data(), text.size());
}

} // namespace tssa::compile
