//===- LoopChecks.cpp - checks of all iterations at once -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/LoopChecks.h"
#include "dialects/tssa/IR/Linear.h"
#include "dialects/tssa/Transforms/LoopBatch.h"
#include "dialects/tssa/Transforms/LoopForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

/// Returns whether `compare` holds for all smaller values of its left operand if it holds for one.
static bool isUpperBound(arith::CmpIOp compare) {
  arith::CmpIPredicate predicate = compare.getPredicate();
  return predicate == arith::CmpIPredicate::slt || predicate == arith::CmpIPredicate::sle;
}

static bool isLowerBound(arith::CmpIOp compare) {
  arith::CmpIPredicate predicate = compare.getPredicate();
  return predicate == arith::CmpIPredicate::sgt || predicate == arith::CmpIPredicate::sge;
}

/// Returns whether the truth of `condition` in all iterations can be told from one or two of them.
static bool isMonotone(scf::ForOp loop, Value condition) {
  if (loop.isDefinedOutsideOfLoop(condition))
    return true;
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return isMonotone(loop, both.getLhs()) && isMonotone(loop, both.getRhs());
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && (isUpperBound(compare) || isLowerBound(compare)) &&
         isa<IndexType>(compare.getLhs().getType()) &&
         isAffine(loop, compare.getLhs()) && isAffine(loop, compare.getRhs());
}

bool refs::canCheckAtOnce(scf::ForOp loop, te::CheckOp check) {
  return check->getBlock() == loop.getBody() && isMonotone(loop, check.getCondition());
}

/// Builds the value of `linear` in the iteration in which the induction variable is `index`.
static Value makeSum(OpBuilder &builder, Location loc, scf::ForOp loop, const Linear &linear,
                     Value index) {
  Value sum;
  auto add = [&](Value value) {
    sum = sum ? arith::AddIOp::create(builder, loc, sum, value).getResult() : value;
  };
  for (auto [term, factor] : linear.getTerms()) {
    Value value = term == loop.getInductionVar() ? index : term;
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
    if (factor != 1)
      value = arith::MulIOp::create(builder, loc, value,
                                    arith::ConstantIndexOp::create(builder, loc, factor));
    add(value);
  }
  if (linear.getOffset() != 0 || !sum)
    add(arith::ConstantIndexOp::create(builder, loc, linear.getOffset()));
  return sum;
}

/// Builds whether `compare` holds in all iterations, if there is one.
static Value makeCompare(OpBuilder &builder, scf::ForOp loop, Value count, arith::CmpIOp compare) {
  Location loc = compare.getLoc();
  Linear left = Linear::of(compare.getLhs()), right = Linear::of(compare.getRhs());
  int64_t factor = (left - right).getFactor(loop.getInductionVar());
  Value index = loop.getLowerBound();
  if (isUpperBound(compare) ? factor > 0 : factor < 0) {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value number = arith::SubIOp::create(builder, loc, count, one);
    Value length = arith::MulIOp::create(builder, loc, number, loop.getStep());
    index = arith::AddIOp::create(builder, loc, index, length);
  }
  return arith::CmpIOp::create(builder, loc, compare.getPredicate(),
                               makeSum(builder, loc, loop, left, index),
                               makeSum(builder, loc, loop, right, index));
}

/// If `compare` says that an induction variable, which counts from 0, is below a size, builds an
/// equal condition that bounds the number of iterations. It also holds if there is none.
static Value makeCountCompare(OpBuilder &builder, scf::ForOp loop, Value count,
                              arith::CmpIOp compare) {
  bool counts = compare.getLhs() == loop.getInductionVar() &&
                getConstantIntValue(loop.getLowerBound()) == 0 &&
                getConstantIntValue(loop.getStep()) == 1;
  if (!counts || compare.getPredicate() != arith::CmpIPredicate::slt ||
      !loop.isDefinedOutsideOfLoop(compare.getRhs()) || !isNonNegative(compare.getRhs()))
    return Value();
  return arith::CmpIOp::create(builder, compare.getLoc(), arith::CmpIPredicate::sle, count,
                               compare.getRhs());
}

/// Builds whether `condition` holds in all iterations.
static Value makeCondition(OpBuilder &builder, scf::ForOp loop, Value count, Value condition) {
  Location loc = condition.getLoc();
  if (auto both = condition.getDefiningOp<arith::AndIOp>();
      both && !loop.isDefinedOutsideOfLoop(condition))
    return arith::AndIOp::create(builder, loc, makeCondition(builder, loop, count, both.getLhs()),
                                 makeCondition(builder, loop, count, both.getRhs()));
  if (!loop.isDefinedOutsideOfLoop(condition)) {
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    if (Value all = makeCountCompare(builder, loop, count, compare))
      return all;
    condition = makeCompare(builder, loop, count, compare);
  }
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known && *known > 0)
    return condition;
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value isEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, count, one);
  return arith::OrIOp::create(builder, loc, isEmpty, condition);
}

void refs::checkAtOnce(OpBuilder &builder, scf::ForOp loop, Value count, te::CheckOp check) {
  te::CheckOp::create(builder, check.getLoc(),
                      makeCondition(builder, loop, count, check.getCondition()),
                      check.getMessageAttr());
}
