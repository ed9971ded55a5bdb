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

using runtime::Labels;

/// A handle of a tensor. Copies of the handle refer to the same tensor. A default-constructed
/// handle is null and represents an optional input that is not given.
///
/// Small integer and bool tensors may have *contents*: their elements as Sizes, row-major.
/// Such a tensor gets an SSA value only when `Builder::value` is called. Therefore the shape
/// arithmetic that exporters emit usually leaves no code.
///
/// A tensor of *strings* has elements of type i64, the indexes of its strings in a table that is
/// known when the program is built. Only operators that say so take such tensors (OperatorRow.h).
/// *Maps* are the rows of a tensor with a key for each column, a result of ZipMap.
///
/// A *sequence* consists of tensors of one element type, its parts. There are three forms:
///
/// - A *list* has a known number of parts.
/// - A *stacked* sequence has parts of one shape. They are the slices of one tensor along its first
///   dim, so only a run has to know how many there are.
/// - A *carried* sequence is what an iteration of a loop takes from the one before it. Only the
///   parts that this iteration appends are known.
///
/// An *optional* is the rows of a tensor of which only a run knows whether there is one or none.
/// An *absent* tensor is an optional that is known to hold no tensor; one that is known to hold a
/// tensor is that tensor. Sequences, maps, optionals and absent tensors exist only while the
/// program is built and have no SSA value. Only the operators for sequences and optionals accept
/// them.
class Tensor {
public:
  Tensor() = default;
  Tensor(DType type, llvm::ArrayRef<Size> shape);

  static Tensor makeSequence(DType type, llvm::ArrayRef<Tensor> elements);
  static Tensor makeStacked(const Tensor &rows);
  static Tensor makeCarried(DType type, const void *origin, llvm::ArrayRef<Tensor> appended);
  /// `rows` has one row at most, which a requirement of the program says.
  static Tensor makeOptional(const Tensor &rows);
  static Tensor makeAbsent(DType type);
  /// `rows` has rank 2 and a column for each key.
  static Tensor makeMaps(const Tensor &rows, std::shared_ptr<const Labels> keys);
  bool isSequence() const { return isList() || isStacked() || isCarried(); }
  bool isList() const { return data->kind == Kind::List; }
  bool isStacked() const { return data->kind == Kind::Stacked; }
  bool isCarried() const { return data->kind == Kind::Carried; }
  bool isOptional() const { return data->kind == Kind::Optional; }
  bool isAbsent() const { return data->kind == Kind::Absent; }
  bool isMaps() const { return data->kind == Kind::Maps; }
  /// Whether this is a tensor: no sequence, no maps and no optional.
  bool isPlain() const { return data->kind == Kind::Plain; }
  /// Returns the parts of a list, or the parts that were appended to a carried sequence.
  llvm::ArrayRef<Tensor> elements() const { return data->elements; }
  /// Returns the tensor that has the parts of a stacked sequence, the values of maps, or what an
  /// optional holds, as its first dim.
  const Tensor &rows() const { return data->elements.front(); }
  /// Returns what identifies the carried sequence without the parts that were appended to it.
  const void *origin() const { return data->origin; }

  /// Returns this tensor of type i64 as a tensor of the strings that its elements are indexes of.
  Tensor withStrings(std::shared_ptr<const Labels> strings) const;
  bool hasStrings() const { return data->kind == Kind::Plain && data->labels; }
  /// Returns the table of strings, or the keys of maps; else null.
  const std::shared_ptr<const Labels> &labels() const { return data->labels; }

  explicit operator bool() const { return data != nullptr; }
  DType dtype() const { return data->type; }
  llvm::ArrayRef<Size> shape() const { return data->shape; }
  int64_t rank() const { return data->shape.size(); }
  const Size &dim(int64_t index) const { return data->shape[index]; }
  Size numElements() const { return product(shape()); }
  /// Returns the shape if all sizes are constant, else nothing.
  std::optional<llvm::SmallVector<int64_t>> staticShape() const;

  bool hasContents() const { return data->contents.has_value(); }
  llvm::ArrayRef<Size> contents() const { return *data->contents; }
  /// Returns the elements if they are constant, else null.
  mlir::ElementsAttr constant() const { return data->constant; }

  /// Returns a text for messages, such as `f32[N,3,224]` or `sequence of 2 f32`.
  std::string str() const;

private:
  friend class Builder;
  enum class Kind { Plain, List, Stacked, Carried, Optional, Absent, Maps };
  struct Data {
    Kind kind = Kind::Plain;
    DType type;
    llvm::SmallVector<Size, 4> shape;
    std::optional<llvm::SmallVector<Size>> contents;
    mlir::ElementsAttr constant;
    std::vector<Tensor> elements;
    const void *origin = nullptr;
    std::shared_ptr<const Labels> labels;
    llvm::SmallVector<mlir::Value, 1> values; ///< one per region that uses the tensor
  };
  std::shared_ptr<Data> data;
};

} // namespace tssa::operators

#endif // TSSA_BUILDER_TENSOR_H
