//===- Einsum.cpp - Einstein summation -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operands are contracted in pairs, from left to right. Each contraction sums over the labels
/// that neither the result nor a later operand has.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/Contraction.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tssa::operators {

/// A letter, or `firstEllipsis` + i for dim i of `...`. The dims of `...` are counted from the
/// right.
using Label = int;
static constexpr Label firstEllipsis = 256;

namespace {
struct Term {
  Tensor tensor;
  SmallVector<Label> labels;
};
struct Equation {
  SmallVector<Term> operands;
  SmallVector<Label> result;
  std::map<Label, Size> sizes;
};
} // namespace

/// Parses the labels of one operand, and sets `ellipsisRank` to the rank of its `...`.
static FailureOr<SmallVector<Label>> parseLabels(Builder &builder, StringRef text,
                                                 int64_t ellipsisRank) {
  SmallVector<Label> labels;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      for (int64_t i = ellipsisRank; i > 0; --i)
        labels.push_back(firstEllipsis + i - 1);
      continue;
    }
    char letter = text.front();
    text = text.drop_front();
    if (letter == ' ')
      continue;
    if (!llvm::isAlpha(letter))
      return builder.error("unexpected '" + Twine(letter) + "' in 'equation'");
    labels.push_back(letter);
  }
  return labels;
}

/// Returns the labels of the result for an equation without `->`: all of `...`, then the letters
/// that occur once, in alphabetical order.
static SmallVector<Label> getImplicitResult(const Equation &equation, int64_t ellipsisRank) {
  std::map<Label, int> uses;
  for (const Term &term : equation.operands)
    for (Label label : term.labels)
      ++uses[label];
  SmallVector<Label> result;
  for (int64_t i = ellipsisRank; i > 0; --i)
    result.push_back(firstEllipsis + i - 1);
  for (auto [label, count] : uses)
    if (label < firstEllipsis && count == 1)
      result.push_back(label);
  return result;
}

static LogicalResult addOperand(Builder &builder, Equation &equation, StringRef text,
                                const Tensor &tensor, int64_t &ellipsisRank) {
  int64_t letters = llvm::count_if(text, [](char c) { return llvm::isAlpha(c); });
  int64_t rest = tensor.rank() - letters;
  bool hasEllipsis = text.contains("...");
  if (rest < 0 || (rest > 0 && !hasEllipsis))
    return builder.error("expected one label in '" + text.trim() + "' for each dim of " +
                         tensor.str());
  ellipsisRank = std::max(ellipsisRank, rest);
  FailureOr<SmallVector<Label>> labels = parseLabels(builder, text, rest);
  if (failed(labels))
    return failure();
  if (static_cast<int64_t>(labels->size()) != tensor.rank())
    return builder.error("expected at most one '...' in '" + text.trim() + "'");
  for (auto [label, size] : llvm::zip_equal(*labels, tensor.shape())) {
    auto [known, isNew] = equation.sizes.try_emplace(label, size);
    if (isNew || known->second == size || size.isConstant(1))
      continue;
    if (known->second.isConstant(1))
      known->second = size;
    else if (failed(builder.requireEqual(known->second, size, "sizes of one label of 'equation'")))
      return failure();
  }
  equation.operands.push_back({tensor, *labels});
  return success();
}

static FailureOr<Equation> parseEquation(Builder &builder, StringRef text, const Tensors &inputs) {
  Equation equation;
  auto [operands, result] = text.split("->");
  SmallVector<StringRef> terms;
  operands.split(terms, ',');
  if (terms.size() != inputs.size())
    return builder.error("expected " + Twine(terms.size()) + " inputs for 'equation', got " +
                         Twine(inputs.size()));
  int64_t ellipsisRank = 0;
  for (auto [term, input] : llvm::zip_equal(terms, inputs))
    if (failed(addOperand(builder, equation, term, input, ellipsisRank)))
      return failure();
  if (!text.contains("->")) {
    equation.result = getImplicitResult(equation, ellipsisRank);
    return equation;
  }
  FailureOr<SmallVector<Label>> labels = parseLabels(builder, result, ellipsisRank);
  if (failed(labels))
    return failure();
  for (auto [i, label] : llvm::enumerate(*labels)) {
    if (!equation.sizes.count(label))
      return builder.error("the result of 'equation' has a label that no input has");
    if (llvm::is_contained(ArrayRef<Label>(*labels).take_front(i), label))
      return builder.error("the result of 'equation' has a label twice");
  }
  equation.result = *labels;
  return equation;
}

/// Contracts `terms`: sums their product over all labels but `kept`.
static FailureOr<Tensor> contract(Builder &builder, const Equation &equation, ArrayRef<Term> terms,
                                  ArrayRef<Label> kept) {
  SmallVector<Size> shape;
  std::map<Label, unsigned> parallel, slots;
  for (Label label : kept) {
    parallel[label] = shape.size();
    shape.push_back(equation.sizes.at(label));
  }
  ReducedDims reduced(shape.size());
  for (const Term &term : terms)
    for (Label label : term.labels)
      if (!parallel.count(label) && !slots.count(label))
        slots[label] = reduced.add(equation.sizes.at(label));
  auto readTerm = [&](Body &body, const Term &term) {
    SmallVector<AffineExpr> at;
    for (auto [label, size] : llvm::zip_equal(term.labels, term.tensor.shape())) {
      auto dim = parallel.find(label);
      AffineExpr expr =
          dim != parallel.end() ? body.dim(dim->second) : reduced.expr(body, slots.at(label));
      at.push_back(size.isConstant(1) ? body.constantExpr(0) : expr);
    }
    return readScalar(body, term.tensor, at);
  };
  auto product = [&](Body &body) {
    Scalar result = readTerm(body, terms.front());
    for (const Term &term : terms.drop_front())
      result = result * readTerm(body, term);
    return result;
  };
  DType type = terms.front().tensor.dtype();
  return sum(builder, getAccumulator(type), type, shape, reduced, product);
}

/// Returns the labels of `terms` that the result or one of the `later` operands has.
static SmallVector<Label> getLiveLabels(const Equation &equation, ArrayRef<Term> terms,
                                        ArrayRef<Term> later) {
  llvm::SetVector<Label> live;
  for (const Term &term : terms)
    for (Label label : term.labels)
      if (llvm::is_contained(equation.result, label) ||
          llvm::any_of(later, [&](const Term &t) { return llvm::is_contained(t.labels, label); }))
        live.insert(label);
  return live.takeVector();
}

static FailureOr<Tensors> buildEinsum(Builder &builder, const Node &node) {
  FailureOr<Equation> equation =
      parseEquation(builder, node.getString("equation", ""), node.inputs);
  if (failed(equation))
    return failure();
  ArrayRef<Term> rest = equation->operands;
  SmallVector<Term> current = {rest.front()};
  rest = rest.drop_front();
  while (rest.size() > 1) {
    current.push_back(rest.front());
    rest = rest.drop_front();
    SmallVector<Label> live = getLiveLabels(*equation, current, rest);
    FailureOr<Tensor> tensor = contract(builder, *equation, current, live);
    if (failed(tensor))
      return failure();
    current = {{*tensor, live}};
  }
  current.append(rest.begin(), rest.end());
  return single(contract(builder, *equation, current, equation->result));
}

OperatorRows getEinsumRows() { return {{"Einsum", buildEinsum}}; }

} // namespace tssa::operators
