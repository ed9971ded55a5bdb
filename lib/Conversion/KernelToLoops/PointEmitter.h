//===- PointEmitter.h - code for the points of a tile -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_POINTEMITTER_H
#define LIB_CONVERSION_KERNELTOLOOPS_POINTEMITTER_H

#include "AtomEmitter.h"
#include "MatrixEmitter.h"
#include "llvm/ADT/MapVector.h"

namespace tssa::conversion {

/// Emits the points of one piece of a te.compute.
class PointEmitter : public TileEmitter {
public:
  using Values = TileEmitter::Values;
  /// `outs` are the buffers of the results. The dim that stands for the lane of a vector is the
  /// first one after the loops of the schedule.
  PointEmitter(IndexBuilder &index, KernelContext &kernel, mlir::tssa::te::ComputeOp compute,
               unsigned piece, llvm::ArrayRef<TensorBuffer> outs, const Schedule &schedule);

  /// Restricts computation to points that also lie in `set`, unless it is null. Only for
  /// expressions without a reduction.
  void restrictTo(mlir::IntegerSet set, mlir::ValueRange symbols) {
    restriction = set;
    restrictionSymbols.assign(symbols.begin(), symbols.end());
  }

  bool addsZeros() override;
  Values getIdentity(bool vector) override;
  Values accumulate(const TilePoint &point, mlir::ValueRange accumulators) override;
  llvm::SmallVector<int64_t> getLoadDistances(llvm::ArrayRef<TilePoint> points,
                                              size_t rows) override;
  Values combine(mlir::ValueRange lhs, mlir::ValueRange rhs) override;
  bool addsFloats() override;
  Values combineLanes(mlir::ValueRange accumulators) override;
  void finish(const TilePoint &point, mlir::ValueRange accumulators) override;
  void compute(const TilePoint &point) override;
  Guards getKnownGuards(llvm::ArrayRef<TilePoint> points) override;
  Guards getNeededGuards(llvm::ArrayRef<TilePoint> points) override;
  bool addsNothing(const TilePoint &point) override;
  void assumeGuards(const Guards &guards, bool assume) override;
  mlir::Value getInterior(llvm::ArrayRef<TilePoint> points) override;
  void assumeInterior(bool assume) override;
  void prefetchNextRows(llvm::ArrayRef<TilePoint> points, mlir::AffineExpr loop,
                        int64_t extent) override;
  llvm::SmallVector<unsigned> getDimsOfOperand(unsigned operand) override;
  mlir::LogicalResult fillCache(const CacheTile &tile) override;
  mlir::LogicalResult fillStage(const CacheTile &tile, mlir::AffineExpr stage) override {
    return atom->fill(tile, stage);
  }
  Values accumulateAtom(mlir::ValueRange fragments, mlir::AffineExpr stage) override {
    return atom->accumulate(fragments, stage);
  }
  Values accumulateDot(llvm::ArrayRef<TilePoint> group, mlir::ValueRange sums,
                       std::string &obstacle) override {
    return dot->accumulate(group, sums, loads, obstacle);
  }
  void beginMatrices(const MatrixTile &tile) override { matrix->begin(tile); }
  bool accumulateMatrices(const MatrixStep &step, std::string &obstacle) override;
  void endMatrices() override { matrix->end(); }
  mlir::Value loadSums(mlir::Value row, int64_t vector) override {
    return matrix->loadSums(row, vector);
  }
  void beginScope() override { loads.clear(); }
  void beginTile(llvm::ArrayRef<TilePoint> points) override;
  void endTile() override;

private:
  /// Calls `visit` for each inequality of each guard at each of `points`. The inequality is given
  /// as an expression over loops before splitting.
  void forEachGuard(llvm::ArrayRef<TilePoint> points,
                    llvm::function_ref<void(BodyEvaluator &, mlir::AffineExpr)> visit);
  /// Does the same for the guard of `read` only.
  void forEachGuard(mlir::tssa::te::ReadOp read, llvm::ArrayRef<TilePoint> points,
                    llvm::function_ref<void(BodyEvaluator &, mlir::AffineExpr)> visit);
  /// Returns the read that gives zero where its guard fails, and with it a product of zero, or
  /// null.
  mlir::tssa::te::ReadOp findPaddedRead();
  /// Adds to `guards` those inequalities of the guard of `read` at `points` that contain only loops
  /// entered here.
  void addKnownGuards(mlir::tssa::te::ReadOp read, llvm::ArrayRef<TilePoint> points,
                      llvm::SetVector<mlir::AffineExpr> &guards);
  mlir::AffineExpr getReadAddress(mlir::tssa::te::ReadOp read, const TilePoint &point);
  /// Returns the block whose values are stored: the epilogue, or the body of an expression without
  /// a reduction. Returns null if accumulators are stored.
  mlir::Block *getStoredBlock();
  /// Returns whether the guard of `read`, if it has one, is known to hold at all of `points`.
  bool isInside(mlir::tssa::te::ReadOp read, llvm::ArrayRef<TilePoint> points);
  /// Loads what `read` reads at those of `points` that the target loads together.
  void loadTogether(mlir::tssa::te::ReadOp read, llvm::ArrayRef<TilePoint> points);
  /// Evaluates the block whose values are stored and stores them.
  void storeBlock(BodyEvaluator &body, const TilePoint &point);
  void storeResults(const TilePoint &point, mlir::ValueRange values);
  void computePoint(const TilePoint &point);
  /// Returns operand number `operand` of the op that computes the yielded value, or null if the op
  /// has no such operand.
  mlir::Value getOperand(unsigned operand);
  /// Returns by how many elements the rows of a box are longer than needed, if its dims lie in this
  /// order, outermost first.
  int64_t getRowPadding(mlir::Value operand, const CacheTile &tile, llvm::ArrayRef<unsigned> order);
  void makeCache(mlir::Value operand, const CacheTile &tile);
  /// Returns the elements of the box that a thread loads as a vector from the source: a power of
  /// two. Each of these runs is aligned, and exists as a whole or not at all.
  int64_t getFillWidth(mlir::Value operand, const CacheTile &tile);
  void fillCacheRun(mlir::Value operand, const CacheTile &tile, int64_t width, mlir::Value number);
  /// Returns the dims of the box in the order in which threads fill it. The last one varies
  /// fastest.
  llvm::SmallVector<unsigned> getFillOrder(mlir::Value operand, const CacheTile &tile,
                                           llvm::ArrayRef<unsigned> order);
  struct Cache;
  /// Returns the element for the point of `reader`. One that is the same in all lanes of a vector
  /// is loaded together with the points beside it.
  mlir::Value loadCached(BodyEvaluator &reader, const Cache &cache);
  /// Maps operands that are cached to their cached values at `point`.
  void mapCached(BodyEvaluator &body, const TilePoint &point);

  IndexBuilder &index;
  KernelContext &kernel;
  mlir::tssa::te::ComputeOp op;
  unsigned piece;
  llvm::SmallVector<TensorBuffer> outs;
  const Schedule &schedule;
  unsigned laneDim;
  int64_t lanes = 0; ///< number of lanes of a vector; 0 for scalar code
  mlir::IntegerSet restriction;
  llvm::SmallVector<mlir::Value> restrictionSymbols;
  Interior interior;
  /// An operand in shared memory.
  struct Cache {
    TensorBuffer buffer;
    mlir::AffineExpr address;           ///< of the element for a point of a tile
    llvm::SmallVector<unsigned> order;  ///< dims of the box, outermost first
    llvm::SmallVector<int64_t> strides; ///< of the dims of the box
    int64_t padding = 0;                ///< elements by which its rows are longer than needed
  };
  llvm::MapVector<mlir::Value, Cache> caches;
  std::optional<AtomEmitter> atom;     ///< if the schedule has one
  std::optional<DotEmitter> dot;       ///< if the schedule has one
  std::optional<MatrixEmitter> matrix; ///< if the schedule has products of matrices
  BodyEvaluator::Loads loads;          ///< of the current scope
  /// What the points of the current tile read, by read and address, where it is loaded already.
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::AffineExpr>, mlir::Value> loaded;
  mlir::Block *tileBlock = nullptr;     ///< in which results may wait; null outside of a tile
  llvm::SmallVector<LaneStore> waiting; ///< results of the current tile that are not stored yet
};

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_POINTEMITTER_H
