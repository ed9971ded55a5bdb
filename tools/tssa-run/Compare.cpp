//===- Compare.cpp -------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Compare.h"

#include "tssa/Runtime/Elements.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tssa::run;
using namespace tssa::runtime;

std::string tssa::run::describe(const Tensor &tensor) {
  std::string text = std::string(getName(tensor.dtype)) + "[";
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(tensor.shape[i]);
  return text + "]";
}

static void compareElement(double out, double reference, bool integer, double rtol, double atol,
                           Difference &difference) {
  double absolute = std::fabs(out - reference);
  if (integer) // 64-bit integers that differ may be the same double
    absolute = std::max(absolute, 1.0);
  else if (out == reference || (std::isnan(out) && std::isnan(reference)))
    return;
  else if (!std::isfinite(out) || !std::isfinite(reference))
    absolute = std::numeric_limits<double>::infinity();
  double relative = std::isfinite(reference) ? absolute / std::fabs(reference)
                                             : std::numeric_limits<double>::infinity();
  difference.maxAbsolute = std::max(difference.maxAbsolute, absolute);
  difference.maxRelative = std::max(difference.maxRelative, relative);
  difference.mismatches +=
      !(std::isfinite(absolute) && absolute <= atol + rtol * std::fabs(reference));
}

Difference tssa::run::compare(const std::string &name, const Tensor &output,
                              const Tensor &reference, double rtol, double atol) {
  Difference difference;
  difference.name = name;
  if (output.dtype != reference.dtype || output.shape != reference.shape) {
    difference.incomparable = "expected " + describe(reference) + ", got " + describe(output);
    return difference;
  }
  difference.count = output.getByteSize() / getByteSize(output.dtype);
  bool integer = !isFloat(output.dtype);
  for (int64_t i = 0; i < difference.count; ++i) {
    double expected = getElement(reference, i);
    if (std::isfinite(expected))
      difference.maxReference = std::max(difference.maxReference, std::fabs(expected));
    if (!sameElement(output, reference, i))
      compareElement(getElement(output, i), expected, integer, rtol, atol, difference);
  }
  return difference;
}
