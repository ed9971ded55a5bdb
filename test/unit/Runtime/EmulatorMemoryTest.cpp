//===- EmulatorMemoryTest.cpp - faults of accesses that the emulator finds -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

namespace {

//===----------------------------------------------------------------------===//
// Faults of single accesses
//===----------------------------------------------------------------------===//

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
  // A tensor without a size is checked against the allocation only.
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
    EmulatedLaunch launch;
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
  // Each thread has written its element, so none is unwritten.
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
  // Either thread may come first.
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

/// Contents that the previous block has written are gone.
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

} // namespace
