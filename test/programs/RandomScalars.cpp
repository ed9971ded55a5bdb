//===- RandomScalars.cpp - scalars in the bodies of random programs -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramMaker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ::tssa::reference;
using namespace mlir::tssa::te;

Value ProgramMaker::makeNumber(OpBuilder &b, Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, static_cast<int64_t>(value)));
}

Value ProgramMaker::clamp(OpBuilder &b, Value value, double limit) {
  Value low = arith::MaximumFOp::create(b, loc, value, makeNumber(b, value.getType(), -limit));
  return arith::MinimumFOp::create(b, loc, low, makeNumber(b, value.getType(), limit));
}

static Value convertFloat(OpBuilder &b, Location loc, Value value, FloatType type) {
  auto from = cast<FloatType>(value.getType());
  if (from == type)
    return value;
  if (from.getWidth() == type.getWidth())
    value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  if (cast<FloatType>(value.getType()).getWidth() < type.getWidth())
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

/// Converts between any two element types. Only exact values are converted from float to integer: a
/// rounding difference near an integer would change the result.
Value ProgramMaker::convert(OpBuilder &b, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  auto toFloat = dyn_cast<FloatType>(type);
  if (isa<FloatType>(from) && toFloat)
    return convertFloat(b, loc, value, toFloat);
  if (toFloat && from.isInteger(1))
    return arith::UIToFPOp::create(b, loc, type, value);
  if (toFloat)
    return arith::SIToFPOp::create(b, loc, type, value);
  if (isa<FloatType>(from) && type.isInteger(1))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, value, makeNumber(b, from, 0));
  if (isa<FloatType>(from))
    return arith::FPToSIOp::create(b, loc, type, clamp(b, value, 100));
  if (type.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, makeNumber(b, from, 0));
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, loc, type, value);
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(b, loc, type, value);
  return arith::TruncIOp::create(b, loc, type, value);
}

Value ProgramMaker::applyInteger(OpBuilder &b, Value lhs, Value rhs) {
  bool isBool = lhs.getType().isInteger(1);
  switch (random.below(isBool ? 3 : 8)) {
  case 0:
    return arith::AndIOp::create(b, loc, lhs, rhs);
  case 1:
    return arith::OrIOp::create(b, loc, lhs, rhs);
  case 2:
    return arith::XOrIOp::create(b, loc, lhs, rhs);
  case 3:
    return arith::SubIOp::create(b, loc, lhs, rhs);
  case 4:
    return arith::MulIOp::create(b, loc, lhs, rhs);
  case 5:
    return arith::MaxSIOp::create(b, loc, lhs, rhs);
  case 6:
    return arith::ShRUIOp::create(b, loc, lhs, makeNumber(b, lhs.getType(), 1));
  default:
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
}

Value ProgramMaker::applyFloat(OpBuilder &b, Value lhs, Value rhs, double &error) {
  Type type = lhs.getType();
  unsigned choice = random.below(12);
  switch (choice) {
  case 0:
    return arith::MaximumFOp::create(b, loc, lhs, rhs);
  case 1:
    return arith::MinimumFOp::create(b, loc, lhs, rhs);
  case 2:
    return arith::NegFOp::create(b, loc, lhs);
  case 3:
    return math::AbsFOp::create(b, loc, lhs);
  }
  error = getError(type, error);
  switch (choice) {
  case 4:
    return clamp(b, arith::MulFOp::create(b, loc, lhs, rhs), 8);
  case 5:
    return math::TanhOp::create(b, loc, lhs);
  case 6:
    return math::ErfOp::create(b, loc, lhs);
  case 7: { // sigmoid
    Value one = makeNumber(b, type, 1);
    Value power = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, clamp(b, lhs, 8)));
    return arith::DivFOp::create(b, loc, one, arith::AddFOp::create(b, loc, one, power));
  }
  case 8: { // a quotient whose divisor is at least 1
    Value size = math::AbsFOp::create(b, loc, rhs);
    Value divisor = arith::AddFOp::create(b, loc, size, makeNumber(b, type, 1));
    return arith::DivFOp::create(b, loc, lhs, divisor);
  }
  case 9: { // away from zero, near which the root is steep
    Value size = math::AbsFOp::create(b, loc, lhs);
    return math::SqrtOp::create(b, loc,
                                arith::AddFOp::create(b, loc, size, makeNumber(b, type, 1)));
  }
  case 10:
    return clamp(b, arith::SubFOp::create(b, loc, lhs, rhs), 64);
  default:
    return clamp(b, arith::AddFOp::create(b, loc, lhs, rhs), 64);
  }
}

Value ProgramMaker::apply(OpBuilder &b, Value lhs, Value rhs, double &error) {
  return isa<FloatType>(lhs.getType()) ? applyFloat(b, lhs, rhs, error) : applyInteger(b, lhs, rhs);
}

Value ProgramMaker::read(OpBuilder &b, const LiveTensor &tensor, ArrayRef<AffineExpr> at,
                         ArrayRef<Value> symbols) {
  unsigned numDims = 0;
  for (AffineExpr expr : at)
    expr.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        numDims = std::max(numDims, dim.getPosition() + 1);
    });
  return ReadOp::create(b, loc, tensor.value,
                        AffineMap::get(numDims, symbols.size(), at, b.getContext()), symbols);
}

Value ProgramMaker::readIdentity(OpBuilder &b, const LiveTensor &tensor) {
  SmallVector<AffineExpr> at;
  for (unsigned d = 0; d < tensor.getRank(); ++d)
    at.push_back(dim(d));
  return read(b, tensor, at);
}

const LiveTensor *ProgramMaker::chooseBroadcast(const LiveTensor &like) {
  return choose([&](const LiveTensor &tensor) {
    if (tensor.getRank() != like.getRank())
      return false;
    for (auto [size, wanted] : llvm::zip_equal(tensor.sizes, like.sizes))
      if (size != wanted && size != OpFoldResult(builder.getIndexAttr(1)))
        return false;
    return true;
  });
}

Value ProgramMaker::readBroadcast(OpBuilder &b, const LiveTensor &tensor) {
  SmallVector<AffineExpr> at;
  for (auto [d, size] : llvm::enumerate(tensor.sizes))
    at.push_back(size == OpFoldResult(b.getIndexAttr(1)) ? b.getAffineConstantExpr(0) : dim(d));
  return read(b, tensor, at);
}

Value ProgramMaker::makeIndex(OpBuilder &b, Value value, OpFoldResult size) {
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  Value limit = dyn_cast<Value>(size);
  if (!limit)
    limit = arith::ConstantOp::create(b, loc, cast<IntegerAttr>(cast<Attribute>(size)));
  return arith::RemUIOp::create(b, loc, index, limit);
}
