//===- ListLengths.h - lists of unknown length -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A model may pass axes, shapes, pads and the like as 1-D tensors of dynamic length. Before an
/// operator is built, such a list gets the length that the operator requires. This length follows
/// from the ranks of the operator's inputs and the declared rank of its result. A te.check verifies
/// it at run time. The operator refuses a list whose length remains unknown.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_OPERATORS_LISTLENGTHS_H
#define TSSA_OPERATORS_LISTLENGTHS_H

#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// Returns the rank that the model declares for output `i` of a node, or nothing.
using DeclaredRankFn = llvm::function_ref<std::optional<int64_t>(unsigned i)>;

/// A node that is not built yet, with the ranks that the model declares for its outputs.
struct NodeFacts {
  const Node &node;
  DeclaredRankFn declaredRank;

  int64_t rank(unsigned input = 0) const { return node.inputs[input].rank(); }
  /// Returns the length of the attribute 'axes', or the rank of input 0 if the attribute is empty
  /// or absent.
  int64_t numAxes() const {
    size_t given = node.getInts("axes").size();
    return given ? static_cast<int64_t>(given) : rank();
  }
  /// Returns a * r + b, where r is the rank that the model declares for the result; nothing if the
  /// model declares no rank.
  std::optional<int64_t> fromResult(int64_t a, int64_t b) const {
    std::optional<int64_t> declared = declaredRank(0);
    return declared ? std::optional(a * *declared + b) : std::nullopt;
  }
};

/// An input that is a list. One of the two functions is set: `length` returns the required length
/// of the list; `settle` returns an equivalent list of known length.
struct List {
  /// Returns the length that the operator requires, or nothing if it is not known.
  using LengthFn = std::optional<int64_t> (*)(const NodeFacts &);
  /// Returns a list of known length with the same meaning, or `list` itself if there is no such
  /// list.
  using SettleFn = mlir::FailureOr<Tensor> (*)(Builder &, const NodeFacts &, const Tensor &list);

  unsigned input;
  LengthFn length = nullptr;
  SettleFn settle = nullptr;

  List(unsigned input, LengthFn length) : input(input), length(length) {}
  List(unsigned input, SettleFn settle) : input(input), settle(settle) {}
};

/// Lengths that several operators require.
inline std::optional<int64_t> inputRank(const NodeFacts &facts) { return facts.rank(); }
inline std::optional<int64_t> resultRank(const NodeFacts &facts) { return facts.declaredRank(0); }

/// Replaces the inputs of `node` that are lists of dynamic length by lists of known length.
mlir::LogicalResult settleListLengths(Builder &builder, Node &node, llvm::ArrayRef<List> lists,
                                      DeclaredRankFn declaredRank);

} // namespace tssa::operators

#endif // TSSA_OPERATORS_LISTLENGTHS_H
