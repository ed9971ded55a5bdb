//===- DeformConv.cpp - convolution at data-dependent positions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A convolution that has, for each spatial dim, an additional reduction dim of size 2: the two
/// elements next to the position. Each element is multiplied by its weight in a linear
/// interpolation.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Convolution.h"
#include "tssa/Builder/Indexing.h"

using namespace mlir;

namespace tssa::operators {

namespace {
struct Deformation {
  Convolution conv;
  Tensor offsets, mask;
  int64_t groups; ///< number of groups of channels that share offsets
  DType wide;     ///< type of positions and sums

  int64_t rank() const { return conv.windows.size(); }
  Size taps() const { return product(conv.weights.shape().drop_front(2)); }
};
/// The indexes of one point of the reduction.
struct Tap {
  AffineExpr channel;             ///< index into the channels of the weights
  AffineExpr number;              ///< index into all taps of all groups, groups first
  SmallVector<AffineExpr> kernel; ///< index into the kernel, per spatial dim
  SmallVector<AffineExpr> side;   ///< the neighbour, 0 or 1, per spatial dim
};
} // namespace

static AffineExpr numberTap(Body &body, const Deformation &d, const Tap &tap) {
  AffineExpr group = body.constantExpr(0);
  if (d.groups > 1)
    group = d.conv.inputChannel(body, tap.channel)
                .floorDiv(body.size(Size::max(d.conv.input.dim(1).floorDiv(d.groups), 1)));
  AffineExpr number = group;
  for (auto [i, k] : llvm::enumerate(tap.kernel))
    number = number * body.size(d.conv.weights.dim(2 + i)) + k;
  return number;
}

/// Returns the index along spatial dim `i` of the neighbour that `tap` reads. Multiplies `weight`
/// by the weight of the neighbour, which is 0 if the neighbour is outside the input.
static AffineExpr getPosition(Body &body, const Deformation &d, const Tap &tap, int64_t i,
                              Scalar &weight) {
  Type wide = getElementType(body.ops.getContext(), d.wide);
  SmallVector<AffineExpr> at = {body.dim(0), tap.number * d.rank() + i};
  at.append(body.dims(2, 2 + d.rank()));
  const Window &window = d.conv.windows[i];
  AffineExpr regular = window.position(body, body.dim(2 + i), tap.kernel[i]);
  Scalar position = convert(indexScalar(body, regular, DType::I64), wide) +
                    convert(readScalar(body, d.offsets, at), wide);
  Scalar index = floor(position) + convert(indexScalar(body, tap.side[i], DType::I64), wide);
  Scalar last = convert(sizeScalar(body, window.input - 1), wide);
  Scalar isInside = (index >= 0.0) & (index <= last);
  weight = weight * select(isInside, 1.0 - abs(position - index), 0.0);
  Scalar limited = atLeast(atMost(index, last), 0.0);
  return body.opaque(toIndex(convert(limited, body.ops.getI64Type())));
}

static FailureOr<Tensor> convolveDeformed(Builder &builder, const Deformation &d,
                                          const Tensor &bias) {
  SmallVector<Size> shape = d.conv.shape();
  ReducedDims reduced(shape.size());
  unsigned channel = reduced.add(d.conv.weights.dim(1));
  unsigned kernel = reduced.add(d.conv.weights.shape().drop_front(2));
  unsigned side = reduced.add(SmallVector<Size>(d.rank(), Size(2)));
  auto term = [&](Body &body) {
    Tap tap{reduced.expr(body, channel), {}, {}, {}};
    for (int64_t i = 0; i < d.rank(); ++i) {
      tap.kernel.push_back(reduced.expr(body, kernel + i));
      tap.side.push_back(reduced.expr(body, side + i));
    }
    tap.number = numberTap(body, d, tap);
    SmallVector<AffineExpr> weightsAt = {body.dim(1), tap.channel};
    llvm::append_range(weightsAt, tap.kernel);
    Scalar weight = readScalar(body, d.conv.weights, weightsAt);
    weight = convert(weight, getElementType(builder.context(), d.wide));
    if (d.mask) {
      SmallVector<AffineExpr> at = {body.dim(0), tap.number};
      at.append(body.dims(2, 2 + d.rank()));
      weight = weight * convert(readScalar(body, d.mask, at), weight.getType());
    }
    SmallVector<AffineExpr> inputAt = {body.dim(0), d.conv.inputChannel(body, tap.channel)};
    for (int64_t i = 0; i < d.rank(); ++i)
      inputAt.push_back(getPosition(body, d, tap, i, weight));
    return convert(readScalar(body, d.conv.input, inputAt), weight.getType()) * weight;
  };
  auto addBias = [&](Body &body, Scalar total) {
    return total + convert(readScalar(body, bias, body.dim(1)), total.getType());
  };
  return sum(builder, d.wide, d.conv.input.dtype(), shape, reduced, term,
             bias ? EpilogueFn(addBias) : EpilogueFn());
}

/// Requires that `tensor`, the offsets or the mask, has `channels` channels and the spatial sizes
/// of the output.
static LogicalResult requirePerOutput(Builder &builder, const Deformation &d, const Tensor &tensor,
                                      const Size &channels, StringRef what) {
  if (tensor.rank() != d.conv.input.rank())
    return builder.error("expected " + what + " of rank " + Twine(d.conv.input.rank()) + ", got " +
                         tensor.str());
  SmallVector<Size> expected = d.conv.shape();
  expected[1] = channels;
  for (auto [given, size] : llvm::zip_equal(tensor.shape(), expected))
    if (failed(builder.requireEqual(given, size, "sizes of the " + what + " and the output")))
      return failure();
  return success();
}

static FailureOr<Tensors> buildDeformConv(Builder &builder, const Node &node) {
  Tensor bias = node.input(3);
  FailureOr<Convolution> conv = getConvolution(builder, node, node.inputs[0], node.inputs[1]);
  if (failed(conv))
    return failure();
  Deformation d{*conv, node.inputs[2], node.input(4), node.getInt("offset_group", 1),
                conv->input.dtype() == DType::F64 ? DType::F64 : DType::F32};
  std::optional<int64_t> channels = conv->input.dim(1).constant();
  if (d.groups < 1 || (channels && *channels % d.groups != 0))
    return builder.error("expected an 'offset_group' that divides the channels, got " +
                         Twine(d.groups));
  Size taps = d.taps() * d.groups;
  if (failed(requirePerOutput(builder, d, d.offsets, taps * d.rank(), "offsets")) ||
      (d.mask && failed(requirePerOutput(builder, d, d.mask, taps, "mask"))) ||
      (bias && failed(requireBias(builder, bias, conv->weights.dim(0)))))
    return failure();
  return single(convolveDeformed(builder, d, bias));
}

OperatorRows getDeformConvRows() { return {{"DeformConv", Versions{19}, buildDeformConv}}; }

} // namespace tssa::operators
