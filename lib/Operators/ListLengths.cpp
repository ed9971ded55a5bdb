//===- ListLengths.cpp - lists of unknown length -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Operators/ListLengths.h"

using namespace mlir;

namespace tssa::operators {

/// Returns `list` with the last dim `length`. A te.check verifies this size at run time.
static FailureOr<Tensor> withLength(Builder &builder, const Tensor &list, int64_t length) {
  int64_t last = list.rank() - 1;
  if (failed(
          builder.requireEqual(list.dim(last), length, "the length of a list and what it is for")))
    return failure();
  return builder.slice(list, last, 0, length);
}

LogicalResult settleListLengths(Builder &builder, Node &node, ArrayRef<List> lists,
                                DeclaredRankFn declaredRank) {
  NodeFacts facts{node, declaredRank};
  for (const List &rule : lists) {
    Tensor list = node.input(rule.input);
    if (!list || list.rank() == 0 || list.shape().back().constant())
      continue;
    std::optional<int64_t> length = rule.length ? rule.length(facts) : std::nullopt;
    if (rule.length && (!length || *length < 0))
      continue;
    FailureOr<Tensor> settled =
        length ? withLength(builder, list, *length) : rule.settle(builder, facts, list);
    if (failed(settled))
      return failure();
    node.inputs[rule.input] = *settled;
  }
  return success();
}

} // namespace tssa::operators
