//===- Compare.h - compares tensors up to rounding --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_REFERENCE_COMPARE_H
#define TSSA_REFERENCE_COMPARE_H

#include "tssa/Reference/HostTensor.h"

namespace tssa::reference {

/// The largest accepted error of floats. Integers, NaN and infinities must be equal.
struct ComparePolicy {
  /// Relative to the largest finite magnitude of the expected tensor.
  double relative = 0;
  /// The absolute error accepted for any element.
  double absolute = 0;

  /// Accepts no error.
  static ComparePolicy exact() { return {}; }
  /// The error bound for a sum of `numTerms` products that is accumulated in `kind` or wider: 8 eps
  /// sqrt(numTerms), as if the errors of the terms were independent. It is never below the error of
  /// rounding the result.
  static ComparePolicy forSums(ElementKind kind, int64_t numTerms);
};

struct Comparison {
  bool agrees = true;
  /// Describes how the tensors differ in type or shape; empty if they do not.
  std::string typeMismatch;
  int64_t numMismatches = 0;
  /// The index of the element with the largest error.
  llvm::SmallVector<int64_t> worstIndex;
  Scalar expected = makeInt(0), got = makeInt(0);
  ElementKind kind = ElementKind::F32;
  double largestError = 0, largestMagnitude = 0;

  /// Describes the mismatch, such as "3 of 60 elements differ, most at [0, 4]: expected 1.5,
  /// got 1.25 (...)".
  std::string describe() const;
  int64_t numElements = 0;
};

/// Widens `policy` for a computation that amplifies rounding. `exact` is the result without
/// rounding inside of sums, and `narrow` the result with each step of a sum rounded as written. The
/// bound grows by four times their largest difference, because correct results may be a few times
/// as far from `exact` as `narrow` is.
ComparePolicy allowRounding(ComparePolicy policy, const HostTensor &exact,
                            const HostTensor &narrow);

Comparison compare(const HostTensor &expected, const HostTensor &got, const ComparePolicy &policy);

} // namespace tssa::reference

#endif // TSSA_REFERENCE_COMPARE_H
