//===- Scan.cpp - running sums and products -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/Indexing.h"

using namespace mlir;

namespace tssa::operators {

/// Builds the scan along an axis that is known only at run time: computes the scans along all axes,
/// and selects the scan along that axis.
static FailureOr<Tensor> scanUnknownAxis(Builder &builder, const Tensor &source, const Tensor &axis,
                                         llvm::function_ref<Tensor(int64_t)> scanAlong) {
  int64_t rank = source.rank();
  Tensors scans;
  for (int64_t i = 0; i < rank; ++i)
    scans.push_back(scanAlong(i));
  return builder.compute(source.dtype(), source.shape(), [&](Body &body) {
    SmallVector<AffineExpr> zero(axis.rank(), body.constantExpr(0)), at = body.dims(0, rank);
    Scalar chosen = readScalar(body, axis, zero);
    chosen = select(chosen < 0.0, chosen + static_cast<double>(rank), chosen);
    Scalar result = toScalar(body, body.read(scans[0], at), source.dtype());
    for (int64_t i = 1; i < rank; ++i) {
      Scalar other = toScalar(body, body.read(scans[i], at), source.dtype());
      result = select(chosen == static_cast<double>(i), other, result);
    }
    return result.getValue();
  });
}

static FailureOr<Tensors> buildScan(Builder &builder, const Node &node, te::Combiner combiner) {
  DType type = node.inputs[0].dtype();
  const Tensor &axis = node.inputs[1];
  bool isExclusive = node.getInt("exclusive", 0) != 0, isReverse = node.getInt("reverse", 0) != 0;
  FailureOr<Tensor> source = builder.cast(node.inputs[0], getAccumulator(type));
  if (failed(source))
    return failure();
  if (source->rank() == 0)
    return builder.error("expected an input of rank 1 or more, got " + Twine(source->str()));
  if (failed(builder.requireEqual(axis.numElements(), 1, "the number of axes")))
    return failure();
  auto scanAlong = [&](int64_t axis) {
    return builder.scan(*source, axis, combiner, isExclusive, isReverse);
  };
  FailureOr<Tensor> result;
  if (auto known = builder.constantInts(axis); known) {
    FailureOr<int64_t> normal = builder.normalizeAxis(known->front(), source->rank());
    if (failed(normal))
      return failure();
    result = scanAlong(*normal);
  } else if (source->rank() == 1) {
    result = scanAlong(0);
  } else {
    result = scanUnknownAxis(builder, *source, axis, scanAlong);
  }
  if (failed(result))
    return failure();
  return single(builder.cast(*result, type));
}

OperatorRows getScanRows() {
  return {
      {"CumSum", bindBack(buildScan, te::Combiner::Add)},
      {"CumProd", bindBack(buildScan, te::Combiner::Mul)},
  };
}

} // namespace tssa::operators
