//===- BodyEvaluator.h - te bodies as scalar and vector code -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates bodies of te expressions at points of a tile, as scalars where a value
/// does not depend on the lane and as native vectors where it does. Reads become
/// scalar loads or what the target has for vectors; guards become masks, or clamped
/// addresses and selects.
///
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_BODYEVALUATOR_H
#define LIB_CONVERSION_KERNELTOLOOPS_BODYEVALUATOR_H

#include "mlir/IR/IRMapping.h"
#include "tssa/Conversion/KernelTarget.h"
#include "tssa/Conversion/TileEmitter.h"
#include <map>

namespace tssa::conversion {

/// Type of one element of `type` in memory.
mlir::Type getMemoryType(mlir::Type elementType);

/// Where a tensor of the kernel lies: a flat row-major memref.
struct TensorBuffer {
  mlir::Value memref;
  mlir::Type elementType; ///< i1 is stored as i8
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  llvm::SmallVector<bool> fixed; ///< dims of which only one index is stored
};

/// Loops and the greatest value of each; the least is 0.
using LoopBounds = llvm::SmallVector<std::pair<mlir::AffineExpr, mlir::AffineExpr>, 4>;

/// Guards that hold in all iterations of some loops.
struct Interior {
  LoopBounds loops;
  llvm::DenseSet<mlir::AffineExpr> least; ///< their least values over these loops
};

/// What all expressions of one kernel share.
struct KernelContext {
  KernelTarget *target = nullptr;
  llvm::DenseMap<mlir::Value, TensorBuffer> buffers; ///< by tensor value
  mlir::IRMapping values;                            ///< scalars and sizes
  mlir::Value errors;                                ///< memref<?xi32>
  bool mayFail = false;                              ///< an opaque index was checked
  llvm::DenseSet<mlir::AffineExpr> assumed;          ///< expressions known to be >= 0 here
  const Interior *interior = nullptr;                ///< what else is; may be null
};

/// A conjunction of constraints at one point. What holds for all lanes or none is kept apart
/// from what differs by lane: it decides whether memory may be touched at all.
struct Condition {
  mlir::Value uniform; ///< i1; null: always
  mlir::Value lanes;   ///< one i1 per lane; null: always
  bool never = false;
  unsigned depth = 0; ///< of the innermost loop that `uniform` depends on

  bool isAlways() const { return !never && !uniform && !lanes; }
};

/// Evaluates the ops of one block at one point.
class BodyEvaluator {
public:
  /// Loads of a straight-line scope, by read, address, guard and mask.
  using Loads = std::map<llvm::SmallVector<const void *>, mlir::Value>;

  BodyEvaluator(IndexBuilder &index, KernelContext &kernel, const TilePoint &point,
                unsigned laneDim, int64_t lanes, Loads &loads)
      : index(index), kernel(kernel), point(point), laneDim(laneDim), lanes(lanes), loads(loads),
        builder(index.getBuilder()) {}

  void map(mlir::Value from, mlir::Value to) { values[from] = to; }
  unsigned getLaneDim() const { return laneDim; }
  int64_t getLanes() const { return lanes; }
  mlir::Value lookup(mlir::Value value);
  /// Evaluates all ops but the terminator and `skip`.
  void run(mlir::Block &block, mlir::Operation *skip = nullptr);
  /// Evaluates what `value` is computed from, as far as it is not mapped, and returns
  /// it.
  mlir::Value compute(mlir::Value value);
  /// Values of the operands of the terminator.
  llvm::SmallVector<mlir::Value> getYielded(mlir::Block &block);
  /// A value as a vector of the lanes.
  mlir::Value toLanes(mlir::Value value);

  /// An index expression of a point op over loops before they were split.
  mlir::AffineExpr substitute(mlir::AffineExpr expr, mlir::ValueRange symbols);
  /// Such an expression at this point.
  mlir::AffineExpr place(mlir::AffineExpr expr);
  /// The indices of a read over loops before they were split.
  llvm::SmallVector<mlir::AffineExpr> getIndices(mlir::tssa::te::ReadOp read);
  /// Flat address, at this point, of the element at `indices` (not yet placed).
  mlir::AffineExpr getAddress(const TensorBuffer &buffer, llvm::ArrayRef<mlir::AffineExpr> indices);
  /// The conjunction of the constraints of `set`.
  Condition getCondition(mlir::IntegerSet set, mlir::ValueRange symbols);
  /// Joins `expr` >= 0, or == 0, at this point to a conjunction; `expr` is over loops
  /// before they were split.
  void addConstraint(mlir::AffineExpr expr, bool equality, Condition &condition);
  /// The least value of `expr` over `loops`, the lanes and the rows that a tile may have; null
  /// where it cannot be told. `expr` is over loops before they were split.
  mlir::AffineExpr getLeast(mlir::AffineExpr expr, const LoopBounds &loops);
  /// Whether `expr`, over loops before they were split, is assumed to be >= 0 here.
  bool isAssumed(mlir::AffineExpr expr);
  /// A conjunction as one value, a scalar or a lane mask; null when it always holds. It must
  /// not be one that never does.
  mlir::Value join(const Condition &condition) {
    return andMasks(condition.uniform, condition.lanes);
  }
  /// Checks opaque index expressions against `sizes` where `guard` holds: out of
  /// bounds sets the error flag and gives 0. Returns whether all are in bounds,
  /// null when nothing had to be checked.
  mlir::Value checkOpaque(llvm::MutableArrayRef<mlir::AffineExpr> indices,
                          llvm::ArrayRef<bool> opaque, const TensorBuffer &buffer,
                          mlir::Value guard);

  mlir::Value andMasks(mlir::Value lhs, mlir::Value rhs);

  /// The element at `address`, scalar or vector.
  mlir::Value load(const TensorBuffer &buffer, mlir::AffineExpr address);
  /// The same where `guard` holds, else `pad`, and nothing outside of the buffer is touched.
  mlir::Value load(const TensorBuffer &buffer, mlir::AffineExpr address, const Condition &guard,
                   mlir::TypedAttr pad);
  void store(const TensorBuffer &buffer, mlir::AffineExpr address, mlir::Value value);

private:
  void runOp(mlir::Operation &op);
  void runRead(mlir::tssa::te::ReadOp read);
  mlir::Value loadScalar(const TensorBuffer &buffer, mlir::AffineExpr address,
                         const Condition &guard, mlir::TypedAttr pad);
  mlir::Value loadVector(const TensorBuffer &buffer, mlir::AffineExpr address,
                         const Condition &guard, mlir::TypedAttr pad);
  /// A place to read where `guard` does not hold, so that nothing has to be selected in a loop
  /// that does not change the guard: there zeros are read in place of the buffer. Changes
  /// `address`; null where the pad is not zero, or it is not known how far the reads reach.
  mlir::Value selectZeros(const TensorBuffer &buffer, const Condition &guard, mlir::TypedAttr pad,
                          mlir::AffineExpr &address);
  /// Whether `guard` holds for any lane, as a scalar; null when it does for all.
  mlir::Value holdsForAny(const Condition &guard);
  /// The element where `condition`, a scalar, holds, else `pad`.
  mlir::Value loadWhere(const TensorBuffer &buffer, mlir::AffineExpr address, mlir::Value condition,
                        mlir::TypedAttr pad);
  /// `value`, as it lies in memory, where `guard` holds, else `pad`.
  mlir::Value selectLanes(mlir::Value guard, mlir::Value value, mlir::TypedAttr pad);
  mlir::Value fromMemory(mlir::Value value, mlir::Type elementType);
  mlir::Value toMemory(mlir::Value value);

  IndexBuilder &index;
  KernelContext &kernel;
  const TilePoint &point;
  unsigned laneDim;
  int64_t lanes;
  Loads &loads;
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
};

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_BODYEVALUATOR_H
