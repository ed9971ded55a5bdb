//===- SoftmaxMatch.cpp - finds sums that a softmax weights ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/SoftmaxMatch.h"
#include "dialects/te/Analysis/IndexSimplifier.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/Transforms/MaskedKeys.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
/// Matches a softmax. All dims before the last one are rows.
class SoftmaxMatcher {
public:
  SoftmaxMatcher(ArrayRef<Operation *> group, unsigned numRows) : group(group), numRows(numRows) {}

  std::optional<SoftmaxSum> match() {
    found.product = cast<ComputeOp>(group.back());
    std::optional<Contraction> factors = matchContraction(found.product);
    if (!factors || found.product.getNumReduction() != 1)
      return std::nullopt;
    for (ReadOp read : {factors->lhs, factors->rhs}) {
      found.weight = read;
      found.weights = getMember(read);
      if (found.weights && matchWeights() && matchReductions() && areReadInside()) {
        found.value = read == factors->lhs ? factors->rhs : factors->lhs;
        findMasked();
        return found;
      }
    }
    return std::nullopt;
  }

private:
  /// Returns the expression of the group that `read` reads, if it has one result of floats.
  ComputeOp getMember(ReadOp read) {
    auto source = read.getSource().getDefiningOp<ComputeOp>();
    bool isMember = source && llvm::is_contained(group, source.getOperation()) &&
                    source.getNumResults() == 1 && source.getPieces().size() == 1 &&
                    isa<Float32Type, Float64Type>(read.getType());
    return isMember ? source : ComputeOp();
  }

  bool dependsOnKeys(Value value) {
    return collectDims(value, found.weights.getPieceBlock()).contains(numRows);
  }

  /// Matches `exp(score - max)`, alone or with a factor.
  bool matchWeights() {
    if (found.weights.hasReduction() || found.weights.getNumParallel() != numRows + 1)
      return false;
    Value value = found.weights.getPieceBlock()->getTerminator()->getOperand(0);
    if (!matchCleared(value))
      return false;
    found.factor = Value();
    if (auto product = value.getDefiningOp<arith::MulFOp>()) {
      bool isFirst = dependsOnKeys(product.getLhs());
      found.factor = isFirst ? product.getRhs() : product.getLhs();
      value = isFirst ? product.getLhs() : product.getRhs();
    } else if (auto quotient = value.getDefiningOp<arith::DivFOp>()) {
      found.factor = quotient.getRhs();
      value = quotient.getLhs();
      found.isDivisor = true;
    }
    auto exponential = value.getDefiningOp<math::ExpOp>();
    auto difference =
        exponential ? exponential.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
    auto max = difference ? difference.getRhs().getDefiningOp<ReadOp>() : ReadOp();
    found.max = max && !dependsOnKeys(max) ? getMember(max) : ComputeOp();
    if (!found.max || (found.factor && dependsOnKeys(found.factor)))
      return false;
    found.exponential = value;
    found.score = difference.getLhs();
    return true;
  }

  /// Takes from `value` that some weights count as 0.
  bool matchCleared(Value &value) {
    while (auto select = value.getDefiningOp<arith::SelectOp>()) {
      Value condition = select.getCondition();
      bool ofNaN = isNaN(condition, select.getFalseValue());
      if (!matchPattern(select.getTrueValue(), m_PosZeroFloat()) ||
          (ofNaN ? found.clearsNaN : found.clearsRow || dependsOnKeys(condition)))
        return false;
      ofNaN ? void(found.clearsNaN = true) : void(found.clearsRow = condition);
      value = select.getFalseValue();
    }
    return true;
  }

  static bool isNaN(Value condition, Value value) {
    auto compare = condition.getDefiningOp<arith::CmpFOp>();
    return compare && compare.getLhs() == value && compare.getRhs() == value &&
           (compare.getPredicate() == arith::CmpFPredicate::UNE ||
            compare.getPredicate() == arith::CmpFPredicate::UNO);
  }

  /// Returns whether `compute` reduces `value`, a value of the weights, over the keys.
  bool reduces(ComputeOp compute, Value value, Combiner combiner) {
    return compute.getNumParallel() == numRows && compute.getNumReduction() == 1 &&
           compute.getReductionSizes().front() == found.weights.getParallelSizes().back() &&
           matchCombiner(compute.getCombiner()) == combiner &&
           areEqualAtPoint(compute.getPieceBlock()->getTerminator()->getOperand(0), value);
  }

  bool matchReductions() {
    if (!reduces(found.max, found.score, Combiner::Max) || found.max.hasEpilogue())
      return false;
    found.sum = ComputeOp();
    for (Operation *member : group)
      if (auto compute = cast<ComputeOp>(member);
          reduces(compute, found.exponential, Combiner::Add))
        found.sum = compute;
    return static_cast<bool>(found.sum);
  }

  /// Returns whether nothing else reads what is rewritten.
  bool areReadInside() {
    auto isReadBy = [](ComputeOp member, ArrayRef<ComputeOp> readers) {
      return llvm::all_of(member->getUsers(), [&](Operation *user) {
        return llvm::is_contained(readers, user->getParentOfType<ComputeOp>());
      });
    };
    return isReadBy(found.max, {found.sum, found.weights}) &&
           isReadBy(found.sum, {found.weights}) && isReadBy(found.weights, {found.product});
  }

  /// Returns whether the elements of `tensor` can be read outside of the group, or computed from
  /// such elements.
  bool isReadable(Value tensor) {
    auto source = tensor.getDefiningOp<ComputeOp>();
    if (!source || !llvm::is_contained(group, source.getOperation()))
      return true;
    bool readsGroup = false;
    source.walk([&](ReadOp read) {
      readsGroup |= llvm::is_contained(group, read.getSource().getDefiningOp());
    });
    return !source.hasReduction() && source.getPieces().size() == 1 && !readsGroup;
  }

  /// Finds out which keys of which rows are masked, if the scores are a product.
  void findMasked() {
    auto read = found.score.getDefiningOp<ReadOp>();
    ComputeOp scores = read ? getMember(read) : ComputeOp();
    std::optional<Contraction> product =
        scores ? matchContraction(scores) : std::optional<Contraction>();
    AffineExpr masked = product ? findMaskedKeys(found.weights, found.score) : AffineExpr();
    if (!masked || !isReadable(product->lhs.getSource()) || !isReadable(product->rhs.getSource()) ||
        !isReadable(found.value.getSource()))
      return;
    SmallVector<IndexRange> ranges;
    bool falls = false;
    for (auto [dim, size] : llvm::enumerate(found.weights.getStaticSizes())) {
      std::optional<int64_t> factor = findFactor(masked, dim);
      bool isKey = dim == numRows;
      if (!factor || ShapedType::isDynamic(size) || (isKey ? *factor <= 0 : *factor > 0))
        return;
      falls |= *factor < 0;
      ranges.push_back(IndexRange::below(getAffineConstantExpr(size, masked.getContext())));
    }
    IndexSimplifier simplifier(masked.getContext(), ranges, {});
    std::optional<int64_t> most = simplifier.getConstantUpperBound(masked);
    if (!falls || !most)
      return;
    found.scores = scores;
    found.masked = masked;
    found.mostMasked = *most;
  }

  /// Returns the factor of a dim in `expr`, if it is linear in it.
  static std::optional<int64_t> findFactor(AffineExpr expr, unsigned dim) {
    AffineExpr own = getAffineDimExpr(dim, expr.getContext());
    AffineExpr step = simplifyAffineExpr(expr.replace(own, own + 1) - expr, dim + 64, 0);
    auto factor = dyn_cast<AffineConstantExpr>(step);
    return factor ? std::optional(factor.getValue()) : std::nullopt;
  }

  ArrayRef<Operation *> group;
  unsigned numRows;
  SoftmaxSum found;
};
} // namespace

std::optional<SoftmaxSum> te::matchSoftmaxSum(ArrayRef<Operation *> group, unsigned numRows) {
  return SoftmaxMatcher(group, numRows).match();
}
