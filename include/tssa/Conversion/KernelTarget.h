//===- KernelTarget.h - the target-specific parts of kernels ----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The structure of a kernel (pieces, loops, tiles, bodies at points) is built by the same code for
/// all targets. A `KernelTarget` decides how iterations are numbered, where small buffers lie, and
/// which instructions load and store vectors.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_KERNELTARGET_H
#define TSSA_CONVERSION_KERNELTARGET_H

#include "dialects/layout/IR/Atoms.h"
#include "dialects/layout/IR/LayoutAttributes.h"
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
  /// An i1 that holds if a masked load reads at least one lane; null if every load does.
  /// Where it does not hold, `address` may be far from any memory.
  mlir::Value touched = {};
  /// Of a load: the lanes whose values are used; null if all are. Others may get any value.
  mlir::Value used = {};

  int64_t getLanes() const { return type.getNumElements(); }
};

/// A vector that is loaded. Lanes that do not exist may get any value.
struct LaneLoad {
  LaneAccess access;
  mlir::Value mask; ///< lanes that exist; null if all do
};

/// A vector and where it is stored.
struct LaneStore {
  LaneAccess access;
  mlir::Value mask; ///< lanes that are stored; null if all are
  mlir::Value value;
};

/// The threads of a block, on targets where all of them run one numbered iteration together.
class BlockThreads {
public:
  virtual ~BlockThreads() = default;
  /// The number of threads: a multiple of those of a warp.
  int64_t count = mlir::tssa::layout::DeviceModel::warp;

  /// Builds the number of this thread in its block, of type index.
  virtual mlir::Value buildNumber(IndexBuilder &index) = 0;
  /// Builds a barrier: each thread waits for all threads of the block and then sees what they have
  /// written.
  virtual void buildBarrier(IndexBuilder &index) = 0;
  /// Exchanges the scalar `value` inside of a warp: each thread gets the value of the thread whose
  /// number differs from its own in the bit `distance` (a power of two). All threads of the warp
  /// must execute this together.
  virtual mlir::Value buildExchange(IndexBuilder &index, mlir::Value value, int64_t distance) = 0;
  /// A run of elements in memory, and where it goes in shared memory; both flat.
  struct AsyncCopy {
    mlir::Value from, source; ///< memref, and the index of the first element
    mlir::Value to, target;
    int64_t elements;   ///< 16 bytes
    mlir::Value exists; ///< where it does not hold, the run is zero; null if it always does
  };
  /// Starts a copy, which belongs to the group that `buildCommit` ends.
  virtual void buildCopy(IndexBuilder &index, const AsyncCopy &copy) = 0;
  /// Ends a group of copies that this thread has started.
  virtual void buildCommit(IndexBuilder &index) = 0;
  /// Waits until all but the last `groups` groups of this thread have arrived.
  virtual void buildAwait(IndexBuilder &index, int64_t groups) = 0;
  /// Loads `count` matrices of 8 rows of 16 bytes from `shared`, of which each lane gets a word of
  /// each (PTX ISA, ldmatrix): a vector<count x 2> of elements of 16 bits, or <count x 1> of 32.
  /// `address` is that of a row: lane l gives row l % 8 of matrix l / 8. If `transposes`, what is
  /// given as a row is a column, of elements of 16 bits.
  virtual mlir::Value buildMatrices(IndexBuilder &index, mlir::Value shared, mlir::Value address,
                                    int64_t count, bool transposes) = 0;
  /// Multiplies fragments of the factors of an atom, vectors of words, and adds to `sums`, a
  /// vector<4xf32> (PTX ISA, mma.m16n8k16; of f32, m16n8k8 of tf32).
  virtual mlir::Value buildProduct(IndexBuilder &index, mlir::Value lhs, mlir::Value rhs,
                                   mlir::Value sums) = 0;
  /// Allocates memory that all threads of the block share.
  virtual mlir::Value makeShared(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::func::FuncOp func, mlir::MemRefType type) = 0;
  /// Calls `body` and then frees what it allocates: blocks that run it run nothing that comes
  /// later.
  virtual void reuseShared(llvm::function_ref<void()> body) = 0;
};

/// The rows of a matrix in memory.
struct MatrixAccess {
  mlir::Value memref;   ///< flat
  mlir::Value first;    ///< the element at which the first row begins, an index
  mlir::Value distance; ///< of a row from the one before it, in elements
};

/// The registers of a CPU that hold matrices of up to 16 rows of 64 bytes
/// (`layout::matrixRegisters`).
class MatrixRegisters {
public:
  virtual ~MatrixRegisters() = default;
  /// A factor of a product.
  struct Factor {
    unsigned number; ///< of its register
    bool isUnsigned; ///< for bytes
  };

  /// The type of memory for a configuration: the rows that each register has.
  virtual mlir::MemRefType getConfigurationType(mlir::OpBuilder &builder) = 0;
  /// Writes a configuration to `memory`.
  virtual void buildConfiguration(IndexBuilder &index, mlir::Value memory,
                                  llvm::ArrayRef<mlir::OpFoldResult> rows) = 0;
  /// Sets the rows of all registers, whose contents are then lost.
  virtual void buildConfigure(IndexBuilder &index, mlir::Value memory) = 0;
  virtual void buildZero(IndexBuilder &index, unsigned number) = 0;
  virtual void buildLoad(IndexBuilder &index, unsigned number, const MatrixAccess &access) = 0;
  virtual void buildStore(IndexBuilder &index, unsigned number, const MatrixAccess &access) = 0;
  /// Adds the product of two registers to that of the sums. A row of `rhs` has a word for each
  /// column: the elements of this column for some steps.
  virtual void buildProduct(IndexBuilder &index, const mlir::tssa::layout::Atom &atom,
                            unsigned sums, Factor lhs, Factor rhs) = 0;
};

/// The target-specific decisions in the lowering of a kernel. Each kernel has its own object.
class KernelTarget {
public:
  virtual ~KernelTarget() = default;

  /// The levels that layout.bind may name on this target: first the level of numbered iterations,
  /// then the level of threads, if the target has one.
  virtual llvm::ArrayRef<mlir::tssa::layout::Level> getLevels() const = 0;
  /// The threads that run one numbered iteration together; null if one thread runs it.
  virtual BlockThreads *getThreads() { return nullptr; }
  /// Whether partial vectors are masked. Otherwise the remaining elements are computed one by one.
  virtual bool masksVectors() const = 0;
  /// Whether code branches around a read whose guard does not hold. Otherwise the code reads an
  /// element that exists and discards it.
  virtual bool branchesAroundReads() const = 0;
  /// Types of the parameters that the function has after those common to all targets.
  virtual llvm::SmallVector<mlir::Type> getFurtherParameters(mlir::MLIRContext *context) const = 0;
  /// Calls `body` with the number of an iteration, at the insertion point for the code of one
  /// numbered iteration.
  virtual void buildIterations(IndexBuilder &index, mlir::func::FuncOp func,
                               llvm::function_ref<void(mlir::Value number)> body) = 0;
  /// Builds the second result of the extent function: the grain, the least number of iterations
  /// that one thread should get. The first result is `count`, the number of iterations. All
  /// iterations together execute `work` body ops.
  virtual mlir::Value buildGrain(IndexBuilder &index, mlir::Value count, mlir::AffineExpr work) = 0;
  /// Allocates memory for one thread. It holds what one expression computes at a loop of another
  /// expression. `size` is the number of elements, computed in the entry block of `func` from its
  /// parameters, or null if that of `type` is constant.
  virtual mlir::Value makeScratch(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::func::FuncOp func, mlir::MemRefType type,
                                  mlir::Value size) = 0;
  /// Whether only a run needs to know the size of this memory.
  virtual bool makesOpenScratch() const { return false; }
  /// The most bytes of the memory that `makeScratch` and `makeShared` allocate for a kernel.
  virtual int64_t getScratchLimit() const = 0;
  /// Sets the error flag, so that the run fails.
  virtual void buildFailure(IndexBuilder &index, mlir::Value errors) = 0;

  /// The size in bytes of the smallest tensor whose rows are worth prefetching.
  virtual int64_t getLeastPrefetched() const { return INT64_MAX; }
  /// Prefetches the element at `address`, which need not exist.
  virtual void buildPrefetch(IndexBuilder &index, mlir::Value memref, mlir::AffineExpr address) {}

  /// Loads a vector. Lanes where `mask` does not hold get `pad` and read nothing; a null mask holds
  /// for all lanes. Even for lanes that are masked off, the code forms no address far from the
  /// memory of `access`: on CPUs, a masked load from a page that is not mapped is correct, but
  /// takes hundreds of cycles.
  virtual mlir::Value buildLoad(IndexBuilder &index, const LaneAccess &access, mlir::Value mask,
                                mlir::Value pad) = 0;
  /// Stores a vector in the lanes where `mask` holds. A null mask holds for all lanes.
  virtual void buildStore(IndexBuilder &index, const LaneAccess &access, mlir::Value mask,
                          mlir::Value value) = 0;
  /// Whether a load or store should be built together with others of the same tile, by `buildLoads`
  /// or `buildStores`.
  virtual bool isBuiltWithOthers(IndexBuilder &index, const LaneAccess &access, mlir::Value mask) {
    return false;
  }
  /// Loads vectors for one tile. Returns null for each that should be loaded alone.
  virtual llvm::SmallVector<mlir::Value> buildLoads(IndexBuilder &index,
                                                    llvm::ArrayRef<LaneLoad> loads) {
    return llvm::SmallVector<mlir::Value>(loads.size());
  }
  /// Stores vectors of one tile. Each element that a tile stores belongs to one point.
  virtual void buildStores(IndexBuilder &index, llvm::ArrayRef<LaneStore> stores) {
    for (const LaneStore &store : stores)
      buildStore(index, store.access, store.mask, store.value);
  }

  /// Whether the target has instructions of `layout.atom` with one loop.
  virtual bool hasDots() const { return false; }
  /// The registers that hold matrices; null if the target has none.
  virtual MatrixRegisters *getMatrices() { return nullptr; }
  /// Adds to `sums`, a vector, the products of words of two factors, vectors of i32. Of factors of
  /// bytes, `lhs` is the one of u8.
  virtual mlir::Value buildDot(IndexBuilder &index, const mlir::tssa::layout::Atom &atom,
                               mlir::Value sums, mlir::Value lhs, mlir::Value rhs) {
    llvm_unreachable("a target without dot products");
  }

  /// Called when the function is complete. Fails with an error if the target cannot run it.
  virtual mlir::LogicalResult finish(mlir::func::FuncOp func) = 0;
};

/// Lowers `kernel` to two functions (docs/decisions): `@k` runs iterations as the schedule says,
/// and `@k.extent` counts them. `kernel` itself is kept. Errors are reported at the op at fault.
mlir::LogicalResult lowerKernel(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                KernelTarget &target);

} // namespace tssa::conversion

#endif // TSSA_CONVERSION_KERNELTARGET_H
