//===- NestBuilder.h - builds the loops of a scheduled expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_CONVERSION_KERNELTOLOOPS_NESTBUILDER_H
#define TSSA_LIB_CONVERSION_KERNELTOLOOPS_NESTBUILDER_H

#include "TilePoints.h"
#include "mlir/IR/Builders.h"
#include "tssa/Conversion/LoopNest.h"

namespace tssa::conversion {

/// Builds one loop nest. LoopNest.cpp describes the steps.
class NestBuilder {
public:
  using Values = TileEmitter::Values;
  using LoopBodyFn = llvm::function_ref<Values(mlir::Value, mlir::ValueRange)>;

  NestBuilder(IndexBuilder &index, const Schedule &schedule, const KernelTarget &target,
              BlockThreads *threads, TileEmitter &emitter, unsigned laneDim, AtLoopFn atLoop)
      : index(index), schedule(schedule), threads(threads), masksVectors(target.masksVectors()),
        emitter(emitter), laneDim(laneDim), atLoop(atLoop), builder(index.getBuilder()),
        points(index, schedule, laneDim, masksVectors), entered(schedule.loops.size(), false) {
    if (const TileGroup *group = schedule.getVector())
      lanes = group->factors.back();
    if (schedule.atom)
      lanes = atomLanes;
    hasBarriers = threads && (schedule.getReductionThreads() > 1 || !schedule.caches.empty() ||
                              computesAtSerialLoop());
  }

  mlir::LogicalResult build();

private:
  mlir::Location loc() const { return index.getLoc(); }

  // Threads.
  bool computesAtSerialLoop() const;
  /// Computes the iteration of each thread loop from the `number` of the thread. The innermost loop
  /// varies fastest.
  void enterThreads(mlir::Value number);
  static int64_t getConstant(mlir::AffineExpr expr) {
    return llvm::cast<mlir::AffineConstantExpr>(expr).getValue();
  }
  /// Builds `next` for the threads for which `condition` holds. A null condition always holds.
  void where(mlir::Value condition, llvm::function_ref<void()> next);
  /// Builds `body` where `condition` holds and returns the accumulators afterwards. Elsewhere the
  /// accumulators stay as they are. A null condition always holds.
  Values accumulateWhere(mlir::Value condition, Values accumulators,
                         llvm::function_ref<Values(Values)> body);
  /// Builds the condition that this thread has an iteration of thread loop `id`, which is part of a
  /// split. Returns null if the thread always has one.
  mlir::Value getLimitCondition(unsigned id);
  /// Returns the thread loops over parallel dims that can be entered here. Their limits were not
  /// checked yet, and the loops on which these limits depend are entered.
  llvm::SmallVector<unsigned> findReadyThreadLoops();
  void buildThreadLoops(llvm::ArrayRef<unsigned> loops, llvm::function_ref<void()> next);
  void visitLoop(unsigned loop);

  // Loops of parallel dims.
  std::optional<unsigned> findReadyGroup();
  void buildSerial(unsigned level);
  /// Reports an error if threads that synchronise inside of loop `id` do not all run the same
  /// number of its iterations.
  void checkUniform(unsigned id);
  /// Builds the number of iterations of loop `id`. It is less than the extent if `id` is an inner
  /// loop of a split and runs a last, shorter part of the loop that was split.
  mlir::Value getTripCount(unsigned id);
  Values buildFor(mlir::Value lower, mlir::Value upper, mlir::ValueRange inits, LoopBodyFn body);
  void buildIf(mlir::Value condition, llvm::function_ref<void()> thenBody,
               llvm::function_ref<void()> elseBody);
  /// Calls `next` once for each case of tile group `i` (full tile, tail), after setting the state
  /// of the group for this case.
  void resolveGroup(unsigned i, llvm::function_ref<void()> next);
  /// Builds `next` for the `left` iterations that remain of group `i`. They are fewer than a full
  /// tile.
  void buildTail(unsigned i, mlir::AffineExpr left, llvm::function_ref<void()> next);
  /// Builds `next` in a loop over the single rows or vectors that remain.
  void forEachDynamic(unsigned i, mlir::AffineExpr left, llvm::function_ref<void()> next);
  /// Builds `next` for a tile of each of `heights`. A run takes the lowest tile that has at least
  /// as many rows as remain.
  void buildRowTail(unsigned i, mlir::AffineExpr left, llvm::ArrayRef<int64_t> heights,
                    llvm::function_ref<void()> next);
  /// Returns the heights of tiles for the remaining rows of `group`, the largest first.
  llvm::SmallVector<int64_t> getTailHeights(const TileGroup &group);
  /// Returns the state of a tile of `count` rows of which at least the first `certain` exist.
  /// `left` rows remain.
  TileState getClampedState(mlir::AffineExpr left, int64_t count, int64_t certain);
  TileState getDynamicState(mlir::Value iv, mlir::AffineExpr left, bool vector);

  // Tiles of atoms.
  /// Builds the tile of a warp. Each lane has some of its sums.
  void buildAtomTile();
  /// Builds the reduction loops from number `level` on. Returns the fragments of sums.
  Values buildAtomReduction(unsigned level, Values fragments);
  /// Builds the innermost of them, whose factors arrive some iterations ahead.
  Values buildPipelinedLoop(unsigned loop, Values fragments);
  /// Returns the number, an i32, of the buffer that follows buffer `stage` in a ring of `depth`.
  mlir::Value buildNextStage(mlir::Value stage, int64_t depth);
  void fillStages(unsigned loop, mlir::Value iteration, mlir::AffineExpr stage);
  /// Stores row `half` of two of each of `fragments`, which lie beside each other from `column` on.
  void finishAtomRow(mlir::AffineExpr row, mlir::AffineExpr column,
                     llvm::ArrayRef<mlir::Value> fragments, int64_t half);
  /// Stores the columns of a row of a fragment that a lane has.
  void finishAtomPair(mlir::AffineExpr row, mlir::AffineExpr column, mlir::Value sums);
  /// Returns how many iterations of a loop of the tile there are, or null if all are.
  mlir::AffineExpr findAtomLimit(unsigned id);
  mlir::Value isBelow(mlir::AffineExpr iteration, mlir::AffineExpr count);

  // Tiles of products of matrices.
  void buildMatrixTile();
  /// Returns the tile group whose rows are divided into parts; nothing if there is one row.
  std::optional<unsigned> findDividedRows() const;
  MatrixTile getMatrixTile() const;
  /// Builds `next` for the `left` iterations that remain of group `i`.
  void buildMatrixTail(unsigned i, mlir::AffineExpr left, llvm::function_ref<void()> next);
  /// Builds loops over the rows of groups from `i` on. `body` gets the number of a row, of which
  /// `number` is that of the groups before.
  void forEachRow(unsigned i, mlir::Value number, llvm::function_ref<void(mlir::Value)> body);
  MatrixStep getMatrixStep(llvm::ArrayRef<TileRow> rows, llvm::ArrayRef<TileRow> steps);
  void accumulateMatrices(llvm::ArrayRef<TileRow> rows);

  // Tiles.
  bool hasReduction() const;
  void buildTile();
  /// Builds the reduction of a tile and returns the accumulators of all rows, `blocks` of them for
  /// each row.
  Values reduceTile(llvm::ArrayRef<TileRow> rows);
  /// Combines the accumulators of row `i` over its blocks, lanes and threads. Returns nothing if
  /// there is no reduction.
  Values combineRow(mlir::ValueRange accumulators, unsigned i);
  /// Stores the results of a tile. With `mayMiss`, some of its rows may not exist.
  void finishTile(llvm::ArrayRef<TileRow> rows, mlir::ValueRange accumulators, bool mayMiss);
  /// Stores those rows of a full tile that exist.
  void finishExistingRows(llvm::ArrayRef<Values> combined, bool mayMiss);
  void finishRow(TilePoint point, mlir::ValueRange accumulators);
  /// Builds the condition that this thread is the first of its group. The first thread stores the
  /// results that the group has combined.
  mlir::Value isFirstOfGroup();
  Values getSlot(mlir::ValueRange accumulators, unsigned slot);
  /// Whether some rows of this tile may not exist. Such tiles are few, and most of them are at a
  /// border, so their code is not built in several versions.
  bool isTail() const;
  /// Builds the reduction of a tile. If guards may hold in all of its iterations, builds a version
  /// for the case that they do and a version for the case that they do not.
  Values buildWholeReduction(llvm::ArrayRef<TileRow> rows, Values accumulators);
  llvm::SmallVector<TilePoint> getRowPoints(llvm::ArrayRef<TileRow> rows);
  /// Builds `body` in two versions: one where `condition` holds and one where it does not. A null
  /// condition counts as false.
  Values buildVersions(mlir::Value condition, Values accumulators,
                       llvm::function_ref<Values(bool holds)> body);
  /// Builds `body` for the case that some of `rows` may change their accumulators. In the other
  /// case the accumulators stay as they are.
  Values accumulateWhereNeeded(llvm::ArrayRef<TileRow> rows, Values accumulators,
                               llvm::function_ref<Values(Values)> body);
  Values buildReduction(unsigned level, llvm::ArrayRef<TileRow> rows, Values accumulators);
  Values buildReductionLoop(unsigned level, llvm::ArrayRef<TileRow> rows, Values accumulators);
  /// Returns whether the iterations of a loop of the reduction are built one by one: if it is known
  /// that many of `rows` add nothing in some of them, while others do.
  bool isPeeled(unsigned level, llvm::ArrayRef<TileRow> rows);
  /// Builds the iterations of a loop one by one.
  Values buildPeeled(unsigned level, Values accumulators, llvm::function_ref<Values(Values)> body);
  /// Builds the condition that the thread loops over a reduction have an iteration for this thread.
  mlir::Value getReductionThreadsLimit();

  // Long sums.
  /// The blocks in which a loop of a reduction takes its steps.
  struct Blocks {
    llvm::SmallVector<int64_t> spans; ///< the steps of a block; of a block of blocks; and so on
    int64_t values = 1;               ///< that an accumulator takes at the outermost level
  };
  Blocks getBlocks(unsigned level) const;
  /// Returns the steps of a loop of the reduction, nothing if only a run knows them.
  std::optional<int64_t> getStaticSteps(unsigned level) const;
  /// Combines the accumulators of all rows, slot by slot.
  Values combineAll(mlir::ValueRange lhs, mlir::ValueRange rhs);
  /// Builds the steps from `lower` to before `upper` in blocks of `spans` steps.
  Values buildBlocks(llvm::ArrayRef<int64_t> spans, mlir::Value lower, mlir::Value upper,
                     Values accumulators, LoopBodyFn body);
  /// Builds the `count` steps of loop `level` of the reduction.
  Values buildSum(unsigned level, mlir::Value count, Values accumulators, LoopBodyFn body);

  // Caches.
  void checkUniformCache(unsigned level);
  /// Fills the caches of a reduction loop, at the start of each of its iterations. Returns whether
  /// this loop has caches and no loop inside of it has caches.
  bool fillCaches(unsigned level);
  /// Builds the iterations of a reduction loop that remain after its full tiles.
  Values buildReductionTail(unsigned i, mlir::Value full, Values accumulators, LoopBodyFn run);
  /// Prefetches the operands of the next tile while this one is computed. `reduction` is the first
  /// of the points of the reduction dims that a step of the tile takes together.
  void prefetchNextRows(llvm::ArrayRef<TileRow> rows, llvm::ArrayRef<TileElement> reduction);
  /// One of the points whose values a step of the reduction loops adds to accumulators.
  struct TileStep {
    TilePoint point;
    unsigned slot = 0; ///< of the accumulators
    bool isFirstOfRow = false;
  };
  /// Sorts the points of a tile by what they load, if each sum then still adds in the same order.
  void orderSteps(llvm::ArrayRef<TileRow> rows, llvm::SmallVectorImpl<TileStep> &steps);
  Values accumulateTile(llvm::ArrayRef<TileRow> rows, Values accumulators);
  Values accumulateDot(llvm::ArrayRef<TileRow> rows, llvm::ArrayRef<TileRow> steps,
                       Values accumulators);
  Values accumulateDots(llvm::ArrayRef<TileRow> rows, Values accumulators);

  IndexBuilder &index;
  const Schedule &schedule;
  BlockThreads *threads;
  bool masksVectors;
  TileEmitter &emitter;
  unsigned laneDim;
  AtLoopFn atLoop;
  mlir::OpBuilder &builder;
  TilePoints points;
  int64_t lanes = 0;
  unsigned blocks = 1, numAccumulators = 1;
  Values neutral;                  ///< the accumulators of a tile before its reduction
  llvm::SmallVector<bool> entered; ///< thread loops whose limit was checked
  bool hasBarriers = false;        ///< whether threads synchronise inside of the nest
  mlir::Value isNeeded;            ///< whether the nest needs this thread; null if it needs all
  mlir::Value active;              ///< if `hasBarriers`: whether this thread has an iteration
  mlir::LogicalResult result = llvm::success();
};

} // namespace tssa::conversion

#endif // TSSA_LIB_CONVERSION_KERNELTOLOOPS_NESTBUILDER_H
