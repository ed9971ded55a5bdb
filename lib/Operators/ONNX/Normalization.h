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

/// Options of a normalisation over the dims from `axis` on. It uses the mean and the variance if
/// `isCentered`, else only the mean of the squares. `scale` and `bias` broadcast to x; either may
/// be null. The result has the type of the scale, if there is one.
struct LayerOptions {
  int64_t axis;
  double epsilon;
  bool isCentered;
  Tensor scale, bias;
};

struct NormalizedLayer {
  Tensor result;
  Tensor mean;    ///< [dims before the axis]; null if not centered
  Tensor inverse; ///< the inverse of the deviation, [dims before the axis]
};

mlir::FailureOr<NormalizedLayer> normalizeLayer(Builder &builder, const Tensor &x,
                                                const LayerOptions &options);

/// Reshapes a statistic to rank `rank`: appends dims of size 1 in place of those over which the
/// statistic was computed.
mlir::FailureOr<Tensor> keepStatisticDims(Builder &builder, const Tensor &statistic, int64_t rank);

/// Options of a normalisation of `numGroups` groups of channels; the channels are dim 1 of `x`.
/// Each group is normalised over its channels and all further dims. `scale` and `bias` have one
/// element per channel or, if `isPerGroup`, per group.
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
