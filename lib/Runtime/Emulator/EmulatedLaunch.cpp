//===- EmulatedLaunch.cpp -----------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "EmulatedLaunch.h"

using namespace tssa::runtime::emulator;

void Counters::add(const Counters &other) {
  launches += other.launches;
  blocks += other.blocks;
  threads += other.threads;
  barriers += other.barriers;
  warpOperations += other.warpOperations;
  accesses += other.accesses;
  globalAccesses += other.globalAccesses;
  globalTransactions += other.globalTransactions;
  sharedAccesses += other.sharedAccesses;
  sharedConflicts += other.sharedConflicts;
}
