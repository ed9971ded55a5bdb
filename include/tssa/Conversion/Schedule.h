//===- Schedule.h - a schedule region as data -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the ops of a `schedule` region say about one labelled expression: its
/// loops, their order and kinds, and every dim of the expression as an index
/// expression over loops. Nothing here builds IR.
///
/// Expressions: `AffineDimExpr(i)` is loop i, `AffineSymbolExpr(i)` is size
/// symbol i of the caller.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_SCHEDULE_H
#define TSSA_CONVERSION_SCHEDULE_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/StringMap.h"

namespace tssa::conversion {

/// How a loop runs.
enum class LoopKind {
  Serial,   ///< one iteration after the other
  Parallel, ///< numbered and spread over the workers
  Thread,   ///< spread over the threads of a block
  Tile,     ///< unrolled; accumulators stay in registers
  Vector    ///< the lanes of a vector
};

struct ScheduledLoop {
  mlir::AffineExpr extent; ///< iterations, over size symbols
  LoopKind kind = LoopKind::Serial;
  bool reduction = false;
  bool live = true; ///< false once split or fused away
  /// For an inner serial loop of a split that need not divide: the split loop
  /// ends at `limit`, and this loop's part of it starts at `origin` (an
  /// expression over outer loops) and advances by `step`.
  mlir::AffineExpr limit, origin;
  int64_t step = 1;
};

/// Tile loops split off one outer loop: together they cover `size` consecutive
/// iterations of the loop that was split, whose extent is `extent`. The outer
/// loop may have been split or fused since, so it is an expression.
struct TileGroup {
  mlir::AffineExpr outer;                ///< over live loops
  llvm::SmallVector<unsigned, 2> inner;  ///< ids of the tile loops, outermost first
  llvm::SmallVector<int64_t, 2> factors; ///< their extents
  mlir::AffineExpr extent;
  int64_t size = 1;
  bool reduction = false;
  bool vector = false; ///< the last inner loop is the vector
};

/// What one iteration of a reduction loop needs of an operand, kept in shared memory.
struct CachedOperand {
  unsigned operand; ///< of the op that makes the value which the body yields
  unsigned loop;
  mlir::Operation *op; ///< the layout.cache, for errors
};

/// The schedule of one expression.
struct Schedule {
  /// Each te dim over loops before they were split (fused loops as quotient and
  /// remainder): in this form what belongs together is recognised.
  llvm::SmallVector<mlir::AffineExpr> dims;
  llvm::SmallVector<ScheduledLoop> loops; ///< by id
  /// Loops that were split, over those that are live.
  llvm::SmallVector<std::pair<unsigned, mlir::AffineExpr>> splits;
  llvm::SmallVector<unsigned> parallel;  ///< ids, outermost first
  llvm::SmallVector<unsigned> threads;   ///< ids, outermost first
  llvm::SmallVector<unsigned> serial;    ///< serial loops of parallel dims
  llvm::SmallVector<unsigned> reduction; ///< serial loops of reduction dims
  llvm::SmallVector<TileGroup> tiles;
  llvm::StringMap<unsigned> computeAt; ///< label -> loop of this expression
  llvm::SmallVector<CachedOperand> caches;
  /// `loop` over live loops.
  mlir::AffineExpr getLiveExpr(unsigned loop, mlir::MLIRContext *context) const;
  /// Threads that the thread loops run on; those over a reduction are the innermost
  /// and take `getReductionThreads` of them.
  int64_t getNumThreads() const;
  int64_t getReductionThreads() const;
  /// The tile group whose outer loop is exactly `loop`, or null.
  const TileGroup *getTile(unsigned loop) const;
  /// The tile group with the vector loop, or null.
  const TileGroup *getVector() const;
};

/// Reads the ops of `region` that concern `label`, an expression with dims of
/// extents `extents` of which the first `numParallel` are parallel. An empty
/// region gives serial loops in the order of the dims. Errors are reported at the
/// op that is wrong.
mlir::FailureOr<Schedule> readSchedule(mlir::Region &region, llvm::StringRef label,
                                       llvm::ArrayRef<mlir::AffineExpr> extents,
                                       unsigned numParallel, mlir::Operation *expression);

/// Puts the bodies of expressions that the schedule inlines in the place of their
/// reads, and removes them.
mlir::LogicalResult applyInline(mlir::tssa::te::KernelOp kernel);

} // namespace tssa::conversion

#endif // TSSA_CONVERSION_SCHEDULE_H
