//===- Contraction.cpp - matrix products -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/Contraction.h"

using namespace mlir;

namespace tssa::operators {

unsigned ReducedDims::add(const Size &size) {
  dims.push_back(size.isConstant(1) ? -1 : static_cast<int>(kept.size()));
  if (!size.isConstant(1))
    kept.push_back(size);
  return dims.size() - 1;
}

unsigned ReducedDims::add(ArrayRef<Size> sizes) {
  unsigned first = dims.size();
  for (const Size &size : sizes)
    add(size);
  return first;
}

AffineExpr ReducedDims::expr(Body &body, unsigned slot) const {
  return dims[slot] < 0 ? body.constantExpr(0) : body.dim(numParallel + dims[slot]);
}

FailureOr<Tensor> combine(Builder &builder, te::Combiner combiner, DType accumulator, DType type,
                          ArrayRef<Size> shape, const ReducedDims &reduced, TermFn term,
                          EpilogueFn epilogue) {
  auto finish = [&](Body &body, Scalar total) {
    return toElement(body, epilogue ? epilogue(body, total) : total, type);
  };
  if (reduced.sizes().empty())
    return builder.compute(type, shape, [&](Body &body) { return finish(body, term(body)); });
  auto element = [&](Body &body) { return term(body).getValue(); };
  auto finishTotal = [&](Body &body, ValueRange total) {
    return finish(body, toScalar(body, total[0], accumulator));
  };
  return builder.reduce(combiner, accumulator, type, shape, reduced.sizes(), element,
                        epilogue ? MapFn(finishTotal) : MapFn());
}

FailureOr<Tensor> sum(Builder &builder, DType accumulator, DType type, ArrayRef<Size> shape,
                      const ReducedDims &reduced, TermFn term, EpilogueFn epilogue) {
  return combine(builder, te::Combiner::Add, accumulator, type, shape, reduced, term, epilogue);
}

/// Returns the index of the element of operand `tensor` that the current point reads: the indexes
/// of its batch dims, which broadcast to `batch`, and then `rest`.
static SmallVector<AffineExpr> getOperandPoint(Body &body, const Tensor &tensor,
                                               ArrayRef<Size> batch, ArrayRef<AffineExpr> rest) {
  SmallVector<AffineExpr> at;
  int64_t numBatch = tensor.rank() - rest.size();
  for (int64_t i = 0; i < numBatch; ++i) {
    int64_t dim = batch.size() - numBatch + i;
    const Size &size = tensor.dim(i);
    if (size.isConstant(1))
      at.push_back(body.constantExpr(0));
    else if (size == batch[dim] || size.differs(1))
      at.push_back(body.dim(dim));
    else
      at.push_back(body.dim(dim) % body.size(size));
  }
  at.append(rest.begin(), rest.end());
  return at;
}

FailureOr<Tensor> matmul(Builder &builder, const Tensor &a, const Tensor &b,
                         const MatMulOptions &options) {
  if (a.rank() == 0 || b.rank() == 0)
    return builder.error("expected operands of rank 1 or more, got " + Twine(a.str()) + " and " +
                         b.str());
  bool hasRow = a.rank() > 1, hasColumn = b.rank() > 1;
  const Size &depth = a.shape().back();
  const Size &rows = b.dim(hasColumn ? b.rank() - 2 : 0);
  if (failed(builder.requireEqual(depth, rows, "the columns of A and the rows of B")))
    return failure();
  ArrayRef<Size> batches[] = {a.shape().drop_back(hasRow ? 2 : 1),
                              b.shape().drop_back(hasColumn ? 2 : 1)};
  FailureOr<SmallVector<Size>> batch = builder.broadcast(batches);
  if (failed(batch))
    return failure();
  SmallVector<Size> shape = *batch;
  unsigned rowDim = shape.size();
  if (hasRow)
    shape.push_back(a.dim(a.rank() - 2));
  unsigned columnDim = shape.size();
  if (hasColumn)
    shape.push_back(b.shape().back());

  ReducedDims reduced(shape.size());
  unsigned inner = reduced.add(depth);
  auto term = [&](Body &body) {
    AffineExpr k = reduced.expr(body, inner);
    SmallVector<AffineExpr> left, right = {k};
    AffineExpr row = hasRow ? body.dim(rowDim) : AffineExpr();
    AffineExpr column = hasColumn ? body.dim(columnDim) : AffineExpr();
    if (hasRow)
      left.push_back(row);
    left.push_back(k);
    if (hasColumn)
      right.push_back(column);
    Scalar x = toScalar(body, body.read(a, getOperandPoint(body, a, *batch, left)), a.dtype());
    Scalar y = toScalar(body, body.read(b, getOperandPoint(body, b, *batch, right)), b.dtype());
    return options.left(body, x, row) * options.right(body, y, column);
  };
  auto epilogue = [&](Body &body, Scalar total) {
    return options.epilogue(body, total, body.dims(0, shape.size()));
  };
  return sum(builder, options.accumulator, options.result, shape, reduced, term,
             options.epilogue ? EpilogueFn(epilogue) : EpilogueFn());
}

FailureOr<Tensor> matmul(Builder &builder, const Tensor &a, const Tensor &b) {
  auto keep = [](Body &, Scalar x, AffineExpr) { return widen(x); };
  return matmul(builder, a, b, {getAccumulator(a.dtype()), a.dtype(), keep, keep, nullptr});
}

} // namespace tssa::operators
