//===- Access.cpp - what loads and stores may touch -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

static AccessKind getKind(const tssa_emulator_site &site) {
  if (site.operation == TSSA_EMU_LOAD)
    return AccessKind::Load;
  return site.operation == TSSA_EMU_STORE ? AccessKind::Store : AccessKind::Atomic;
}

Range Grid::getShared() const {
  auto begin = reinterpret_cast<uintptr_t>(shared.get());
  return {begin, begin + sharedBytes};
}

Moment Grid::getMoment(const Thread &thread) const {
  return {stamp, firstStamp, static_cast<uint16_t>(thread.thread),
          warps[thread.thread / 32].epoch};
}

/// Accesses between two looks at whether the run should stop.
static constexpr uint64_t pollInterval = 1 << 16;

void Grid::access(Thread &thread, uintptr_t address, uint64_t bytes, int32_t site) {
  const tssa_emulator_site &place = kernel.sites[site];
  if (++counters.accesses % pollInterval == 0 && shouldStop())
    return report(TSSA_CANCELLED, "the run was stopped");
  if (place.space == TSSA_EMU_SHARED)
    return accessShared(thread, address, bytes, site);
  if (place.space == TSSA_EMU_ANYWHERE) {
    if (thread.fiber->ownsAddress(address))
      return;
    if (getShared().contains(address, 1))
      return accessShared(thread, address, bytes, site);
  }
  accessGlobal(thread, address, bytes, site);
}

static std::string describeShared(uint64_t offset, uint64_t bytes) {
  return "shared memory + " + std::to_string(static_cast<int64_t>(offset)) + " (of " +
         std::to_string(bytes) + " bytes)";
}

void Grid::accessShared(Thread &thread, uintptr_t address, uint64_t bytes, int32_t site) {
  const tssa_emulator_site &place = kernel.sites[site];
  uint64_t offset = address - getShared().begin;
  if (!getShared().contains(address, bytes))
    return fail(thread, site, "is out of bounds: at " + describeShared(offset, sharedBytes));
  if (address % place.alignment != 0)
    return fail(thread, site, "is misaligned: at " + describeShared(offset, sharedBytes) +
                           "; the address must be a multiple of " +
                           std::to_string(place.alignment));
  log(thread, site, /*isShared=*/true, address, bytes);
  Moment now = getMoment(thread);
  AccessKind kind = getKind(place);
  uint64_t last = (offset + bytes - 1) >> sharedShift;
  for (uint64_t i = offset >> sharedShift; i <= last; ++i) {
    Cell &cell = sharedCells[i];
    if (cell.write.stamp < firstStamp) { // of a block before
      cell.write = AccessRecord{};
      if (kind != AccessKind::Store)
        return fail(thread, site, "reads what no thread of the block has written: shared memory + " +
                               std::to_string(i << sharedShift));
    }
    if (cell.read.stamp < firstStamp)
      cell.read = AccessRecord{};
    if (cell.touch(kind, now))
      continue;
    if (options.checkRaces)
      return fail(thread, site, "at shared memory + " + std::to_string(i << sharedShift) + " races with " +
                             describeRace(cell, kind, now));
    cell.write.set(now, 0);
  }
}

void Grid::accessGlobal(Thread &thread, uintptr_t address, uint64_t bytes, int32_t site) {
  const tssa_emulator_site &place = kernel.sites[site];
  Region *region = nullptr;
  bool inside = false;
  if (place.parameter >= 0) {
    const GlobalMemory::Parameter &parameter = memory.getParameter(place.parameter);
    region = parameter.region;
    inside = parameter.contains(address, bytes);
  } else {
    region = memory.find(address);
    inside = region && region->contains(address, bytes);
  }
  if (!inside)
    return fail(thread, site, "is out of bounds: at " + memory.describe(address, place.parameter));
  if (address % place.alignment != 0)
    return fail(thread, site, "is misaligned: at " + memory.describe(address, place.parameter) +
                           "; the address must be a multiple of " +
                           std::to_string(place.alignment));
  log(thread, site, /*isShared=*/false, address, bytes);
  if (!region->cells)
    return;
  Moment now = getMoment(thread);
  AccessKind kind = getKind(place);
  uint64_t granule = uint64_t(1) << region->granuleShift;
  for (uintptr_t at = address; at < address + bytes; at += granule)
    if (!region->cellOf(at).touch(kind, now))
      return fail(thread, site, "at " + memory.describe(at, place.parameter) + " races with " +
                             describeRace(region->cellOf(at), kind, now));
}
