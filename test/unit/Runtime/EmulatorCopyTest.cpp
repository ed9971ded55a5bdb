//===- EmulatorCopyTest.cpp - asynchronous copies on the emulator -===//
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

/// Sites: 0 copies, 1 loads what is copied, 2 commits, 3 waits, 4 loads from shared memory, 5 is
/// a barrier, 6 stores the result, 7 stores to the source, 8 stores to shared memory.
class CopyTest : public EmulatorTest {
protected:
  CopyTest() : in(64 * 4), out(64 * 4) {
    std::iota(in.begin(), in.end(), 1);
    addTensor(in);
    addTensor(out);
    addSite(TSSA_EMU_COPY, TSSA_EMU_SHARED, -1, 16, 16);
    addSite(TSSA_EMU_LOAD, TSSA_EMU_GLOBAL, 0, 16, 16);
    addSite(TSSA_EMU_COMMIT_COPIES);
    addSite(TSSA_EMU_AWAIT_COPIES);
    addSite(TSSA_EMU_LOAD, TSSA_EMU_SHARED);
    addSite(TSSA_EMU_BARRIER);
    addSite(TSSA_EMU_STORE, TSSA_EMU_GLOBAL, 1);
    addSite(TSSA_EMU_STORE, TSSA_EMU_GLOBAL, 0);
    addSite(TSSA_EMU_STORE, TSSA_EMU_SHARED);
    sharedBytes = 64 * 16;
  }
  void expectFault(const std::string &what, void (*code)(Emu, void *const *)) {
    std::string message = runToFault(code);
    EXPECT_NE(message.find(what), std::string::npos) << message;
  }
  std::vector<int32_t> in, out;
};

constexpr const char *inFlight = "touches what an asynchronous copy may not have brought yet: "
                                 "shared memory + ";

int32_t *row(Emu emu, uint32_t thread) { return sharedInts(emu) + 4 * thread; }

void copyRow(Emu emu, void *const *params, uint32_t bytes = 16) {
  emu->copy(emu, row(emu, emu->thread), tensor(params, 0) + 4 * emu->thread, bytes, 1, 0);
}
void commit(Emu emu) { emu->commit_copies(emu, 2); }
void await(Emu emu, uint32_t groups) { emu->await_copies(emu, groups, 3); }

/// Stores the row of `thread` to the result.
void storeRow(Emu emu, void *const *params, uint32_t thread) {
  for (int i = 0; i < 4; ++i)
    store(emu, tensor(params, 1) + 4 * thread + i, load(emu, row(emu, thread) + i, 4), 6);
}

TEST_F(CopyTest, ArriveWhenTheyAreWaitedFor) {
  blocks = 1;
  Status status = run([](Emu emu, void *const *params) {
    copyRow(emu, params);
    commit(emu);
    await(emu, 0);
    emu->barrier(emu, 5);
    storeRow(emu, params, 63 - emu->thread);
  });
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(out, in);
}

TEST_F(CopyTest, FillWithZeros) {
  Status status = run([](Emu emu, void *const *params) {
    // An address that is not read may be out of bounds.
    if (emu->thread % 2 == 0)
      copyRow(emu, params, 8);
    else
      emu->copy(emu, row(emu, emu->thread), nullptr, 0, 1, 0);
    commit(emu);
    await(emu, 0);
    storeRow(emu, params, emu->thread);
  });
  ASSERT_TRUE(status.ok()) << status.message;
  for (size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], i % 8 < 2 ? in[i] : 0);
}

TEST_F(CopyTest, EarlierGroupsArriveFirst) {
  threads = 32;
  Status status = run([](Emu emu, void *const *params) {
    copyRow(emu, params);
    commit(emu);
    emu->copy(emu, row(emu, emu->thread + 32), tensor(params, 0) + 4 * (emu->thread + 32), 16, 1,
              0);
    commit(emu);
    await(emu, 1);
    storeRow(emu, params, emu->thread);
    await(emu, 0);
    storeRow(emu, params, emu->thread + 32);
  });
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(out, in);
}

TEST_F(CopyTest, MissingWait) {
  expectFault(inFlight, [](Emu emu, void *const *params) {
    copyRow(emu, params);
    commit(emu);
    storeRow(emu, params, emu->thread);
  });
}

TEST_F(CopyTest, MissingCommit) {
  expectFault(inFlight, [](Emu emu, void *const *params) {
    copyRow(emu, params);
    await(emu, 0);
    storeRow(emu, params, emu->thread);
  });
}

TEST_F(CopyTest, WaitOneGroupShort) {
  expectFault(inFlight, [](Emu emu, void *const *params) {
    copyRow(emu, params);
    commit(emu);
    await(emu, 1);
    storeRow(emu, params, emu->thread);
  });
}

TEST_F(CopyTest, StoresBeforeTheWait) {
  expectFault(inFlight, [](Emu emu, void *const *params) {
    copyRow(emu, params);
    commit(emu);
    store(emu, row(emu, emu->thread), 0, 8);
  });
}

TEST_F(CopyTest, TwoCopiesToOnePlace) {
  expectFault(inFlight, [](Emu emu, void *const *params) {
    copyRow(emu, params);
    copyRow(emu, params);
  });
}

TEST_F(CopyTest, OthersNeedABarrier) {
  expectFault("races with a store by thread", [](Emu emu, void *const *params) {
    copyRow(emu, params);
    commit(emu);
    await(emu, 0);
    emu->barrier(emu, 5);
    copyRow(emu, params);
    commit(emu);
    await(emu, 0);
    if (emu->thread == 0)
      for (uint32_t other = 1; other < 64; ++other)
        storeRow(emu, params, other);
    emu->barrier(emu, 5);
  });
}

/// In some orders the reader comes first, in others the copy.
TEST_F(CopyTest, CopiesMustFollowOtherReads) {
  threads = 2;
  unsigned races = 0, touches = 0;
  for (options.seed = 0; options.seed < 20; ++options.seed) {
    std::string message = runToFault([](Emu emu, void *const *params) {
      store(emu, row(emu, emu->thread), 0, 8);
      emu->barrier(emu, 5);
      if (emu->thread == 0)
        copyRow(emu, params);
      else
        load(emu, row(emu, 0), 4);
    });
    races += message.find("races with a load by thread 1") != std::string::npos;
    touches += message.find(inFlight) != std::string::npos;
  }
  EXPECT_EQ(races + touches, 20u);
  EXPECT_GT(races, 0u);
  EXPECT_GT(touches, 0u);
}

TEST_F(CopyTest, TheirSourceIsWrittenInTheMeantime) {
  expectFault("races with a", [](Emu emu, void *const *params) {
    copyRow(emu, params);
    commit(emu);
    emu->barrier(emu, 5);
    store(emu, tensor(params, 0) + 4 * (63 - emu->thread), 0, 7);
    await(emu, 0);
    emu->barrier(emu, 5);
  });
}

TEST_F(CopyTest, BlocksBeginWithoutCopies) {
  blocks = 3;
  threads = 32;
  Status status = run([](Emu emu, void *const *params) {
    store(emu, row(emu, emu->thread), 0, 8);
    copyRow(emu, params);
    commit(emu);
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST_F(CopyTest, Limits) {
  expectFault("asynchronous copy of 16 bytes by thread",
              [](Emu emu, void *const *params) { copyRow(emu, params, 17); });
  expectFault("reads 17 bytes, more than it writes",
              [](Emu emu, void *const *params) { copyRow(emu, params, 17); });
  expectFault("is out of bounds: at parameter 0 + 1024", [](Emu emu, void *const *params) {
    emu->copy(emu, row(emu, emu->thread), tensor(params, 0) + 256, 16, 1, 0);
  });
  expectFault("is misaligned: at parameter 0 + 4", [](Emu emu, void *const *params) {
    emu->copy(emu, row(emu, emu->thread), tensor(params, 0) + 1, 16, 1, 0);
  });
  expectFault("is out of bounds: at shared memory + 1024", [](Emu emu, void *const *params) {
    emu->copy(emu, row(emu, 64), tensor(params, 0), 16, 1, 0);
  });
}

} // namespace
