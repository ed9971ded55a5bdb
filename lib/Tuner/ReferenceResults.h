//===- ReferenceResults.h - what candidates must compute --------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_REFERENCERESULTS_H
#define LIB_TUNER_REFERENCERESULTS_H

#include "KernelLaunch.h"
#include "tssa/Reference/Compare.h"

namespace tssa::tuner {

/// The results of a kernel: all elements as the default computes them, and some of them as the
/// evaluator does.
class ReferenceResults {
public:
  /// `defaults` are the results of the launch of the default on `inputs`; they are copied.
  /// Evaluates at most `maxElements` elements of each result, which are chosen by `seed`. Fails if
  /// the defaults do not agree with them.
  static llvm::Expected<ReferenceResults> create(const KernelLaunch &launch,
                                                 llvm::ArrayRef<reference::HostValue> inputs,
                                                 llvm::ArrayRef<reference::HostTensor> defaults,
                                                 unsigned maxElements, uint64_t seed);

  /// The results of the default.
  llvm::ArrayRef<reference::HostTensor> getDefaults() const { return defaults; }
  /// Fails if results of a candidate differ from those of the default, or from the evaluator's.
  llvm::Error compare(llvm::ArrayRef<reference::HostTensor> results) const;

private:
  llvm::Error compareWithEvaluator(llvm::ArrayRef<reference::HostTensor> results) const;

  std::vector<reference::HostTensor> defaults;
  /// For each result, positions of elements, and the evaluator's values of these.
  std::vector<std::vector<int64_t>> elements;
  std::vector<reference::HostTensor> exact;
  /// For each result, how far it may be from the evaluator's.
  std::vector<reference::ComparePolicy> policies;
};

} // namespace tssa::tuner

#endif // LIB_TUNER_REFERENCERESULTS_H
