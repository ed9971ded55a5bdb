//===- Promotion.h - PyTorch's element types of results -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_PROMOTION_H
#define TSSA_LIB_IMPORT_PYTORCH_PROMOTION_H

#include "lib/Import/PyTorch/Value.h"

namespace tssa::pytorch {

/// The smallest type that holds both, as torch.promote_types; nothing where PyTorch has
/// none (unsigned integers of more than 8 bits with others).
std::optional<DType> promote(DType lhs, DType rhs);

/// The type that operands are computed in. Tensors with dims decide before those without,
/// and these before Python numbers, unless the later is of a higher category: bool, integer,
/// float.
class ResultType {
public:
  void addTensor(DType type, bool hasDims);
  /// A Python number: an int is i64, a float the default type f32.
  void addNumber(Value::Kind kind);
  /// Nothing when PyTorch refuses the operands.
  std::optional<DType> get() const;

private:
  void add(std::optional<DType> &group, DType type);
  std::optional<DType> withDims, withoutDims, numbers;
  bool isRefused = false;
};

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_PROMOTION_H
