//===- Conversions.h - tensors in another layout -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_CONVERSIONS_H
#define DIALECTS_LAYOUT_TRANSFORMS_CONVERSIONS_H

#include "dialects/layout/Algebra/TensorLayout.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::tssa::layout {

/// Converts tensors of the host program to other layouts: a constant at compile time, any other
/// tensor by a kernel that runs directly after its definition. A tensor is converted once to each
/// layout. Cells without an element are zero, except in a constant whose elements all have another
/// value. A remark has the bytes that a conversion writes.
class Conversions {
public:
  /// The names of the kernels begin with this.
  static constexpr StringLiteral kernelName = "convert";

  explicit Conversions(SymbolTable &symbols) : symbols(symbols) {}

  /// Returns `value`, which is stored in the layout `from`, in the layout `to`. Both layouts are of
  /// the same logical tensor. The caller must use the result.
  Value convert(Value value, const TensorLayout &from, const TensorLayout &to);

  /// Returns whether `value` is a conversion whose cells without an element are zero. To be called
  /// before `outline`.
  bool hasZeroPadding(Value value) const { return zeroPadded.contains(value); }

  /// Moves the conversions at run time into kernels.
  void outline();

private:
  struct Converted {
    TensorLayout layout;
    Value value;
  };

  Value convertConstant(te::ConstantOp constant, const TensorLayout &to);
  Value buildConversion(Value value, const TensorLayout &from, const TensorLayout &to);

  SymbolTable &symbols;
  llvm::DenseMap<Value, std::vector<Converted>> known;
  llvm::DenseSet<Value> zeroPadded;
  SmallVector<te::ComputeOp> pending; ///< expressions of the host program
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_CONVERSIONS_H
