//===- Windows.cpp - convolution and pooling -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"
#include "tssa/Builder/BodyScalar.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using mlir::NamedAttribute;

namespace tssa::pytorch {

static NamedAttribute makeInts(Importer &importer, StringRef name, ArrayRef<int64_t> values) {
  mlir::Builder &ops = importer.b.ops;
  return ops.getNamedAttr(name, ops.getDenseI64ArrayAttr(values));
}

static NamedAttribute makeInt(Importer &importer, StringRef name, int64_t value) {
  mlir::Builder &ops = importer.b.ops;
  return ops.getNamedAttr(name, ops.getI64IntegerAttr(value));
}

/// Reads one int for each of `count` dims. A list of one int applies to all dims. For an empty
/// list, returns `otherwise`.
static FailureOr<SmallVector<int64_t>> getPerDim(Importer &importer, const Value &value,
                                                 StringRef what, int64_t count,
                                                 ArrayRef<int64_t> otherwise = {}) {
  FailureOr<SmallVector<int64_t>> ints = importer.getInts(value, what);
  if (failed(ints))
    return failure();
  if (ints->empty() && !otherwise.empty())
    return SmallVector<int64_t>(otherwise);
  if (ints->size() == 1)
    return SmallVector<int64_t>(count, ints->front());
  if (static_cast<int64_t>(ints->size()) != count)
    return importer.b.error(what + ": expected " + Twine(count) + " ints, got " +
                            Twine(ints->size()));
  return *ints;
}

/// Returns the pads of both ends of all dims, in the order of the standard operators.
static SmallVector<int64_t> onBothEnds(ArrayRef<int64_t> padding) {
  SmallVector<int64_t> pads(padding);
  llvm::append_range(pads, padding);
  return pads;
}

/// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
static FailureOr<Tensors> buildConvolution(Importer &importer, const Call &call) {
  FailureOr<Tensor> input = importer.read(call[0]), weight = importer.read(call[1]);
  FailureOr<bool> isTransposed = importer.getFlag(call[6], "transposed");
  FailureOr<int64_t> groups = importer.getInt(call[8], "groups");
  if (failed(input) || failed(weight) || failed(isTransposed) || failed(groups))
    return failure();
  int64_t spatial = input->rank() - 2;
  if (spatial < 1 || weight->rank() != input->rank())
    return importer.b.error("expected an input and a weight of equal rank, at least 3, got " +
                            Twine(input->str()) + " and " + weight->str());
  FailureOr<SmallVector<int64_t>> stride = getPerDim(importer, call[3], "stride", spatial);
  FailureOr<SmallVector<int64_t>> padding = getPerDim(importer, call[4], "padding", spatial);
  FailureOr<SmallVector<int64_t>> dilation = getPerDim(importer, call[5], "dilation", spatial);
  FailureOr<SmallVector<int64_t>> extra = getPerDim(importer, call[7], "output_padding", spatial);
  if (failed(stride) || failed(padding) || failed(dilation) || failed(extra))
    return failure();
  Tensors inputs = {*input, *weight};
  if (!call[2].is(Value::None)) {
    FailureOr<Tensor> bias = importer.read(call[2]);
    if (failed(bias))
      return failure();
    inputs.push_back(*bias);
  }
  SmallVector<NamedAttribute> attributes = {
      makeInts(importer, "strides", *stride), makeInts(importer, "pads", onBothEnds(*padding)),
      makeInts(importer, "dilations", *dilation), makeInt(importer, "group", *groups)};
  if (!*isTransposed)
    return importer.call("Conv", 11, inputs, attributes);
  attributes.push_back(makeInts(importer, "output_padding", *extra));
  return importer.call("ConvTranspose", 11, inputs, attributes);
}

/// Reads the window of a pooling, whose arguments 1 to 3 are kernel_size, stride and padding.
static FailureOr<SmallVector<NamedAttribute>> getWindow(Importer &importer, const Call &call,
                                                        int64_t spatial) {
  FailureOr<SmallVector<int64_t>> kernel = getPerDim(importer, call[1], "kernel_size", spatial);
  if (failed(kernel))
    return failure();
  FailureOr<SmallVector<int64_t>> stride = getPerDim(importer, call[2], "stride", spatial, *kernel);
  FailureOr<SmallVector<int64_t>> padding = getPerDim(importer, call[3], "padding", spatial);
  if (failed(stride) || failed(padding))
    return failure();
  return SmallVector<NamedAttribute>{makeInts(importer, "kernel_shape", *kernel),
                                     makeInts(importer, "strides", *stride),
                                     makeInts(importer, "pads", onBothEnds(*padding))};
}

namespace {
/// The input of a pooling over `spatial` dims. A batch dim is added to an input without one.
struct Pooled {
  Tensor image;
  bool isBatched;
};
} // namespace

static FailureOr<Pooled> getPooled(Importer &importer, const Call &call, int64_t spatial) {
  FailureOr<Tensor> input = importer.read(call[0]);
  if (failed(input))
    return failure();
  if (input->rank() == spatial + 2)
    return Pooled{*input, true};
  if (input->rank() != spatial + 1)
    return importer.b.error("expected an input of rank " + Twine(spatial + 2) + ", got " +
                            input->str());
  Sizes shape(input->shape());
  shape.insert(shape.begin(), Size(1));
  FailureOr<Tensor> image = importer.b.reshape(*input, shape);
  if (failed(image))
    return failure();
  return Pooled{*image, false};
}

/// Removes the added dim from the results.
static FailureOr<Tensors> finish(Importer &importer, const Pooled &pooled, Tensors results) {
  for (Tensor &tensor : results) {
    if (pooled.isBatched)
      continue;
    FailureOr<Tensor> image = importer.b.reshape(tensor, tensor.shape().drop_front());
    if (failed(image))
      return failure();
    tensor = *image;
  }
  return results;
}

/// max_poolNd_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode): returns the
/// greatest elements and their linear indexes in the image.
template <int64_t spatial>
static FailureOr<Tensors> buildMaxPool(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  FailureOr<Pooled> input = getPooled(importer, call, spatial);
  FailureOr<SmallVector<NamedAttribute>> attributes = getWindow(importer, call, spatial);
  FailureOr<SmallVector<int64_t>> dilation = getPerDim(importer, call[4], "dilation", spatial);
  FailureOr<bool> isCeil = importer.getFlag(call[5], "ceil_mode");
  if (failed(input) || failed(attributes) || failed(dilation) || failed(isCeil))
    return failure();
  attributes->push_back(makeInts(importer, "dilations", *dilation));
  attributes->push_back(makeInt(importer, "ceil_mode", *isCeil));
  // A maximum without its position is faster to compute, so an op of its own computes the values.
  // If the positions are not used, the op that also computes positions is removed.
  FailureOr<Tensors> values = importer.call("MaxPool", 12, input->image, *attributes);
  FailureOr<Tensors> pooled = importer.call("MaxPool", 12, input->image, *attributes, 2);
  if (failed(values) || failed(pooled))
    return failure();
  // The positions of the standard operator also count batches and channels. The remainder is the
  // position in one image.
  Size image = operators::product(input->image.shape().drop_front(2));
  Tensor counted = (*pooled)[1];
  FailureOr<Tensor> positions = b.compute(DType::I64, counted.shape(), [&](operators::Body &body) {
    operators::Scalar position(body.ops, body.loc,
                               body.read(counted, body.dims(0, counted.rank())));
    return floorMod(position, makeScalar(importer, body, Value::integer(image), DType::I64))
        .getValue();
  });
  if (failed(positions))
    return failure();
  return finish(importer, *input, {values->front(), *positions});
}

/// Replaces the mean of each window by its sum divided by the argument `divisor_override`. All
/// windows have the same number of elements, including padding.
static FailureOr<Tensors> changeDivisor(Importer &importer, const Call &call, Tensors means,
                                        int64_t spatial) {
  FailureOr<SmallVector<int64_t>> kernel = getPerDim(importer, call[1], "kernel_size", spatial);
  FailureOr<int64_t> divisor = importer.getInt(call[6], "divisor_override");
  if (failed(kernel) || failed(divisor))
    return failure();
  if (*divisor == 0)
    return importer.b.error("divisor_override: expected a number other than 0");
  double factor = 1.0 / static_cast<double>(*divisor);
  for (int64_t extent : *kernel)
    factor *= static_cast<double>(extent); // in range: doubles
  const Tensor &mean = means.front();
  FailureOr<Tensor> sums =
      importer.b.compute(mean.dtype(), mean.shape(), [&](operators::Body &body) {
        operators::Scalar element = operators::readScalar(body, mean, body.dims(0, mean.rank()));
        return operators::toElement(body, element * factor, mean.dtype());
      });
  return operators::single(sums);
}

/// avg_poolNd(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
template <int64_t spatial>
static FailureOr<Tensors> buildAveragePool(Importer &importer, const Call &call) {
  FailureOr<Pooled> input = getPooled(importer, call, spatial);
  FailureOr<SmallVector<NamedAttribute>> attributes = getWindow(importer, call, spatial);
  FailureOr<bool> isCeil = importer.getFlag(call[4], "ceil_mode");
  FailureOr<bool> countsPad = importer.getFlag(call[5], "count_include_pad");
  if (failed(input) || failed(attributes) || failed(isCeil) || failed(countsPad))
    return failure();
  bool hasDivisor = !call[6].is(Value::None);
  if (hasDivisor && *isCeil)
    return importer.b.unsupported("divisor_override with ceil_mode");
  if (hasDivisor && !operators::isFloat(input->image.dtype()))
    return importer.b.unsupported("divisor_override of integers");
  attributes->push_back(makeInt(importer, "ceil_mode", *isCeil));
  attributes->push_back(makeInt(importer, "count_include_pad", *countsPad || hasDivisor));
  FailureOr<Tensors> means = importer.call("AveragePool", 19, input->image, *attributes);
  if (succeeded(means) && hasDivisor)
    means = changeDivisor(importer, call, *means, spatial);
  if (failed(means))
    return failure();
  return finish(importer, *input, *means);
}

/// grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners)
static FailureOr<Tensors> buildGridSampler(Importer &importer, const Call &call) {
  FailureOr<Tensor> input = importer.read(call[0]), grid = importer.read(call[1]);
  FailureOr<int64_t> mode = importer.getInt(call[2], "interpolation_mode");
  FailureOr<int64_t> padding = importer.getInt(call[3], "padding_mode");
  FailureOr<bool> alignsCorners = importer.getFlag(call[4], "align_corners");
  if (failed(input) || failed(grid) || failed(mode) || failed(padding) || failed(alignsCorners))
    return failure();
  static constexpr StringRef modes[] = {"linear", "nearest"};
  static constexpr StringRef paddings[] = {"zeros", "border", "reflection"};
  if (*mode < 0 || *mode > 1 || *padding < 0 || *padding > 2)
    return importer.b.unsupported("this interpolation or padding mode");
  mlir::Builder &ops = importer.b.ops;
  return importer.call("GridSample", 20, {*input, *grid},
                       {ops.getNamedAttr("mode", ops.getStringAttr(modes[*mode])),
                        ops.getNamedAttr("padding_mode", ops.getStringAttr(paddings[*padding])),
                        makeInt(importer, "align_corners", *alignsCorners)});
}

void registerWindows(OperatorTable &table) {
  table.compute("aten::convolution", "-", buildConvolution, Layout::Contiguous);
  table.compute("aten::max_pool2d_with_indices", "-", buildMaxPool<2>, Layout::Contiguous);
  table.compute("aten::max_pool3d_with_indices", "-", buildMaxPool<3>, Layout::Contiguous);
  table.compute("aten::avg_pool2d", "-", buildAveragePool<2>, Layout::Contiguous);
  table.compute("aten::avg_pool3d", "-", buildAveragePool<3>, Layout::Contiguous);
  table.compute("aten::grid_sampler_3d", "-", buildGridSampler, Layout::Contiguous);
}

} // namespace tssa::pytorch
