//===- MatMul.cpp - matrix products -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Shapes.h"
#include <cmath>

using namespace mlir;

namespace tssa::operators {

static FailureOr<Tensors> buildMatMul(Builder &builder, const Node &node) {
  return single(matmul(builder, node.inputs[0], node.inputs[1]));
}

static FailureOr<Tensors> buildGemm(Builder &builder, const Node &node) {
  Tensor a = node.inputs[0], b = node.inputs[1], c = node.input(2);
  if (a.rank() != 2 || b.rank() != 2)
    return builder.error("expected A and B of rank 2, got " + Twine(a.str()) + " and " + b.str());
  bool transA = node.getInt("transA", 0), transB = node.getInt("transB", 0);
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  if (!isFloat(a.dtype()) && (alpha != std::floor(alpha) || beta != std::floor(beta)))
    return builder.unsupported("an alpha or beta with a fraction on integers");
  if (failed(builder.requireEqual(a.dim(transA ? 0 : 1), b.dim(transB ? 1 : 0),
                                  "the columns of A and the rows of B")))
    return failure();
  SmallVector<Size> shape = {a.dim(transA ? 1 : 0), b.dim(transB ? 0 : 1)};
  if (c && failed(requireBroadcast(builder, c, shape, "C")))
    return failure();
  ReducedDims reduced(2);
  unsigned inner = reduced.add(a.dim(transA ? 0 : 1));
  auto term = [&](Body &body) {
    AffineExpr m = body.dim(0), n = body.dim(1), k = reduced.expr(body, inner);
    SmallVector<AffineExpr> left = {m, k}, right = {k, n};
    if (transA)
      std::swap(left[0], left[1]);
    if (transB)
      std::swap(right[0], right[1]);
    return readScalar(body, a, left) * readScalar(body, b, right);
  };
  auto epilogue = [&](Body &body, Scalar total) {
    if (alpha != 1)
      total = total * alpha;
    if (!c || beta == 0)
      return total;
    Value element = body.readBroadcast(c, shape, body.dims(0, 2));
    Scalar added = widen(toScalar(body, element, c.dtype()));
    return total + (beta == 1 ? added : added * beta);
  };
  bool isPlain = alpha == 1 && (!c || beta == 0);
  return single(sum(builder, getAccumulator(a.dtype()), a.dtype(), shape, reduced, term,
                    isPlain ? EpilogueFn() : EpilogueFn(epilogue)));
}

OperatorRows getMatMulRows() {
  return {
      {"MatMul", buildMatMul},
      {"Gemm", Versions{7}, buildGemm},
  };
}

} // namespace tssa::operators
