//===- Value.cpp - a value of a recorded program during its import -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Value.h"

#include <cstring>

using namespace llvm;

namespace tssa::pytorch {

Value Value::tensor(TensorRef ref) {
  Value value;
  value.tag = Tensor;
  value.ref = std::make_shared<TensorRef>(std::move(ref));
  return value;
}

Value Value::integer(const Size &size) {
  Value value;
  value.tag = Int;
  value.size = size;
  return value;
}

Value Value::number(double number) {
  Value value;
  value.tag = Float;
  value.known = number;
  return value;
}

Value Value::number(mlir::Value scalar) {
  Value value;
  value.tag = Float;
  value.scalar = scalar;
  return value;
}

Value Value::truth(bool truth) {
  Value value;
  value.tag = Bool;
  value.known = truth;
  return value;
}

Value Value::truth(mlir::Value scalar) {
  Value value;
  value.tag = Bool;
  value.scalar = scalar;
  return value;
}

Value Value::string(StringRef text) {
  Value value;
  value.tag = String;
  value.text = std::make_shared<std::string>(text);
  return value;
}

Value Value::list(ArrayRef<Value> elements) {
  Value value = tuple(elements);
  value.tag = List;
  return value;
}

Value Value::tuple(ArrayRef<Value> elements) {
  Value value;
  value.tag = Tuple;
  value.elements = std::make_shared<std::vector<Value>>(elements.begin(), elements.end());
  return value;
}

Value Value::uninitialized() {
  Value value;
  value.tag = Uninitialized;
  return value;
}

StringRef Value::describe() const {
  static constexpr StringLiteral names[] = {"None", "Tensor", "int",   "float",        "bool",
                                            "str",  "list",   "tuple", "uninitialized"};
  return names[tag];
}

std::optional<double> Value::getConstant() const {
  if (tag != Int)
    return known;
  std::optional<int64_t> constant = size.constant();
  return constant ? std::optional<double>(*constant) : std::nullopt;
}

std::optional<int64_t> Value::getConstantInt() const {
  if (tag == Bool && known)
    return *known != 0;
  return tag == Int ? size.constant() : std::nullopt;
}

std::optional<bool> Value::getConstantBool() const {
  return tag == Bool && known ? std::optional(*known != 0) : std::nullopt;
}

bool Value::isSame(const Value &other) const {
  if (tag != other.tag)
    return false;
  switch (tag) {
  case None:
  case Uninitialized:
    return true;
  case Tensor:
    return ref->ref == other.ref->ref;
  case Int:
    return size == other.size;
  case Float:
  case Bool:
    if (known && other.known)
      return std::memcmp(&*known, &*other.known, sizeof(double)) == 0;
    return scalar && scalar == other.scalar;
  case String:
    return *text == *other.text;
  case List:
  case Tuple:
    return elements->size() == other.elements->size() &&
           llvm::all_of(llvm::zip(*elements, *other.elements), [](const auto &pair) {
             return std::get<0>(pair).isSame(std::get<1>(pair));
           });
  }
  return false;
}

} // namespace tssa::pytorch
