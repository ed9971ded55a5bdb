//===- SquaredLoss.cpp - an operator of the tutorial -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/tutorial/SquaredLoss.h"
#include "tssa/Builder/Scalar.h"

using namespace mlir;

namespace tssa::operators {

/// Half the sum of the squared differences along the last dim of two tensors.
static FailureOr<Tensors> buildSquaredLoss(Builder &builder, const Node &node) {
  const Tensor &a = node.inputs[0], &b = node.inputs[1];
  if (a.dtype() != DType::F32 || b.dtype() != DType::F32)
    return builder.unsupported("expected two tensors of f32, got " + Twine(a.str()) + " and " +
                               b.str());
  if (a.rank() == 0 || a.rank() != b.rank())
    return builder.error("expected two tensors of one rank, at least 1, got " + Twine(a.str()) +
                         " and " + b.str());
  for (auto [lhs, rhs] : llvm::zip_equal(a.shape(), b.shape()))
    if (failed(builder.requireEqual(lhs, rhs, "the inputs of a loss")))
      return failure();

  auto readScalar = [&](Body &body, const Tensor &tensor) {
    return Scalar(body.ops, body.loc, body.read(tensor, body.dims(0, a.rank())));
  };
  FailureOr<Tensor> loss = builder.reduce(
      te::Combiner::Add, DType::F32, DType::F32, /*shape=*/a.shape().drop_back(),
      /*reduced=*/a.shape().take_back(),
      [&](Body &body) {
        Scalar difference = readScalar(body, a) - readScalar(body, b);
        return (difference * difference).getValue();
      },
      [](Body &body, ValueRange sums) {
        return (Scalar(body.ops, body.loc, sums.front()) / 2.0).getValue();
      });
  if (failed(loss))
    return failure();
  return Tensors{*loss};
}

OperatorRows getSquaredLossRows() {
  return {{"SquaredLoss", Domain{"tutorial"}, Signature{"a:any b:any"}, buildSquaredLoss}};
}

} // namespace tssa::operators
