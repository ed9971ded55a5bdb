//===- SampleElements.h - the elements that are checked ---------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_SAMPLEELEMENTS_H
#define LIB_TUNER_SAMPLEELEMENTS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace tssa::tuner {

/// Chooses up to `count` elements of a tensor, and at least its corners: elements near the end of
/// each dim, where loops have their tails, and random ones. These are all elements if there are no
/// more than `count`. Returns their positions in row-major order, sorted. Equal seeds give equal
/// elements.
std::vector<int64_t> sampleElements(llvm::ArrayRef<int64_t> shape, unsigned count, uint64_t seed);

} // namespace tssa::tuner

#endif // LIB_TUNER_SAMPLEELEMENTS_H
