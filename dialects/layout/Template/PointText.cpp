//===- PointText.cpp - dims and counts in the texts of points -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/PointText.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

void layout::printFused(raw_ostream &stream, unsigned dim, unsigned fused) {
  for (unsigned other = dim - fused; other < dim; ++other)
    stream << 'd' << other << '*';
  stream << 'd' << dim;
}

void layout::printDims(raw_ostream &stream, StringRef name, ArrayRef<unsigned> dims) {
  if (!dims.empty())
    stream << ", " << name;
  for (unsigned dim : dims)
    stream << " d" << dim;
}

void layout::describeFused(raw_ostream &stream, unsigned dim, unsigned fused, const Roles &roles) {
  printFused(stream, dim, fused);
  stream << " (" << getName(roles[dim]) << ')';
}

void layout::describeOrder(raw_ostream &stream, StringRef begin, ArrayRef<unsigned> dims,
                           te::ComputeOp op, const Roles &roles) {
  for (unsigned dim : dims) {
    if (getExtent(op, roles, dim) == 1)
      continue;
    stream << begin << 'd' << dim;
    begin = " ";
  }
}

bool layout::parseDim(StringRef &rest, unsigned &dim) {
  rest = rest.ltrim();
  return rest.consume_front("d") && !rest.consumeInteger(10, dim);
}

bool layout::parseDims(StringRef &rest, SmallVectorImpl<unsigned> &dims) {
  while (!rest.empty())
    if (!parseDim(rest, dims.emplace_back()))
      return false;
  return !dims.empty();
}

bool layout::parseFused(StringRef &rest, unsigned &dim, unsigned &fused) {
  if (!parseDim(rest, dim))
    return false;
  for (; rest.consume_front("*"); ++fused) {
    unsigned last = dim;
    if (!parseDim(rest, dim) || dim != last + 1)
      return false;
  }
  return true;
}

bool layout::parseCount(StringRef &rest, int64_t &count) {
  rest = rest.ltrim();
  return !rest.consumeInteger(10, count) && count > 0;
}
