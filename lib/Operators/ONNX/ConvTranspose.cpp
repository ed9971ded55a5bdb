//===- ConvTranspose.cpp - transposed convolution -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Input i contributes to output x through kernel element k if
/// x + padBegin == i * stride + k * dilation. Each output is computed as the sum of the
/// contributions to it. Without dilation, output x needs only the kernel elements of one phase,
/// (x + padBegin) mod stride + stride * t, so no iteration is wasted. All phases with the same
/// number of kernel elements are computed as channels of one convolution without stride, whose
/// results are then interleaved. In each group, the channels of a phase are consecutive, so that
/// the result of a phase is one block.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Convolution.h"

using namespace mlir;

namespace tssa::operators {

namespace {
/// The indexes into the input and the kernel along one spatial dim, at one point. An index is in
/// bounds if all expressions of its guard are >= 0.
struct Tap {
  AffineExpr input, kernel;
  SmallVector<AffineExpr> inputGuard, kernelGuard;
};
} // namespace

static Size getNumSteps(const Window &window) {
  return window.dilation == 1 ? window.kernel.ceilDiv(window.stride) : window.kernel;
}

static Tap getTap(Body &body, const Window &window, AffineExpr x, AffineExpr step) {
  Tap tap;
  AffineExpr padded = x + body.size(window.padBegin);
  if (window.dilation == 1) {
    tap.kernel = padded % window.stride + step * window.stride;
    tap.input = padded.floorDiv(window.stride) - step;
    if (!window.kernel.mod(window.stride).isConstant(0))
      tap.kernelGuard.push_back(body.size(window.kernel) - 1 - tap.kernel);
  } else {
    AffineExpr distance = padded - step * window.dilation;
    tap.kernel = step;
    tap.input = distance.floorDiv(window.stride);
    if (window.stride != 1)
      tap.inputGuard.push_back(-(distance % window.stride));
  }
  Size least = window.padBegin.floorDiv(window.stride) - (getNumSteps(window) - 1);
  if (window.dilation != 1 || !least.isAtLeast(0))
    tap.inputGuard.push_back(tap.input);
  Size greatest = (window.output - 1 + window.padBegin).floorDiv(window.stride);
  if (!(window.input - 1 - greatest).isAtLeast(0))
    tap.inputGuard.push_back(body.size(window.input) - 1 - tap.input);
  return tap;
}

/// Sets the output size to `wanted`. Divides the padding that this size requires between both ends.
static void padTo(Window &window, const Size &whole, const Size &wanted, bool isUpper) {
  Size total = Size::max(whole - wanted, 0);
  Size half = total.floorDiv(2);
  window.padBegin = isUpper ? half : total - half;
  window.padEnd = total - window.padBegin;
  window.output = wanted;
}

static FailureOr<Windows> getTransposedWindows(Builder &builder, const Node &node,
                                               ArrayRef<Size> input, ArrayRef<Size> kernel) {
  size_t rank = input.size();
  SmallVector<int64_t> pads = node.getInts("pads"), wanted = node.getInts("output_shape");
  SmallVector<int64_t> extra = node.getInts("output_padding");
  FailureOr<SmallVector<int64_t>> strides = getPerDim(builder, node, "strides", rank, 1);
  FailureOr<SmallVector<int64_t>> dilations = getPerDim(builder, node, "dilations", rank, 1);
  if (failed(strides) || failed(dilations))
    return failure();
  if (pads.empty())
    pads.assign(2 * rank, 0);
  if (extra.empty())
    extra.assign(rank, 0);
  if (wanted.size() > rank) // batch and channels are given too
    wanted.erase(wanted.begin(), wanted.end() - rank);
  if (pads.size() != 2 * rank || extra.size() != rank || (!wanted.empty() && wanted.size() != rank))
    return builder.error("expected 'pads', 'output_padding' and 'output_shape' for " + Twine(rank) +
                         " spatial dims");
  StringRef autoPad = node.getString("auto_pad", "NOTSET");
  Windows windows(rank);
  for (size_t i = 0; i < rank; ++i) {
    Window &window = windows[i];
    window.input = input[i];
    window.kernel = kernel[i];
    window.stride = (*strides)[i];
    window.dilation = (*dilations)[i];
    Size whole = (window.input - 1) * window.stride + extra[i] + window.extent();
    if (!wanted.empty()) {
      padTo(window, whole, wanted[i], autoPad == "SAME_UPPER");
    } else if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
      padTo(window, whole, window.input * window.stride, autoPad == "SAME_UPPER");
    } else {
      window.padBegin = autoPad == "VALID" ? 0 : pads[i];
      window.padEnd = autoPad == "VALID" ? 0 : pads[rank + i];
      window.output = whole - window.padBegin - window.padEnd;
    }
    if (failed(builder.requireNonNegative(window.output,
                                          "the output size of spatial dim " + Twine(i))))
      return failure();
  }
  return windows;
}

namespace {
/// A transposed convolution of an input [n, group * c, spatial...] with weights [group * c, o,
/// kernel...]. The result has the shape [n, group * o, spatial...].
struct TransposedConvolution {
  Tensor input, weights, bias;
  int64_t group;
  Size inputsPerGroup, outputsPerGroup;
  Windows windows;
};
} // namespace

static FailureOr<TransposedConvolution> getTransposedConvolution(Builder &builder,
                                                                 const Node &node) {
  TransposedConvolution conv{
      node.inputs[0], node.inputs[1], node.input(2), node.getInt("group", 1), {}, {}, {}};
  const Tensor &input = conv.input, &weights = conv.weights;
  if (input.rank() < 3 || weights.rank() != input.rank())
    return builder.error("expected input and weights of one rank of at least 3, got " +
                         Twine(input.str()) + " and " + weights.str());
  if (conv.group < 1)
    return builder.error("expected a group of at least 1, got " + Twine(conv.group));
  conv.inputsPerGroup = weights.dim(0).floorDiv(conv.group);
  conv.outputsPerGroup = weights.dim(1);
  if (failed(builder.require(builder.isEqual(conv.inputsPerGroup * conv.group, weights.dim(0)),
                             "group " + Twine(conv.group) + " does not divide " +
                                 weights.dim(0).str() + " input channels")))
    return failure();
  if (failed(builder.requireEqual(input.dim(1), weights.dim(0),
                                  "input channels and those of the weights")))
    return failure();
  if (conv.bias && failed(requireBias(builder, conv.bias, weights.dim(1) * conv.group)))
    return failure();
  FailureOr<SmallVector<Size>> kernel =
      getKernel(builder, node, input.rank() - 2, weights.shape().drop_front(2));
  if (failed(kernel))
    return failure();
  FailureOr<Windows> windows =
      getTransposedWindows(builder, node, input.shape().drop_front(2), *kernel);
  if (failed(windows))
    return failure();
  conv.windows = *windows;
  return conv;
}

/// Computes each output as the sum over all kernel elements.
static FailureOr<Tensor> gatherSums(Builder &builder, const TransposedConvolution &conv) {
  SmallVector<Size> shape = {conv.input.dim(0), conv.outputsPerGroup * conv.group};
  for (const Window &window : conv.windows)
    shape.push_back(window.output);
  ReducedDims reduced(shape.size());
  unsigned channel = reduced.add(conv.inputsPerGroup);
  for (const Window &window : conv.windows)
    reduced.add(getNumSteps(window));
  auto term = [&](Body &body) {
    AffineExpr c = reduced.expr(body, channel), o = body.dim(1);
    if (conv.group != 1) {
      AffineExpr outputs = body.size(Size::max(conv.outputsPerGroup, 1));
      c = o.floorDiv(outputs) * body.size(conv.inputsPerGroup) + c;
      o = o % outputs;
    }
    SmallVector<AffineExpr> inputAt = {body.dim(0), c}, weightsAt = {c, o};
    SmallVector<AffineExpr> inputGuard, weightsGuard;
    for (auto [i, window] : llvm::enumerate(conv.windows)) {
      Tap tap = getTap(body, window, body.dim(2 + i), reduced.expr(body, channel + 1 + i));
      inputAt.push_back(tap.input);
      weightsAt.push_back(tap.kernel);
      inputGuard.append(tap.inputGuard);
      inputGuard.append(tap.kernelGuard);
      weightsGuard.append(tap.kernelGuard);
    }
    return readPadded(body, conv.input, inputAt, inputGuard) *
           readPadded(body, conv.weights, weightsAt, weightsGuard);
  };
  auto epilogue = [&](Body &body, Scalar total) {
    return total + readScalar(body, conv.bias, body.dim(1));
  };
  DType type = conv.input.dtype();
  return sum(builder, getAccumulator(type), type, shape, reduced, term,
             conv.bias ? EpilogueFn(epilogue) : EpilogueFn());
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

namespace {
/// Consecutive phases of one dim with the same number of kernel elements. For i < `count`, phase
/// p = begin + i has the kernel elements p + stride * t, where t < `taps`.
struct PhaseRange {
  int64_t begin, count, taps;
};
/// One range for each spatial dim.
using Phases = SmallVector<PhaseRange, 3>;
} // namespace

static bool hasPhases(const TransposedConvolution &conv) {
  bool hasStride = false;
  for (const Window &window : conv.windows) {
    if (window.dilation != 1 || !window.kernel.constant() || !window.padBegin.isAtLeast(0))
      return false;
    hasStride |= window.stride != 1;
  }
  return hasStride;
}

/// Returns all combinations of one phase range per dim. Leaves out ranges without kernel elements.
static SmallVector<Phases> listPhases(const TransposedConvolution &conv) {
  SmallVector<Phases> all(1);
  for (const Window &window : conv.windows) {
    int64_t taps = *window.kernel.constant() / window.stride;
    int64_t rest = *window.kernel.constant() % window.stride;
    SmallVector<Phases> longer;
    for (PhaseRange range :
         {PhaseRange{0, rest, taps + 1}, PhaseRange{rest, window.stride - rest, taps}})
      if (range.count != 0 && range.taps != 0)
        for (Phases phases : all) {
          phases.push_back(range);
          longer.push_back(std::move(phases));
        }
    all = std::move(longer);
  }
  return all;
}

static int64_t countPhases(const Phases &phases) {
  int64_t count = 1;
  for (const PhaseRange &range : phases)
    count *= range.count;
  return count;
}

/// Returns the weights of a convolution that has a channel for each phase and output channel:
/// [group * phases * o, c, taps...]. The kernel is reversed.
static FailureOr<Tensor> arrangeWeights(Builder &builder, const TransposedConvolution &conv,
                                        const Phases &phases) {
  int64_t count = countPhases(phases);
  SmallVector<Size> shape = {conv.outputsPerGroup * conv.group * count, conv.inputsPerGroup};
  for (const PhaseRange &range : phases)
    shape.push_back(range.taps);
  return builder.compute(conv.weights.dtype(), shape, [&](Body &body) {
    AffineExpr outputs = body.size(Size::max(conv.outputsPerGroup, 1));
    AffineExpr group = body.dim(0).floorDiv(outputs * count);
    AffineExpr phase = body.dim(0).floorDiv(outputs) % count;
    SmallVector<AffineExpr> at = {group * body.size(conv.inputsPerGroup) + body.dim(1),
                                  body.dim(0) % outputs};
    int64_t inner = count;
    for (auto [i, range] : llvm::enumerate(phases)) {
      inner /= range.count;
      AffineExpr own = phase.floorDiv(inner) % range.count;
      AffineExpr tap = range.taps - 1 - body.dim(2 + i);
      at.push_back(range.begin + own + tap * conv.windows[i].stride);
    }
    return body.read(conv.weights, at);
  });
}

/// Computes the sums of all outputs of `phases`: [n, group * phases * o, spatial...].
static FailureOr<Tensor> convolvePhases(Builder &builder, const TransposedConvolution &conv,
                                        const Phases &phases) {
  FailureOr<Tensor> weights = arrangeWeights(builder, conv, phases);
  if (failed(weights))
    return failure();
  Convolution plain{conv.input, *weights, conv.group, conv.windows};
  for (auto [window, range] : llvm::zip_equal(plain.windows, phases)) {
    Size end = window.padBegin + window.output;
    window.kernel = range.taps;
    window.output = end.ceilDiv(window.stride);
    window.stride = 1;
    window.padBegin = range.taps - 1;
    window.padEnd = window.output - window.input;
  }
  auto term = [&](Body &body, ArrayRef<AffineExpr> inputAt, Guard guard,
                  ArrayRef<AffineExpr> weightsAt) {
    return readPadded(body, plain.input, inputAt, guard) *
           readScalar(body, plain.weights, weightsAt);
  };
  DType wide = getAccumulator(conv.input.dtype());
  return convolve(builder, plain, wide, wide, term);
}

/// Reads the element of `sums` for the current output; yields 0 if the phase of the output is not
/// in `phases`.
static Scalar readSum(Body &body, const TransposedConvolution &conv, const Phases &phases,
                      const Tensor &sums) {
  AffineExpr outputs = body.size(conv.outputsPerGroup);
  SmallVector<AffineExpr> at = {body.dim(0), body.dim(1)}, guard;
  int64_t inner = countPhases(phases);
  if (conv.group != 1) // what the phases add to the channels of earlier groups
    at[1] = at[1] + body.dim(1).floorDiv(body.size(Size::max(conv.outputsPerGroup, 1))) * outputs *
                        (inner - 1);
  for (auto [i, range] : llvm::enumerate(phases)) {
    const Window &window = conv.windows[i];
    AffineExpr padded = body.dim(2 + i) + body.size(window.padBegin);
    AffineExpr phase = padded % window.stride - range.begin;
    inner /= range.count;
    at[1] = at[1] + phase * inner * outputs;
    at.push_back(padded.floorDiv(window.stride));
    if (range.begin > 0)
      guard.push_back(phase);
    if (range.begin + range.count < window.stride)
      guard.push_back(range.count - 1 - phase);
  }
  return readPadded(body, sums, at, guard);
}

static FailureOr<Tensor> interleavePhases(Builder &builder, const TransposedConvolution &conv) {
  SmallVector<Phases> all = listPhases(conv);
  SmallVector<Tensor> sums;
  for (const Phases &phases : all) {
    FailureOr<Tensor> sum = convolvePhases(builder, conv, phases);
    if (failed(sum))
      return failure();
    sums.push_back(*sum);
  }
  SmallVector<Size> shape = {conv.input.dim(0), conv.outputsPerGroup * conv.group};
  for (const Window &window : conv.windows)
    shape.push_back(window.output);
  DType type = conv.input.dtype();
  return builder.compute(type, shape, [&](Body &body) {
    Scalar total = constantScalar(body, getAccumulator(type), 0);
    if (conv.bias)
      total = convert(readScalar(body, conv.bias, body.dim(1)), total.getType());
    for (auto [phases, sum] : llvm::zip_equal(all, sums))
      total = total + readSum(body, conv, phases, sum);
    return toElement(body, total, type);
  });
}

static FailureOr<Tensors> buildConvTranspose(Builder &builder, const Node &node) {
  FailureOr<TransposedConvolution> conv = getTransposedConvolution(builder, node);
  if (failed(conv))
    return failure();
  return single(hasPhases(*conv) ? interleavePhases(builder, *conv) : gatherSums(builder, *conv));
}

OperatorRows getConvTransposeRows() { return {{"ConvTranspose", buildConvTranspose}}; }

} // namespace tssa::operators
