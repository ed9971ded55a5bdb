//===- Resize.h - where a resized axis reads -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_RESIZE_H
#define TSSA_LIB_OPERATORS_ONNX_RESIZE_H

#include "tssa/Builder/BodyScalar.h"
#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// One axis of a Resize.
struct ResizedAxis {
  int64_t axis;
  Size input, output;
  /// Output positions per input position, as f64; where it is known, also a number.
  std::function<Scalar(Body &)> scale;
  std::optional<double> knownScale;
  /// Begin and end of the region of interest, as f64 in [0, 1].
  std::function<std::pair<Scalar, Scalar>(Body &)> region;

  bool isIdentity() const { return !region && input == output && knownScale == 1.0; }
};

/// The axes that `node` resizes, from `scales` or `sizes`; one is given.
mlir::FailureOr<std::vector<ResizedAxis>> getResizedAxes(Builder &builder, const Node &node,
                                                         const Tensor &roi, const Tensor &scales,
                                                         const Tensor &sizes);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_RESIZE_H
