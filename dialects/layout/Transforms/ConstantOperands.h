//===- ConstantOperands.h - the weights of kernels -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_CONSTANTOPERANDS_H
#define DIALECTS_LAYOUT_TRANSFORMS_CONSTANTOPERANDS_H

#include "dialects/layout/Analysis/Access.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::tssa::layout {

/// The weights of a sum of products. One factor is computed from the constants that `reads` read,
/// such as packed numbers and their scales. `data` is a read of the other factor. If both factors
/// are computed from the same reads, as in a sum of squared distances, `reads` are the reads of
/// constants and `data` is one of the other reads.
struct Weights {
  SmallVector<te::ReadOp> reads;
  te::ReadOp data;
};

/// The parameters of kernels for which each launch in a module passes a constant.
class ConstantOperands {
public:
  explicit ConstantOperands(ModuleOp module);

  /// Returns the constant that the first launch passes for the parameter that `read` reads, or null
  /// if some launch passes no constant, or if `read` reads no parameter.
  te::ConstantOp lookup(te::ReadOp read) const;

  /// Returns the weights of `compute`, or nothing if it is no sum of products with a factor that is
  /// computed from constants alone.
  std::optional<Weights> findWeights(te::ComputeOp compute) const;

  /// Returns why the constant that `read` reads cannot be stored in another order, or an empty
  /// string.
  StringRef findObstacleToPacking(te::ReadOp read) const;

  /// Returns the accesses of `compute`. What can be stored in any order is packable, and what may
  /// lie in a te.join is a part.
  SmallVector<Access> getAccesses(te::ComputeOp compute) const;

private:
  DenseMap<Value, SmallVector<te::ConstantOp, 1>> constants; ///< by parameter, of each launch
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_CONSTANTOPERANDS_H
