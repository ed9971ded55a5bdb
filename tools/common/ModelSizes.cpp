//===- ModelSizes.cpp - sizes of a model from the command line ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelSizes.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

/// Reads sizes between x, or a list of sizes, names and ?.
static bool parseShape(StringRef text, std::vector<tssa::GivenDim> &shape) {
  bool isList = text.consume_front("[");
  if (isList && !text.consume_back("]"))
    return false;
  SmallVector<StringRef> parts;
  if (!text.empty())
    text.split(parts, isList ? ',' : 'x');
  for (StringRef part : parts) {
    part = part.trim();
    int64_t size;
    if (!part.getAsInteger(10, size) && size >= 0)
      shape.push_back({size, {}});
    else if (isList && part == "?")
      shape.push_back({});
    else if (isList && !part.empty() && !isDigit(part[0]) && part[0] != '-')
      shape.push_back({std::nullopt, part.str()});
    else
      return false;
  }
  return true;
}

std::string tssa::readModelSizes(const ModelSizes &sizes, ImportOptions &options) {
  for (const std::string &text : sizes.dims) {
    auto [name, size] = StringRef(text).rsplit('=');
    int64_t value;
    if (name.empty() || size.getAsInteger(10, value) || value < 0)
      return "expected NAME=N for --dim, got '" + text + "'";
    if (!options.dims.insert({name, value}).second)
      return "--dim gives '" + name.str() + "' twice";
  }
  for (const std::string &text : sizes.shapes) {
    auto [name, extents] = StringRef(text).rsplit('=');
    std::vector<GivenDim> shape;
    if (name.empty() || !parseShape(extents, shape))
      return "expected NAME=1x3x224x224 or NAME=[N,3,?,?] for --input-shape, got '" + text + "'";
    if (!options.inputShapes.insert({name, shape}).second)
      return "--input-shape gives '" + name.str() + "' twice";
  }
  for (const std::string &text : sizes.constants) {
    auto [name, value] = StringRef(text).rsplit('=');
    if (name.empty() || value.empty())
      return "expected NAME=VALUE for --const, such as size=[224,224], got '" + text + "'";
    if (!options.constants.insert({name.str(), value.str()}).second)
      return "--const gives '" + name.str() + "' twice";
  }
  return {};
}
