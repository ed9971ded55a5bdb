//===- Value.h - a value of a recorded program during its import -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_VALUE_H
#define TSSA_LIB_IMPORT_PYTORCH_VALUE_H

#include "tssa/Builder/Builder.h"

namespace tssa::pytorch {

using operators::DType;
using operators::Size;
using operators::Tensor;
using Sizes = llvm::SmallVector<Size>;

/// A torch tensor: a ref, and the known layout of the tensor in eager PyTorch. The layout
/// determines whether `view`, `reshape` and `contiguous` copy.
struct TensorRef {
  mlir::Value ref;
  DType dtype = DType::F32;
  Sizes shape;
  /// The strides in elements; nothing if they are not known.
  std::optional<Sizes> strides;
  /// Whether strides never increase from one dim to the next, not counting dims of size 1 and
  /// broadcast dims. Element-wise results of such tensors are contiguous.
  bool isRowMajor = true;

  int64_t rank() const { return shape.size(); }
};

class Value;
using Values = llvm::SmallVector<Value, 1>;

/// A value of a recorded program: a tensor, or a number, string, list or tuple of Python.
class Value {
public:
  enum Kind { None, Tensor, Int, Float, Bool, String, List, Tuple, Uninitialized };

  Value() = default;
  static Value tensor(TensorRef ref);
  static Value integer(const Size &size);
  static Value number(double value);
  static Value number(mlir::Value value);
  static Value truth(bool value);
  static Value truth(mlir::Value value);
  static Value string(llvm::StringRef text);
  static Value list(llvm::ArrayRef<Value> elements);
  static Value tuple(llvm::ArrayRef<Value> elements);
  static Value uninitialized();

  Kind kind() const { return tag; }
  bool is(Kind other) const { return tag == other; }
  bool isNumber() const { return tag == Int || tag == Float || tag == Bool; }
  bool isSequence() const { return tag == List || tag == Tuple; }
  /// Returns the name of the kind for messages, such as "int" or "Tensor".
  llvm::StringRef describe() const;

  const TensorRef &getTensor() const { return *ref; }
  const Size &getSize() const { return size; }
  llvm::StringRef getText() const { return *text; }
  /// Returns a float or bool if it is known at import; otherwise nothing.
  std::optional<double> getKnown() const { return known; }
  /// Returns the SSA value, of type f64 or i1, of a float or bool that is not known.
  mlir::Value getScalar() const { return scalar; }
  llvm::ArrayRef<Value> getElements() const { return *elements; }

  /// These return an int, float or bool if it is known at import; otherwise nothing.
  std::optional<double> getConstant() const;
  std::optional<int64_t> getConstantInt() const;
  std::optional<bool> getConstantBool() const;

  /// Returns whether this value and `other` are known to be the same.
  bool isSame(const Value &other) const;

private:
  Kind tag = None;
  std::optional<double> known;
  mlir::Value scalar;
  Size size;
  std::shared_ptr<TensorRef> ref;
  std::shared_ptr<std::string> text;
  std::shared_ptr<std::vector<Value>> elements;
};

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_VALUE_H
