//===- ResizeAxes.cpp - sizes and scales of a Resize -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Resize.h"
#include "tssa/Builder/Indexing.h"

using namespace mlir;

namespace tssa::operators {

static Scalar toDouble(const Scalar &x) { return convert(x, x.getBuilder().getF64Type()); }

/// Returns a size that is computed from data, by a te.compute of one i64 element.
static FailureOr<Size> computeSize(Builder &builder, StringRef what,
                                   llvm::function_ref<Scalar(Body &)> number) {
  FailureOr<Tensor> tensor = builder.compute(
      DType::I64, {}, [&](Body &body) { return toElement(body, number(body), DType::I64); });
  if (failed(tensor))
    return failure();
  return builder.requireSize(*tensor, what);
}

/// Sets output = floor(input * scale), computed in the precision of the scale.
static LogicalResult setFromScale(Builder &builder, const Tensor &scales, int64_t i,
                                  ResizedAxis &axis) {
  auto scale = [scales, i](Body &body) { return readScalar(body, scales, body.constantExpr(i)); };
  Size input = axis.input;
  FailureOr<Size> output = computeSize(builder, "the output size", [&](Body &body) {
    Scalar number = scale(body);
    return floor(convert(sizeScalar(body, input), number.getType()) * number);
  });
  if (failed(output))
    return failure();
  axis.output = *output;
  axis.scale = [scale](Body &body) { return toDouble(scale(body)); };
  if (auto known = builder.constantFloats(scales))
    axis.knownScale = (*known)[i];
  return success();
}

static void setScaleFromSizes(ResizedAxis &axis) {
  Size input = axis.input, output = axis.output;
  axis.scale = [input, output](Body &body) {
    return toDouble(sizeScalar(body, output)) / toDouble(sizeScalar(body, input));
  };
  if (input == output)
    axis.knownScale = 1;
  else if (auto in = input.constant(), out = output.constant(); in && out && *in > 0)
    axis.knownScale = static_cast<double>(*out) / *in;
}

/// Sets the same scale for all axes: the least of the scales that the given sizes imply or, if
/// `isLarger`, the greatest. Thus no output is larger (smaller) than its given size.
static LogicalResult keepAspectRatio(Builder &builder, bool isLarger,
                                     std::vector<ResizedAxis> &axes) {
  for (ResizedAxis &axis : axes)
    setScaleFromSizes(axis);
  auto common = [axes, isLarger](Body &body) {
    Scalar result = axes.front().scale(body);
    for (const ResizedAxis &axis : ArrayRef<ResizedAxis>(axes).drop_front()) {
      Scalar other = axis.scale(body);
      result = isLarger ? max(result, other) : min(result, other);
    }
    return result;
  };
  for (ResizedAxis &axis : axes) {
    Size input = axis.input;
    FailureOr<Size> output = computeSize(builder, "the output size", [&](Body &body) {
      return floor(common(body) * toDouble(sizeScalar(body, input)) + 0.5);
    });
    if (failed(output))
      return failure();
    axis.output = *output;
    axis.scale = common;
    axis.knownScale = std::nullopt;
  }
  return success();
}

static LogicalResult setFromSizes(Builder &builder, const Node &node, const Tensor &sizes,
                                  std::vector<ResizedAxis> &axes) {
  FailureOr<SmallVector<Size>> outputs = builder.requireSizes(sizes, "sizes");
  if (failed(outputs))
    return failure();
  for (auto [axis, output] : llvm::zip_equal(axes, *outputs)) {
    axis.output = output;
    setScaleFromSizes(axis);
  }
  StringRef policy = node.getString("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch")
    return success();
  return keepAspectRatio(builder, policy == "not_smaller", axes);
}

FailureOr<std::vector<ResizedAxis>> getResizedAxes(Builder &builder, const Node &node,
                                                   const Tensor &roi, const Tensor &scales,
                                                   const Tensor &sizes) {
  const Tensor &input = node.inputs[0];
  FailureOr<SmallVector<int64_t>> numbers = builder.normalizeAxes(
      node.getInts("axes", llvm::to_vector(llvm::seq<int64_t>(0, input.rank()))), input.rank());
  if (failed(numbers))
    return failure();
  const Tensor &given = scales ? scales : sizes;
  int64_t count = numbers->size();
  if (given.rank() != 1 || !given.dim(0).isConstant(count))
    return builder.error("expected " + Twine(count) + " scales or sizes, got " + given.str());
  std::vector<ResizedAxis> axes;
  for (auto [i, number] : llvm::enumerate(*numbers)) {
    ResizedAxis axis{number, input.dim(number), input.dim(number), nullptr, std::nullopt, nullptr};
    if (scales && failed(setFromScale(builder, scales, i, axis)))
      return failure();
    if (node.getString("coordinate_transformation_mode", "") == "tf_crop_and_resize") {
      if (!roi || roi.rank() != 1 || !roi.dim(0).isConstant(2 * count))
        return builder.error("expected " + Twine(2 * count) + " elements of roi");
      axis.region = [=, i = static_cast<int64_t>(i)](Body &body) {
        return std::pair(toDouble(readScalar(body, roi, body.constantExpr(i))),
                         toDouble(readScalar(body, roi, body.constantExpr(count + i))));
      };
    }
    axes.push_back(axis);
  }
  if (!scales && failed(setFromSizes(builder, node, sizes, axes)))
    return failure();
  return axes;
}

} // namespace tssa::operators
