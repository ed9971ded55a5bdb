//===- Resize.h - the axes of a Resize -===//
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
  /// Returns the scale as f64: the number of output positions per input position. If its value is
  /// known, `knownScale` has it.
  std::function<Scalar(Body &)> scale;
  std::optional<double> knownScale;
  /// Returns the begin and the end of the region of interest, as f64 in [0, 1].
  std::function<std::pair<Scalar, Scalar>(Body &)> region;

  bool isIdentity() const { return !region && input == output && knownScale == 1.0; }
};

/// Returns the axes that `node` resizes. Either `scales` or `sizes` is given, not both.
mlir::FailureOr<std::vector<ResizedAxis>> getResizedAxes(Builder &builder, const Node &node,
                                                         const Tensor &roi, const Tensor &scales,
                                                         const Tensor &sizes);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_RESIZE_H
