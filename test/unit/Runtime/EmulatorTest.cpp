//===- EmulatorTest.cpp - kernels for GPUs, run on the CPU ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels written against tssa/emulator.h by hand: what they compute, the faults
/// that the emulator must find, and what it counts.
///
//===----------------------------------------------------------------------===//

#include "lib/Runtime/Emulator/Emulator.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

namespace {

using Emu = const tssa_emulator *;

/// A kernel, its sites, and one launch of it.
class EmulatorTest : public testing::Test {
protected:
  /// Each parameter is a tensor of ints.
  void addTensor(std::vector<int32_t> &tensor) {
    addresses.push_back(tensor.data());
    sizes.push_back(tensor.size() * 4);
  }
  int32_t addSite(tssa_emulator_operation operation, tssa_emulator_space space = TSSA_EMU_GLOBAL,
                  int32_t parameter = -1, int32_t bytes = 4, int32_t alignment = 4) {
    sites.push_back({operation, space, parameter, bytes, alignment, std::min(bytes, 4), 0});
    return sites.size() - 1;
  }
  Status run(void (*code)(Emu, void *const *)) {
    tssa_emulated_kernel kernel{code, sites.data(), texts.c_str(), int32_t(sites.size()),
                                int32_t(addresses.size()), staticShared, 1, 1024};
    std::vector<void *> params;
    for (void *&address : addresses)
      params.push_back(&address);
    for (int64_t &size : sizes)
      params.push_back(&size);
    Launch launch;
    launch.kernel = &kernel;
    launch.name = "k";
    launch.node = "conv1";
    launch.blocks = blocks;
    launch.threads = threads;
    launch.sharedBytes = sharedBytes;
    launch.params = params.data();
    return emulator::launch(launch, options, &counters);
  }
  /// The message of a launch that must fail.
  std::string runToFault(void (*code)(Emu, void *const *)) {
    Status status = run(code);
    EXPECT_EQ(status.code, TSSA_INTERNAL);
    EXPECT_EQ(status.node, "conv1");
    return status.message;
  }

  std::vector<void *> addresses;
  std::vector<int64_t> sizes;
  std::vector<tssa_emulator_site> sites;
  std::string texts = std::string("\0here\0", 6);
  int32_t staticShared = 0;
  int64_t blocks = 1, sharedBytes = 0;
  int32_t threads = 64;
  Options options;
  Counters counters;
};

int32_t *tensor(void *const *params, int i) { return *static_cast<int32_t **>(params[i]); }
int32_t *sharedInts(Emu emu) { return static_cast<int32_t *>(emu->shared); }

int32_t load(Emu emu, const int32_t *address, int32_t site) {
  emu->access(emu, address, site);
  return *address;
}
void store(Emu emu, int32_t *address, int32_t value, int32_t site) {
  emu->access(emu, address, site);
  *address = value;
}
uint32_t globalId(Emu emu) { return emu->block * emu->threads + emu->thread; }

//===----------------------------------------------------------------------===//
// What kernels compute
//===----------------------------------------------------------------------===//

/// out[block] = sum of in[block * threads ...]: shuffles in warps, then shared memory.
void sumOfBlock(Emu emu, void *const *params) {
  int32_t sum = load(emu, tensor(params, 0) + globalId(emu), 0);
  for (uint32_t distance = 16; distance > 0; distance /= 2)
    sum += int32_t(emu->shuffle(emu, 0xFFFFFFFF, uint32_t(sum), distance, 31, 1));
  if (emu->thread % 32 == 0)
    store(emu, sharedInts(emu) + emu->thread / 32, sum, 2);
  emu->barrier(emu, 3);
  if (emu->thread != 0)
    return;
  int32_t total = 0;
  for (uint32_t warp = 0; warp < emu->threads / 32; ++warp)
    total += load(emu, sharedInts(emu) + warp, 4);
  store(emu, tensor(params, 1) + emu->block, total, 5);
}

class SumTest : public EmulatorTest {
protected:
  SumTest() : in(256 * 5), out(5) {
    std::iota(in.begin(), in.end(), 1);
    addTensor(in);
    addTensor(out);
    addSite(TSSA_EMU_LOAD, TSSA_EMU_GLOBAL, 0);
    addSite(TSSA_EMU_SHUFFLE_XOR);
    addSite(TSSA_EMU_STORE, TSSA_EMU_SHARED);
    addSite(TSSA_EMU_BARRIER);
    addSite(TSSA_EMU_LOAD, TSSA_EMU_SHARED);
    addSite(TSSA_EMU_STORE, TSSA_EMU_GLOBAL, 1);
    blocks = 5;
    threads = 256;
    sharedBytes = 32;
  }
  std::vector<int32_t> in, out;
};

TEST_F(SumTest, EveryOrderGivesTheSum) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    options.seed = seed;
    std::fill(out.begin(), out.end(), 0);
    Status status = run(sumOfBlock);
    ASSERT_TRUE(status.ok()) << status.message;
    for (int block = 0; block < 5; ++block)
      EXPECT_EQ(out[block], 256 * (256 * block) + 256 * 257 / 2);
  }
}

TEST_F(SumTest, CountsWhatItDoes) {
  ASSERT_TRUE(run(sumOfBlock).ok());
  EXPECT_EQ(counters.launches, 1u);
  EXPECT_EQ(counters.blocks, 5u);
  EXPECT_EQ(counters.threads, 5u * 256);
  EXPECT_EQ(counters.barriers, 5u);
  EXPECT_EQ(counters.warpOperations, 5u * 8 * 5);
  EXPECT_EQ(counters.accesses, 5u * (256 + 8 + 8 + 1));
}

} // namespace
