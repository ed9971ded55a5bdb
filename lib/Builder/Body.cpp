//===- Body.cpp - builds the bodies of te ops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/Body.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Elements.h"

using namespace mlir;

namespace tssa::operators {

AffineExpr Body::dim(unsigned index) { return getAffineDimExpr(index, ops.getContext()); }

SmallVector<AffineExpr> Body::dims(unsigned begin, unsigned end) {
  SmallVector<AffineExpr> result;
  for (unsigned i = begin; i < end; ++i)
    result.push_back(dim(i));
  return result;
}

AffineExpr Body::constantExpr(int64_t value) {
  return getAffineConstantExpr(value, ops.getContext());
}

AffineExpr Body::symbol(Value value) {
  auto it = llvm::find(symbols, value);
  unsigned position = it - symbols.begin();
  if (it == symbols.end())
    symbols.push_back(value);
  return getAffineSymbolExpr(position, ops.getContext());
}

AffineExpr Body::opaque(Value index) { return symbol(index); }

AffineExpr Body::size(const Size &size) {
  if (size.overflowed())
    return symbol(builder.materializeValue(size));
  AffineExpr result = constantExpr(0);
  for (const auto &[monomial, coefficient] : size.terms()) {
    if (monomial.empty())
      result = result + coefficient;
    else if (coefficient < 0)
      result = result - symbol(builder.materializeValue(-Size(monomial, coefficient)));
    else
      result = result + symbol(builder.materializeValue(Size(monomial, coefficient)));
  }
  return result;
}

/// Appends to `operands` those of `symbols` that occur in `exprs`. Returns `exprs` with each symbol
/// renumbered to its position in `operands`.
static SmallVector<AffineExpr> compress(ArrayRef<AffineExpr> exprs, ArrayRef<Value> symbols,
                                        SmallVectorImpl<Value> &operands) {
  llvm::SmallBitVector used(symbols.size());
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr part) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
        used.set(symbol.getPosition());
    });
  SmallVector<AffineExpr> replacements(symbols.size()), result;
  for (unsigned position : used.set_bits()) {
    replacements[position] = getAffineSymbolExpr(operands.size(), symbols[position].getContext());
    operands.push_back(symbols[position]);
  }
  for (unsigned position = 0; position < symbols.size(); ++position)
    if (!used.test(position))
      replacements[position] = getAffineConstantExpr(0, symbols[position].getContext());
  for (AffineExpr expr : exprs)
    result.push_back(expr.replaceSymbols(replacements));
  return result;
}

static unsigned countDims(ArrayRef<AffineExpr> exprs) {
  unsigned count = 0;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        count = std::max(count, dim.getPosition() + 1);
    });
  return count;
}

AffineMap Body::makeMap(ArrayRef<AffineExpr> exprs, SmallVectorImpl<Value> &operands) {
  SmallVector<AffineExpr> results = compress(exprs, symbols, operands);
  return AffineMap::get(countDims(results), operands.size(), results, ops.getContext());
}

IntegerSet Body::makeSet(Guard guard, SmallVectorImpl<Value> &operands) {
  SmallVector<AffineExpr> constraints = compress(guard, symbols, operands);
  return IntegerSet::get(countDims(constraints), operands.size(), constraints,
                         SmallVector<bool>(constraints.size(), false));
}

/// Returns whether `tensor` has rank `rank`. If not, reports an error to the builder. The function
/// that builds the enclosing op then fails.
static bool checkRank(Builder &builder, const Tensor &tensor, size_t rank) {
  if (tensor.rank() == static_cast<int64_t>(rank))
    return true;
  (void)builder.error("expected a tensor of rank " + Twine(rank) + ", got " + tensor.str());
  return false;
}

/// Returns a value to use in place of an element that cannot be read.
static Value makeZero(Body &body, const Tensor &tensor) {
  Type type = getElementType(body.ops.getContext(), tensor.dtype());
  return arith::ConstantOp::create(body.ops, body.loc, body.ops.getZeroAttr(type));
}

Value Body::read(const Tensor &tensor, ArrayRef<AffineExpr> at) {
  if (!checkRank(builder, tensor, at.size()))
    return makeZero(*this, tensor);
  Value source = builder.value(tensor);
  SmallVector<Value> operands;
  AffineMap map = makeMap(at, operands);
  return te::ReadOp::create(ops, loc, source, map, operands);
}

Value Body::read(const Tensor &tensor, ArrayRef<AffineExpr> at, Guard guard, TypedAttr pad) {
  if (guard.empty())
    return read(tensor, at);
  if (!checkRank(builder, tensor, at.size()))
    return makeZero(*this, tensor);
  Value source = builder.value(tensor);
  // The map and the set use one list of symbols, so compress their expressions together, then split
  // them.
  SmallVector<AffineExpr> all(at);
  llvm::append_range(all, guard);
  SmallVector<Value> operands;
  SmallVector<AffineExpr> parts = compress(all, symbols, operands);
  unsigned numDims = countDims(parts);
  ArrayRef<AffineExpr> indexes = ArrayRef(parts).take_front(at.size());
  ArrayRef<AffineExpr> constraints = ArrayRef(parts).drop_front(at.size());
  AffineMap map = AffineMap::get(numDims, operands.size(), indexes, ops.getContext());
  IntegerSet set = IntegerSet::get(numDims, operands.size(), constraints,
                                   SmallVector<bool>(constraints.size(), false));
  return te::ReadOp::create(ops, loc, source, map, operands, set, pad);
}

Value Body::readBroadcast(const Tensor &tensor, ArrayRef<Size> shape, ArrayRef<AffineExpr> at) {
  if (static_cast<size_t>(tensor.rank()) > shape.size()) {
    (void)checkRank(builder, tensor, shape.size());
    return makeZero(*this, tensor);
  }
  SmallVector<AffineExpr> indexes;
  size_t offset = shape.size() - tensor.rank();
  for (auto [i, size] : llvm::enumerate(tensor.shape())) {
    AffineExpr index = at[offset + i];
    if (size.isConstant(1))
      indexes.push_back(constantExpr(0));
    else if (Builder::broadcastsAsEqual(size, shape[offset + i]))
      indexes.push_back(index);
    else
      indexes.push_back(index % this->size(size));
  }
  return read(tensor, indexes);
}

void Body::makeWrite(ArrayRef<AffineExpr> target, Guard guard, AffineMap &map, IntegerSet &set,
                     SmallVectorImpl<Value> &outside, SmallVectorImpl<Value> &opaque) {
  Region *here = ops.getInsertionBlock()->getParent();
  SmallVector<AffineExpr> all(target);
  llvm::append_range(all, guard);
  SmallVector<Value> used;
  SmallVector<AffineExpr> parts = compress(all, symbols, used);
  for (Value value : used)
    (value.getParentRegion() == here ? opaque : outside).push_back(value);
  SmallVector<AffineExpr> order;
  unsigned nextOutside = 0, nextOpaque = outside.size();
  for (Value value : used)
    order.push_back(getAffineSymbolExpr(
        value.getParentRegion() == here ? nextOpaque++ : nextOutside++, ops.getContext()));
  for (AffineExpr &part : parts)
    part = part.replaceSymbols(order);
  unsigned numDims = countDims(parts);
  map = AffineMap::get(numDims, used.size(), ArrayRef(parts).take_front(target.size()),
                       ops.getContext());
  if (!guard.empty())
    set = IntegerSet::get(numDims, outside.size(), ArrayRef(parts).drop_front(target.size()),
                          SmallVector<bool>(guard.size(), false));
}

Value Body::index(AffineExpr expr) {
  SmallVector<Value> operands;
  AffineMap map = makeMap(expr, operands);
  return te::IndexOp::create(ops, loc, ops.getIndexType(), operands, map);
}

Value Body::inside(Guard guard) {
  SmallVector<Value> operands;
  IntegerSet set = makeSet(guard, operands);
  return te::InsideOp::create(ops, loc, ops.getI1Type(), operands, set);
}

Value Body::constant(DType type, double value) {
  Type elementType = getElementType(ops.getContext(), type);
  if (isSmallFloat(type))
    return arith::ConstantOp::create(ops, loc,
                                     ops.getI8IntegerAttr(runtime::encodeSmallFloat(type, value)));
  if (isFloat(type))
    return arith::ConstantOp::create(ops, loc, ops.getFloatAttr(elementType, value));
  return constant(type, static_cast<int64_t>(value));
}

Value Body::constant(DType type, int64_t value) {
  Type elementType = getElementType(ops.getContext(), type);
  if (isFloat(type))
    return constant(type, static_cast<double>(value));
  return arith::ConstantOp::create(ops, loc, makeIntegerAttribute(elementType, type, value));
}

Value Body::cast(Value value, DType from, DType to) {
  return toElement(*this, toScalar(*this, value, from), to);
}

Value Body::toIndex(Value value, DType from) {
  if (isUnsigned(from))
    return arith::IndexCastUIOp::create(ops, loc, ops.getIndexType(), value);
  return arith::IndexCastOp::create(ops, loc, ops.getIndexType(), value);
}

Value Body::fromIndex(Value value, DType to) {
  Value wide = arith::IndexCastOp::create(ops, loc, ops.getI64Type(), value);
  return cast(wide, DType::I64, to);
}

} // namespace tssa::operators
