//===- WarpOperations.cpp - barriers, shuffles, votes ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include <algorithm>

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

void Grid::barrier(Thread &thread, int32_t site) {
  if (++numAtBarrier != threads.size())
    return suspend(thread, site);
  for (const Thread &other : threads)
    if (&other != &thread && other.waitsAt != site)
      return fail(thread, site,
                  "is divergent: thread " + std::to_string(other.thread) + " waits at " +
                      describeSite(other.waitsAt));
  numAtBarrier = 0;
  ++counters.barriers;
  ++stamp;
  for (Thread &other : threads)
    if (&other != &thread)
      release(other);
}

static std::string showMask(uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", mask);
  return text;
}

/// Stores the operands of a thread for an operation of its warp, and waits until all lanes of
/// `mask` have arrived. The last lane finishes the operation for all. Returns the thread's result.
uint64_t Grid::synchronize(Thread &thread, uint32_t mask, uint64_t value, int32_t site) {
  Warp &warp = warps[thread.thread / 32];
  Thread *lanes = &threads[thread.thread / 32 * 32];
  uint32_t self = uint32_t(1) << thread.getLane();
  if (!(mask & self)) {
    fail(thread, site,
         "has mask " + showMask(mask) + ", which leaves out its own lane " +
             std::to_string(thread.getLane()));
    return 0;
  }
  mask &= warp.lanes;
  thread.mask = mask;
  thread.value = value;
  warp.waiting |= self;
  if ((warp.waiting & mask) != mask) {
    suspend(thread, site);
    return thread.result;
  }
  for (uint32_t i = 0; i < 32; ++i) {
    const Thread &other = lanes[i];
    if (!(mask >> i & 1) || &other == &thread || (other.waitsAt == site && other.mask == mask))
      continue;
    fail(thread, site,
         "with mask " + showMask(mask) + " is divergent: lane " + std::to_string(i) + " waits at " +
             describeSite(other.waitsAt) + " with mask " + showMask(other.mask));
    return 0;
  }
  thread.waitsAt = site;
  finish(warp, lanes, mask, site);
  thread.waitsAt = -1;
  ++counters.warpOperations;
  warp.waiting &= ~mask;
  if (kernel.sites[site].operation == TSSA_EMU_WARP_BARRIER && mask == warp.lanes)
    ++warp.epoch;
  for (uint32_t i = 0; i < 32; ++i)
    if ((mask >> i & 1) && &lanes[i] != &thread)
      release(lanes[i]);
  return thread.result;
}

void Grid::finish(const Warp &warp, Thread *lanes, uint32_t mask, int32_t site) {
  int32_t operation = kernel.sites[site].operation;
  if (operation >= TSSA_EMU_SHUFFLE_UP && operation <= TSSA_EMU_SHUFFLE_INDEX)
    shuffle(lanes, mask, site);
  else if (operation >= TSSA_EMU_VOTE_ALL && operation <= TSSA_EMU_VOTE_BALLOT)
    vote(lanes, mask, site);
  else if (operation == TSSA_EMU_MATCH_ANY || operation == TSSA_EMU_MATCH_ALL)
    match(lanes, mask, site);
  else if (operation >= TSSA_EMU_REDUCE_ADD && operation <= TSSA_EMU_REDUCE_XOR)
    reduce(lanes, mask, site);
  else if (isMatrixLoad(kernel.sites[site]))
    distributeMatrices(lanes, site);
  else if (isMatrixProduct(kernel.sites[site]))
    multiply(lanes, site);
}

namespace {
/// The lane from which a lane of a shuffle reads, and whether that lane is in range.
struct Source {
  int64_t lane;
  bool inRange;
};
} // namespace

/// Returns the source lane as PTX defines it for shfl.sync: bits 8 to 12 of `clamp` split the warp
/// into segments, and bits 0 to 4 bound the lanes of a segment.
static Source findSource(int32_t operation, int64_t self, uint32_t lane, uint32_t clamp) {
  int64_t segment = clamp >> 8 & 31, bound = clamp & 31, distance = lane & 31;
  int64_t last = (self & segment) | (bound & ~segment);
  switch (operation) {
  case TSSA_EMU_SHUFFLE_UP:
    return {self - distance, self - distance >= last};
  case TSSA_EMU_SHUFFLE_DOWN:
    return {self + distance, self + distance <= last};
  case TSSA_EMU_SHUFFLE_XOR:
    return {self ^ distance, (self ^ distance) <= last};
  default: {
    int64_t source = (self & segment) | (distance & ~segment);
    return {source, source <= last};
  }
  }
}

void Grid::shuffle(Thread *lanes, uint32_t mask, int32_t site) {
  for (uint32_t i = 0; i < 32; ++i) {
    if (!(mask >> i & 1))
      continue;
    Source source = findSource(kernel.sites[site].operation, i, lanes[i].lane, lanes[i].clamp);
    if (source.inRange && !(mask >> source.lane & 1))
      return fail(lanes[i], site,
                  "reads lane " + std::to_string(source.lane) +
                      ", which takes no part: its mask is " + showMask(mask));
    uint64_t value = lanes[source.inRange ? source.lane : i].value;
    lanes[i].result = (value & 0xFFFFFFFF) | uint64_t(source.inRange) << 32;
  }
}

void Grid::vote(Thread *lanes, uint32_t mask, int32_t site) {
  uint32_t ballot = 0;
  for (uint32_t i = 0; i < 32; ++i)
    if ((mask >> i & 1) && lanes[i].value)
      ballot |= uint32_t(1) << i;
  uint32_t result = ballot;
  switch (kernel.sites[site].operation) {
  case TSSA_EMU_VOTE_ALL:
    result = ballot == mask;
    break;
  case TSSA_EMU_VOTE_ANY:
    result = ballot != 0;
    break;
  case TSSA_EMU_VOTE_UNIFORM:
    result = ballot == 0 || ballot == mask;
    break;
  default:
    break;
  }
  for (uint32_t i = 0; i < 32; ++i)
    if (mask >> i & 1)
      lanes[i].result = result;
}

void Grid::match(Thread *lanes, uint32_t mask, int32_t site) {
  bool any = kernel.sites[site].operation == TSSA_EMU_MATCH_ANY;
  for (uint32_t i = 0; i < 32; ++i) {
    if (!(mask >> i & 1))
      continue;
    uint32_t equal = 0;
    for (uint32_t j = 0; j < 32; ++j)
      if ((mask >> j & 1) && lanes[j].value == lanes[i].value)
        equal |= uint32_t(1) << j;
    bool all = equal == mask;
    lanes[i].result = uint64_t(any || all ? equal : 0) | uint64_t(all) << 32;
  }
}

static uint32_t join(int32_t operation, uint32_t a, uint32_t b) {
  auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (operation) {
  case TSSA_EMU_REDUCE_ADD:
    return a + b;
  case TSSA_EMU_REDUCE_MIN_SIGNED:
    return static_cast<uint32_t>(std::min(x, y));
  case TSSA_EMU_REDUCE_MAX_SIGNED:
    return static_cast<uint32_t>(std::max(x, y));
  case TSSA_EMU_REDUCE_MIN_UNSIGNED:
    return std::min(a, b);
  case TSSA_EMU_REDUCE_MAX_UNSIGNED:
    return std::max(a, b);
  case TSSA_EMU_REDUCE_AND:
    return a & b;
  case TSSA_EMU_REDUCE_OR:
    return a | b;
  default:
    return a ^ b;
  }
}

void Grid::reduce(Thread *lanes, uint32_t mask, int32_t site) {
  uint32_t result = 0;
  bool first = true;
  for (uint32_t i = 0; i < 32; ++i) {
    if (!(mask >> i & 1))
      continue;
    auto value = static_cast<uint32_t>(lanes[i].value);
    result = first ? value : join(kernel.sites[site].operation, result, value);
    first = false;
  }
  for (uint32_t i = 0; i < 32; ++i)
    if (mask >> i & 1)
      lanes[i].result = result;
}
