//===- Window.cpp - sliding windows -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Window.h"

using namespace mlir;

namespace tssa::operators {

AffineExpr Window::position(Body &body, AffineExpr o, AffineExpr k) const {
  return o * stride + k * dilation - body.size(padBegin);
}

void Window::guard(Body &body, AffineExpr position,
                   SmallVectorImpl<AffineExpr> &constraints) const {
  if (!(-padBegin).isAtLeast(0))
    constraints.push_back(position);
  Size last = (output - 1) * stride + extent() - 1 - padBegin;
  if (!(input - 1 - last).isAtLeast(0))
    constraints.push_back(body.size(input) - 1 - position);
}

FailureOr<SmallVector<int64_t>> getPerDim(Builder &builder, const Node &node, StringRef name,
                                          size_t rank, int64_t least) {
  SmallVector<int64_t> values = node.getInts(name);
  if (values.empty())
    values.assign(rank, 1);
  if (values.size() != rank)
    return builder.error("expected '" + name + "' of " + Twine(rank) + " integers, got " +
                         Twine(values.size()));
  for (int64_t value : values)
    if (value < least)
      return builder.error("expected '" + name + "' of at least " + Twine(least) + ", got " +
                           Twine(value));
  return values;
}

FailureOr<SmallVector<Size>> getKernel(Builder &builder, const Node &node, size_t rank,
                                       ArrayRef<Size> weights) {
  if (!node.has("kernel_shape") && !weights.empty())
    return SmallVector<Size>(weights);
  FailureOr<SmallVector<int64_t>> values = getPerDim(builder, node, "kernel_shape", rank, 1);
  if (failed(values))
    return failure();
  SmallVector<Size> kernel(values->begin(), values->end());
  for (auto [given, expected] : llvm::zip(kernel, weights))
    if (failed(builder.requireEqual(given, expected, "'kernel_shape' and the weights")))
      return failure();
  return kernel;
}

/// Sets pads and output for `auto_pad` SAME_UPPER or SAME_LOWER.
static void padSame(Window &window, bool isUpper) {
  window.output = window.input.ceilDiv(window.stride);
  Size last = (window.output - 1) * window.stride + window.extent();
  Size total = Size::max(last - window.input, 0);
  Size half = total.floorDiv(2);
  window.padBegin = isUpper ? half : total - half;
  window.padEnd = total - window.padBegin;
}

/// Returns how many steps the window takes without `ceil_mode`, with `room` elements behind it. If
/// `room` is negative, `shortInput` says how to round. An input of unknown size must not need this:
/// each size that follows from the output would have a maximum, for inputs that hardly occur.
static FailureOr<Size> getSteps(Builder &builder, const Window &window, const Size &room,
                                ShortInput shortInput, const Twine &dim) {
  Size steps = room.floorDiv(window.stride);
  bool isLong = (room - window.input + 1).isAtLeast(0) || room.isAtLeast(0);
  if (shortInput == ShortInput::RoundDown || window.stride == 1 || isLong)
    return steps;
  Size rounded = Size::max(steps, Size::min(room.ceilDiv(window.stride), 0));
  if (room.constant())
    return rounded;
  if (failed(builder.require(builder.isEqual(steps, rounded),
                             "spatial dim " + dim +
                                 " with its pads is shorter than a window; "
                                 "compile the model for this shape (--input-shape)")))
    return failure();
  return steps;
}

/// Sets the output size for the given pads. With `isCeil`, a window that would start in the right
/// pad is dropped.
static LogicalResult setOutput(Builder &builder, Window &window, bool isCeil, ShortInput shortInput,
                               const Twine &dim) {
  Size room = window.input + window.padBegin + window.padEnd - window.extent();
  if (isCeil) {
    Size starts = (window.input + window.padBegin).ceilDiv(window.stride);
    window.output = Size::min(room.ceilDiv(window.stride) + 1, starts);
    return success();
  }
  FailureOr<Size> steps = getSteps(builder, window, room, shortInput, dim);
  if (failed(steps))
    return failure();
  window.output = *steps + 1;
  return success();
}

FailureOr<Windows> getWindows(Builder &builder, const Node &node, ArrayRef<Size> input,
                              ArrayRef<Size> kernel, ShortInput shortInput) {
  size_t rank = input.size();
  FailureOr<SmallVector<int64_t>> strides = getPerDim(builder, node, "strides", rank, 1);
  FailureOr<SmallVector<int64_t>> dilations = getPerDim(builder, node, "dilations", rank, 1);
  if (failed(strides) || failed(dilations))
    return failure();
  SmallVector<int64_t> pads = node.getInts("pads");
  if (pads.empty())
    pads.assign(2 * rank, 0);
  if (pads.size() != 2 * rank)
    return builder.error("expected 'pads' of " + Twine(2 * rank) + " integers, got " +
                         Twine(pads.size()));
  StringRef autoPad = node.getString("auto_pad", "NOTSET");
  bool isCeil = node.getInt("ceil_mode", 0) != 0;
  Windows windows;
  for (size_t i = 0; i < rank; ++i) {
    Window window;
    window.input = input[i];
    window.kernel = kernel[i];
    window.stride = (*strides)[i];
    window.dilation = (*dilations)[i];
    if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
      padSame(window, autoPad == "SAME_UPPER");
    } else {
      if (autoPad == "NOTSET" || autoPad.empty()) {
        window.padBegin = pads[i];
        window.padEnd = pads[rank + i];
      } else if (autoPad != "VALID") {
        return builder.error("unknown 'auto_pad' \"" + autoPad + "\"");
      }
      if (failed(setOutput(builder, window, isCeil, shortInput, Twine(i))))
        return failure();
    }
    if (failed(builder.requireNonNegative(window.output,
                                          "the output size of spatial dim " + Twine(i))))
      return failure();
    windows.push_back(window);
  }
  return windows;
}

} // namespace tssa::operators
