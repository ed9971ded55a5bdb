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
    tssa_emulated_kernel kernel{code,
                                sites.data(),
                                texts.c_str(),
                                int32_t(sites.size()),
                                int32_t(addresses.size()),
                                staticShared,
                                1,
                                1024};
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

  /// Of tensors; parameters that are no tensors have their value here.
  std::vector<void *> addresses;
  std::vector<int64_t> sizes; ///< in bytes
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

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// out[thread] = what the one shuffle of the kernel gives, -1 when nothing arrives.
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
  // Segments of 8 lanes: mask 0b11000 of what stays of the lane's own number.
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

/// Eight results of each thread: the votes, matches and reductions of its warp.
void voteAndJoin(Emu emu, void *const *params) {
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
  Status status = run(voteAndJoin);
  ASSERT_TRUE(status.ok()) << status.message;
  for (int lane = 0; lane < 32; ++lane) {
    int32_t expected[] = {0, 1, 1, 7, int32_t(0x11111111u << lane % 4), 1, 31 * 16, -16};
    EXPECT_EQ(std::vector<int32_t>(&out[lane * 8], &out[lane * 8 + 8]),
              std::vector<int32_t>(expected, expected + 8));
  }
}

//===----------------------------------------------------------------------===//
// Faults of single accesses
//===----------------------------------------------------------------------===//

/// Tests whose kernels store to tensor 0 of 64 ints, at site 0.
class StoreTest : public EmulatorTest {
protected:
  StoreTest() : out(64) {
    addTensor(out);
    addSite(TSSA_EMU_STORE, TSSA_EMU_GLOBAL, 0);
    sites[0].text = 1;
  }
  std::vector<int32_t> out;
};

TEST_F(StoreTest, OutOfBounds) {
  EXPECT_EQ(runToFault([](Emu emu, void *const *params) {
              if (emu->thread == 63)
                store(emu, tensor(params, 0) + 64, 1, 0);
            }),
            "kernel 'k': store of 4 bytes (here) by thread 63 of block 0 is out of bounds: at "
            "parameter 0 + 256 (of 256 bytes)");
}

TEST_F(StoreTest, BelowBounds) {
  EXPECT_EQ(runToFault([](Emu emu, void *const *params) {
              if (emu->thread == 0)
                store(emu, tensor(params, 0) - 2, 1, 0);
            }),
            "kernel 'k': store of 4 bytes (here) by thread 0 of block 0 is out of bounds: at "
            "parameter 0 - 8 (of 256 bytes)");
}

TEST_F(StoreTest, AddressOfNobody) {
  sites[0].parameter = -1;
  EXPECT_EQ(runToFault([](Emu emu, void *const *params) { store(emu, nullptr, 1, 0); }).substr(60),
            "is out of bounds: at no memory of the device");
}

TEST_F(StoreTest, EmptyTensors) {
  sizes[0] = 0;
  runToFault([](Emu emu, void *const *params) { store(emu, tensor(params, 0), 1, 0); });
}

TEST_F(StoreTest, RangeOutOfBounds) {
  sites[0].bytes = 0;
  EXPECT_EQ(runToFault([](Emu emu, void *const *params) {
              if (emu->thread == 1)
                emu->access_range(emu, tensor(params, 0) + 60, 20, 0);
            }),
            "kernel 'k': store (here) by thread 1 of block 0 is out of bounds: at parameter 0 + "
            "240 (of 256 bytes)");
}

TEST_F(StoreTest, Misaligned) {
  sites[0].bytes = sites[0].alignment = 16;
  EXPECT_EQ(runToFault([](Emu emu, void *const *params) {
              auto begin = reinterpret_cast<uintptr_t>(tensor(params, 0));
              if (emu->thread == 2)
                emu->access(emu, reinterpret_cast<void *>((begin + 31) / 16 * 16 + 4), 0);
            }).substr(0, 79),
            "kernel 'k': store of 16 bytes (here) by thread 2 of block 0 is misaligned: at p");
}

TEST_F(StoreTest, InsideAnAllocation) {
  // Only the allocation is known of a tensor without size.
  static std::vector<int32_t> arena(8);
  std::vector<Allocation> allocations{{arena.data(), 32, "arena"}};
  tssa_emulated_kernel kernel{
      [](Emu emu, void *const *params) { store(emu, tensor(params, 0) + 4, 1, 0); },
      sites.data(),
      texts.c_str(),
      1,
      1,
      0,
      1,
      1024};
  for (int32_t *address : {arena.data() + 3, arena.data() + 4}) {
    void *params[] = {&address, nullptr};
    Launch launch;
    launch.kernel = &kernel;
    launch.name = "k";
    launch.blocks = launch.threads = 1;
    launch.params = params;
    launch.allocations = &allocations;
    Status status = emulator::launch(launch, options);
    bool inside = address == arena.data() + 3;
    EXPECT_EQ(status.ok(), inside) << status.message;
  }
}

TEST_F(StoreTest, PrivateMemoryIsFree) {
  sites[0].space = TSSA_EMU_ANYWHERE;
  sites[0].parameter = -1;
  Status status =
      run([](Emu emu, void *const *params) { emu->access(emu, __builtin_frame_address(0), 0); });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST_F(StoreTest, Trap) {
  sites[0].operation = TSSA_EMU_TRAP;
  EXPECT_EQ(runToFault([](Emu emu, void *const *params) {
              if (emu->thread == 7)
                emu->trap(emu, 0);
            }),
            "kernel 'k': trap (here) by thread 7 of block 0 is reached");
}

TEST_F(StoreTest, DivisionByZero) {
  sites[0].operation = TSSA_EMU_DIVIDE;
  EXPECT_EQ(runToFault([](Emu emu, void *const *params) {
              if (emu->thread == 7)
                emu->divide(emu, 0);
            }),
            "kernel 'k': division (here) by thread 7 of block 0 has no result: it divides by zero, "
            "or the least integer by -1");
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Sites: 0 stores to shared memory, 1 loads from it, 2 is a barrier, 3 one of the
/// warp, 4 an atomic update of shared memory.
class SharedTest : public EmulatorTest {
protected:
  SharedTest() {
    addSite(TSSA_EMU_STORE, TSSA_EMU_SHARED);
    addSite(TSSA_EMU_LOAD, TSSA_EMU_SHARED);
    addSite(TSSA_EMU_BARRIER);
    addSite(TSSA_EMU_WARP_BARRIER);
    addSite(TSSA_EMU_ATOMIC, TSSA_EMU_SHARED);
    sharedBytes = 4 * 64;
    blocks = 3;
  }
};

TEST_F(SharedTest, BarriersOrder) {
  Status status = run([](Emu emu, void *const *) {
    for (int32_t round = 0; round < 3; ++round) {
      store(emu, sharedInts(emu) + emu->thread, round, 0);
      emu->barrier(emu, 2);
      if (load(emu, sharedInts(emu) + 63 - emu->thread, 1) != round)
        emu->trap(emu, 0);
      emu->barrier(emu, 2);
    }
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST_F(SharedTest, MissingBarrierBeforeTheRead) {
  blocks = 1;
  // Each thread has written its own, so that nothing is unwritten.
  EXPECT_NE(runToFault([](Emu emu, void *const *) {
              store(emu, sharedInts(emu) + emu->thread, 0, 0);
              emu->barrier(emu, 2);
              store(emu, sharedInts(emu) + emu->thread, 1, 0);
              load(emu, sharedInts(emu) + 63 - emu->thread, 1);
            }).find(": no barrier lies between"),
            std::string::npos);
}

TEST_F(SharedTest, MissingBarrierBeforeTheNextWrite) {
  std::string message = runToFault([](Emu emu, void *const *) {
    for (int32_t round = 0; round < 3; ++round) {
      store(emu, sharedInts(emu) + emu->thread, round, 0);
      emu->barrier(emu, 2);
      load(emu, sharedInts(emu) + 63 - emu->thread, 1);
    }
  });
  // Either may come first.
  EXPECT_NE(message.find("races with a "), std::string::npos) << message;
  EXPECT_NE(message.find(": no barrier lies between"), std::string::npos) << message;
}

TEST_F(SharedTest, EqualValuesRaceToo) {
  std::string message =
      runToFault([](Emu emu, void *const *) { store(emu, sharedInts(emu), 7, 0); });
  EXPECT_NE(message.find("at shared memory + 0 (of 256 bytes) races with a store by thread"),
            std::string::npos)
      << message;
}

TEST_F(SharedTest, RacesAreNotLookedForWhenNotWanted) {
  options.checkRaces = false;
  EXPECT_TRUE(run([](Emu emu, void *const *) { store(emu, sharedInts(emu), 7, 0); }).ok());
}

TEST_F(SharedTest, NeighboursDoNotRace) {
  sites[0].bytes = sites[0].alignment = sites[0].element = 1;
  EXPECT_TRUE(run([](Emu emu, void *const *) {
                auto *bytes = static_cast<uint8_t *>(emu->shared);
                emu->access(emu, bytes + emu->thread, 0);
                bytes[emu->thread] = 1;
              }).ok());
}

TEST_F(SharedTest, UnwrittenMemory) {
  std::string message = runToFault([](Emu emu, void *const *) {
    if (emu->thread != 9)
      store(emu, sharedInts(emu) + emu->thread, 0, 0);
    emu->barrier(emu, 2);
    load(emu, sharedInts(emu) + emu->thread, 1);
  });
  EXPECT_NE(message.find("by thread 9 of block"), std::string::npos) << message;
  EXPECT_NE(message.find(
                "reads what no thread of the block has written: shared memory + 36 (of 256 bytes)"),
            std::string::npos)
      << message;
}

/// What the block before has written is not there any more.
TEST_F(SharedTest, EachBlockBeginsUnwritten) {
  std::string message = runToFault([](Emu emu, void *const *) {
    if (emu->block == 1)
      load(emu, sharedInts(emu) + emu->thread, 1);
    else
      store(emu, sharedInts(emu) + emu->thread, 0, 0);
  });
  EXPECT_NE(message.find("reads what no thread"), std::string::npos) << message;
}

TEST_F(SharedTest, OutOfBounds) {
  std::string message = runToFault(
      [](Emu emu, void *const *) { store(emu, sharedInts(emu) + emu->thread + 1, 0, 0); });
  EXPECT_NE(message.find("is out of bounds: at shared memory + 256 (of 256 bytes)"),
            std::string::npos)
      << message;
}

TEST_F(SharedTest, BarriersOfAWarpOrderIt) {
  auto kernel = [](Emu emu, void *const *) {
    uint32_t warp = emu->thread / 32 * 32, lane = emu->thread % 32;
    store(emu, sharedInts(emu) + emu->thread, 0, 0);
    emu->warp_barrier(emu, 0xFFFFFFFF, 3);
    load(emu, sharedInts(emu) + warp + 31 - lane, 1);
    emu->warp_barrier(emu, 0xFFFFFFFF, 3);
    store(emu, sharedInts(emu) + emu->thread, 1, 0);
  };
  Status status = run(kernel);
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST_F(SharedTest, BarriersOfAWarpOrderNoOther) {
  std::string message = runToFault([](Emu emu, void *const *) {
    store(emu, sharedInts(emu) + emu->thread, 0, 0);
    emu->barrier(emu, 2);
    load(emu, sharedInts(emu) + emu->thread, 1);
    emu->warp_barrier(emu, 0xFFFFFFFF, 3);
    store(emu, sharedInts(emu) + (emu->thread ^ 32), 1, 0);
  });
  EXPECT_NE(message.find("races with a"), std::string::npos) << message;
}

TEST_F(SharedTest, AtomicsDoNotRace) {
  Status status = run([](Emu emu, void *const *) {
    if (emu->thread == 0)
      store(emu, sharedInts(emu), 0, 0);
    emu->barrier(emu, 2);
    emu->access(emu, sharedInts(emu), 4);
    ++*sharedInts(emu);
    emu->barrier(emu, 2);
    if (load(emu, sharedInts(emu), 1) != 64)
      emu->trap(emu, 0);
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST_F(SharedTest, AtomicsRaceWithOthers) {
  std::string message = runToFault([](Emu emu, void *const *) {
    if (emu->thread == 0)
      store(emu, sharedInts(emu), 0, 0);
    emu->barrier(emu, 2);
    if (emu->thread % 2)
      emu->access(emu, sharedInts(emu), 4);
    else
      load(emu, sharedInts(emu), 1);
  });
  EXPECT_NE(message.find("races with"), std::string::npos) << message;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

TEST_F(StoreTest, BlocksRace) {
  blocks = 2;
  std::string message = runToFault(
      [](Emu emu, void *const *params) { store(emu, tensor(params, 0) + emu->thread, 1, 0); });
  EXPECT_NE(message.find("races with a store by thread"), std::string::npos) << message;
  EXPECT_NE(message.find(": nothing orders blocks"), std::string::npos) << message;
}

TEST_F(StoreTest, ReadersOfOtherBlocksRace) {
  blocks = 3;
  addSite(TSSA_EMU_LOAD, TSSA_EMU_GLOBAL, 0);
  std::string message = runToFault([](Emu emu, void *const *params) {
    load(emu, tensor(params, 0) + 1, 1);
    if (emu->block == 2 && emu->thread == 0)
      store(emu, tensor(params, 0) + 1, 1, 0);
  });
  EXPECT_NE(message.find("races with"), std::string::npos) << message;
}

TEST_F(StoreTest, InPlaceIsNoRace) {
  addTensor(out); // the same memory
  addSite(TSSA_EMU_LOAD, TSSA_EMU_GLOBAL, 1);
  Status status = run([](Emu emu, void *const *params) {
    int32_t old = load(emu, tensor(params, 1) + emu->thread, 1);
    store(emu, tensor(params, 0) + emu->thread, old + 1, 0);
  });
  EXPECT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(out, std::vector<int32_t>(64, 1));
}

TEST_F(StoreTest, OverlappingTensorsRace) {
  addTensor(out);
  addSite(TSSA_EMU_LOAD, TSSA_EMU_GLOBAL, 1);
  std::string message = runToFault([](Emu emu, void *const *params) {
    int32_t old = load(emu, tensor(params, 1) + (emu->thread + 1) % 64, 1);
    store(emu, tensor(params, 0) + emu->thread, old + 1, 0);
  });
  EXPECT_NE(message.find("races with"), std::string::npos) << message;
}

TEST_F(StoreTest, BarriersOrderGlobalMemory) {
  addSite(TSSA_EMU_LOAD, TSSA_EMU_GLOBAL, 0);
  addSite(TSSA_EMU_BARRIER);
  Status status = run([](Emu emu, void *const *params) {
    store(emu, tensor(params, 0) + emu->thread, 1, 0);
    emu->barrier(emu, 2);
    load(emu, tensor(params, 0) + 63 - emu->thread, 1);
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

//===----------------------------------------------------------------------===//
// Threads that wait
//===----------------------------------------------------------------------===//

TEST_F(SharedTest, BarrierThatOthersLeaveOut) {
  blocks = 1;
  EXPECT_EQ(runToFault([](Emu emu, void *const *) {
              if (emu->thread < 40)
                emu->barrier(emu, 2);
            }),
            "kernel 'k': barrier by thread 0 of block 0 waits for thread 40, which has ended");
}

TEST_F(SharedTest, TwoBarriers) {
  addSite(TSSA_EMU_BARRIER);
  std::string message =
      runToFault([](Emu emu, void *const *) { emu->barrier(emu, emu->thread < 40 ? 2 : 5); });
  EXPECT_NE(message.find("is divergent: thread"), std::string::npos) << message;
}

TEST_F(SharedTest, ShuffleWithAbsentLane) {
  addSite(TSSA_EMU_SHUFFLE_XOR);
  blocks = 1;
  EXPECT_EQ(runToFault([](Emu emu, void *const *) {
              if (emu->thread % 32 != 20)
                emu->shuffle(emu, 0xFFFFFFFF, 0, 1, 31, 5);
            }),
            "kernel 'k': shuffle by thread 0 of block 0 waits for thread 20, which has ended");
}

TEST_F(SharedTest, ShuffleWithWrongMask) {
  addSite(TSSA_EMU_SHUFFLE_XOR);
  std::string message =
      runToFault([](Emu emu, void *const *) { emu->shuffle(emu, 0xFFFF, 0, 1, 31, 5); });
  EXPECT_NE(message.find("has mask 0x0000ffff, which leaves out its own lane"), std::string::npos)
      << message;
}

TEST_F(SharedTest, ShuffleFromALaneThatTakesNoPart) {
  addSite(TSSA_EMU_SHUFFLE_XOR);
  std::string message = runToFault([](Emu emu, void *const *) {
    if (emu->thread % 32 < 16)
      emu->shuffle(emu, 0xFFFF, 0, 16, 31, 5);
  });
  EXPECT_NE(message.find("which takes no part: its mask is 0x0000ffff"), std::string::npos)
      << message;
}

TEST_F(SharedTest, LanesAtTwoShuffles) {
  addSite(TSSA_EMU_SHUFFLE_XOR);
  addSite(TSSA_EMU_SHUFFLE_XOR);
  std::string message = runToFault([](Emu emu, void *const *) {
    emu->shuffle(emu, 0xFFFFFFFF, 0, 1, 31, emu->thread % 2 ? 5 : 6);
  });
  EXPECT_NE(message.find("is divergent: lane"), std::string::npos) << message;
}

TEST_F(SharedTest, HalvesOfAWarpMayShuffleApart) {
  addSite(TSSA_EMU_SHUFFLE_XOR);
  addSite(TSSA_EMU_SHUFFLE_XOR);
  Status status = run([](Emu emu, void *const *) {
    bool low = emu->thread % 32 < 16;
    uint64_t got = emu->shuffle(emu, low ? 0xFFFF : 0xFFFF0000, emu->thread, 1, 31, low ? 5 : 6);
    if (uint32_t(got) != (emu->thread ^ 1))
      emu->trap(emu, 0);
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST_F(SharedTest, StopsWhenAsked) {
  options.shouldStop = [] { return true; };
  EXPECT_EQ(run([](Emu emu, void *const *) {}).code, TSSA_CANCELLED);
}

TEST_F(SharedTest, EndlessLoopsAreStopped) {
  int polls = 0;
  options.shouldStop = [&] { return ++polls > 2; };
  EXPECT_EQ(run([](Emu emu, void *const *) {
              for (;;)
                store(emu, sharedInts(emu) + emu->thread, 0, 0);
            }).code,
            TSSA_CANCELLED);
}

TEST_F(SharedTest, LimitsOfLaunches) {
  auto nothing = [](Emu, void *const *) {};
  threads = 1025;
  EXPECT_EQ(runToFault(nothing), "kernel 'k': expected 1 to 1024 threads in a block, got 1025");
  threads = 64;
  blocks = int64_t(1) << 31;
  EXPECT_EQ(runToFault(nothing), "kernel 'k': expected at most 2147483647 blocks, got 2147483648");
  blocks = 1;
  sharedBytes = 300000;
  EXPECT_EQ(runToFault(nothing),
            "kernel 'k': expected at most 232448 bytes of shared memory, got 300000");
}

TEST(EmulatorOptions, ComeFromTheEnvironment) {
  Options options;
  setenv("TSSA_EMULATOR_SEED", "42", 1);
  setenv("TSSA_EMULATOR_RACES", "0", 1);
  ASSERT_TRUE(Options::fromEnvironment(options).ok());
  EXPECT_EQ(options.seed, 42u);
  EXPECT_FALSE(options.checkRaces);
  setenv("TSSA_EMULATOR_SEED", "4x", 1);
  EXPECT_EQ(Options::fromEnvironment(options).message,
            "TSSA_EMULATOR_SEED must be a number, got '4x'");
  setenv("TSSA_EMULATOR_SEED", "4", 1);
  setenv("TSSA_EMULATOR_RACES", "yes", 1);
  EXPECT_EQ(Options::fromEnvironment(options).message,
            "TSSA_EMULATOR_RACES must be 0 or 1, got 'yes'");
  unsetenv("TSSA_EMULATOR_SEED");
  unsetenv("TSSA_EMULATOR_RACES");
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// Each thread stores `count` times, `stride` ints apart from its neighbour.
template <int stride, int count> void storeStrided(Emu emu, void *const *params) {
  for (int i = 0; i < count; ++i)
    store(emu, tensor(params, 0) + globalId(emu) * stride, i, 0);
}

class CountTest : public EmulatorTest {
protected:
  CountTest() : out(64 * 32 + 64) {
    // At a multiple of the sectors that are counted.
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

/// Each thread stores one int to shared memory, `stride` ints from its neighbour.
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
