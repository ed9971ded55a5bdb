//===- Random.cpp - Philox and what is drawn from it -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Search/Random.h"

#include <algorithm>
#include <unordered_map>

using namespace tssa::search;

std::array<uint32_t, 4> tssa::search::philox(std::array<uint32_t, 4> counter,
                                             std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

uint64_t tssa::search::hashBytes(llvm::StringRef bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

uint32_t Random::next() {
  if (used == words.size()) {
    words = philox({block++, round, uint32_t(task), uint32_t(task >> 32)},
                   {uint32_t(seed), uint32_t(seed >> 32)});
    used = 0;
  }
  return words[used++];
}

uint64_t Random::next64() {
  uint64_t low = next();
  return uint64_t(next()) << 32 | low;
}

uint64_t Random::below(uint64_t bound) {
  // 2^64 mod bound: without so many of the smallest numbers, every remainder is equally frequent.
  uint64_t unfair = -bound % bound;
  uint64_t number = next64();
  while (number < unfair)
    number = next64();
  return number % bound;
}

double Random::uniform() { return double(next64() >> 11) * 0x1p-53; }

std::vector<uint64_t> Random::sample(uint64_t count, uint64_t population) {
  // Fisher-Yates on the numbers below `population`, of which only those that moved are kept.
  std::unordered_map<uint64_t, uint64_t> moved;
  auto at = [&](uint64_t index) {
    auto found = moved.find(index);
    return found == moved.end() ? index : found->second;
  };
  std::vector<uint64_t> drawn;
  for (uint64_t i = 0, end = std::min(count, population); i < end; ++i) {
    uint64_t other = i + below(population - i);
    drawn.push_back(at(other));
    moved[other] = at(i);
  }
  return drawn;
}
