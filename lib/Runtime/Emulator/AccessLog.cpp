//===- AccessLog.cpp - counts memory transactions of warps ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessLog.h"

#include <algorithm>
#include <map>

using namespace tssa::runtime::emulator;

AccessLog::AccessLog() {
  for (std::vector<Access> &lane : lanes)
    lane.reserve(capacity);
}

/// Returns the number of distinct values; changes their order.
static size_t countDistinct(std::vector<uintptr_t> &values) {
  std::sort(values.begin(), values.end());
  return std::unique(values.begin(), values.end()) - values.begin();
}

void AccessLog::countGlobal(const std::vector<Access> &accesses, Counters &counters) {
  constexpr uintptr_t sector = 32;
  std::vector<uintptr_t> sectors;
  for (const Access &access : accesses)
    for (uintptr_t i = access.address / sector; i <= (access.address + access.bytes - 1) / sector;
         ++i)
      sectors.push_back(i);
  ++counters.globalAccesses;
  counters.globalTransactions += countDistinct(sectors);
}

void AccessLog::countShared(const std::vector<Access> &accesses, Counters &counters) {
  constexpr uintptr_t numBanks = 32, bankBytes = 4;
  ++counters.sharedAccesses;
  size_t perTurn = std::max<size_t>(1, numBanks * bankBytes / std::max(4u, accesses[0].bytes));
  for (size_t first = 0; first < accesses.size(); first += perTurn) {
    std::array<std::vector<uintptr_t>, numBanks> words;
    for (size_t i = first; i < std::min(first + perTurn, accesses.size()); ++i)
      for (uintptr_t word = accesses[i].address / bankBytes;
           word <= (accesses[i].address + accesses[i].bytes - 1) / bankBytes; ++word)
        words[word % numBanks].push_back(word);
    size_t cycles = 1;
    for (std::vector<uintptr_t> &bank : words)
      cycles = std::max(cycles, countDistinct(bank));
    counters.sharedConflicts += cycles - 1;
  }
}

void AccessLog::flush(Counters &counters) {
  // The key is the call site, and the number of times that the lane executed it before.
  std::map<std::pair<int32_t, size_t>, std::vector<Access>> instructions;
  for (std::vector<Access> &lane : lanes) {
    std::map<int32_t, size_t> times;
    for (const Access &access : lane)
      instructions[{access.site, times[access.site]++}].push_back(access);
    lane.clear();
  }
  for (const auto &[site, accesses] : instructions)
    accesses.front().isShared ? countShared(accesses, counters) : countGlobal(accesses, counters);
}
