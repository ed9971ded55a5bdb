//===- EmulatorTest.h - kernels for GPUs, run on the CPU -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fixtures that the tests of the emulator share. Their kernels are written by hand against
/// tssa/emulator.h.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TEST_UNIT_RUNTIME_EMULATORTEST_H
#define TSSA_TEST_UNIT_RUNTIME_EMULATORTEST_H

#include "lib/Runtime/Emulator/Emulator.h"

#include <gtest/gtest.h>

namespace tssa::runtime::emulator {

using Emu = const tssa_emulator *;

/// A kernel, its sites, and one launch of it.
class EmulatorTest : public testing::Test {
protected:
  /// Adds a parameter that is a tensor of ints.
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
    EmulatedLaunch launch;
    launch.kernel = &kernel;
    launch.name = "k";
    launch.node = "conv1";
    launch.blocks = blocks;
    launch.threads = threads;
    launch.sharedBytes = sharedBytes;
    launch.params = params.data();
    return emulator::launch(launch, options, &counters);
  }
  /// Runs a launch that must fail and returns its message.
  std::string runToFault(void (*code)(Emu, void *const *)) {
    Status status = run(code);
    EXPECT_EQ(status.code, TSSA_INTERNAL);
    EXPECT_EQ(status.node, "conv1");
    return status.message;
  }

  /// Addresses of tensors, and values of parameters that are not tensors.
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

inline int32_t *tensor(void *const *params, int i) { return *static_cast<int32_t **>(params[i]); }
inline int32_t *sharedInts(Emu emu) { return static_cast<int32_t *>(emu->shared); }

inline int32_t load(Emu emu, const int32_t *address, int32_t site) {
  emu->access(emu, address, site);
  return *address;
}
inline void store(Emu emu, int32_t *address, int32_t value, int32_t site) {
  emu->access(emu, address, site);
  *address = value;
}
inline uint32_t globalId(Emu emu) { return emu->block * emu->threads + emu->thread; }

/// A fixture for kernels that store to tensor 0, of 64 ints, at site 0.
class StoreTest : public EmulatorTest {
protected:
  StoreTest() : out(64) {
    addTensor(out);
    addSite(TSSA_EMU_STORE, TSSA_EMU_GLOBAL, 0);
    sites[0].text = 1;
  }
  std::vector<int32_t> out;
};

/// A fixture with these sites: 0 stores to shared memory, 1 loads from it, 2 is a barrier, 3 is a
/// barrier of a warp, and 4 an atomic update of shared memory.
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

} // namespace tssa::runtime::emulator

#endif // TSSA_TEST_UNIT_RUNTIME_EMULATORTEST_H
