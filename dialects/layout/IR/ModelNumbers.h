//===- ModelNumbers.h - models of machines as named numbers -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the models of machines share. Each is a struct of numbers with a table of their names.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_IR_MODELNUMBERS_H
#define DIALECTS_LAYOUT_IR_MODELNUMBERS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tssa::layout {

/// A number of a model: its name in text, where it is, and its limits; it is at least 1, unless it
/// is optional.
template <typename Model> struct ModelField {
  StringLiteral name;
  int64_t Model::*value;
  int64_t most;
  bool isPowerOf2;
  bool isOptional = false; ///< whether it may be 0; the text does not have it then
};

template <typename Model>
bool areEqual(ArrayRef<ModelField<Model>> fields, const Model &a, const Model &b) {
  return llvm::all_of(
      fields, [&](const ModelField<Model> &field) { return a.*field.value == b.*field.value; });
}

template <typename Model>
llvm::hash_code hashNumbers(ArrayRef<ModelField<Model>> fields, const Model &model) {
  llvm::hash_code hash(0);
  for (const ModelField<Model> &field : fields)
    hash = llvm::hash_combine(hash, model.*field.value);
  return hash;
}

/// Calls `fail` for the first number that is not within its limits.
template <typename Model>
LogicalResult checkNumbers(ArrayRef<ModelField<Model>> fields, const Model &model,
                           function_ref<void(const Twine &)> fail) {
  for (const ModelField<Model> &field : fields) {
    int64_t value = model.*field.value;
    if (field.isOptional && value == 0)
      continue;
    if (value >= 1 && value <= field.most && (!field.isPowerOf2 || llvm::isPowerOf2_64(value)))
      continue;
    fail("expects '" + field.name + "' to be " + (field.isPowerOf2 ? "a power of 2 " : "") +
         "from 1 to " + Twine(field.most) + ", got " + Twine(value));
    return failure();
  }
  return success();
}

/// Prints "<name = 1, other = 2>".
template <typename Model>
void printNumbers(raw_ostream &stream, ArrayRef<ModelField<Model>> fields, const Model &model) {
  stream << '<';
  bool isFirst = true;
  for (const ModelField<Model> &field : fields)
    if (!field.isOptional || model.*field.value != 0)
      stream << (std::exchange(isFirst, false) ? "" : ", ") << field.name << " = "
             << model.*field.value;
  stream << '>';
}

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_IR_MODELNUMBERS_H
