//===- Standard.cpp - standard operators that other operators call -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Microsoft/Standard.h"
#include "tssa/Operators/Catalogue.h"

using namespace mlir;

namespace tssa::operators {

FailureOr<Tensors> buildStandard(Builder &builder, StringRef op, int64_t version,
                                 ArrayRef<Tensor> inputs, NamedAttrList attributes) {
  Node node;
  node.op = op.str();
  node.version = version;
  node.inputs = Tensors(inputs);
  node.outputs = {true};
  node.attributes = std::move(attributes);
  return findOperator("", op, version)->build(builder, node);
}

OperatorFn asStandard(StringLiteral op, int64_t version) {
  return [=](Builder &builder, const Node &node) {
    Node inner = node;
    inner.domain.clear();
    inner.op = op.str();
    inner.version = version;
    return findOperator("", op, version)->build(builder, inner);
  };
}

} // namespace tssa::operators
