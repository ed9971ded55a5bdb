//===- ModelSizes.cpp - sizes of a model from the command line ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelSizes.h"

using namespace llvm;

static bool parseShape(StringRef text, SmallVectorImpl<int64_t> &shape) {
  SmallVector<StringRef> parts;
  if (!text.empty())
    text.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t size;
    if (part.getAsInteger(10, size) || size < 0)
      return false;
    shape.push_back(size);
  }
  return true;
}

std::string tssa::readModelSizes(ArrayRef<std::string> dims, ArrayRef<std::string> shapes,
                                 StringMap<int64_t> &sizeOfDim,
                                 StringMap<SmallVector<int64_t>> &shapeOfInput) {
  for (const std::string &text : dims) {
    auto [name, size] = StringRef(text).rsplit('=');
    int64_t value;
    if (name.empty() || size.getAsInteger(10, value) || value < 0)
      return "expected NAME=N for --dim, got '" + text + "'";
    if (!sizeOfDim.insert({name, value}).second)
      return "--dim gives '" + name.str() + "' twice";
  }
  for (const std::string &text : shapes) {
    auto [name, sizes] = StringRef(text).rsplit('=');
    SmallVector<int64_t> shape;
    if (name.empty() || !parseShape(sizes, shape))
      return "expected NAME=1x3x224x224 for --input-shape, got '" + text + "'";
    if (!shapeOfInput.insert({name, shape}).second)
      return "--input-shape gives '" + name.str() + "' twice";
  }
  return {};
}
