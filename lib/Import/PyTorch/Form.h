//===- Form.h - values that cross regions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The values that a loop carries or a branch returns are flattened into leaves, which are
/// tensors and numbers. Each leaf that changes becomes one operand or result of the scf op.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_FORM_H
#define TSSA_LIB_IMPORT_PYTORCH_FORM_H

#include "lib/Import/PyTorch/Importer.h"

namespace tssa::pytorch {

/// The known properties of a leaf that is an operand or result of an scf op.
struct Form {
  Value::Kind kind = Value::None;
  bool isNonNegative = false; ///< for an Int
  // For a Tensor; an unknown size is nullopt.
  mlir::Type type;
  DType dtype = DType::F32;
  llvm::SmallVector<std::optional<Size>> shape;
  bool isContiguous = false, isRowMajor = false;

  /// Returns the form with all known properties of `leaf`.
  static Form get(const Value &leaf);
  /// Reduces this form to what also holds for `leaf`: drops the properties that `leaf` does not
  /// have, and sizes that are not visible at the builder's insertion point. Sets `learned` if
  /// that changed the form. Returns false if no form can represent both.
  bool join(Importer &importer, const Value &leaf, bool &learned);
  /// Forgets the size of a dim of a tensor.
  void forgetSize(size_t dim);
  mlir::Type getType(mlir::Builder &builder) const;
  /// Returns the SSA value of `leaf`, to be yielded as this form.
  mlir::Value build(Importer &importer, const Value &leaf) const;
  /// Returns an arbitrary leaf of this form, for results that are never read.
  Value makePlaceholder(Importer &importer) const;
  /// Returns the leaf for `value`, an operand or result of the scf op.
  Value wrap(Importer &importer, mlir::Value value) const;
};

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_FORM_H
