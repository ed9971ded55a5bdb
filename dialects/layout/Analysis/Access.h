//===- Access.h - memory access patterns of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ANALYSIS_ACCESS_H
#define DIALECTS_LAYOUT_ANALYSIS_ACCESS_H

#include "dialects/te/IR/CompiledExpr.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// The dims of an index `outer * size + inner`, where dim `inner` has `size` iterations.
struct BlockIndex {
  unsigned outer, inner;
};

/// Returns the dims of `index` if it has this form.
std::optional<BlockIndex> matchBlocks(te::ComputeOp compute, AffineExpr index);

/// How an address changes when one dim of the domain is incremented.
enum class StrideKind { Invariant, Contiguous, Strided };

/// One read or write of an expression, with row-major addresses in elements.
class Access {
public:
  /// The access of a te.read in an expression of `numDims` dims.
  Access(te::ReadOp read, unsigned numDims);
  /// The write of `result`, which is indexed by the parallel dims.
  Access(Value result, unsigned numDims);

  /// Returns how the address changes along `dim` in the first `count` iterations.
  StrideKind getStrideKind(unsigned dim, int64_t count) const;
  /// Splits `extent` iterations of `dim` into runs of `count` iterations. Returns the addresses of
  /// a run relative to its first address, if they appear to be the same in each run; only some runs
  /// are compared. Returns nothing if they differ, or if an opaque index depends on `dim`.
  std::optional<SmallVector<int64_t>> getOffsets(unsigned dim, int64_t count, int64_t extent) const;
  /// Returns the difference of the addresses at indexes 1 and 0 of `dim`. Each dynamic size counts
  /// as a large prime.
  int64_t getStride(unsigned dim) const;
  /// Returns the mean distance of the addresses at adjacent indexes of the first `count` iterations
  /// of `dim`. It differs from the stride where an index is divided.
  int64_t getMeanDistance(unsigned dim, int64_t count) const;
  /// Returns whether the loops of dims `outer` and `inner` can be fused to one loop with a constant
  /// stride, given that `inner` has `extent` iterations.
  bool canFuse(unsigned outer, unsigned inner, int64_t extent) const;
  bool isWrite() const { return !read; }
  te::ReadOp getRead() const { return read; }
  /// Returns the bytes of an element.
  int64_t getElementBytes() const { return elementBytes; }
  /// Declares whether the source may be stored in any order. The read is then contiguous along each
  /// dim that is itself an index expression, or one of the two of a BlockIndex, and occurs in no
  /// other index expression.
  void setPackable(bool value = true) { packable = value; }
  bool isPackable() const { return packable; }
  /// Returns whether the guard depends on `dim`.
  bool isGuardedBy(unsigned dim) const { return guardDims.contains(dim); }

private:
  int64_t getAddress(ArrayRef<int64_t> point) const;
  /// Returns whether the source may be stored such that adjacent indexes of `dim` are adjacent.
  bool canBeAdjacent(unsigned dim) const;

  te::ReadOp read;
  unsigned numDims;
  int64_t elementBytes;
  bool packable = false;
  SmallVector<te::CompiledExpr, 0> indices;
  SmallVector<int64_t> symbols; ///< the assumed value of each symbol
  SmallVector<int64_t> strides;
  llvm::SmallDenseSet<unsigned> opaqueDims, guardDims;
};

/// Returns whether `access` is a read of `op` that each step of the reduction executes.
bool isReadInSteps(te::ComputeOp op, const Access &access);

/// Returns all reads of the pieces and of the epilogue, followed by one write for each result.
SmallVector<Access> getAccesses(te::ComputeOp op);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_ACCESS_H
