//===- Access.h - how an expression walks through memory -===//
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

/// What an address does when one dim of the domain goes up by one.
enum class Step { Invariant, Contiguous, Strided };

/// One read or write of an expression, in row-major memory.
class Access {
public:
  /// A te.read of `op`.
  Access(te::ReadOp read, unsigned numDims);
  /// The write of a result at its parallel dims.
  Access(RankedTensorType type, unsigned numDims);

  /// What the address does along `dim` for the first `count` iterations.
  Step getStep(unsigned dim, int64_t count) const;
  /// The addresses of the first `count` iterations of `dim`, from the first of them, if
  /// they are the same for every such run in `extent` iterations.
  std::optional<SmallVector<int64_t>> getOffsets(unsigned dim, int64_t count, int64_t extent) const;
  /// Elements between neighbours along `dim`; sizes that are not known count as
  /// large primes.
  int64_t getStride(unsigned dim) const;
  /// Whether `outer` and `inner` walk as one loop over both, when `inner` has
  /// `extent` iterations.
  bool canFuse(unsigned outer, unsigned inner, int64_t extent) const;
  bool isWrite() const { return !read; }
  te::ReadOp getRead() const { return read; }
  /// The source can be stored as is best: along a dim that one index expression
  /// consists of, the read counts as contiguous.
  void setPackable() { packable = true; }
  /// Whether the guard or an opaque index depends on `dim`.
  bool isGuardedBy(unsigned dim) const { return guardDims.contains(dim); }

private:
  int64_t getAddress(ArrayRef<int64_t> point) const;

  te::ReadOp read;
  unsigned numDims;
  bool packable = false;
  SmallVector<te::CompiledExpr, 0> indices;
  SmallVector<int64_t> symbols; ///< the sizes that they are assumed to be
  SmallVector<int64_t> strides;
  llvm::SmallDenseSet<unsigned> opaqueDims, guardDims;
};

/// All reads of all pieces and of the epilogue, then one write per result.
SmallVector<Access> getAccesses(te::ComputeOp op);

/// The number that stands for a size that is not known.
int64_t getAssumedSize(int64_t size);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_ACCESS_H
