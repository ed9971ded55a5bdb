//===- EmulatorTest.cpp - what kernels on the emulator compute, and its counters -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"

#include <numeric>

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

namespace {

//===----------------------------------------------------------------------===//
// What kernels compute
//===----------------------------------------------------------------------===//

/// out[block] = sum of in[block * threads ...], by shuffles in warps, then through shared memory.
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

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// out[thread] = the result of the kernel's only shuffle, or -1 if the lane gets none.
void shuffleOnce(Emu emu, void *const *params) {
  uint64_t lane = *static_cast<int64_t *>(params[1]), clamp = *static_cast<int64_t *>(params[2]);
  uint64_t packed = emu->shuffle(emu, 0xFFFFFFFF, emu->thread, uint32_t(lane), uint32_t(clamp), 0);
  int32_t value = packed >> 32 ? int32_t(packed) : -1;
  store(emu, tensor(params, 0) + globalId(emu), value, 1);
}

class ShuffleTest : public EmulatorTest {
protected:
  std::vector<int32_t> shuffle(tssa_emulator_operation operation, int64_t lane, int64_t clamp) {
    std::vector<int32_t> out(32);
    addresses.clear(), sizes.clear(), sites.clear();
    addTensor(out);
    addresses.push_back(reinterpret_cast<void *>(lane));
    addresses.push_back(reinterpret_cast<void *>(clamp));
    sizes.resize(3);
    addSite(operation);
    addSite(TSSA_EMU_STORE, TSSA_EMU_GLOBAL, 0);
    threads = 32;
    Status status = run(shuffleOnce);
    EXPECT_TRUE(status.ok()) << status.message;
    return out;
  }
};

TEST_F(ShuffleTest, UpMovesToHigherLanes) {
  std::vector<int32_t> out = shuffle(TSSA_EMU_SHUFFLE_UP, 3, 0);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i < 3 ? -1 : i - 3);
}

TEST_F(ShuffleTest, DownMovesToLowerLanes) {
  std::vector<int32_t> out = shuffle(TSSA_EMU_SHUFFLE_DOWN, 5, 31);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i + 5 > 31 ? -1 : i + 5);
}

TEST_F(ShuffleTest, SegmentsAreApart) {
  // Segments of 8 lanes: the mask 0b11000 keeps the upper bits of the lane's own number.
  std::vector<int32_t> out = shuffle(TSSA_EMU_SHUFFLE_DOWN, 1, 0x1800 | 7);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i % 8 == 7 ? -1 : i + 1);
  out = shuffle(TSSA_EMU_SHUFFLE_INDEX, 2, 0x1800 | 31);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i / 8 * 8 + 2);
}

TEST_F(ShuffleTest, XorPairsLanes) {
  std::vector<int32_t> out = shuffle(TSSA_EMU_SHUFFLE_XOR, 9, 31);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i ^ 9);
}

/// Eight results for each thread: votes, matches and reductions of its warp.
void voteAndReduce(Emu emu, void *const *params) {
  uint32_t lane = emu->thread, all = 0xFFFFFFFF;
  uint64_t any = emu->match(emu, all, lane % 4, 4), same = emu->match(emu, all, 7, 5);
  int32_t results[] = {int32_t(emu->vote(emu, all, lane < 31, 0)),
                       int32_t(emu->vote(emu, all, lane == 5, 1)),
                       int32_t(emu->vote(emu, all, lane < 32, 2)),
                       int32_t(emu->vote(emu, all, lane < 3, 3)),
                       int32_t(any),
                       int32_t(same >> 32),
                       int32_t(emu->reduce(emu, all, lane, 6)),
                       int32_t(emu->reduce(emu, all, lane - 16, 7))};
  for (int i = 0; i < 8; ++i)
    store(emu, tensor(params, 0) + emu->thread * 8 + i, results[i], 8);
}

TEST_F(EmulatorTest, VotesMatchesAndReductions) {
  std::vector<int32_t> out(32 * 8);
  addTensor(out);
  for (auto operation :
       {TSSA_EMU_VOTE_ALL, TSSA_EMU_VOTE_ANY, TSSA_EMU_VOTE_UNIFORM, TSSA_EMU_VOTE_BALLOT,
        TSSA_EMU_MATCH_ANY, TSSA_EMU_MATCH_ALL, TSSA_EMU_REDUCE_ADD, TSSA_EMU_REDUCE_MIN_SIGNED})
    addSite(operation);
  addSite(TSSA_EMU_STORE, TSSA_EMU_GLOBAL, 0);
  threads = 32;
  Status status = run(voteAndReduce);
  ASSERT_TRUE(status.ok()) << status.message;
  for (int lane = 0; lane < 32; ++lane) {
    int32_t expected[] = {0, 1, 1, 7, int32_t(0x11111111u << lane % 4), 1, 31 * 16, -16};
    EXPECT_EQ(std::vector<int32_t>(&out[lane * 8], &out[lane * 8 + 8]),
              std::vector<int32_t>(expected, expected + 8));
  }
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// Each thread stores `count` times. The elements of neighbouring threads are `stride` ints apart.
template <int stride, int count> void storeStrided(Emu emu, void *const *params) {
  for (int i = 0; i < count; ++i)
    store(emu, tensor(params, 0) + globalId(emu) * stride, i, 0);
}

class CountTest : public EmulatorTest {
protected:
  CountTest() : out(64 * 32 + 64) {
    // Align the tensor to the sectors that are counted.
    auto begin = reinterpret_cast<uintptr_t>(out.data());
    addresses.push_back(reinterpret_cast<void *>((begin + 127) / 128 * 128));
    sizes.push_back(64 * 32 * 4);
    addSite(TSSA_EMU_STORE, TSSA_EMU_GLOBAL, 0);
    options.count = true;
  }
  std::vector<int32_t> out;
};

TEST_F(CountTest, CoalescedStores) {
  ASSERT_TRUE(run(storeStrided<1, 1>).ok());
  EXPECT_EQ(counters.globalAccesses, 2u);
  EXPECT_EQ(counters.globalTransactions, 2u * 4);
}

TEST_F(CountTest, StridedStores) {
  ASSERT_TRUE(run(storeStrided<2, 1>).ok());
  EXPECT_EQ(counters.globalTransactions, 2u * 8);
  counters = {};
  ASSERT_TRUE(run(storeStrided<32, 1>).ok());
  EXPECT_EQ(counters.globalTransactions, 2u * 32);
}

TEST_F(CountTest, LoopsLongerThanTheLog) {
  ASSERT_TRUE(run(storeStrided<1, 5000>).ok());
  EXPECT_EQ(counters.globalAccesses, 2u * 5000);
  EXPECT_EQ(counters.globalTransactions, 2u * 5000 * 4);
}

/// Each thread stores one int to shared memory. The elements of neighbouring threads are `stride`
/// ints apart.
template <int stride> void storeShared(Emu emu, void *const *) {
  store(emu, sharedInts(emu) + emu->thread * stride, 0, 1);
}

TEST_F(CountTest, BankConflicts) {
  addSite(TSSA_EMU_STORE, TSSA_EMU_SHARED);
  threads = 32;
  sharedBytes = 32 * 33 * 4;
  ASSERT_TRUE(run(storeShared<1>).ok());
  EXPECT_EQ(counters.sharedAccesses, 1u);
  EXPECT_EQ(counters.sharedConflicts, 0u);
  ASSERT_TRUE(run(storeShared<2>).ok());
  EXPECT_EQ(counters.sharedConflicts, 1u);
  counters = {};
  ASSERT_TRUE(run(storeShared<32>).ok());
  EXPECT_EQ(counters.sharedConflicts, 31u);
  counters = {};
  ASSERT_TRUE(run(storeShared<33>).ok());
  EXPECT_EQ(counters.sharedConflicts, 0u);
}

TEST_F(CountTest, WideAccessesTakeTurns) {
  addSite(TSSA_EMU_STORE, TSSA_EMU_SHARED, -1, 16, 16);
  threads = 32;
  sharedBytes = 32 * 16;
  ASSERT_TRUE(run([](Emu emu, void *const *) {
                emu->access(emu, sharedInts(emu) + emu->thread * 4, 1);
              }).ok());
  EXPECT_EQ(counters.sharedConflicts, 0u);
}

} // namespace
