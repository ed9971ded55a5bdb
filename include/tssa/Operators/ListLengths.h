//===- ListLengths.h - lists of unknown length -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A model may pass axes, shapes, pads and the like as lists whose lengths it leaves open. Before
/// an operator is built, such a list gets the length that the operator demands, given the ranks of
/// its inputs and the declared rank of its result; a te.check holds the model to it. What stays
/// open, the operator refuses.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_OPERATORS_LISTLENGTHS_H
#define TSSA_OPERATORS_LISTLENGTHS_H

#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// The rank that the model declares for output `i` of a node, if it does.
using DeclaredRankFn = llvm::function_ref<std::optional<int64_t>(unsigned i)>;

/// What is known of a node before it is built.
struct NodeFacts {
  const Node &node;
  DeclaredRankFn declaredRank;

  int64_t rank(unsigned input = 0) const { return node.inputs[input].rank(); }
  /// The number of axes that the attribute 'axes' names; all without it.
  int64_t numAxes() const {
    size_t given = node.getInts("axes").size();
    return given ? static_cast<int64_t>(given) : rank();
  }
  /// `a` times the declared rank of the result, plus `b`.
  std::optional<int64_t> fromResult(int64_t a, int64_t b) const {
    std::optional<int64_t> declared = declaredRank(0);
    return declared ? std::optional(a * *declared + b) : std::nullopt;
  }
};

/// An input that is a list, and how it is settled where its length is open.
struct List {
  /// The length that the operator demands; nothing where it is not known.
  using LengthFn = std::optional<int64_t> (*)(const NodeFacts &);
  /// A list of known length that means the same, or `list` itself.
  using SettleFn = mlir::FailureOr<Tensor> (*)(Builder &, const NodeFacts &, const Tensor &list);

  unsigned input;
  LengthFn length = nullptr;
  SettleFn settle = nullptr;

  List(unsigned input, LengthFn length) : input(input), length(length) {}
  List(unsigned input, SettleFn settle) : input(input), settle(settle) {}
};

/// Lengths that several operators demand.
inline std::optional<int64_t> inputRank(const NodeFacts &facts) { return facts.rank(); }
inline std::optional<int64_t> resultRank(const NodeFacts &facts) { return facts.declaredRank(0); }

/// Replaces those inputs of `node` that are lists of open length by lists of known length.
mlir::LogicalResult settleListLengths(Builder &builder, Node &node, llvm::ArrayRef<List> lists,
                                      DeclaredRankFn declaredRank);

} // namespace tssa::operators

#endif // TSSA_OPERATORS_LISTLENGTHS_H
