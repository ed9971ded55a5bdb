//===- SoftmaxMatch.cpp - sums that are weighted by a softmax -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/SoftmaxMatch.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Blocks of fewer keys are not worth what scaling their sums takes.
static constexpr int64_t leastKeys = 64;

namespace {
/// Matches a softmax. All dims before the last one are rows.
class SoftmaxMatcher {
public:
  SoftmaxMatcher(ArrayRef<Operation *> group, unsigned numRows, bool isMerged)
      : group(group), numRows(numRows), isMerged(isMerged) {}

  std::optional<SoftmaxSum> match() {
    found.product = cast<ComputeOp>(group.back());
    std::optional<Contraction> factors = matchContraction(found.product);
    if (!factors || found.product.getNumReduction() != 1)
      return std::nullopt;
    for (ReadOp read : {factors->lhs, factors->rhs}) {
      found.weight = read;
      found.weights = getMember(read);
      if (found.weights && matchWeights() && matchReductions() && (!isMerged || areReadInside())) {
        found.value = read == factors->lhs ? factors->rhs : factors->lhs;
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

  /// Returns the value that `value` has where it is computed, if merging is still to bring that
  /// expression here.
  Value resolve(Value value) {
    while (auto read = isMerged ? ReadOp() : value.getDefiningOp<ReadOp>()) {
      ComputeOp source = getMember(read);
      if (!source || source.hasReduction() || source.getNumParallel() != numRows + 1 ||
          !readsLeadingDims(read.getMap(), source.getParallelSizes()))
        break;
      value = source.getPieceBlock()->getTerminator()->getOperand(0);
    }
    return value;
  }

  bool dependsOnKeys(Value value) {
    return collectDims(value, value.getParentBlock()).contains(numRows);
  }

  /// Matches `exp(score - max)`, alone or with a factor.
  bool matchWeights() {
    if (found.weights.hasReduction() || found.weights.getNumParallel() != numRows + 1)
      return false;
    Value value = resolve(found.weights.getPieceBlock()->getTerminator()->getOperand(0));
    if (!matchCleared(value))
      return false;
    found.factor = Value();
    if (auto product = value.getDefiningOp<arith::MulFOp>()) {
      bool isFirst = dependsOnKeys(product.getLhs());
      found.factor = isFirst ? product.getRhs() : product.getLhs();
      found.scaling = product;
      value = isFirst ? product.getLhs() : product.getRhs();
    } else if (auto quotient = value.getDefiningOp<arith::DivFOp>()) {
      found.factor = quotient.getRhs();
      found.scaling = quotient;
      value = quotient.getLhs();
    }
    value = resolve(value);
    auto exponential = value.getDefiningOp<math::ExpOp>();
    auto difference = exponential ? resolve(exponential.getOperand()).getDefiningOp<arith::SubFOp>()
                                  : arith::SubFOp();
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
      if (ofNaN)
        found.clearsNaN = true;
      else
        found.clearsRow = condition;
      value = resolve(select.getFalseValue());
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
           areEqualAtPoint(resolve(compute.getPieceBlock()->getTerminator()->getOperand(0)),
                           resolve(value));
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

  ArrayRef<Operation *> group;
  unsigned numRows;
  bool isMerged;
  SoftmaxSum found;
};
} // namespace

std::optional<SoftmaxSum> te::matchSoftmaxSum(ArrayRef<Operation *> group, unsigned numRows,
                                              bool isMerged) {
  return SoftmaxMatcher(group, numRows, isMerged).match();
}

int64_t SoftmaxSum::findKeyBlock(int64_t mostKeys) {
  std::optional<int64_t> keys = getConstantSize(weights.getParallelSizes().back());
  if (!keys || *keys <= mostKeys)
    return 0;
  for (int64_t block = mostKeys; block >= leastKeys; --block)
    if (*keys % block == 0)
      return block;
  return 0;
}
