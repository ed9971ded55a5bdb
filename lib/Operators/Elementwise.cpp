//===- Elementwise.cpp - element-wise operators -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Operators/Registry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
namespace tssa::operators {

static Value buildRelu(Body &body, DType type, ValueRange x) {
  if (isFloat(type))
    return arith::MaximumFOp::create(body.ops, body.loc, x[0], body.constant(type, 0.0));
  return arith::MaxSIOp::create(body.ops, body.loc, x[0], body.constant(type, int64_t(0)));
}

static Value buildAdd(Body &body, DType type, ValueRange x) {
  return te::combine(body.ops, body.loc, te::Combiner::Add, isUnsigned(type), x[0], x[1]);
}

static std::optional<Size> addSizes(ArrayRef<Size> x) { return x[0] + x[1]; }

namespace {
/// A line of the table: the result has the element type of the operands.
struct Line {
  const char *op;
  int64_t since;
  Value (*element)(Body &, DType, ValueRange);
  std::optional<Size> (*known)(ArrayRef<Size>);
};
} // namespace

static const Line table[] = {
    {"Add", 7, buildAdd, addSizes},
    {"Relu", 6, buildRelu, nullptr},
};

void registerElementwise(Registry &registry) {
  for (const Line &line : table)
    registry.add(line.op, [&line](Builder &builder, const Node &node) -> FailureOr<Tensors> {
      DType type = node.inputs[0].dtype();
      FailureOr<Tensor> result = builder.elementwise(
          type, node.inputs, [&](Body &body, ValueRange x) { return line.element(body, type, x); },
          line.known ? SizeFn(line.known) : SizeFn());
      if (failed(result))
        return failure();
      return Tensors{*result};
    }, line.since);
}

} // namespace tssa::operators
