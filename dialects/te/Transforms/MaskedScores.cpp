//===- MaskedScores.cpp - the scores that a mask leaves no weight ------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/MaskedScores.h"
#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/Analysis/IndexSimplifier.h"
#include "dialects/te/Analysis/WindowIndex.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/Transforms/MaskedKeys.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns whether the elements of `tensor` can be read outside of the group, or computed from such
/// elements.
static bool isReadable(Value tensor, ArrayRef<Operation *> group) {
  auto source = tensor.getDefiningOp<ComputeOp>();
  if (!source || !llvm::is_contained(group, source.getOperation()))
    return true;
  bool readsGroup = false;
  source.walk([&](ReadOp read) {
    readsGroup |= llvm::is_contained(group, read.getSource().getDefiningOp());
  });
  return !source.hasReduction() && source.getPieces().size() == 1 && !readsGroup;
}

/// Returns the greatest value of `masked` for the sizes of `weights`, if it grows with the last dim
/// and falls with another one.
static std::optional<int64_t> findMost(ComputeOp weights, AffineExpr masked) {
  SmallVector<IndexRange> ranges;
  bool falls = false;
  unsigned numDims = weights.getNumDims();
  for (auto [dim, size] : llvm::enumerate(weights.getStaticSizes())) {
    std::optional<int64_t> factor =
        findFactor(masked, getAffineDimExpr(dim, masked.getContext()), numDims, 0);
    bool isKey = dim + 1 == numDims;
    if (!factor || ShapedType::isDynamic(size) || (isKey ? *factor <= 0 : *factor > 0))
      return std::nullopt;
    falls |= *factor < 0;
    ranges.push_back(IndexRange::below(getAffineConstantExpr(size, masked.getContext())));
  }
  IndexSimplifier simplifier(masked.getContext(), ranges, {});
  return falls ? simplifier.getConstantUpperBound(masked) : std::nullopt;
}

std::optional<MaskedScores> te::findMaskedScores(SoftmaxSum &softmax, ArrayRef<Operation *> group) {
  auto read = softmax.score.getDefiningOp<ReadOp>();
  auto scores = read ? read.getSource().getDefiningOp<ComputeOp>() : ComputeOp();
  if (!scores || !llvm::is_contained(group, scores.getOperation()))
    return std::nullopt;
  std::optional<Contraction> product = matchContraction(scores);
  AffineExpr masked = product ? findMaskedKeys(softmax.weights, softmax.score) : AffineExpr();
  std::optional<int64_t> most =
      masked ? findMost(softmax.weights, masked) : std::optional<int64_t>();
  if (!most)
    return std::nullopt;
  MaskedScores found{product->lhs, product->rhs, softmax.value, 0, masked, *most};
  for (ReadOp factor : {found.query, found.key, found.value})
    if (!isReadable(factor.getSource(), group))
      return std::nullopt;
  found.terms = getReuse(scores.getReductionSizes(), {});
  return found;
}
