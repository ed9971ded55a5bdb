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

/// Memory that one or more parameters of the kernel point to. Parameters whose memory
/// overlaps share a region, such as an argument and the result that overwrites it.
struct Region : Range {
  /// The log2 of the bytes of a granule; no access of the kernel is smaller than a granule.
  unsigned granuleShift = 2;
  /// The cells of memory that the kernel may write. Memory that is only read has no cells, because
  /// reads cannot race.
  Cells cells;

  Cell &cellOf(uintptr_t address) {
    return cells[(address >> granuleShift) - (begin >> granuleShift)];
  }
};

/// The global memory that a kernel may access, by parameter and as a whole.
class GlobalMemory {
public:
  /// With `watch`, keeps cells for the memory that the kernel writes. Throws std::bad_alloc.
  GlobalMemory(const EmulatedLaunch &launch, bool watch);

  struct Parameter : Range {
    Region *region = nullptr; ///< null if the parameter does not point to device memory
  };
  const Parameter &getParameter(int32_t index) const { return parameters[index]; }
  /// Returns the region that contains `address`, or null.
  Region *find(uintptr_t address);
  /// Returns a description of `address`, such as "parameter 2 + 400 of 512 bytes".
  std::string describe(uintptr_t address, int32_t parameter) const;

private:
  const EmulatedLaunch &launch;
  std::vector<Parameter> parameters; ///< one per parameter of the kernel
  std::vector<Region> regions;       ///< ascending and disjoint

  void findParameters();
  void makeRegions();
  void watchWrites();
};

/// Returns the log2 of the least element size of the sites for which `select` is true. The size is
/// capped at 16 bytes.
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

inline bool isMatrixLoad(const tssa_emulator_site &site) {
  return site.operation == TSSA_EMU_LOAD_MATRICES || site.operation == TSSA_EMU_LOAD_TRANSPOSED;
}

inline bool isMatrixProduct(const tssa_emulator_site &site) {
  return site.operation >= TSSA_EMU_MULTIPLY_F16 &&
         site.operation <= TSSA_EMU_MULTIPLY_S8_SATURATED;
}

inline bool isAccess(const tssa_emulator_site &site) {
  return site.operation == TSSA_EMU_LOAD || site.operation == TSSA_EMU_STORE ||
         site.operation == TSSA_EMU_ATOMIC || site.operation == TSSA_EMU_COPY || isMatrixLoad(site);
}

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_GLOBALMEMORY_H
