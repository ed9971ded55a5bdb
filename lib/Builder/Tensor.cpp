//===- Tensor.cpp - a tensor while a program is built -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tssa::operators {

Tensor::Tensor(DType type, ArrayRef<Size> shape) : data(std::make_shared<Data>()) {
  data->type = type;
  data->shape.assign(shape.begin(), shape.end());
}

Tensor Tensor::makeSequence(DType type, ArrayRef<Tensor> elements) {
  Tensor tensor(type, {});
  tensor.data->kind = Kind::List;
  tensor.data->elements = elements.vec();
  return tensor;
}

Tensor Tensor::makeStacked(const Tensor &rows) {
  Tensor tensor(rows.dtype(), {});
  tensor.data->kind = Kind::Stacked;
  tensor.data->elements = {rows};
  return tensor;
}

Tensor Tensor::makeCarried(DType type, const void *origin, ArrayRef<Tensor> appended) {
  Tensor tensor = makeSequence(type, appended);
  tensor.data->kind = Kind::Carried;
  tensor.data->origin = origin;
  return tensor;
}

Tensor Tensor::makeOptional(const Tensor &rows) {
  Tensor tensor = makeStacked(rows);
  tensor.data->kind = Kind::Optional;
  return tensor;
}

Tensor Tensor::makeAbsent(DType type) {
  Tensor tensor(type, {});
  tensor.data->kind = Kind::Absent;
  return tensor;
}

Tensor Tensor::makeMaps(const Tensor &rows, std::shared_ptr<const Labels> keys) {
  Tensor tensor = makeStacked(rows);
  tensor.data->kind = Kind::Maps;
  tensor.data->labels = std::move(keys);
  return tensor;
}

Tensor Tensor::withStrings(std::shared_ptr<const Labels> strings) const {
  Tensor tensor;
  tensor.data = std::make_shared<Data>(*data);
  tensor.data->labels = std::move(strings);
  return tensor;
}

std::optional<SmallVector<int64_t>> Tensor::staticShape() const {
  SmallVector<int64_t> result;
  for (const Size &size : shape()) {
    std::optional<int64_t> constant = size.constant();
    if (!constant)
      return std::nullopt;
    result.push_back(*constant);
  }
  return result;
}

std::string Tensor::str() const {
  if (isList())
    return "sequence of " + std::to_string(elements().size()) + " " + getName(dtype());
  if (isStacked())
    return "sequence of the rows of " + rows().str();
  if (isCarried())
    return std::string("sequence of ") + getName(dtype()) + " of a loop";
  if (isOptional())
    return "row that " + rows().str() + " may have";
  if (isAbsent())
    return std::string("optional ") + getName(dtype()) + " without a tensor";
  if (isMaps())
    return "maps with the rows of " + rows().str();
  std::string text = hasStrings() ? "string" : getName(dtype());
  raw_string_ostream os(text);
  os << "[";
  interleave(shape(), os, [&](const Size &size) { os << size.str(); }, ",");
  os << "]";
  return text;
}

} // namespace tssa::operators
