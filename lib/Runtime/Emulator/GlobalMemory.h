//===- GlobalMemory.h - the device's memory in one launch ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_EMULATOR_GLOBALMEMORY_H
#define TSSA_LIB_RUNTIME_EMULATOR_GLOBALMEMORY_H

#include "EmulatedLaunch.h"
#include "Shadow.h"

namespace tssa::runtime::emulator {

/// Bytes [begin, end).
struct Range {
  uintptr_t begin = 0, end = 0;
  bool contains(uintptr_t address, uint64_t bytes) const {
    return address >= begin && address <= end && bytes <= end - address;
  }
};

/// Memory that one or more parameters of the kernel point to. Parameters share a
/// region when they overlap, as a result does that is made in place.
struct Region : Range {
  /// Bytes of a granule are 1 << this: no access of the kernel is smaller.
  unsigned granuleShift = 2;
  /// Of memory that the kernel may write; what is only read cannot race.
  Cells cells;

  Cell &cellOf(uintptr_t address) {
    return cells[(address >> granuleShift) - (begin >> granuleShift)];
  }
};

/// What a kernel may touch, by parameter and as a whole.
class GlobalMemory {
public:
  /// `watch`: keep cells for what the kernel writes. Throws std::bad_alloc.
  GlobalMemory(const EmulatedLaunch &launch, bool watch);

  struct Parameter : Range {
    Region *region = nullptr; ///< null when it points to no memory of the device
  };
  const Parameter &getParameter(int32_t index) const { return parameters[index]; }
  /// The region that holds `address`, or null.
  Region *find(uintptr_t address);
  /// "parameter 2 + 400 of 512 bytes", or what else is near `address`.
  std::string describe(uintptr_t address, int32_t parameter) const;

private:
  const EmulatedLaunch &launch;
  std::vector<Parameter> parameters; ///< of each of the kernel's
  std::vector<Region> regions;       ///< ascending, apart

  void findParameters();
  void makeRegions();
  void watchWrites();
};

/// log2 of the least element size of the sites that `select` takes, at most 16 bytes.
template <typename Select>
unsigned getGranuleShift(const tssa_emulated_kernel &kernel, Select select) {
  int32_t least = 16;
  for (int32_t i = 0; i < kernel.num_sites; ++i)
    if (select(kernel.sites[i]) && kernel.sites[i].element < least)
      least = kernel.sites[i].element;
  unsigned shift = 0;
  while ((2 << shift) <= least)
    ++shift;
  return shift;
}

inline bool isAccess(const tssa_emulator_site &site) {
  return site.operation == TSSA_EMU_LOAD || site.operation == TSSA_EMU_STORE ||
         site.operation == TSSA_EMU_ATOMIC;
}

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_GLOBALMEMORY_H
