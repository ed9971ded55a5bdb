//===- KernelTarget.h - what of a kernel's code differs by target -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The structure of a kernel (pieces, loops, tiles, bodies at points) is built once
/// for all targets. A target says here how iterations are numbered, where small
/// buffers lie and which instructions reach the elements of a vector.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_KERNELTARGET_H
#define TSSA_CONVERSION_KERNELTARGET_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tssa/Conversion/IndexBuilder.h"

namespace tssa::conversion {

/// The elements that the lanes of a vector read or write.
struct LaneAccess {
  mlir::Value memref;       ///< flat
  mlir::AffineExpr address; ///< in elements, over loops and the lane
  unsigned laneDim;
  mlir::VectorType type; ///< one element of memory per lane
  /// Of a masked load, an i1: whether any lane is read; null when one is. Elsewhere `address`
  /// may be far from any memory.
  mlir::Value touched = {};

  int64_t getLanes() const { return type.getNumElements(); }
};

/// The threads of a block, where several of them run one numbered iteration together.
class BlockThreads {
public:
  virtual ~BlockThreads() = default;
  /// How many there are: a multiple of the 32 of a warp.
  int64_t count = 32;

  /// Which one this is, of type index.
  virtual mlir::Value buildNumber(IndexBuilder &index) = 0;
  /// Waits for all threads of the block; what they wrote is seen afterwards.
  virtual void buildBarrier(IndexBuilder &index) = 0;
  /// The scalar that the thread of the same warp has whose number differs in bit
  /// `distance` (a power of two). All threads of the warp get here together.
  virtual mlir::Value buildExchange(IndexBuilder &index, mlir::Value value, int64_t distance) = 0;
  /// Memory that all threads of the block see.
  virtual mlir::Value makeShared(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::func::FuncOp func, mlir::MemRefType type) = 0;
};

/// Made anew for each kernel.
class KernelTarget {
public:
  virtual ~KernelTarget() = default;

  /// The levels of layout.bind that there are: numbered iterations, then threads.
  virtual llvm::ArrayRef<llvm::StringRef> getLevels() const = 0;
  /// Null where one thread runs an iteration.
  virtual BlockThreads *getThreads() { return nullptr; }
  /// Whether vectors are masked where they are not full; else what is left over is
  /// done element by element.
  virtual bool masksVectors() const = 0;
  /// Whether a read that a guard excludes is branched around; else something that
  /// exists is read in its place.
  virtual bool branchesAroundReads() const = 0;
  /// Types of the parameters that the function has behind those of all targets.
  virtual llvm::SmallVector<mlir::Type> getFurtherParameters(mlir::MLIRContext *context) const = 0;
  /// Calls `body` where code for one numbered iteration belongs, with the number.
  virtual void buildIterations(IndexBuilder &index, mlir::func::FuncOp func,
                               llvm::function_ref<void(mlir::Value number)> body) = 0;
  /// What the extent function returns beside the number of iterations `count`; the
  /// kernel has `work` body ops at points.
  virtual mlir::Value buildGrain(IndexBuilder &index, mlir::Value count, mlir::AffineExpr work) = 0;
  /// Memory of constant size that one thread sees, for a part of an expression that
  /// is computed inside of another.
  virtual mlir::Value makeScratch(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::func::FuncOp func, mlir::MemRefType type) = 0;
  /// Most bytes of such a part.
  virtual int64_t getScratchLimit() const = 0;
  /// Makes it known that the run fails.
  virtual void buildFailure(IndexBuilder &index, mlir::Value errors) = 0;

  /// Bytes of a tensor from which it pays to ask for rows before they are read.
  virtual int64_t getLeastPrefetched() const { return INT64_MAX; }
  /// Asks for the element at `address`, which need not exist, to be near when it is read.
  virtual void buildPrefetch(IndexBuilder &index, mlir::Value memref, mlir::AffineExpr address) {}

  /// Loads a vector; lanes where `mask` (null: all) does not hold get `pad` and
  /// read nothing. No address is formed far from the memory of `access`: on CPUs a masked load
  /// from a page that is not mapped is right, but takes hundreds of cycles.
  virtual mlir::Value buildLoad(IndexBuilder &index, const LaneAccess &access, mlir::Value mask,
                                mlir::Value pad) = 0;
  /// Stores a vector where `mask` (null: everywhere) holds.
  virtual void buildStore(IndexBuilder &index, const LaneAccess &access, mlir::Value mask,
                          mlir::Value value) = 0;

  /// The function is complete; fails with an error if the target cannot run it.
  virtual mlir::LogicalResult finish(mlir::func::FuncOp func) = 0;
};

/// Replaces a kernel's place by two functions (docs/decisions): `@k`, which runs
/// iterations as the schedule says, and `@k.extent`, which counts them. The kernel
/// itself stays. Errors are reported at the op that is wrong.
mlir::LogicalResult lowerKernel(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                KernelTarget &target);

} // namespace tssa::conversion

#endif // TSSA_CONVERSION_KERNELTARGET_H
