//===- Leaves.h - values that cross regions -===//
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
#ifndef TSSA_LIB_IMPORT_TORCHSCRIPT_LEAVES_H
#define TSSA_LIB_IMPORT_TORCHSCRIPT_LEAVES_H

#include "lib/Import/TorchScript/Importer.h"

namespace tssa::torchscript {

/// The leaves of a value, of lists and tuples those of their elements.
void flatten(const Value &value, Values &leaves);
Values flattenAll(llvm::ArrayRef<Value> values);
/// A value of the structure of `like` with the next of `leaves`.
Value rebuild(Importer &importer, const Value &like, llvm::ArrayRef<Value> &leaves);
Values rebuildAll(Importer &importer, llvm::ArrayRef<Value> like, llvm::ArrayRef<Value> leaves);
/// Decides which lists `joined` are, rebuilt behind a branch or loop that gives either `left` or
/// `right`: one that both are stays itself. One of them that has a name outside may be `joined` or
/// not, so both are ambiguous from now on; so is a list that stands at two places.
void joinLists(Importer &importer, llvm::MutableArrayRef<Value> joined, llvm::ArrayRef<Value> left,
               llvm::ArrayRef<Value> right);
/// Marks the lists of these values, and those within, as ambiguous.
void markLists(Importer &importer, llvm::ArrayRef<Value> values);
/// Whether values have leaves at the same places.
bool haveSameStructure(llvm::ArrayRef<Value> left, llvm::ArrayRef<Value> right);

/// What is known of a leaf that is a value of an scf op.
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

} // namespace tssa::torchscript

#endif // TSSA_LIB_IMPORT_TORCHSCRIPT_LEAVES_H
