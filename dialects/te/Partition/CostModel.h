//===- CostModel.h - what computing, moving and launching costs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The price of what a partition decides: arithmetic that is repeated, bytes that go through a
/// level of memory, launches. Prices are in cycles of one core.
///
/// They are those of one reference machine, a core with 16 lanes of f32, two ports for arithmetic,
/// 1 MiB of L2 and 32 MiB of L3, whatever machine a program is compiled for. The kernels of a
/// program are then the same for all machines, and with them its tuning records and the host
/// program that several machines share. Schedules depend on the machine; partitions do not.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_PARTITION_COSTMODEL_H
#define DIALECTS_TE_PARTITION_COSTMODEL_H

#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/IR/BoxRules.h"

namespace mlir::tssa::te {

struct CostModel {
  /// A launch on two threads: they start and wait for each other.
  double launchCycles = 4000;
  double opsPerCycle = 32; ///< simple instructions of f32 (OpCost), of all lanes
  /// Values that do not depend on the innermost dims are computed for this many points at once.
  double hoistedPoints = 8;
  /// What is computed in the body of a reduction that needs each element several times is no read
  /// of memory: it takes this many times as long, and this many ops more, since the loops around it
  /// lose their registers of accumulators.
  double reducedFactor = 4, reducedOps = 8;
  /// The most rows that one iteration of a kernel in boxes computes, and the bytes that it may keep
  /// of the others: they stay beside what it reads.
  double boxRows = rowsOfBox, boxBytes = bytesOfBoxes;
  /// The most keys of attention that such a kernel takes at a time.
  double boxKeys = keysOfBlock;
  double fewestBoxes = leastBoxes; ///< that threads share evenly enough
  /// The part of its time that a kernel in boxes must save at least: predictions of attention and
  /// of narrow products were measured to differ by about this.
  double leastGain = 0.1;
  /// What computing and moving take at the same time counts once, but for this part of the smaller.
  double overlap = 0.25;

  /// Returns cycles as milliseconds of a core at 3 GHz, for people.
  static double getMs(double cycles) { return cycles / 3e9 * 1e3; }

  /// Returns the cycles that a body takes at `points` points.
  double getComputing(const BodyFacts &facts, double points) const;

  /// Returns the cycles that `bytes` of a tensor of `tensorBytes` take to come from memory or to go
  /// there: the level where a tensor of this size stays until its reader runs.
  double getMoving(double bytes, double tensorBytes) const;

  /// Returns the cycles of a launch that computes and moves.
  double getRunning(double computing, double moving) const;

  /// Returns whether computing `facts` at `points` points of readers costs more than computing it
  /// once, at `elements` elements of type `element`, and storing it for them.
  bool isWorthStoring(const BodyFacts &facts, double points, double elements, Type element) const;
  /// The same for the points and the elements of boxes with these sizes.
  bool isWorthStoring(const BodyFacts &facts, ArrayRef<OpFoldResult> points,
                      ArrayRef<OpFoldResult> elements, Type element) const;
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_PARTITION_COSTMODEL_H
