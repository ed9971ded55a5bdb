//===- Linear.cpp - sums of values with constant factors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/IR/Linear.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tssa::refs;

/// Subexpressions below this depth are treated as opaque terms.
static constexpr unsigned maxDepth = 16;

static bool isIndexOrI64(Type type) { return type.isIndex() || type.isInteger(64); }

Linear Linear::of(OpFoldResult index, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return Linear(*constant);
  auto value = cast<Value>(index);
  Operation *op = depth < maxDepth ? value.getDefiningOp() : nullptr;
  if (auto add = dyn_cast_or_null<arith::AddIOp>(op))
    return of(add.getLhs(), depth + 1) + of(add.getRhs(), depth + 1);
  if (auto sub = dyn_cast_or_null<arith::SubIOp>(op))
    return of(sub.getLhs(), depth + 1) - of(sub.getRhs(), depth + 1);
  if (auto mul = dyn_cast_or_null<arith::MulIOp>(op)) {
    if (std::optional<int64_t> factor = getConstantIntValue(mul.getRhs()))
      return of(mul.getLhs(), depth + 1) * *factor;
    if (std::optional<int64_t> factor = getConstantIntValue(mul.getLhs()))
      return of(mul.getRhs(), depth + 1) * *factor;
  }
  // A cast between index and i64 keeps the value, as an index has 64 bits.
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op);
      cast && !isa<ShapedType>(cast.getType()))
    if (Value in = cast.getIn(); isIndexOrI64(cast.getType()) && isIndexOrI64(in.getType()))
      return of(in, depth + 1);
  Linear term;
  term.terms.push_back({value, 1});
  return term;
}

/// Returns a + b * factor with the wrap-around that index arithmetic has in a run.
static int64_t addScaled(int64_t a, int64_t b, int64_t factor) {
  return uint64_t(a) + uint64_t(b) * uint64_t(factor);
}

Linear Linear::plus(const Linear &other, int64_t factor) const {
  Linear sum = *this;
  sum.constant = addScaled(sum.constant, other.constant, factor);
  for (auto [value, times] : other.terms) {
    Value wanted = value;
    auto it = llvm::find_if(sum.terms, [&](const auto &term) { return term.first == wanted; });
    if (it == sum.terms.end())
      sum.terms.push_back({value, addScaled(0, times, factor)});
    else
      it->second = addScaled(it->second, times, factor);
  }
  llvm::erase_if(sum.terms, [](const auto &term) { return term.second == 0; });
  return sum;
}

std::optional<int64_t> Linear::getConstant() const {
  return terms.empty() ? std::optional<int64_t>(constant) : std::nullopt;
}

int64_t Linear::getFactor(Value value) const {
  for (auto [term, factor] : terms)
    if (term == value)
      return factor;
  return 0;
}
