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

/// The spaces of the expressions of a kernel. The last one is the root's.
using ExpressionSpaces = llvm::ArrayRef<std::unique_ptr<mlir::tssa::layout::KnobSpace>>;

/// Returns the features of `point`, all in closed form: what the draft predicts and why, and of the
/// root also the knobs, tails, and how the accesses move along the dims of the tile. What the other
/// expressions need is added up. Counts and times are logarithms.
search::Features getFeatures(ExpressionSpaces spaces,
                             llvm::ArrayRef<mlir::tssa::layout::Point> point);

/// Returns their names, in order, which are the same for all points of all kernels.
std::vector<std::string> getFeatureNames(ExpressionSpaces spaces,
                                         llvm::ArrayRef<mlir::tssa::layout::Point> point);

} // namespace tssa::tuner

#endif // LIB_TUNER_FEATURES_H
