//===- Form.h - values that cross regions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a loop or branch carries is taken apart into leaves: tensors and numbers. Each that
/// changes becomes one value of the scf op.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_FORM_H
#define TSSA_LIB_IMPORT_PYTORCH_FORM_H

#include "lib/Import/PyTorch/Importer.h"

namespace tssa::pytorch {

/// What is known of a value that is one of an scf op.
struct Form {
  Value::Kind kind = Value::None;
  bool isNonNegative = false; ///< of an Int
  // Of a Tensor; sizes that are not known are null.
  mlir::Type type;
  DType dtype = DType::F32;
  llvm::SmallVector<std::optional<Size>> shape;
  bool isContiguous = false, isRowMajor = false;

  /// Of a leaf, as it is.
  static Form get(const Value &leaf);
  /// Forgets what does not hold of `leaf` too, or is not visible at the builder. False
  /// when the two cannot be one value.
  bool join(Importer &importer, const Value &leaf, bool &learned);
  mlir::Type getType(mlir::Builder &builder) const;
  /// The value of a leaf, to be yielded.
  mlir::Value build(Importer &importer, const Value &leaf) const;
  /// A leaf of this form that nothing reads.
  Value makePlaceholder(Importer &importer) const;
  /// The leaf that a value of the scf op is.
  Value wrap(Importer &importer, mlir::Value value) const;
};

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_FORM_H
