//===- Unpooling.cpp - inverses of pooling and im2col -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Window.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Indexing.h"

using namespace mlir;

namespace tssa::operators {

/// Writes every element to the position at which MaxPool found the element. Positions refer to an
/// image whose size follows from the attributes; the output may be larger than this image.
static FailureOr<Tensors> buildMaxUnpool(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0], &positions = node.inputs[1];
  if (x.rank() < 3 || positions.rank() != x.rank())
    return builder.error("expected X and I of one rank of at least 3, got " + Twine(x.str()) +
                         " and " + positions.str());
  for (auto [ours, theirs] : llvm::zip_equal(x.shape(), positions.shape()))
    if (failed(builder.requireEqual(ours, theirs, "sizes of X and I")))
      return failure();
  int64_t rank = x.rank() - 2;
  FailureOr<SmallVector<Size>> kernel = getKernel(builder, node, rank);
  FailureOr<SmallVector<int64_t>> strides = getPerDim(builder, node, "strides", rank, 1);
  if (failed(kernel) || failed(strides))
    return failure();
  SmallVector<int64_t> pads = node.getInts("pads");
  pads.resize(2 * rank, 0);
  SmallVector<Size> image, shape(x.shape().take_front(2));
  for (int64_t i = 0; i < rank; ++i)
    image.push_back((x.dim(2 + i) - 1) * (*strides)[i] + (*kernel)[i] - pads[i] - pads[rank + i]);
  shape.append(image);
  if (Tensor given = node.input(2)) {
    FailureOr<SmallVector<Size>> sizes = builder.requireSizes(given, "output_shape");
    if (failed(sizes))
      return failure();
    if (static_cast<int64_t>(sizes->size()) != x.rank())
      return builder.error("expected an output_shape of " + Twine(x.rank()) + " sizes, got " +
                           Twine(sizes->size()));
    for (int64_t i : {0, 1})
      if (failed(builder.requireEqual((*sizes)[i], x.dim(i), "dim " + Twine(i) + " of X and Y")))
        return failure();
    shape = *sizes;
  }
  FailureOr<Tensor> base = builder.fill(x.dtype(), shape, 0);
  if (failed(base))
    return failure();
  return single(builder.update(*base, x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    Builder::Write write{body.read(x, at), at, {}};
    Scalar rest = readScalar(body, positions, at);
    for (int64_t i = rank - 1; i >= 0; --i) {
      Scalar extent = sizeScalar(body, image[i]);
      write.target[2 + i] = body.opaque(toIndex(floorMod(rest, extent)));
      rest = rest / extent;
    }
    return write;
  }));
}

/// Builds Col2Im, which adds up overlapping blocks. Every element of the image is the sum of the
/// block elements at its position.
static FailureOr<Tensors> buildCol2Im(Builder &builder, const Node &node) {
  const Tensor &input = node.inputs[0];
  FailureOr<SmallVector<Size>> image = builder.requireSizes(node.inputs[1], "image_shape");
  FailureOr<SmallVector<Size>> block = builder.requireSizes(node.inputs[2], "block_shape");
  if (failed(image) || failed(block))
    return failure();
  if (input.rank() != 3 || image->size() != block->size())
    return builder.error("expected an input of rank 3, and the same number of sizes for image "
                         "and block, got " +
                         Twine(input.str()) + ", " + Twine(image->size()) + " and " +
                         Twine(block->size()));
  FailureOr<Windows> windows = getWindows(builder, node, *image, *block);
  if (failed(windows))
    return failure();
  Size perChannel = product(*block), numBlocks(1);
  for (const Window &window : *windows)
    numBlocks = numBlocks * window.output;
  if (failed(builder.requireEqual(input.dim(2), numBlocks, "columns and blocks of the image")))
    return failure();
  SmallVector<Size> shape = {input.dim(0), input.dim(1).floorDiv(Size::max(perChannel, 1))};
  shape.append(*image);
  ReducedDims reduced(shape.size());
  reduced.add(*block);
  TypedAttr zero = builder.ops.getZeroAttr(getElementType(builder.context(), input.dtype()));
  DType wide = getAccumulator(input.dtype());
  return single(sum(builder, wide, input.dtype(), shape, reduced, [&](Body &body) {
    AffineExpr channel = body.dim(1), column = body.constantExpr(0);
    SmallVector<AffineExpr> guard;
    for (auto [i, window] : llvm::enumerate(*windows)) {
      AffineExpr k = reduced.expr(body, i);
      AffineExpr start = body.dim(2 + i) + body.size(window.padBegin) - k * window.dilation;
      AffineExpr position = start.floorDiv(window.stride);
      if (window.stride != 1)
        guard.push_back(-(start % window.stride));
      guard.push_back(position);
      guard.push_back(body.size(window.output) - 1 - position);
      channel = channel * body.size(window.kernel) + k;
      column = column * body.size(window.output) + position;
    }
    Value element = body.read(input, {body.dim(0), channel, column}, guard, zero);
    return widen(toScalar(body, element, input.dtype()));
  }));
}

static std::optional<int64_t> spatialRank(const NodeFacts &facts) {
  return facts.fromResult(1, -2);
}

OperatorRows getUnpoolingRows() {
  return {
      {"MaxUnpool", buildMaxUnpool, List{2, inputRank}},
      {"Col2Im", buildCol2Im, List{1, spatialRank}, List{2, spatialRank}},
  };
}

} // namespace tssa::operators
