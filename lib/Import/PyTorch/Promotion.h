//===- Promotion.h - PyTorch's rules for element types of results -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_PROMOTION_H
#define TSSA_LIB_IMPORT_PYTORCH_PROMOTION_H

#include "lib/Import/PyTorch/Value.h"

namespace tssa::pytorch {

/// Returns the common type of two types, as torch.promote_types does. Returns nothing if PyTorch
/// has none: for an unsigned integer of more than 8 bits and another type of integer.
std::optional<DType> promote(DType lhs, DType rhs);

/// Determines the type of a computation from its operands. Tensors with dims take precedence over
/// tensors without, and these over Python numbers, unless the operands of lower precedence are
/// of a higher category. The categories ascend from bool over integer to float.
class ResultType {
public:
  void addTensor(DType type, bool hasDims);
  /// Adds a Python number: an int is i64, a float has the default type f32.
  void addNumber(Value::Kind kind);
  /// Returns the type, or nothing if PyTorch refuses the operands.
  std::optional<DType> get() const;

private:
  void add(std::optional<DType> &group, DType type);
  std::optional<DType> withDims, withoutDims, numbers;
  bool isRefused = false;
};

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_PROMOTION_H
