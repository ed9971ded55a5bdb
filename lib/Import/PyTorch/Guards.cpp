//===- Guards.cpp - run-time checks of assumptions about sizes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Guards.h"
#include "dialects/te/IR/TEOps.h"
#include "tssa/Import/PyTorch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;
using ::tssa::operators::Atom;

namespace tssa::pytorch {

void Guards::bind(const Size &size, int64_t value) {
  const auto &[monomial, coefficient] = size.terms().front();
  example[monomial.front()->value] = value;
}

void Guards::start() { last = &entry->back(); }

/// Returns the value of `size` in the example; nothing if it is not known or overflows.
std::optional<int64_t> Guards::evaluate(const Size &size) {
  int64_t sum = 0;
  for (const auto &[monomial, coefficient] : size.terms()) {
    int64_t term = coefficient;
    for (const Atom *atom : monomial) {
      std::optional<int64_t> factor;
      if (atom->kind == Atom::Value) {
        auto it = example.find(atom->value);
        if (it != example.end())
          factor = it->second;
      } else {
        std::optional<int64_t> lhs = evaluate(*atom->lhs), rhs = evaluate(*atom->rhs);
        if (!lhs || !rhs || (atom->kind == Atom::FloorDiv && *rhs <= 0))
          return std::nullopt;
        factor = atom->kind == Atom::Min   ? std::min(*lhs, *rhs)
                 : atom->kind == Atom::Max ? std::max(*lhs, *rhs)
                                           : divideFloorSigned(*lhs, *rhs);
      }
      if (!factor || MulOverflow(term, *factor, term))
        return std::nullopt;
    }
    if (AddOverflow(sum, term, sum))
      return std::nullopt;
  }
  return size.overflowed() ? std::nullopt : std::optional(sum);
}

/// Builds the value of a size at the entry, from the sizes of arguments only.
mlir::Value Guards::build(OpBuilder &ops, const Size &size) {
  Location loc = builder.loc();
  mlir::Value sum = arith::ConstantIndexOp::create(ops, loc, 0);
  for (const auto &[monomial, coefficient] : size.terms()) {
    mlir::Value term = arith::ConstantIndexOp::create(ops, loc, coefficient);
    for (const Atom *atom : monomial) {
      mlir::Value factor = atom->value;
      if (atom->kind != Atom::Value) {
        mlir::Value lhs = build(ops, *atom->lhs), rhs = build(ops, *atom->rhs);
        if (atom->kind == Atom::Min)
          factor = arith::MinSIOp::create(ops, loc, lhs, rhs);
        else if (atom->kind == Atom::Max)
          factor = arith::MaxSIOp::create(ops, loc, lhs, rhs);
        else
          factor = arith::FloorDivSIOp::create(ops, loc, lhs, rhs);
      }
      term = arith::MulIOp::create(ops, loc, term, factor);
    }
    sum = arith::AddIOp::create(ops, loc, sum, term);
  }
  return sum;
}

void Guards::check(arith::CmpIPredicate predicate, const Size &lhs, const Size &rhs) {
  OpBuilder ops(entry->getParentOp()->getContext());
  ops.setInsertionPointAfter(last);
  mlir::Value holds =
      arith::CmpIOp::create(ops, builder.loc(), predicate, build(ops, lhs), build(ops, rhs));
  StringRef sign = predicate == arith::CmpIPredicate::eq    ? " == "
                   : predicate == arith::CmpIPredicate::ne  ? " != "
                   : predicate == arith::CmpIPredicate::sle ? " <= "
                                                            : " > ";
  last = mlir::tssa::te::CheckOp::create(
      ops, builder.loc(), holds,
      ops.getStringAttr(torchGuardPrefix + lhs.str() + sign + rhs.str()));
}

std::optional<bool> Guards::isKnownEqual(const Size &lhs, const Size &rhs) {
  if (lhs == rhs)
    return true;
  if (lhs.differs(rhs))
    return false;
  for (const Size &difference : {lhs - rhs, rhs - lhs})
    if (auto it = equal.find(difference); it != equal.end())
      return it->second;
  return std::nullopt;
}

std::optional<bool> Guards::isEqual(const Size &lhs, const Size &rhs) {
  if (std::optional<bool> known = isKnownEqual(lhs, rhs))
    return known;
  std::optional<int64_t> left = evaluate(lhs), right = evaluate(rhs);
  if (!left || !right)
    return std::nullopt;
  check(*left == *right ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne, lhs, rhs);
  return equal[lhs - rhs] = *left == *right;
}

std::optional<bool> Guards::isKnownAtMost(const Size &lhs, const Size &rhs) {
  Size difference = rhs - lhs;
  if (difference.isAtLeast(0))
    return true;
  if (difference.isAtMost(-1))
    return false;
  if (auto it = atMost.find(difference); it != atMost.end())
    return it->second;
  for (const Size &other : {lhs - rhs, difference})
    if (auto it = equal.find(other); it != equal.end() && it->second)
      return true;
  return std::nullopt;
}

bool Guards::holdsAtMost(const Size &lhs, const Size &rhs) {
  if (std::optional<bool> known = isKnownAtMost(lhs, rhs))
    return *known;
  std::optional<int64_t> left = evaluate(lhs), right = evaluate(rhs);
  return left && right && *left <= *right && isAtMost(lhs, rhs) == true;
}

std::optional<bool> Guards::isAtMost(const Size &lhs, const Size &rhs) {
  if (std::optional<bool> known = isKnownAtMost(lhs, rhs))
    return known;
  std::optional<int64_t> left = evaluate(lhs), right = evaluate(rhs);
  if (!left || !right)
    return std::nullopt;
  check(*left <= *right ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sgt, lhs, rhs);
  return atMost[rhs - lhs] = *left <= *right;
}

} // namespace tssa::pytorch
