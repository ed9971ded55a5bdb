//===- Compare.h - whether two tensors mean the same -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_REFERENCE_COMPARE_H
#define TSSA_REFERENCE_COMPARE_H

#include "tssa/Reference/HostTensor.h"

namespace tssa::reference {

/// How far floats may be apart. Integers, NaN and infinities must agree.
struct ComparePolicy {
  /// Allowed error over the largest finite magnitude of the expected tensor.
  double relative = 0;
  /// Allowed error of any element.
  double absolute = 0;

  /// Every bit that matters.
  static ComparePolicy exact() { return {}; }
  /// The bound for a sum of `numTerms` products in `kind` or wider, whose errors
  /// are independent: 8 eps sqrt(K), never below what rounding the result costs.
  static ComparePolicy forSums(ElementKind kind, int64_t numTerms);
};

struct Comparison {
  bool agrees = true;
  /// Set when the tensors differ in type or shape.
  std::string typeMismatch;
  int64_t numMismatches = 0;
  /// The element that is furthest out.
  llvm::SmallVector<int64_t> worstIndex;
  Scalar expected = makeInt(0), got = makeInt(0);
  ElementKind kind = ElementKind::F32;
  double largestError = 0, largestMagnitude = 0;

  /// "3 of 60 elements differ, most at [0, 4]: expected 1.5, got 1.25 (...)".
  std::string describe() const;
  int64_t numElements = 0;
};

/// `policy` for a computation that amplifies rounding: `narrow` is what it gives
/// when every step of a sum is rounded as written, and right answers may be a few
/// times as far from the exact one as that is.
ComparePolicy allowRounding(ComparePolicy policy, const HostTensor &exact,
                            const HostTensor &narrow);

Comparison compare(const HostTensor &expected, const HostTensor &got, const ComparePolicy &policy);

} // namespace tssa::reference

#endif // TSSA_REFERENCE_COMPARE_H
