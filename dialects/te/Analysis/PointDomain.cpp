//===- PointDomain.cpp - known facts about the points of a te op -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/PointDomain.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// The depth to which definitions of symbols are followed.
static constexpr unsigned maxDefinitionDepth = 8;

PointDomain::PointDomain(MLIRContext *context, ArrayRef<OpFoldResult> sizes,
                         ArrayRef<LeastValue> known)
    : context(context), simplifier(context, {}, {}) {
  // Definitions of other values depend on these, so they come first. There is a point only if sizes
  // are at least 1.
  for (auto [value, least] : known)
    if (!table.count(value))
      addValue(value, llvm::is_contained(sizes, OpFoldResult(value)) ? std::max<int64_t>(least, 1)
                                                                     : least);
  for (OpFoldResult size : sizes)
    if (auto value = dyn_cast<Value>(size); value && !getConstantIntValue(size))
      if (!table.count(value))
        addValue(value, 1);
  for (OpFoldResult size : sizes)
    simplifier.addDim(IndexRange::below(getSize(size)));
}

PointDomain PointDomain::get(ExpressionOpInterface expression, ExpressionBody body) {
  SmallVector<OpFoldResult> sizes = expression.getIterationDomain();
  PointDomain domain(expression->getContext(), ArrayRef(sizes).take_front(body.numDims));
  if (body.where)
    domain.assume(body.where, body.symbols);
  return domain;
}

PointDomain PointDomain::get(ReadOp read) {
  return get(cast<ExpressionOpInterface>(read->getParentOp()), getBodyAround(read));
}

AffineExpr PointDomain::getSize(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return getAffineConstantExpr(*constant, context);
  return getSymbol(cast<Value>(size));
}

/// Returns whether `value` is the size of a dim of a tensor.
static bool isSize(Value value) {
  if (value.getDefiningOp<tensor::DimOp>())
    return true;
  auto argument = dyn_cast<BlockArgument>(value);
  auto kernel = argument ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp()) : KernelOp();
  if (!kernel)
    return false;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (DenseI64ArrayAttr sizes = kernel.getSizesAttr(i))
      if (llvm::is_contained(sizes.asArrayRef(), argument.getArgNumber()))
        return true;
  return false;
}

AffineExpr PointDomain::getSymbol(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return getAffineConstantExpr(constant.getSExtValue(), context);
  if (AffineExpr known = table.lookup(value))
    return known;
  return addValue(value, isSize(value) ? std::optional<int64_t>(0) : std::nullopt);
}

AffineExpr PointDomain::addValue(Value value, std::optional<int64_t> lower) {
  IndexRange range;
  range.lower = lower;
  range.definition = getDefinition(value);
  if (range.definition) {
    std::optional<int64_t> bound = simplifier.getConstantLowerBound(range.definition);
    if (bound && (!range.lower || *bound > *range.lower))
      range.lower = bound;
    range.upper = simplifier.getConstantUpperBound(range.definition);
  }
  AffineExpr symbol = simplifier.addSymbol(range);
  values.push_back(value);
  table[value] = symbol;
  return symbol;
}

AffineExpr PointDomain::getDefinition(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || depth >= maxDefinitionDepth)
    return {};
  ++depth;
  AffineExpr result;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<AffineExpr> operands;
    for (Value operand : apply.getOperands())
      operands.push_back(getSymbol(operand));
    AffineMap map = apply.getAffineMap();
    result =
        map.getResult(0).replaceDimsAndSymbols(ArrayRef(operands).take_front(map.getNumDims()),
                                               ArrayRef(operands).drop_front(map.getNumDims()));
  } else if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivUIOp, arith::DivSIOp,
                 arith::FloorDivSIOp, arith::CeilDivSIOp, arith::RemUIOp>(op) &&
             value.getType().isIndex()) {
    AffineExpr lhs = getSymbol(op->getOperand(0)), rhs = getSymbol(op->getOperand(1));
    std::optional<int64_t> least = simplifier.getConstantLowerBound(lhs);
    bool nonNegative = least && *least >= 0;
    if (isa<arith::AddIOp>(op))
      result = lhs + rhs;
    else if (isa<arith::SubIOp>(op))
      result = lhs - rhs;
    else if (isa<arith::MulIOp>(op))
      result = lhs * rhs;
    else if (isa<arith::FloorDivSIOp>(op) ||
             (isa<arith::DivUIOp, arith::DivSIOp>(op) && nonNegative))
      result = lhs.floorDiv(rhs);
    else if (isa<arith::CeilDivSIOp>(op))
      result = lhs.ceilDiv(rhs);
    else if (isa<arith::RemUIOp>(op) && nonNegative)
      result = lhs % rhs;
  }
  --depth;
  return result;
}

/// Returns whether each divisor, and one factor of each product, has no dims, as MLIR's
/// semi-affine expressions require.
static bool isSemiAffine(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return true;
  AffineExpr lhs = binary.getLHS(), rhs = binary.getRHS();
  if (expr.getKind() != AffineExprKind::Add && !rhs.isSymbolicOrConstant() &&
      (expr.getKind() != AffineExprKind::Mul || !lhs.isSymbolicOrConstant()))
    return false;
  return isSemiAffine(lhs) && isSemiAffine(rhs);
}

std::optional<bool> PointDomain::decide(arith::CmpIOp compare) {
  AffineExpr lhs = getBodyExpr(compare.getLhs()), rhs = getBodyExpr(compare.getRhs());
  if (!lhs || !rhs)
    return std::nullopt;
  auto isBelow = [&](AffineExpr a, AffineExpr b) -> std::optional<bool> {
    if (simplifier.isNonNegative(b - a - 1))
      return true;
    return simplifier.isNonNegative(a - b) ? std::optional(false) : std::nullopt;
  };
  auto invert = [](std::optional<bool> value) { return value ? std::optional(!*value) : value; };
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return isBelow(lhs, rhs);
  case arith::CmpIPredicate::sgt:
    return isBelow(rhs, lhs);
  case arith::CmpIPredicate::sge:
    return invert(isBelow(lhs, rhs));
  case arith::CmpIPredicate::sle:
    return invert(isBelow(rhs, lhs));
  default:
    return std::nullopt;
  }
}

AffineExpr PointDomain::getBodyExpr(Value value) {
  Operation *op = value.getDefiningOp();
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getBitWidth() <= 64)
    return getAffineConstantExpr(constant.getSExtValue(), context);
  if (!op || !isa<ExpressionOpInterface>(op->getParentOp()) || depth >= maxDefinitionDepth)
    return {};
  ++depth;
  AffineExpr result = buildBodyExpr(op);
  --depth;
  if (!result || value.getType().isIndex() || value.getType().isInteger(64))
    return result;
  // A narrower integer has this value only if it has room for it.
  unsigned width = value.getType().getIntOrFloatBitWidth();
  std::optional<int64_t> least = simplifier.getConstantLowerBound(result),
                         most = simplifier.getConstantUpperBound(result);
  return least && most && llvm::isIntN(width, *least) && llvm::isIntN(width, *most) ? result
                                                                                    : AffineExpr();
}

AffineExpr PointDomain::buildBodyExpr(Operation *op) {
  if (auto index = dyn_cast<IndexOp>(op))
    return enter(index.getMap().getResult(0), index.getSymbols(), /*expand=*/true);
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return getBodyExpr(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
    std::optional<bool> holds = compare ? decide(compare) : std::nullopt;
    if (!holds)
      return {};
    return getBodyExpr(*holds ? select.getTrueValue() : select.getFalseValue());
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return {};
  AffineExpr lhs = getBodyExpr(op->getOperand(0)), rhs = getBodyExpr(op->getOperand(1));
  if (!lhs || !rhs)
    return {};
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::SubIOp>(op))
    return lhs - rhs;
  return lhs.isSymbolicOrConstant() || rhs.isSymbolicOrConstant() ? lhs * rhs : AffineExpr();
}

AffineExpr PointDomain::enter(AffineExpr expr, ValueRange symbols, bool expand) {
  return enter(ArrayRef(expr), symbols, expand).front();
}

SmallVector<AffineExpr> PointDomain::enter(ArrayRef<AffineExpr> exprs, ValueRange symbols,
                                           bool expand) {
  SmallVector<AffineExpr> plain, expanded, result;
  for (Value symbol : symbols) {
    plain.push_back(getSymbol(symbol));
    AffineExpr expr = expand ? getBodyExpr(symbol) : AffineExpr();
    expanded.push_back(expr ? expr : plain.back());
  }
  for (AffineExpr expr : exprs) {
    AffineExpr replaced = expr.replaceSymbols(expanded);
    result.push_back(isSemiAffine(replaced) ? replaced : expr.replaceSymbols(plain));
  }
  return result;
}

void PointDomain::assume(IntegerSet set, ValueRange symbols) {
  for (auto [index, constraint] : llvm::enumerate(enter(set.getConstraints(), symbols))) {
    simplifier.assumeNonNegative(constraint);
    if (set.isEq(index))
      simplifier.assumeNonNegative(-constraint);
  }
}

SmallVector<Value> te::leaveSymbols(MutableArrayRef<AffineExpr> exprs, ArrayRef<Value> symbols,
                                    MLIRContext *context) {
  SmallVector<Value> used;
  SmallVector<AffineExpr> replacements;
  for (unsigned i = 0; i < symbols.size(); ++i)
    replacements.push_back(getAffineSymbolExpr(i, context));
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr inner) {
      auto symbol = dyn_cast<AffineSymbolExpr>(inner);
      if (!symbol || llvm::is_contained(used, symbols[symbol.getPosition()]))
        return;
      replacements[symbol.getPosition()] = getAffineSymbolExpr(used.size(), context);
      used.push_back(symbols[symbol.getPosition()]);
    });
  for (AffineExpr &expr : exprs)
    expr = expr.replaceSymbols(replacements);
  return used;
}
