//===- Access.cpp - checks of loads and stores ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

static AccessKind getKind(const tssa_emulator_site &site) {
  if (site.operation == TSSA_EMU_LOAD || isMatrixLoad(site))
    return AccessKind::Load;
  return site.operation == TSSA_EMU_ATOMIC ? AccessKind::Atomic : AccessKind::Store;
}

/// Returns whether `address` has the site's alignment, which is a power of two.
static bool isAligned(uintptr_t address, const tssa_emulator_site &site) {
  return (address & (static_cast<uintptr_t>(site.alignment) - 1)) == 0;
}

Range Grid::getShared() const {
  auto begin = reinterpret_cast<uintptr_t>(shared.get());
  return {begin, begin + sharedBytes};
}

Moment Grid::getMoment(const Thread &thread) const {
  return {stamp, firstStamp, static_cast<uint16_t>(thread.thread), warps[thread.thread / 32].epoch};
}

/// After this number of accesses, the emulator tests again whether the run should stop.
static constexpr uint64_t pollInterval = 1 << 16;

bool Grid::countAccess() {
  if (++counters.accesses % pollInterval == 0 && shouldStop())
    report(TSSA_CANCELLED, "the run was stopped");
  return status.ok();
}

void Grid::access(Thread &thread, uintptr_t address, uint64_t bytes, int32_t site) {
  const tssa_emulator_site &callSite = kernel.sites[site];
  if (!countAccess())
    return;
  if (callSite.space == TSSA_EMU_SHARED)
    return accessShared(thread, address, bytes, site);
  if (callSite.space == TSSA_EMU_ANYWHERE) {
    if (thread.fiber->ownsAddress(address))
      return;
    if (getShared().contains(address, 1))
      return accessShared(thread, address, bytes, site);
  }
  accessGlobal(thread, address, bytes, site);
}

//===----------------------------------------------------------------------===//
// Faults, out of line to keep the fast paths short
//===----------------------------------------------------------------------===//

std::string Grid::describeAddress(uintptr_t address, int32_t site) const {
  const tssa_emulator_site &callSite = kernel.sites[site];
  bool isShared = callSite.space == TSSA_EMU_SHARED ||
                  (callSite.space == TSSA_EMU_ANYWHERE && getShared().contains(address, 1));
  if (!isShared)
    return memory.describe(address, callSite.parameter);
  auto offset = static_cast<int64_t>(address - getShared().begin);
  return std::string("shared memory") + (offset < 0 ? " - " : " + ") +
         std::to_string(offset < 0 ? -offset : offset) + " (of " + std::to_string(sharedBytes) +
         " bytes)";
}

void Grid::failBounds(const Thread &thread, uintptr_t address, int32_t site) {
  fail(thread, site, "is out of bounds: at " + describeAddress(address, site));
}

void Grid::failAlignment(const Thread &thread, uintptr_t address, int32_t site) {
  fail(thread, site,
       "is misaligned: at " + describeAddress(address, site) +
           "; the address must be a multiple of " + std::to_string(kernel.sites[site].alignment));
}

void Grid::failUnwritten(const Thread &thread, uintptr_t address, int32_t site) {
  fail(thread, site,
       "reads what no thread of the block has written: " + describeAddress(address, site));
}

void Grid::failInFlight(const Thread &thread, uintptr_t address, int32_t site) {
  fail(thread, site,
       "touches what an asynchronous copy may not have brought yet: " +
           describeAddress(address, site));
}

void Grid::failRace(const Thread &thread, uintptr_t address, int32_t site, const Cell &cell) {
  fail(thread, site,
       "at " + describeAddress(address, site) + " races with " +
           describeRace(cell, getKind(kernel.sites[site]), getMoment(thread)));
}

//===----------------------------------------------------------------------===//
// Shared and global memory
//===----------------------------------------------------------------------===//

void Grid::accessShared(Thread &thread, uintptr_t address, uint64_t bytes, int32_t site) {
  const tssa_emulator_site &callSite = kernel.sites[site];
  uintptr_t begin = getShared().begin;
  if (!getShared().contains(address, bytes))
    return failBounds(thread, address, site);
  if (!isAligned(address, callSite))
    return failAlignment(thread, address, site);
  if (!logs.empty())
    log(thread, site, /*isShared=*/true, address, bytes);
  Moment now = getMoment(thread);
  AccessKind kind = getKind(callSite);
  uint64_t last = (address + bytes - 1 - begin) >> sharedShift;
  for (uint64_t i = (address - begin) >> sharedShift; i <= last; ++i) {
    Cell &cell = sharedCells[i];
    if (cell.write.stamp < firstStamp) { // of an earlier block
      cell.write = AccessRecord{};
      if (kind != AccessKind::Store)
        return failUnwritten(thread, begin + (i << sharedShift), site);
    }
    if (cell.read.stamp < firstStamp)
      cell.read = AccessRecord{};
    if (cell.isInFlight())
      return failInFlight(thread, begin + (i << sharedShift), site);
    if (cell.touch(kind, now))
      continue;
    if (options.checkRaces)
      return failRace(thread, begin + (i << sharedShift), site, cell);
    cell.write.set(now, 0);
  }
}

void Grid::accessGlobal(Thread &thread, uintptr_t address, uint64_t bytes, int32_t site) {
  Region *region = findRegion(address, bytes, site);
  if (!region)
    return failBounds(thread, address, site);
  if (!isAligned(address, kernel.sites[site]))
    return failAlignment(thread, address, site);
  if (!logs.empty())
    log(thread, site, /*isShared=*/false, address, bytes);
  touchGlobal(*region, thread, address, bytes, site);
}

/// Returns the region that an access of global memory may touch, or null if it is out of bounds.
Region *Grid::findRegion(uintptr_t address, uint64_t bytes, int32_t site) {
  int32_t index = kernel.sites[site].parameter;
  if (index >= 0) {
    const GlobalMemory::Parameter &parameter = memory.getParameter(index);
    return parameter.contains(address, bytes) ? parameter.region : nullptr;
  }
  Region *region = memory.find(address);
  return region && region->contains(address, bytes) ? region : nullptr;
}

void Grid::touchGlobal(Region &region, const Thread &thread, uintptr_t address, uint64_t bytes,
                       int32_t site) {
  if (!region.cells)
    return;
  Moment now = getMoment(thread);
  AccessKind kind = getKind(kernel.sites[site]);
  uint64_t granule = uint64_t(1) << region.granuleShift;
  for (uintptr_t at = address; at < address + bytes; at += granule)
    if (!region.cellOf(at).touch(kind, now))
      return failRace(thread, at, site, region.cellOf(at));
}
