//===- BodyEvaluator.h - te bodies as scalar and vector code -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates bodies of te expressions at points of a tile: as scalars where a value does not depend
/// on the lane, and as vectors where it does. Reads become scalar loads or the target's vector
/// loads. Guards become masks, or clamped addresses and selects.
///
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_BODYEVALUATOR_H
#define LIB_CONVERSION_KERNELTOLOOPS_BODYEVALUATOR_H

#include "mlir/IR/IRMapping.h"
#include "tssa/Conversion/KernelTarget.h"
#include "tssa/Conversion/TileEmitter.h"
#include <map>

namespace tssa::conversion {

/// Returns the type that elements of type `elementType` have in memory.
mlir::Type getMemoryType(mlir::Type elementType);

/// A tensor of the kernel in memory: a flat row-major memref.
struct TensorBuffer {
  mlir::Value memref;
  mlir::Type elementType;                      ///< i1 is stored as i8
  llvm::SmallVector<mlir::OpFoldResult> sizes; ///< of what is stored
  /// The first index that is stored of each dim, null if all are; empty if this holds for all dims.
  llvm::SmallVector<mlir::Value> offsets;
  /// If the tensor lies in the memory of a larger one, its place there; otherwise null.
  mlir::tssa::te::WindowAttr window;

  /// Whether only one index of dim `dim` is stored.
  bool storesOneIndex(unsigned dim) const;
};

/// Loops, each with its largest value. The smallest value of each is 0.
using LoopBounds = llvm::SmallVector<std::pair<mlir::AffineExpr, mlir::AffineExpr>, 4>;

/// Guards that hold in all iterations of `loops`.
struct Interior {
  LoopBounds loops;
  llvm::DenseSet<mlir::AffineExpr> least; ///< for each guard, its smallest value over `loops`
};

/// The state shared by all expressions of a kernel.
struct KernelContext {
  KernelTarget *target = nullptr;
  llvm::DenseMap<mlir::Value, TensorBuffer> buffers; ///< by tensor value
  mlir::IRMapping values;                            ///< scalars and sizes
  mlir::Value errors;                                ///< memref<?xi32>
  bool mayFail = false;                              ///< whether an opaque index was checked
  llvm::DenseSet<mlir::AffineExpr> assumed;          ///< expressions that are known to be >= 0 here
  const Interior *interior = nullptr;                ///< further guards that hold here; may be null
  /// By function (`findFunction`): the rows of registers of matrices that tiles need, and the
  /// memory where these are written. The function begins with the first of them.
  using Configuration = std::pair<llvm::SmallVector<int64_t>, mlir::Value>;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Configuration, 2>> configurations;
};

/// A conjunction of constraints at one point. `uniform` holds the constraints that are the same for
/// all lanes, `lanes` the others. They are kept apart because `uniform` decides for all lanes at
/// once whether memory is accessed.
struct Condition {
  mlir::Value uniform; ///< i1; null if it always holds
  mlir::Value lanes;   ///< one i1 per lane; null if it always holds
  bool never = false;
  unsigned depth = 0; ///< of the innermost loop that `uniform` depends on

  bool isAlways() const { return !never && !uniform && !lanes; }
};

/// Evaluates the ops of one block at one point.
class BodyEvaluator {
public:
  /// Values loaded in a straight-line scope, by read, address, guard and mask.
  using Loads = std::map<llvm::SmallVector<const void *>, mlir::Value>;

  BodyEvaluator(IndexBuilder &index, KernelContext &kernel, const TilePoint &point,
                unsigned laneDim, int64_t lanes, Loads &loads)
      : index(index), kernel(kernel), point(point), laneDim(laneDim), lanes(lanes), loads(loads),
        builder(index.getBuilder()) {}

  void map(mlir::Value from, mlir::Value to) { values[from] = to; }
  unsigned getLaneDim() const { return laneDim; }
  int64_t getLanes() const { return lanes; }
  mlir::Value lookup(mlir::Value value);
  /// Evaluates all ops of `block` but its terminator and `skip`.
  void run(mlir::Block &block, mlir::Operation *skip = nullptr);
  /// Evaluates the ops that `value` depends on, except those whose results are mapped, and returns
  /// its value.
  mlir::Value compute(mlir::Value value);
  /// Returns the values of the operands of the terminator of `block`.
  llvm::SmallVector<mlir::Value> getYielded(mlir::Block &block);
  /// Broadcasts `value` to a vector with one element per lane, unless it is a vector already.
  mlir::Value toLanes(mlir::Value value);

  /// Converts `expr`, an index expression of an op in the body, to an expression over loops before
  /// splitting. `symbols` are the operands for its symbols.
  mlir::AffineExpr substitute(mlir::AffineExpr expr, mlir::ValueRange symbols);
  /// Replaces the loops in `expr` by their values at this point.
  mlir::AffineExpr substituteLoops(mlir::AffineExpr expr);
  /// Returns the indices of `read` as expressions over loops before splitting.
  llvm::SmallVector<mlir::AffineExpr> getIndices(mlir::tssa::te::ReadOp read);
  /// Returns the flat address, at this point, of the element at `indices`. The indices are
  /// expressions over loops before splitting.
  mlir::AffineExpr getAddress(const TensorBuffer &buffer, llvm::ArrayRef<mlir::AffineExpr> indices);
  /// Returns the conjunction of the constraints of `set` at this point.
  Condition getCondition(mlir::IntegerSet set, mlir::ValueRange symbols);
  /// Adds a constraint at this point to `condition`: `expr` == 0 if `equality` is set, else `expr`
  /// >= 0. `expr` is over loops before splitting.
  void addConstraint(mlir::AffineExpr expr, bool equality, Condition &condition);
  /// Does the same, but an inequality that is the same in all lanes is only added to `bounds`.
  void collectConstraint(mlir::AffineExpr expr, bool equality, Condition &condition,
                         llvm::SmallVectorImpl<mlir::AffineExpr> &bounds);
  /// Adds `expr` >= 0 to `condition`. If one of `others` bounds `expr` on its other side, one
  /// comparison does for both, and the other one becomes null.
  void addBound(mlir::AffineExpr expr, llvm::MutableArrayRef<mlir::AffineExpr> others,
                Condition &condition);
  /// Returns the smallest value of `expr` over all values of `loops`, of the lane, and of the
  /// symbols in `point.greatest`. Returns null if this value is not known. `expr` is over loops
  /// before splitting.
  mlir::AffineExpr getLeast(mlir::AffineExpr expr, const LoopBounds &loops);
  /// Whether `expr`, over loops before splitting, is assumed to be >= 0 here.
  bool isAssumed(mlir::AffineExpr expr);
  /// Returns `condition` as one value, an i1 or a lane mask; null if it always holds.
  /// `condition.never` must not be set.
  mlir::Value materialize(const Condition &condition) {
    return andMasks(condition.uniform, condition.lanes);
  }
  /// Checks opaque index expressions against the sizes of `buffer` where `guard` holds. An index
  /// that is out of bounds sets the error flag and is replaced by 0 in `indices`. Returns whether
  /// all are in bounds, or null if no index is opaque.
  mlir::Value checkOpaque(llvm::MutableArrayRef<mlir::AffineExpr> indices,
                          llvm::ArrayRef<bool> opaque, const TensorBuffer &buffer,
                          mlir::Value guard);

  /// Returns whether the opaque index expressions among `indices` are in bounds, or null if none is
  /// opaque. `replaces`: whether an index that is out of bounds becomes 0 in `indices`.
  mlir::Value areInBounds(llvm::MutableArrayRef<mlir::AffineExpr> indices,
                          llvm::ArrayRef<bool> opaque, const TensorBuffer &buffer, bool replaces);

  mlir::Value andMasks(mlir::Value lhs, mlir::Value rhs);

  /// Loads the element at `address`, as a scalar or a vector.
  mlir::Value load(const TensorBuffer &buffer, mlir::AffineExpr address) {
    return load(buffer, address, Condition(), mlir::TypedAttr());
  }
  /// Loads the element at `address` where `guard` holds; elsewhere the value is `pad`. Nothing
  /// outside of the buffer is accessed.
  mlir::Value load(const TensorBuffer &buffer, mlir::AffineExpr address, const Condition &guard,
                   mlir::TypedAttr pad);
  /// Converts `value`, in its form in memory, to `elementType` or to a vector of it.
  mlir::Value fromMemory(mlir::Value value, mlir::Type elementType);
  /// Stores the element at `address`. A vector that the target builds with others is added to
  /// `waiting` instead, unless that is null.
  void store(const TensorBuffer &buffer, mlir::AffineExpr address, mlir::Value value,
             llvm::SmallVectorImpl<LaneStore> *waiting = nullptr);

private:
  void runOp(mlir::Operation &op);
  void runRead(mlir::tssa::te::ReadOp read);
  mlir::Value loadScalar(const TensorBuffer &buffer, mlir::AffineExpr address,
                         const Condition &guard, mlir::TypedAttr pad);
  mlir::Value loadVector(const TensorBuffer &buffer, mlir::AffineExpr address,
                         const Condition &guard, mlir::TypedAttr pad);
  /// Returns the memory to read from: the buffer where `guard` holds, else an array of zeros. A
  /// loop that does not change the guard then contains no select. Adapts `address` to that memory.
  /// Returns null if the pad is not zero, or if the reads may reach beyond the array of zeros.
  mlir::Value selectZeros(const TensorBuffer &buffer, const Condition &guard, mlir::TypedAttr pad,
                          mlir::AffineExpr &address);
  /// Builds the scalar condition that `guard` holds for any lane. Returns null if it always holds
  /// for all lanes.
  mlir::Value holdsForAny(const Condition &guard);
  /// Loads the element where the scalar `condition` holds; elsewhere the value is `pad`.
  mlir::Value loadWhere(const TensorBuffer &buffer, mlir::AffineExpr address, mlir::Value condition,
                        mlir::TypedAttr pad);
  /// Selects `value` where `guard` holds, else `pad`. `value` is in its form in memory.
  mlir::Value selectLanes(mlir::Value guard, mlir::Value value, mlir::TypedAttr pad);
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
