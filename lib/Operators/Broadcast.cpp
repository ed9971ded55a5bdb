//===- Broadcast.cpp - broadcasting in one direction -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Broadcast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tssa::operators {

LogicalResult requireBroadcast(Builder &builder, const Tensor &operand, ArrayRef<Size> shape,
                               StringRef what) {
  auto text = [&] {
    return ("expected " + what + " to broadcast to " + Tensor(operand.dtype(), shape).str() +
            ", got " + operand.str())
        .str();
  };
  if (operand.rank() > static_cast<int64_t>(shape.size()))
    return builder.error(text());
  for (auto [size, extent] : llvm::zip_equal(operand.shape(), shape.take_back(operand.rank()))) {
    if (size == extent || size.isConstant(1))
      continue;
    Builder::Condition isExtent = builder.isEqual(size, extent), isOne = builder.isEqual(size, 1);
    if (isExtent.known == false && isOne.known == false)
      return builder.error(text());
    if (isExtent.value && isOne.value)
      builder.check(arith::OrIOp::create(builder.ops, builder.loc(), isExtent.value, isOne.value),
                    text());
    else if (failed(builder.require(isExtent.value ? isExtent : isOne, text())))
      return failure();
  }
  return success();
}

} // namespace tssa::operators
