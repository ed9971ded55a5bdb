//===- Schedule.h - a schedule region as data -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads what the ops of a `schedule` region say about one labelled expression: its loops, their
/// order and kinds, and each dim of the expression as an index expression over loops. Nothing here
/// builds IR.
///
/// In these index expressions `AffineDimExpr(i)` is loop i, and `AffineSymbolExpr(i)` is size
/// symbol i of the caller.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ANALYSIS_SCHEDULE_H
#define DIALECTS_LAYOUT_ANALYSIS_SCHEDULE_H

#include "dialects/layout/IR/Atoms.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/te/IR/TEOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tssa::layout {

/// How a loop runs.
enum class LoopKind {
  Serial,   ///< one iteration after the other
  Parallel, ///< numbered and spread over the workers
  Thread,   ///< spread over the threads of a block
  Tile,     ///< unrolled; accumulators stay in registers
  Vector,   ///< the lanes of a vector
  Atom      ///< computed by instructions that multiply matrices
};

struct ScheduledLoop {
  AffineExpr extent; ///< number of iterations, over size symbols
  Value handle;      ///< in the schedule region; null for an outer loop that no op has made
  /// The dims of which it runs a part or, if loops were fused, all of those that it runs.
  SmallVector<unsigned, 2> dims;
  LoopKind kind = LoopKind::Serial;
  bool reduction = false;
  bool live = true; ///< false once the loop was split or fused
  /// Set for the inner serial loop of a split whose factor need not divide the extent. The loop
  /// that was split ends at `limit`. This loop runs the part of it that starts at `origin` and
  /// advances by `step` in each iteration. `origin` is an expression over outer loops.
  AffineExpr limit, origin;
  int64_t step = 1;
};

/// The tile loops that were split off from one outer loop. Together they run `size` consecutive
/// iterations of the loop that was split, whose extent is `extent`. `outer` is an expression
/// because the outer loop itself may have been split or fused later.
struct TileGroup {
  AffineExpr outer;                ///< over live loops
  SmallVector<unsigned, 2> inner;  ///< ids of the tile loops, outermost first
  SmallVector<int64_t, 2> factors; ///< their extents
  AffineExpr extent;
  int64_t size = 1;
  bool reduction = false;
  bool vector = false; ///< whether the last inner loop is the vector
};

/// An operand that is kept in shared memory: at each iteration of a reduction loop, a block caches
/// the part of the operand that the iteration needs.
struct CachedOperand {
  unsigned operand; ///< index of an operand of the op that computes the yielded value
  unsigned loop;
  Operation *op; ///< the layout.cache, for diagnostics
};

/// The loops of a tile that instructions compute which multiply matrices.
struct AtomTile {
  const Atom *instruction;
  unsigned rows, columns, steps; ///< ids
  AtomOp op;
};

/// The loop whose steps a CPU's dot products, or products of matrices, add together. It is a loop
/// of a tile.
struct DotTile {
  const Atom *instruction;
  unsigned loop; ///< id
  AtomOp op;
};

/// The loop whose cached operands arrive some iterations ahead.
struct Pipeline {
  unsigned loop;
  int64_t depth; ///< buffers of each operand
  PipelineOp op;
};

/// The loop at which another expression is computed, or after which.
struct ComputedAt {
  unsigned loop;
  Operation *op; ///< the layout.compute_at or layout.compute_after, for diagnostics
};

/// The schedule of one expression.
struct Schedule {
  /// Each dim of the expression, as an index expression over loops before splitting. Fused loops
  /// appear as quotient and remainder. Index expressions are simplified in this form, because
  /// splits scatter a dim over several loops.
  SmallVector<AffineExpr> dims;
  SmallVector<ScheduledLoop> loops; ///< by id
  /// Each loop that was split, with its expression over live loops.
  SmallVector<std::pair<unsigned, AffineExpr>> splits;
  SmallVector<unsigned> order;     ///< ids of all live loops, outermost first
  SmallVector<unsigned> parallel;  ///< ids, outermost first
  SmallVector<unsigned> threads;   ///< ids, outermost first
  SmallVector<unsigned> serial;    ///< serial loops of parallel dims
  SmallVector<unsigned> reduction; ///< serial loops of reduction dims
  SmallVector<TileGroup> tiles;
  llvm::StringMap<ComputedAt> computeAt;    ///< by label of the other expression
  llvm::StringMap<ComputedAt> computeAfter; ///< likewise
  SmallVector<CachedOperand> caches;
  std::optional<DotTile> dot;
  /// Both are set or none. The thread loops are then over warps.
  std::optional<AtomTile> atom;
  std::optional<Pipeline> pipeline;
  /// Returns `loop` as an expression over live loops.
  AffineExpr getLiveExpr(unsigned loop, MLIRContext *context) const;
  /// The number of threads that the thread loops need. The thread loops over a reduction are the
  /// innermost ones and need `getReductionThreads` threads by themselves.
  int64_t getNumThreads() const;
  int64_t getReductionThreads() const;
  /// Returns the tile group whose outer loop is `loop` itself, or null.
  const TileGroup *getTile(unsigned loop) const;
  /// Returns the tile group that contains the vector loop, or null.
  const TileGroup *getVector() const;
  /// Whether sums are in registers that hold matrices.
  bool usesMatrices() const { return dot && dot->instruction->isMatrix(); }
};

/// Reads the ops of `region` that concern `label`. The expression has dims of extents `extents`;
/// the first `numParallel` of them are parallel. An empty region gives serial loops in the order of
/// the dims. Errors are reported at the schedule op at fault, or at `expression`.
FailureOr<Schedule> readSchedule(Region &region, StringRef label, ArrayRef<AffineExpr> extents,
                                 unsigned numParallel, Operation *expression);

/// Reads the schedule of `compute`, which may be empty, in the same way. A size that only a run
/// knows is `AffineSymbolExpr(dim)`.
FailureOr<Schedule> readSchedule(te::ComputeOp compute);

/// Returns the schedule of `compute` if it names the loops of the expression and has no error.
/// Reports nothing: the conversion to loops reports what is wrong with a schedule.
std::optional<Schedule> findSchedule(te::ComputeOp compute);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_SCHEDULE_H
