//===- Compare.cpp - compares tensors up to rounding ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Reference/Compare.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace tssa::reference;

static double getEpsilon(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return 0x1p-10;
  case ElementKind::BF16:
    return 0x1p-7;
  case ElementKind::F64:
    return 0x1p-52;
  default:
    return 0x1p-23;
  }
}

ComparePolicy ComparePolicy::forSums(ElementKind kind, int64_t numTerms) {
  if (!isFloat(kind))
    return exact();
  // Types of 16 bits accumulate in f32, and the result is rounded once.
  bool isHalf = kind == ElementKind::F16 || kind == ElementKind::BF16;
  double accumulator = kind == ElementKind::F64 ? 0x1p-52 : 0x1p-23;
  double sum = 8 * accumulator * std::sqrt(std::max<double>(numTerms, 1));
  double result = isHalf ? 2 * getEpsilon(kind) : 64 * getEpsilon(kind);
  return {std::max(sum, result), std::numeric_limits<float>::min()};
}

/// Returns the absolute error of `got`. It is infinite for integers that differ, and where
/// infinities or NaN do not agree.
static double getError(ElementKind kind, Scalar expected, Scalar got) {
  if (!isFloat(kind))
    return expected.i == got.i ? 0 : std::numeric_limits<double>::infinity();
  if (std::isnan(expected.f) && std::isnan(got.f))
    return 0;
  if (expected.f == got.f)
    return 0;
  double error = std::fabs(expected.f - got.f);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

static double getLargestMagnitude(const HostTensor &tensor) {
  double largest = 0;
  if (isFloat(tensor.getKind()))
    for (int64_t i = 0; i < tensor.getNumElements(); ++i)
      if (double value = tensor.get(i).f; std::isfinite(value))
        largest = std::max(largest, std::fabs(value));
  return largest;
}

ComparePolicy tssa::reference::allowRounding(ComparePolicy policy, const HostTensor &exact,
                                             const HostTensor &narrow) {
  Comparison difference = compare(exact, narrow, policy);
  if (difference.typeMismatch.empty() && std::isfinite(difference.largestError))
    policy.absolute += 4 * difference.largestError;
  return policy;
}

Comparison tssa::reference::compare(const HostTensor &expected, const HostTensor &got,
                                    const ComparePolicy &policy) {
  Comparison result;
  result.kind = expected.getKind();
  result.numElements = expected.getNumElements();
  if (expected.getKind() != got.getKind() || expected.getShape() != got.getShape()) {
    result.agrees = false;
    result.typeMismatch = "expected " + expected.describeType() + ", got " + got.describeType();
    return result;
  }
  result.largestMagnitude = getLargestMagnitude(expected);
  double allowed = policy.absolute + policy.relative * result.largestMagnitude;
  int64_t worst = -1;
  for (int64_t i = 0; i < expected.getNumElements(); ++i) {
    double error = getError(result.kind, expected.get(i), got.get(i));
    result.numMismatches += error > allowed;
    if (error > result.largestError) {
      result.largestError = error;
      worst = i;
    }
  }
  result.agrees = result.numMismatches == 0;
  if (worst < 0)
    return result;
  result.expected = expected.get(worst);
  result.got = got.get(worst);
  result.worstIndex.resize(expected.getRank());
  for (int64_t dim = expected.getRank(), rest = worst; dim-- > 0; rest /= expected.getShape()[dim])
    result.worstIndex[dim] = rest % expected.getShape()[dim];
  return result;
}

std::string Comparison::describe() const {
  if (!typeMismatch.empty())
    return typeMismatch;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << numMismatches << " of " << numElements << " elements differ";
  if (largestError == 0)
    return text;
  stream << ", most at [";
  llvm::interleaveComma(worstIndex, stream);
  stream << "]: expected ";
  printScalar(stream, kind, expected);
  stream << ", got ";
  printScalar(stream, kind, got);
  if (isFloat(kind) && std::isfinite(largestError)) {
    stream << " (error " << llvm::format("%.2e", largestError);
    stream << ", largest magnitude " << llvm::format("%.2e", largestMagnitude) << ")";
  }
  return text;
}
