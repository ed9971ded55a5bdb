//===- Builders.cpp - te ops from C++ functions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Fills `region` with one block with arguments of `argTypes`. `fn` builds the ops and returns the
/// values to yield.
static void fillRegion(OpBuilder &builder, Location loc, Region &region, ArrayRef<Type> argTypes,
                       unsigned numDims, ArgsBodyFn fn) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region, region.end(), argTypes,
                                     SmallVector<Location>(argTypes.size(), loc));
  SmallVector<Value> values = fn(builder, loc, block->getArguments());
  YieldOp::create(builder, loc, values);
  setNumDims(region, numDims);
}

static void fillBody(OpBuilder &builder, Location loc, Region &region, unsigned numDims,
                     BodyFn fn) {
  fillRegion(builder, loc, region, {}, numDims,
             [&](OpBuilder &b, Location l, ValueRange) { return fn(b, l); });
}

static ComputeOp createCompute(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                               ArrayRef<OpFoldResult> reduction, ArrayRef<Type> elementTypes,
                               ArrayRef<TypedAttr> init, unsigned numPieces,
                               ValueRange symbols = {}) {
  SmallVector<int64_t> shape, staticSizes;
  SmallVector<Value> dynamicSizes, ignored;
  dispatchSizes(parallel, staticSizes, dynamicSizes);
  shape = staticSizes;
  dispatchSizes(reduction, staticSizes, dynamicSizes);
  SmallVector<Type> types;
  for (Type elementType : elementTypes)
    types.push_back(RankedTensorType::get(shape, elementType));
  ArrayAttr initAttr;
  if (!init.empty())
    initAttr = builder.getArrayAttr(SmallVector<Attribute>(init.begin(), init.end()));
  return ComputeOp::create(builder, loc, types, dynamicSizes, symbols, staticSizes, parallel.size(),
                           initAttr, ArrayAttr(), StringAttr(), numPieces);
}

ComputeOp te::buildCompute(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                           ArrayRef<Type> elementTypes, BodyFn body) {
  ComputeOp op = createCompute(builder, loc, parallel, {}, elementTypes, {}, 1);
  fillBody(builder, loc, op.getPieces().front(), parallel.size(), body);
  return op;
}

ComputeOp te::buildPieces(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                          ArrayRef<Type> elementTypes, const PieceSets &where,
                          ArrayRef<BodyFn> bodies) {
  if (bodies.size() == 1)
    return buildCompute(builder, loc, parallel, elementTypes, bodies.front());
  ComputeOp op = createCompute(builder, loc, parallel, {}, elementTypes, {}, bodies.size(),
                               where.getSymbols());
  for (auto [region, body] : llvm::zip_equal(op.getPieces(), bodies))
    fillBody(builder, loc, region, parallel.size(), body);
  op.setWhereAttr(where.get(builder.getContext()));
  return op;
}

ComputeOp te::createReduction(OpBuilder &builder, ComputeOp op, TypeRange results,
                              ArrayRef<OpFoldResult> parallel, ArrayRef<OpFoldResult> reduction) {
  SmallVector<OpFoldResult> sizes(parallel);
  llvm::append_range(sizes, reduction);
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> dynamicSizes;
  dispatchSizes(sizes, staticSizes, dynamicSizes);
  auto created = ComputeOp::create(builder, op.getLoc(), results, dynamicSizes,
                                   /*symbols=*/ValueRange(), staticSizes, parallel.size(),
                                   op.getInitAttr(), ArrayAttr(), StringAttr(), 1);
  IRMapping mapping;
  op.getCombiner().cloneInto(&created.getCombiner(), mapping);
  return created;
}

ComputeOp te::buildReduce(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                          ArrayRef<OpFoldResult> reduction, ArrayRef<TypedAttr> init,
                          ArrayRef<Type> elementTypes, BodyFn body, ArgsBodyFn combiner,
                          ArgsBodyFn epilogue) {
  assert(!reduction.empty() && "a reduction has reduction dims");
  ComputeOp op = createCompute(builder, loc, parallel, reduction, elementTypes, init, 1);
  unsigned numDims = parallel.size() + reduction.size();
  fillBody(builder, loc, op.getPieces().front(), numDims, body);
  SmallVector<Type> accumulators;
  for (TypedAttr value : init)
    accumulators.push_back(value.getType());
  SmallVector<Type> pairs(accumulators);
  pairs.append(accumulators);
  fillRegion(builder, loc, op.getCombiner(), pairs, numDims, combiner);
  if (epilogue)
    fillRegion(builder, loc, op.getEpilogue(), accumulators, parallel.size(), epilogue);
  return op;
}

ComputeOp te::buildReduce(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                          ArrayRef<OpFoldResult> reduction, Combiner combiner, Type accumulator,
                          bool isUnsigned, Type elementType, BodyFn body, ArgsBodyFn epilogue) {
  return buildReduce(
      builder, loc, parallel, reduction, getIdentity(combiner, accumulator, isUnsigned),
      elementType, body,
      [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
        return {combine(b, l, combiner, isUnsigned, args[0], args[1])};
      },
      epilogue);
}

UpdateOp te::buildUpdate(OpBuilder &builder, Location loc, Value base,
                         ArrayRef<OpFoldResult> domain, AffineMap map, ValueRange symbols,
                         IntegerSet guard, BodyFn body, ArgsBodyFn combiner) {
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> dynamicSizes;
  dispatchSizes(domain, staticSizes, dynamicSizes);
  auto op = UpdateOp::create(builder, loc, base.getType(), base, dynamicSizes, symbols,
                             builder.getDenseI64ArrayAttr(staticSizes), AffineMapAttr::get(map),
                             guard ? IntegerSetAttr::get(guard) : IntegerSetAttr(),
                             /*injective=*/UnitAttr(), /*label=*/StringAttr());
  fillBody(builder, loc, op.getBody(), domain.size(), body);
  Type elementType = cast<RankedTensorType>(base.getType()).getElementType();
  if (combiner)
    fillRegion(builder, loc, op.getCombiner(), {elementType, elementType}, domain.size(), combiner);
  return op;
}

ScanOp te::buildScan(OpBuilder &builder, Location loc, Value source, int64_t axis,
                     Combiner combiner, bool isUnsigned, bool exclusive, bool reverse) {
  Type elementType = cast<RankedTensorType>(source.getType()).getElementType();
  auto op = ScanOp::create(builder, loc, source.getType(), source, axis,
                           getIdentity(combiner, elementType, isUnsigned), exclusive, reverse,
                           /*label=*/StringAttr());
  fillRegion(builder, loc, op.getCombiner(), {elementType, elementType}, 0,
             [&](OpBuilder &b, Location l, ValueRange args) -> SmallVector<Value> {
               return {combine(b, l, combiner, isUnsigned, args[0], args[1])};
             });
  return op;
}

static TypedAttr getFloatIdentity(Combiner combiner, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  switch (combiner) {
  case Combiner::Add:
    return FloatAttr::get(type, APFloat::getZero(semantics));
  case Combiner::Mul:
    return FloatAttr::get(type, APFloat::getOne(semantics));
  case Combiner::Max:
    return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
  case Combiner::Min:
    return FloatAttr::get(type, APFloat::getInf(semantics));
  default:
    llvm_unreachable("not a combiner of floats");
  }
}

TypedAttr te::getIdentity(Combiner combiner, Type type, bool isUnsigned) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return getFloatIdentity(combiner, floatType);
  unsigned width = type.getIntOrFloatBitWidth();
  switch (combiner) {
  case Combiner::Add:
  case Combiner::Or:
  case Combiner::Xor:
    return IntegerAttr::get(type, APInt::getZero(width));
  case Combiner::Mul:
    return IntegerAttr::get(type, APInt(width, 1));
  case Combiner::And:
    return IntegerAttr::get(type, APInt::getAllOnes(width));
  case Combiner::Max:
    return IntegerAttr::get(type, isUnsigned ? APInt::getMinValue(width)
                                             : APInt::getSignedMinValue(width));
  case Combiner::Min:
    return IntegerAttr::get(type, isUnsigned ? APInt::getMaxValue(width)
                                             : APInt::getSignedMaxValue(width));
  }
  llvm_unreachable("all combiners are handled");
}

Value te::combine(OpBuilder &b, Location loc, Combiner combiner, bool isUnsigned, Value lhs,
                  Value rhs) {
  bool isFloat = isa<FloatType>(lhs.getType());
  switch (combiner) {
  case Combiner::Add:
    return isFloat ? arith::AddFOp::create(b, loc, lhs, rhs).getResult()
                   : arith::AddIOp::create(b, loc, lhs, rhs).getResult();
  case Combiner::Mul:
    return isFloat ? arith::MulFOp::create(b, loc, lhs, rhs).getResult()
                   : arith::MulIOp::create(b, loc, lhs, rhs).getResult();
  case Combiner::Max:
    if (isFloat)
      return arith::MaximumFOp::create(b, loc, lhs, rhs);
    return isUnsigned ? arith::MaxUIOp::create(b, loc, lhs, rhs).getResult()
                      : arith::MaxSIOp::create(b, loc, lhs, rhs).getResult();
  case Combiner::Min:
    if (isFloat)
      return arith::MinimumFOp::create(b, loc, lhs, rhs);
    return isUnsigned ? arith::MinUIOp::create(b, loc, lhs, rhs).getResult()
                      : arith::MinSIOp::create(b, loc, lhs, rhs).getResult();
  case Combiner::And:
    return arith::AndIOp::create(b, loc, lhs, rhs);
  case Combiner::Or:
    return arith::OrIOp::create(b, loc, lhs, rhs);
  case Combiner::Xor:
    return arith::XOrIOp::create(b, loc, lhs, rhs);
  }
  llvm_unreachable("all combiners are handled");
}

std::optional<Combiner> te::matchCombiner(Region &region) {
  if (region.empty() || !llvm::hasNItems(region.front(), 2) ||
      region.front().getNumArguments() != 2)
    return std::nullopt;
  Operation &op = region.front().front();
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 ||
      op.getOperands() != ValueRange(region.front().getArguments()) ||
      region.front().getTerminator()->getOperands() != op.getResults())
    return std::nullopt;
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return Combiner::Add;
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return Combiner::Mul;
  if (isa<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(op))
    return Combiner::Max;
  if (isa<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(op))
    return Combiner::Min;
  if (isa<arith::AndIOp>(op))
    return Combiner::And;
  if (isa<arith::OrIOp>(op))
    return Combiner::Or;
  if (isa<arith::XOrIOp>(op))
    return Combiner::Xor;
  return std::nullopt;
}
