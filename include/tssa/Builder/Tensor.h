//===- Tensor.h - a tensor while a program is built -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_TENSOR_H
#define TSSA_BUILDER_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "tssa/Builder/DType.h"
#include "tssa/Builder/Size.h"

namespace tssa::operators {

/// A handle: copies are the same tensor. A default-made one is null and stands
/// for an optional input that is not given.
///
/// Small integer and bool tensors may have *contents*: their elements as Sizes,
/// row-major. Such a tensor is no value of the program until one is asked for
/// (`Builder::value`), so that the shape arithmetic of exporters vanishes.
///
/// A *sequence* is a list of tensors of one element type, an *absent* tensor an optional
/// without one. Both are known while the program is built and are no values of it: only
/// operators that say so take them.
class Tensor {
public:
  Tensor() = default;
  Tensor(DType type, llvm::ArrayRef<Size> shape);

  static Tensor makeSequence(DType type, llvm::ArrayRef<Tensor> elements);
  static Tensor makeAbsent(DType type);
  bool isSequence() const { return data->kind == Kind::Sequence; }
  bool isAbsent() const { return data->kind == Kind::Absent; }
  /// Whether it is a tensor and nothing else.
  bool isPlain() const { return data->kind == Kind::Plain; }
  /// Of a sequence.
  llvm::ArrayRef<Tensor> elements() const { return data->elements; }

  explicit operator bool() const { return data != nullptr; }
  DType dtype() const { return data->type; }
  llvm::ArrayRef<Size> shape() const { return data->shape; }
  int64_t rank() const { return data->shape.size(); }
  const Size &dim(int64_t index) const { return data->shape[index]; }
  Size numElements() const { return product(shape()); }
  /// The constant sizes, if all are.
  std::optional<llvm::SmallVector<int64_t>> staticShape() const;

  bool hasContents() const { return data->contents.has_value(); }
  llvm::ArrayRef<Size> contents() const { return *data->contents; }
  /// The elements when they are known now; null otherwise.
  mlir::ElementsAttr constant() const { return data->constant; }

  /// `f32[N,3,224]`, `sequence of 2 f32`, for people.
  std::string str() const;

private:
  friend class Builder;
  enum class Kind { Plain, Sequence, Absent };
  struct Data {
    Kind kind = Kind::Plain;
    DType type;
    llvm::SmallVector<Size, 4> shape;
    std::optional<llvm::SmallVector<Size>> contents;
    mlir::ElementsAttr constant;
    std::vector<Tensor> elements;
    llvm::SmallVector<mlir::Value, 1> values; ///< one per region it is needed in
  };
  std::shared_ptr<Data> data;
};

} // namespace tssa::operators

#endif // TSSA_BUILDER_TENSOR_H
