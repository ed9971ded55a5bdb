//===- AsynchronousCopies.cpp - cp.async and its groups --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A copy is checked like a load and a store when the thread issues it. The bytes move when the
/// thread waits for the copy's group; until then they are in flight (see Shadow.h). The load is
/// checked again at that time, because another thread must not write its source in between.
///
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include <algorithm>
#include <cstring>

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

/// Calls `work` for the cells of the granules that the copy writes.
template <typename Work> void Grid::forEachCell(const Copy &copy, Work work) {
  uintptr_t first = reinterpret_cast<uintptr_t>(copy.to) - getShared().begin;
  uintptr_t last = first + static_cast<uint32_t>(kernel.sites[copy.site].bytes) - 1;
  for (uintptr_t i = first >> sharedShift; i <= last >> sharedShift; ++i)
    work(sharedCells[i]);
}

void Grid::copy(Thread &thread, const Copy &copy) {
  auto written = static_cast<uint32_t>(kernel.sites[copy.site].bytes);
  if (copy.bytes > written)
    return fail(thread, copy.site,
                "reads " + std::to_string(copy.bytes) + " bytes, more than it writes");
  if (copy.bytes != 0 && countAccess())
    accessGlobal(thread, reinterpret_cast<uintptr_t>(copy.from), copy.bytes, copy.source);
  if (status.ok() && countAccess())
    accessShared(thread, reinterpret_cast<uintptr_t>(copy.to), written, copy.site);
  if (!status.ok())
    return;
  forEachCell(copy, [](Cell &cell) { cell.write.who |= AccessRecord::inFlight; });
  try {
    thread.copies.push_back(copy);
  } catch (const std::bad_alloc &) { // must not unwind the kernel's frames
    report(TSSA_OUT_OF_MEMORY, "no memory to emulate its asynchronous copies in");
  }
}

void Grid::finishCopy(Thread &thread, const Copy &copy) {
  if (copy.bytes != 0) { // else its source may be out of bounds
    auto from = reinterpret_cast<uintptr_t>(copy.from);
    touchGlobal(*findRegion(from, copy.bytes, copy.source), thread, from, copy.bytes, copy.source);
    if (!status.ok())
      return;
    std::memcpy(copy.to, copy.from, copy.bytes);
  }
  auto written = static_cast<uint32_t>(kernel.sites[copy.site].bytes);
  std::memset(copy.to + copy.bytes, 0, written - copy.bytes);
  Moment now = getMoment(thread);
  forEachCell(copy, [&](Cell &cell) { cell.write.set(now, 0); });
}

void Grid::awaitCopies(Thread &thread, uint32_t groups) {
  std::vector<Copy> &copies = thread.copies;
  auto inFlight = std::find_if(copies.begin(), copies.end(), [&](const Copy &copy) {
    return copy.group + groups >= thread.numGroups;
  });
  for (auto copy = copies.begin(); copy != inFlight && status.ok(); ++copy)
    finishCopy(thread, *copy);
  copies.erase(copies.begin(), inFlight);
}
