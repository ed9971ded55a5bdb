//===- OutOfMemoryTest.cpp - every allocation fails once -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

#include "tssa/tssa.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

using namespace tssa::runtime;
using namespace tssa::runtime::test;

/// Number of allocations, of all threads, before one fails. If it is negative, none fails.
static std::atomic<int64_t> allocationsLeft{-1};
/// Whether all later allocations fail too.
static std::atomic<bool> exhausted{false};
static std::atomic<int64_t> refused{0};

static bool refuse() {
  int64_t left = allocationsLeft.load();
  while (left > 0 && !allocationsLeft.compare_exchange_weak(left, left - 1)) {
  }
  if (left != 0)
    return false;
  ++refused;
  return exhausted || allocationsLeft.compare_exchange_strong(left, -1);
}

// Tensors and arenas are not allocated by `operator new`.
extern "C" int posix_memalign(void **memory, size_t alignment, size_t size) noexcept {
  *memory = refuse() ? nullptr : std::aligned_alloc(alignment, size);
  return *memory ? 0 : ENOMEM;
}

void *operator new(size_t size) {
  if (refuse())
    throw std::bad_alloc();
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { std::free(memory); }

/// Calls `work` repeatedly. In each round a later allocation fails, alone or with all that follow,
/// until `work` succeeds. Each failure must have the status for it. Returns the number of failures.
template <typename Work> static int countFailures(Work work) {
  for (int round = 0;; ++round) {
    int n = round / 2;
    exhausted = round % 2;
    refused = 0;
    allocationsLeft = n;
    tssa_status *status = work();
    allocationsLeft = -1;
    EXPECT_TRUE(!status || tssa_status_code(status) == TSSA_OUT_OF_MEMORY)
        << n << ": " << tssa_status_message(status);
    bool done = !status && refused == 0;
    tssa_status_free(status);
    if (done || n > 10000)
      return n;
  }
}

TEST(OutOfMemory, LoadAndRun) {
  TemporaryFolder folder;
  std::string path = folder.file("add.so");
  writeAddArtifact(path);
  tssa_session_options options = TSSA_SESSION_OPTIONS_INIT;
  options.threads = 4;
  tssa_session *session = nullptr;
  int failures = countFailures([&] {
    tssa_session_free(session);
    session = nullptr;
    return tssa_session_load(path.c_str(), &options, &session);
  });
  EXPECT_GT(failures, 20);

  for (int32_t mode : {Normal, FailAtNode}) {
    float a[6] = {1, 2, 3, 4, 5, 6};
    int64_t shape[2] = {2, 3};
    tssa_tensor matrix = {a, {1, 0}, 2, {2, 32, 1}, shape, nullptr, 0};
    tssa_tensor scalar = {&mode, {1, 0}, 0, {0, 32, 1}, nullptr, nullptr, 0};
    tssa_value inputs[3] = {
        {"a", matrix, nullptr}, {"b", matrix, nullptr}, {"mode", scalar, nullptr}};
    tssa_value output = {"sum", {}, nullptr};
    failures = countFailures([&] {
      tssa_value_release(&output);
      tssa_status *status = tssa_session_run(session, nullptr, inputs, 3, &output, 1);
      if (mode == FailAtNode && tssa_status_code(status) == TSSA_OUT_OF_RANGE) {
        tssa_status_free(status);
        status = nullptr;
      }
      return status;
    });
    EXPECT_GT(failures, 5);
    tssa_value_release(&output);
  }
  tssa_session_free(session);
}

TEST(OutOfMemory, OnADevice) {
  TemporaryFolder folder;
  std::string path = folder.file("x.so");
  writeDeviceArtifact(path, {"cuda-emu"});
  tssa_session_options options = TSSA_SESSION_OPTIONS_INIT;
  options.threads = 4;
  tssa_session *session = nullptr;
  int failures = countFailures([&] {
    tssa_session_free(session);
    session = nullptr;
    return tssa_session_load(path.c_str(), &options, &session);
  });
  EXPECT_GT(failures, 20);

  for (int32_t how : {InPlace, AsResult, OnHost}) {
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {};
    int64_t shape[1] = {6};
    tssa_tensor scalar = {&how, {1, 0}, 0, {0, 32, 1}, nullptr, nullptr, 0};
    tssa_value inputs[3] = {{"x", {x, {1, 0}, 1, {2, 32, 1}, shape, nullptr, 0}, nullptr},
                            {"y", {y, {1, 0}, 1, {2, 32, 1}, shape, nullptr, 0}, nullptr},
                            {"how", scalar, nullptr}};
    tssa_value output = {"sum", {}, nullptr};
    failures = countFailures([&] {
      tssa_value_release(&output);
      return tssa_session_run(session, nullptr, inputs, 3, &output, 1);
    });
    EXPECT_GT(failures, 10);
    tssa_value_release(&output);
  }
  tssa_session_free(session);
}
