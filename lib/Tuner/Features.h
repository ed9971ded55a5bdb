//===- Features.h - numbers that describe a point ---------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_FEATURES_H
#define LIB_TUNER_FEATURES_H

#include "dialects/layout/Template/KnobSpace.h"
#include "tssa/Search/CostModel.h"

namespace tssa::tuner {

/// Returns the features of `point`, all in closed form: what the draft predicts and why, the knobs,
/// tails, and how the accesses move along the dims of the tile. `cycles` is the predicted time of
/// the whole kernel. Counts and times are logarithms.
search::Features getFeatures(const mlir::tssa::layout::KnobSpace &space,
                             const mlir::tssa::layout::Point &point, double cycles);

/// Returns their names, in order, which are the same for all points of all expressions.
std::vector<std::string> getFeatureNames(const mlir::tssa::layout::KnobSpace &space,
                                         const mlir::tssa::layout::Point &point);

} // namespace tssa::tuner

#endif // LIB_TUNER_FEATURES_H
