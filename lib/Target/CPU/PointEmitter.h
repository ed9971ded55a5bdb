//===- PointEmitter.h - code for the points of a tile on a CPU -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates bodies of te expressions at points of a tile, as scalars where a value
/// does not depend on the lane and as native vectors where it does. Reads become
/// scalar loads, contiguous vector loads or gathers by what the index expression
/// does along the lane; guards become masks, or clamped addresses and selects.
///
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_CPU_POINTEMITTER_H
#define LIB_TARGET_CPU_POINTEMITTER_H

#include "dialects/te/IR/TEOps.h"
#include "tssa/Conversion/IndexBuilder.h"
#include "tssa/Conversion/TileEmitter.h"
#include "mlir/IR/IRMapping.h"
#include <map>

namespace tssa::cpu {

/// Where a tensor of the kernel lies: a flat row-major memref.
struct TensorBuffer {
  mlir::Value memref;
  mlir::Type elementType;                        ///< i1 is stored as i8
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  llvm::SmallVector<bool> fixed; ///< dims of which only one index is stored
};

/// What all expressions of one kernel share.
struct KernelContext {
  llvm::DenseMap<mlir::Value, TensorBuffer> buffers; ///< by tensor value
  mlir::IRMapping values;                            ///< scalars and sizes
  mlir::Value errors;                                ///< memref<?xi32>
  bool mayFail = false;                              ///< an opaque index was checked
  llvm::DenseSet<mlir::AffineExpr> assumed;          ///< expressions known to be >= 0 here
};

/// Emits the points of one piece of a te.compute.
class PointEmitter : public conversion::TileEmitter {
public:
  using Values = TileEmitter::Values;
  /// `lanes` is 0 for scalar code; `outs` are the buffers of the results.
  PointEmitter(conversion::IndexBuilder &index, KernelContext &kernel,
               mlir::tssa::te::ComputeOp compute, unsigned piece,
               llvm::ArrayRef<TensorBuffer> outs, unsigned laneDim, int64_t lanes);

  /// Computes only points that lie in `set` as well, when it is not null; for
  /// expressions without a reduction.
  void restrictTo(mlir::IntegerSet set) { restriction = set; }

  Values getIdentity(bool vector) override;
  Values accumulate(const conversion::TilePoint &point, mlir::ValueRange accumulators) override;
  Values combine(mlir::ValueRange lhs, mlir::ValueRange rhs) override;
  Values combineLanes(mlir::ValueRange accumulators) override;
  void finish(const conversion::TilePoint &point, mlir::ValueRange accumulators) override;
  void compute(const conversion::TilePoint &point) override;
  mlir::Value getKnownGuards(llvm::ArrayRef<conversion::TilePoint> points) override;
  void assumeGuards(bool assume) override;
  void beginScope() override { loads.clear(); }

private:
  using TilePoint = conversion::TilePoint;
  void storeResults(const TilePoint &point, mlir::ValueRange values);
  void computePoint(const TilePoint &point);

  conversion::IndexBuilder &index;
  KernelContext &kernel;
  mlir::tssa::te::ComputeOp op;
  unsigned piece;
  llvm::SmallVector<TensorBuffer> outs;
  unsigned laneDim;
  int64_t lanes;
  mlir::IntegerSet restriction;
  llvm::SmallVector<mlir::AffineExpr> knownGuards;
  /// Loads of the present scope, by read, address, guard and mask.
  std::map<llvm::SmallVector<const void *>, mlir::Value> loads;
};

/// Evaluates the ops of one block at one point.
class BodyEvaluator {
public:
  BodyEvaluator(conversion::IndexBuilder &index, KernelContext &kernel,
                const conversion::TilePoint &point, unsigned laneDim, int64_t lanes,
                std::map<llvm::SmallVector<const void *>, mlir::Value> &loads)
      : index(index), kernel(kernel), point(point), laneDim(laneDim), lanes(lanes), loads(loads),
        builder(index.getBuilder()) {}

  void map(mlir::Value from, mlir::Value to) { values[from] = to; }
  mlir::Value lookup(mlir::Value value);
  /// Evaluates all ops but the terminator and `skip`.
  void run(mlir::Block &block, mlir::Operation *skip = nullptr);
  /// Values of the operands of the terminator.
  llvm::SmallVector<mlir::Value> getYielded(mlir::Block &block);
  /// A value as a vector of the lanes.
  mlir::Value toLanes(mlir::Value value);

  /// An index expression of a point op over loops before they were split.
  mlir::AffineExpr substitute(mlir::AffineExpr expr, mlir::ValueRange symbols);
  /// Such an expression at this point.
  mlir::AffineExpr place(mlir::AffineExpr expr);
  /// Flat address, at this point, of the element at `indices` (not yet placed).
  mlir::AffineExpr getAddress(const TensorBuffer &buffer, llvm::ArrayRef<mlir::AffineExpr> indices);
  /// The conjunction of constraints as a scalar or a lane mask; null when it always
  /// holds. `never` is set when it never does.
  mlir::Value getCondition(mlir::IntegerSet set, mlir::ValueRange symbols, bool &never);
  /// Checks opaque index expressions against `sizes` where `guard` holds: out of
  /// bounds sets the error flag and gives 0. Returns whether all are in bounds,
  /// null when nothing had to be checked.
  mlir::Value checkOpaque(llvm::MutableArrayRef<mlir::AffineExpr> indices,
                          llvm::ArrayRef<bool> opaque, const TensorBuffer &buffer,
                          mlir::Value guard);

  mlir::Value andMasks(mlir::Value lhs, mlir::Value rhs);

  /// The element at `address`, scalar or vector; `guard` may be null.
  mlir::Value load(const TensorBuffer &buffer, mlir::AffineExpr address, mlir::Value guard,
                   mlir::TypedAttr pad);
  void store(const TensorBuffer &buffer, mlir::AffineExpr address, mlir::Value value);

private:
  void runOp(mlir::Operation &op);
  void runRead(mlir::tssa::te::ReadOp read);
  mlir::Value loadScalar(const TensorBuffer &buffer, mlir::AffineExpr address, mlir::Value guard,
                         mlir::TypedAttr pad);
  mlir::Value loadVector(const TensorBuffer &buffer, mlir::AffineExpr address, mlir::Value guard,
                         mlir::TypedAttr pad);
  mlir::Value fromMemory(mlir::Value value, mlir::Type elementType);
  mlir::Value toMemory(mlir::Value value);
  bool isContiguous(mlir::AffineExpr address);

  conversion::IndexBuilder &index;
  KernelContext &kernel;
  const conversion::TilePoint &point;
  unsigned laneDim;
  int64_t lanes;
  std::map<llvm::SmallVector<const void *>, mlir::Value> &loads;
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
};

/// Type of one element of `type` in memory.
mlir::Type getMemoryType(mlir::Type elementType);

} // namespace tssa::cpu

#endif // LIB_TARGET_CPU_POINTEMITTER_H
