//===- Node.cpp - a node of a model -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Operators/Node.h"

using namespace mlir;

namespace tssa::operators {

bool Node::has(StringRef attribute) const {
  return attributes.get(attribute) || tensors.contains(attribute) || subgraphs.contains(attribute);
}

int64_t Node::getInt(StringRef attribute, int64_t otherwise) const {
  auto value = dyn_cast_or_null<IntegerAttr>(attributes.get(attribute));
  return value ? value.getInt() : otherwise;
}

double Node::getFloat(StringRef attribute, double otherwise) const {
  auto value = dyn_cast_or_null<FloatAttr>(attributes.get(attribute));
  return value ? value.getValueAsDouble() : otherwise;
}

StringRef Node::getString(StringRef attribute, StringRef otherwise) const {
  auto value = dyn_cast_or_null<StringAttr>(attributes.get(attribute));
  return value ? value.getValue() : otherwise;
}

SmallVector<int64_t> Node::getInts(StringRef attribute, ArrayRef<int64_t> otherwise) const {
  auto value = dyn_cast_or_null<DenseI64ArrayAttr>(attributes.get(attribute));
  return SmallVector<int64_t>(value ? value.asArrayRef() : otherwise);
}

SmallVector<double> Node::getFloats(StringRef attribute, ArrayRef<double> otherwise) const {
  auto value = dyn_cast_or_null<DenseF32ArrayAttr>(attributes.get(attribute));
  if (!value)
    return SmallVector<double>(otherwise);
  return SmallVector<double>(value.asArrayRef().begin(), value.asArrayRef().end());
}

SmallVector<std::string> Node::getStrings(StringRef attribute) const {
  SmallVector<std::string> result;
  if (auto value = dyn_cast_or_null<ArrayAttr>(attributes.get(attribute)))
    for (auto string : value.getAsRange<StringAttr>())
      result.push_back(string.str());
  return result;
}

} // namespace tssa::operators
