//===- Rows.cpp - inputs and weights as rows of features -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ML/Rows.h"
#include "lib/Operators/ML/Scores.h"
#include "tssa/Builder/Contraction.h"

using namespace mlir;

namespace tssa::operators {

FailureOr<Tensor> getRows(Builder &builder, const Tensor &x) {
  FailureOr<Tensor> real = builder.cast(x, DType::F32);
  if (failed(real))
    return failure();
  if (x.rank() == 1)
    return builder.reshape(*real, {Size(1), x.dim(0)});
  if (x.rank() != 2)
    return builder.error("expected an input of rank 1 or 2, got " + Twine(x.str()));
  return real;
}

FailureOr<Tensor> makeMatrix(Builder &builder, const Tensor &x, ArrayRef<double> values,
                             int64_t rows, StringRef name) {
  int64_t count = values.size();
  if (rows < 1 || count == 0 || count % rows != 0)
    return builder.error("expected " + Twine(rows) + " rows in '" + name + "', got " +
                         Twine(count) + " elements");
  if (failed(builder.requireEqual(x.dim(1), count / rows,
                                  "features and columns of '" + Twine(name) + "'")))
    return failure();
  return builder.reshape(makeVector(builder, DType::F32, values), {rows, count / rows});
}

FailureOr<Tensor> multiplyRows(Builder &builder, const Tensor &x, const Tensor &m) {
  FailureOr<Tensor> transposed = builder.transpose(m, {1, 0});
  if (failed(transposed))
    return failure();
  return matmul(builder, x, *transposed);
}

} // namespace tssa::operators
