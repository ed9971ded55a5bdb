//===- Softmax.cpp - Softmax and LogSoftmax -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/Contraction.h"

using namespace mlir;

namespace tssa::operators {

/// Builds a softmax over dims [begin, end) in three passes: the maximum, the sum of
/// exp(x - maximum), and the result. For f16 and bf16, statistics are f32.
static FailureOr<Tensor> softmax(Builder &builder, const Tensor &x, int64_t begin, int64_t end,
                                 bool isLog) {
  DType wide = getAccumulator(x.dtype());
  SmallVector<Size> outer(x.shape().take_front(begin));
  outer.append(x.shape().begin() + end, x.shape().end());
  ReducedDims reduced(outer.size());
  unsigned slot = reduced.add(x.shape().slice(begin, end - begin));
  auto readElement = [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, begin);
    for (int64_t i = begin; i < end; ++i)
      at.push_back(reduced.expr(body, slot + i - begin));
    at.append(body.dims(begin, outer.size()));
    return readScalar(body, x, at);
  };
  FailureOr<Tensor> greatest =
      combine(builder, te::Combiner::Max, wide, wide, outer, reduced, readElement);
  if (failed(greatest))
    return failure();
  FailureOr<Tensor> scale = sum(
      builder, wide, wide, outer, reduced,
      [&](Body &body) {
        return exp(readElement(body) - readScalar(body, *greatest, body.dims(0, outer.size())));
      },
      [&](Body &, Scalar total) { return isLog ? log(total) : 1.0 / total; });
  if (failed(scale))
    return failure();
  return builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank()), row = body.dims(0, begin);
    row.append(body.dims(end, x.rank()));
    Scalar shifted = readScalar(body, x, at) - readScalar(body, *greatest, row);
    Scalar factor = readScalar(body, *scale, row);
    return toElement(body, isLog ? shifted - factor : exp(shifted) * factor, x.dtype());
  });
}

static FailureOr<Tensors> buildSoftmax(Builder &builder, const Node &node, bool isLog) {
  const Tensor &x = node.inputs[0];
  bool takesAllBehind = node.version < 13;
  int64_t axis = node.getInt("axis", takesAllBehind ? 1 : -1);
  if (x.rank() == 0 && (axis == 0 || axis == -1))
    return single(softmax(builder, x, 0, 0, isLog));
  FailureOr<int64_t> begin = builder.normalizeAxis(axis, x.rank());
  if (failed(begin))
    return failure();
  return single(softmax(builder, x, *begin, takesAllBehind ? x.rank() : *begin + 1, isLog));
}

OperatorRows getSoftmaxRows() {
  return {
      {"Softmax", [](Builder &builder,
                     const Node &node) { return buildSoftmax(builder, node, /*isLog=*/false); }},
      {"LogSoftmax", [](Builder &builder,
                        const Node &node) { return buildSoftmax(builder, node, /*isLog=*/true); }},
  };
}

} // namespace tssa::operators
