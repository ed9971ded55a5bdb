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

/// Builds one loop nest; see LoopNest.cpp for the steps.
class NestBuilder {
public:
  using Values = TileEmitter::Values;

  NestBuilder(IndexBuilder &index, const Schedule &schedule, const KernelTarget &target,
              BlockThreads *threads, TileEmitter &emitter, unsigned laneDim, AtLoopFn atLoop)
      : index(index), schedule(schedule), threads(threads), masksVectors(target.masksVectors()),
        emitter(emitter), laneDim(laneDim), atLoop(atLoop), builder(index.getBuilder()),
        points(index, schedule, laneDim, masksVectors), entered(schedule.loops.size(), false) {
    if (const TileGroup *group = schedule.getVector())
      lanes = group->factors.back();
    meets = threads && (schedule.getReductionThreads() > 1 || !schedule.caches.empty() ||
                        computesAtSerialLoop());
  }

  mlir::LogicalResult build();

private:
  mlir::Location loc() const { return index.getLoc(); }

  // Threads.
  bool computesAtSerialLoop() const;
  /// The thread's iteration of each thread loop; the innermost changes first.
  void enterThreads(mlir::Value number);
  static int64_t getConstant(mlir::AffineExpr expr) {
    return llvm::cast<mlir::AffineConstantExpr>(expr).getValue();
  }
  /// Runs `next` for the threads where `condition` (null: everywhere) holds.
  void where(mlir::Value condition, llvm::function_ref<void()> next);
  /// Joins accumulators by `body` where `condition` (null: everywhere) holds.
  Values joinWhere(mlir::Value condition, Values accumulators,
                   llvm::function_ref<Values(Values)> body);
  /// Whether a thread loop that is part of a split has an iteration for this thread;
  /// null when each has.
  mlir::Value getLimitCondition(unsigned id);
  /// Thread loops over parallel dims whose iteration is known here for the first time.
  llvm::SmallVector<unsigned> findReadyThreadLoops();
  void buildThreadLoops(llvm::ArrayRef<unsigned> loops, llvm::function_ref<void()> next);
  void visitLoop(unsigned loop);

  // Loops of parallel dims.
  std::optional<unsigned> findReadyGroup();
  void buildSerial(unsigned step);
  /// Threads that wait for each other in a loop have equally many iterations of it.
  void checkUniform(unsigned id);
  /// Iterations of a loop; fewer at the end of a split that does not divide.
  mlir::Value getTripCount(unsigned id);
  Values buildFor(mlir::Value lower, mlir::Value upper, mlir::ValueRange inits,
                  llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  void buildIf(mlir::Value condition, llvm::function_ref<void()> thenBody,
               llvm::function_ref<void()> elseBody);
  /// Calls `next` with the state of group `i` set, once for each case of it.
  void resolveGroup(unsigned i, llvm::function_ref<void()> next);
  /// Runs `next` for the iterations that are left of group `i`, fewer than a full tile.
  void buildTail(unsigned i, mlir::AffineExpr left, llvm::function_ref<void()> next);
  /// Runs `next` in a loop over the single rows or vectors that are left.
  void forEachDynamic(unsigned i, mlir::AffineExpr left, llvm::function_ref<void()> next);
  /// Runs `next` once, with a tile of rows that has room for those that are left.
  void buildRowTail(unsigned i, mlir::AffineExpr left, llvm::ArrayRef<int64_t> heights,
                    llvm::function_ref<void()> next);
  /// Heights of tiles for the rows that are left, the largest first.
  llvm::SmallVector<int64_t> getTailHeights(const TileGroup &group);
  /// A tile of `count` rows of which the first `certain` exist.
  TileState getClampedState(mlir::AffineExpr left, int64_t count, int64_t certain);
  TileState getDynamicState(mlir::Value iv, mlir::AffineExpr left, bool vector);

  // Tiles.
  bool hasReduction() const;
  void buildTile();
  /// The accumulators of all rows, `blocks` of them for each.
  Values reduceTile(llvm::ArrayRef<TileRow> rows);
  /// The result of row `i`, joined from its blocks, lanes and threads; nothing without
  /// a reduction.
  Values joinRow(mlir::ValueRange accumulators, unsigned i);
  /// Stores the results of a tile.
  void finishTile(llvm::ArrayRef<TileRow> rows, mlir::ValueRange accumulators, bool mayMiss);
  /// Stores the rows of a full tile, which may not all exist.
  void finishExistingRows(llvm::ArrayRef<Values> joined, bool mayMiss);
  void finishRow(TilePoint point, mlir::ValueRange accumulators);
  /// Of the threads that have joined their results, the one that stores them.
  mlir::Value isFirstOfJoined();
  Values getSlot(mlir::ValueRange accumulators, unsigned slot);
  /// Whether the rows of this tile may not all exist: few tiles are like that, and most at a
  /// border, so one version of the code does.
  bool isTail() const;
  /// The reduction of a tile; in two versions where guards may hold throughout.
  Values buildWholeReduction(llvm::ArrayRef<TileRow> rows, Values accumulators);
  llvm::SmallVector<TilePoint> getRowPoints(llvm::ArrayRef<TileRow> rows);
  /// Builds `body` where `condition` holds and once more where it does not.
  Values buildVersions(mlir::Value condition, Values accumulators,
                       llvm::function_ref<Values(bool holds)> body);
  /// Builds `body` where `rows` may add to their accumulators.
  Values joinWhereNeeded(llvm::ArrayRef<TileRow> rows, Values accumulators,
                         llvm::function_ref<Values(Values)> body);
  Values buildReduction(unsigned step, llvm::ArrayRef<TileRow> rows, Values accumulators);
  Values buildReductionLoop(unsigned step, llvm::ArrayRef<TileRow> rows, Values accumulators);
  /// Whether the loops over a reduction that are bound to lanes have an iteration for
  /// this thread.
  mlir::Value getReductionThreadsLimit();

  // Caches.
  void checkUniformCache(unsigned step);
  /// Fills the caches of a reduction loop, whose iteration has just begun. Returns
  /// whether these are the innermost ones.
  bool fillCaches(unsigned step);
  /// What the full tiles of a reduction loop leave over.
  Values buildReductionTail(unsigned i, mlir::Value full, Values accumulators,
                            llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> run);
  /// Asks for the operands of the next tile while this one is computed.
  void prefetchNextRows(llvm::ArrayRef<TileRow> rows);
  Values accumulateTile(llvm::ArrayRef<TileRow> rows, Values accumulators);

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
  llvm::SmallVector<bool> entered; ///< thread loops whose limit was looked at
  bool meets = false;              ///< threads wait for each other
  mlir::Value active;              ///< when they meet: whether this thread has an iteration
  mlir::LogicalResult result = llvm::success();
};

} // namespace tssa::conversion

#endif // TSSA_LIB_CONVERSION_KERNELTOLOOPS_NESTBUILDER_H
