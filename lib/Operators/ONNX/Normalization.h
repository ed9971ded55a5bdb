//===- Normalization.h - normalisation over the last dims -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_NORMALIZATION_H
#define TSSA_LIB_OPERATORS_ONNX_NORMALIZATION_H

#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// How the dims from `axis` on are normalised: by mean and variance, or by the mean of the
/// squares alone. `scale` and `bias` broadcast to x; either may be
/// null. The result has the type of the scale, if there is one.
struct LayerOptions {
  int64_t axis;
  double epsilon;
  bool isCentered;
  Tensor scale, bias;
};

struct NormalizedLayer {
  Tensor result;
  Tensor mean;    ///< [dims before the axis]; null when not centered
  Tensor inverse; ///< of the deviation, [dims before the axis]
};

mlir::FailureOr<NormalizedLayer> normalizeLayer(Builder &builder, const Tensor &x,
                                                const LayerOptions &options);

/// A statistic over the last dims, with these dims of size 1: of rank `rank`.
mlir::FailureOr<Tensor> keepStatisticDims(Builder &builder, const Tensor &statistic, int64_t rank);

/// Channels, dim 1 of `x`, in `numGroups` groups, each normalised with its channels and
/// all further dims. `scale` and `bias` have one element per channel, or, if
/// `isPerGroup`, per group.
struct GroupOptions {
  int64_t numGroups;
  double epsilon;
  Tensor scale, bias;
  bool isPerGroup = false;
};
mlir::FailureOr<Tensor> normalizeGroups(Builder &builder, const Tensor &x,
                                        const GroupOptions &options);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_NORMALIZATION_H
