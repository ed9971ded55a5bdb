//===- LoopBatch.cpp - all iterations of a loop at once -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/LoopBatch.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/tssa/Analysis/Shapes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Returns whether `value` is a scalar that depends only on the induction variable and on values
/// outside of the loop.
static bool isIndexArithmetic(scf::ForOp loop, Value value) {
  if (value == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(value))
    return !isa<ShapedType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() != 0 ||
      op->getNumResults() != 1)
    return false;
  if (!isa<arith::ArithDialect, affine::AffineDialect, math::MathDialect>(op->getDialect()))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isIndexArithmetic(loop, operand); });
}

bool refs::isAffine(scf::ForOp loop, Value value) {
  return llvm::all_of(Linear::of(value).getTerms(), [&](const auto &term) {
    return term.first == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(term.first);
  });
}

/// Returns whether the sizes of the view of `base` along `path`, and the sizes after each step,
/// are the same in each iteration.
static bool hasUniformSizes(scf::ForOp loop, const Path &path, Value base) {
  // A null size stands for a size of the base, which no iteration changes.
  SmallVector<OpFoldResult> sizes(cast<RankedTensorType>(base.getType()).getRank());
  return llvm::all_of(path, [&](const BoundStep &step) {
    sizes = step.getStep().reifyShape(sizes, step.integers);
    return llvm::all_of(sizes, [&](OpFoldResult size) {
      auto value = dyn_cast_if_present<Value>(size);
      return !value || loop.isDefinedOutsideOfLoop(value);
    });
  });
}

/// Returns whether each value of the loop's body that the bodies of `op` use is either a tensor, or
/// a scalar that the batched bodies can compute themselves.
static bool usesOnlyBatched(scf::ForOp loop, Operation *op) {
  WalkResult result = op->walk([&](Operation *inner) {
    bool isKnown = inner == op || llvm::all_of(inner->getOperands(), [&](Value operand) {
                     return operand.getParentRegion() != &loop.getRegion() ||
                            isa<RankedTensorType>(operand.getType()) ||
                            isIndexArithmetic(loop, operand);
                   });
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool LoopBatch::canBatch(Operation *op) {
  if (auto compute = dyn_cast<te::ComputeOp>(op))
    return usesOnlyBatched(loop, compute) &&
           llvm::all_of(compute.getOperands(), // sizes, and symbols of pieces
                        [&](Value size) { return loop.isDefinedOutsideOfLoop(size); });
  if (auto update = dyn_cast<te::UpdateOp>(op))
    return update.getNumOpaque() == 0 && usesOnlyBatched(loop, update) &&
           llvm::all_of(update.getDynamicSizes(),
                        [&](Value size) { return loop.isDefinedOutsideOfLoop(size); }) &&
           llvm::all_of(update.getSymbols(), [&](Value symbol) { return isAffine(loop, symbol); });
  if (auto access = dyn_cast<AccessOp>(op))
    return hasUniformSizes(loop, access.getBoundPath(), access.getBase()) &&
           llvm::all_of(access.getIndexes(),
                        [&](Value index) { return isIndexArithmetic(loop, index); });
  if (auto assign = dyn_cast<AssignOp>(op))
    return hasUniformSizes(loop, assign.getBoundPath(), assign.getBase()) &&
           llvm::all_of(assign.getIndexes(), [&](Value index) { return isAffine(loop, index); });
  if (isa<tensor::CastOp>(op))
    return true;
  return op->getNumResults() == 1 && isIndexArithmetic(loop, op->getResult(0));
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Copies one body of an expression and shifts its dims up by one.
class LoopBatch::Body {
public:
  /// The copy may use `numDims` dims.
  Body(LoopBatch &batch, OpBuilder &builder, unsigned numDims)
      : batch(batch), builder(builder), numDims(numDims) {}

  /// Copies all ops but the terminator. Returns the values that the copy has to yield.
  SmallVector<Value> copy(Block &body);
  /// Returns `expr` with its dims shifted up, and with each symbol replaced by the value that the
  /// symbol's operand has in iteration d0. Appends the symbol operands of the result to `symbols`.
  AffineExpr rewrite(AffineExpr expr, ValueRange operands, SmallVectorImpl<Value> &symbols);
  IRMapping mapping;

private:
  void copyPointOp(Operation *op);
  /// Makes `mapping` map `value`, a scalar of the loop's body, to its value in iteration d0.
  void ensureScalar(Value value);
  AffineExpr getSymbol(Value value, SmallVectorImpl<Value> &symbols);

  LoopBatch &batch;
  OpBuilder &builder;
  unsigned numDims;
};

AffineExpr LoopBatch::Body::getSymbol(Value value, SmallVectorImpl<Value> &symbols) {
  MLIRContext *context = builder.getContext();
  auto append = [&](Value symbol) {
    auto it = llvm::find(symbols, symbol);
    unsigned position = it - symbols.begin();
    if (it == symbols.end())
      symbols.push_back(symbol);
    return getAffineSymbolExpr(position, context);
  };
  if (mapping.contains(value)) // computed in the body
    return append(mapping.lookup(value));
  Linear linear = Linear::of(value);
  AffineExpr expr = getAffineConstantExpr(linear.getOffset(), context);
  for (auto [term, factor] : linear.getTerms()) {
    if (term == batch.loop.getInductionVar()) {
      int64_t step = *getConstantIntValue(batch.loop.getStep());
      AffineExpr lower = getAffineConstantExpr(0, context);
      if (std::optional<int64_t> known = getConstantIntValue(batch.loop.getLowerBound()))
        lower = getAffineConstantExpr(*known, context);
      else
        lower = append(batch.loop.getLowerBound());
      expr = expr + (getAffineDimExpr(0, context) * step + lower) * factor;
      continue;
    }
    if (!batch.loop.isDefinedOutsideOfLoop(term)) {
      ensureScalar(value);
      return append(mapping.lookup(value));
    }
    expr = expr + append(term) * factor;
  }
  return expr;
}

AffineExpr LoopBatch::Body::rewrite(AffineExpr expr, ValueRange operands,
                                    SmallVectorImpl<Value> &symbols) {
  SmallVector<AffineExpr> dims, replacements;
  int64_t numUsed = 0;
  expr.walk([&](AffineExpr inner) {
    if (auto dim = dyn_cast<AffineDimExpr>(inner))
      numUsed = std::max<int64_t>(numUsed, dim.getPosition() + 1);
  });
  for (int64_t dim = 0; dim < numUsed; ++dim)
    dims.push_back(getAffineDimExpr(dim + 1, expr.getContext()));
  for (Value operand : operands)
    replacements.push_back(getSymbol(operand, symbols));
  return expr.replaceDimsAndSymbols(dims, replacements);
}

void LoopBatch::Body::ensureScalar(Value value) {
  if (mapping.contains(value) || batch.loop.isDefinedOutsideOfLoop(value))
    return;
  if (value == batch.loop.getInductionVar()) {
    SmallVector<Value> symbols;
    AffineExpr expr = getSymbol(value, symbols);
    mapping.map(value, te::IndexOp::create(builder, value.getLoc(), symbols,
                                           AffineMap::get(numDims, symbols.size(), expr)));
    return;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    ensureScalar(operand);
  builder.clone(*op, mapping);
}

void LoopBatch::Body::copyPointOp(Operation *op) {
  SmallVector<Value> symbols;
  MLIRContext *context = builder.getContext();
  auto rewriteAll = [&](ArrayRef<AffineExpr> exprs, ValueRange operands) {
    return llvm::map_to_vector(exprs,
                               [&](AffineExpr expr) { return rewrite(expr, operands, symbols); });
  };
  if (auto read = dyn_cast<te::ReadOp>(op)) {
    SmallVector<AffineExpr> at = rewriteAll(read.getMap().getResults(), read.getSymbols());
    SmallVector<AffineExpr> guard;
    if (read.getGuard())
      guard = rewriteAll(read.getGuard()->getConstraints(), read.getSymbols());
    Value source = batch.uniform.lookupOrDefault(read.getSource());
    if (batch.batched.contains(read.getSource())) {
      source = batch.batched.lookup(read.getSource());
      at.insert(at.begin(), getAffineDimExpr(0, context));
    }
    IntegerSet set;
    if (read.getGuard())
      set = IntegerSet::get(numDims, symbols.size(), guard, read.getGuard()->getEqFlags());
    auto map = AffineMap::get(numDims, symbols.size(), at, context);
    mapping.map(read.getValue(), te::ReadOp::create(builder, op->getLoc(), source, map, symbols,
                                                    set, read.getPadAttr()));
  } else if (auto index = dyn_cast<te::IndexOp>(op)) {
    SmallVector<AffineExpr> at = rewriteAll(index.getMap().getResults(), index.getSymbols());
    auto map = AffineMap::get(numDims, symbols.size(), at, context);
    mapping.map(index.getValue(), te::IndexOp::create(builder, op->getLoc(), symbols, map));
  } else {
    auto inside = cast<te::InsideOp>(op);
    SmallVector<AffineExpr> constraints =
        rewriteAll(inside.getSet().getConstraints(), inside.getSymbols());
    auto set = IntegerSet::get(numDims, symbols.size(), constraints, inside.getSet().getEqFlags());
    mapping.map(inside.getValue(), te::InsideOp::create(builder, op->getLoc(), symbols, set));
  }
}

SmallVector<Value> LoopBatch::Body::copy(Block &body) {
  for (Operation &op : body.without_terminator()) {
    if (te::isPointOp(&op)) {
      copyPointOp(&op);
      continue;
    }
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &body)
        ensureScalar(operand);
    builder.clone(op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value value : body.getTerminator()->getOperands()) {
    if (value.getParentBlock() != &body)
      ensureScalar(value);
    yielded.push_back(mapping.lookupOrDefault(value));
  }
  return yielded;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Shifts the dims of a set over the parallel dims up by one.
static Attribute shiftSet(IntegerSetAttr where) {
  IntegerSet set = where.getValue();
  SmallVector<AffineExpr> constraints;
  for (AffineExpr constraint : set.getConstraints())
    constraints.push_back(constraint.shiftDims(set.getNumDims(), 1));
  return IntegerSetAttr::get(
      IntegerSet::get(set.getNumDims() + 1, set.getNumSymbols(), constraints, set.getEqFlags()));
}

/// Copies the block of `from` to `to` by `copyBlock`; does nothing if `from` is empty.
static void copyRegion(OpBuilder &builder, Region &from, Region &to,
                       function_ref<SmallVector<Value>(Block &, Block &)> copyBlock) {
  if (from.empty())
    return;
  OpBuilder::InsertionGuard guard(builder);
  Block &source = from.front();
  SmallVector<Location> locations(source.getNumArguments(), from.getLoc());
  Block *block = builder.createBlock(&to, to.end(), source.getArgumentTypes(), locations);
  SmallVector<Value> yielded = copyBlock(source, *block);
  te::YieldOp::create(builder, source.getTerminator()->getLoc(), yielded);
}

void LoopBatch::batch(tensor::CastOp op) {
  if (batched.contains(op.getSource()))
    batched.map(op.getResult(), batched.lookup(op.getSource()));
  else
    uniform.map(op.getResult(), uniform.lookupOrDefault(op.getSource()));
}

void LoopBatch::batch(te::ComputeOp op) {
  SmallVector<OpFoldResult> sizes = op.getIterationDomain();
  sizes.insert(sizes.begin(), OpFoldResult(count));
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> dynamicSizes;
  te::dispatchSizes(sizes, staticSizes, dynamicSizes);
  SmallVector<Type> types;
  for (Type type : op.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape.insert(shape.begin(), staticSizes.front());
    types.push_back(RankedTensorType::get(shape, tensor.getElementType()));
  }
  ArrayAttr where = op.getWhereAttr();
  if (where)
    where = builder.getArrayAttr(llvm::map_to_vector(
        where.getAsRange<IntegerSetAttr>(), [](IntegerSetAttr set) { return shiftSet(set); }));
  auto result = te::ComputeOp::create(builder, op.getLoc(), types, dynamicSizes, op.getSymbols(),
                                      staticSizes, op.getNumParallel() + 1, op.getInitAttr(), where,
                                      op.getLabelAttr(), op.getPieces().size());
  auto copyBlock = [&](Block &from, Block &to) {
    bool isEpilogue = to.getParent() == &result.getEpilogue();
    Body body(*this, builder, isEpilogue ? result.getNumParallel() : result.getNumDims());
    for (auto [old, argument] : llvm::zip_equal(from.getArguments(), to.getArguments()))
      body.mapping.map(old, argument);
    return body.copy(from);
  };
  copyRegion(builder, op.getCombiner(), result.getCombiner(), copyBlock);
  copyRegion(builder, op.getEpilogue(), result.getEpilogue(), copyBlock);
  for (auto [from, to] : llvm::zip_equal(op.getPieces(), result.getPieces()))
    copyRegion(builder, from, to, copyBlock);
  batched.map(op.getResults(), result.getResults());
}

Value LoopBatch::makeUpdate(te::UpdateOp op, Value base, bool hasLeadingDim) {
  SmallVector<OpFoldResult> domain = op.getIterationDomain();
  domain.insert(domain.begin(), OpFoldResult(count));
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> dynamicSizes, symbols;
  te::dispatchSizes(domain, staticSizes, dynamicSizes);
  Body target(*this, builder, domain.size());
  auto rewriteAll = [&](ArrayRef<AffineExpr> exprs) {
    return llvm::map_to_vector(
        exprs, [&](AffineExpr expr) { return target.rewrite(expr, op.getSymbols(), symbols); });
  };
  SmallVector<AffineExpr> at = rewriteAll(op.getMap().getResults()), constraints;
  if (hasLeadingDim)
    at.insert(at.begin(), builder.getAffineDimExpr(0));
  IntegerSetAttr guard;
  if (op.getGuard())
    constraints = rewriteAll(op.getGuard()->getConstraints());
  if (op.getGuard())
    guard = IntegerSetAttr::get(
        IntegerSet::get(domain.size(), symbols.size(), constraints, op.getGuard()->getEqFlags()));
  auto map = AffineMap::get(domain.size(), symbols.size(), at, builder.getContext());
  auto result =
      te::UpdateOp::create(builder, op.getLoc(), base.getType(), base, dynamicSizes, symbols,
                           builder.getDenseI64ArrayAttr(staticSizes), AffineMapAttr::get(map),
                           guard, op.getInjectiveAttr(), op.getLabelAttr());
  auto copyBlock = [&](Block &from, Block &to) {
    Body body(*this, builder, domain.size());
    for (auto [old, argument] : llvm::zip_equal(from.getArguments(), to.getArguments()))
      body.mapping.map(old, argument);
    return body.copy(from);
  };
  copyRegion(builder, op.getBody(), result.getBody(), copyBlock);
  copyRegion(builder, op.getCombiner(), result.getCombiner(), copyBlock);
  return result.getResult();
}

/// Builds a tensor of `count` copies of `tensor`.
static Value repeat(OpBuilder &builder, Location loc, Value tensor, Value count) {
  SmallVector<OpFoldResult> sizes = refs::getSizes(builder, loc, tensor);
  sizes.insert(sizes.begin(), OpFoldResult(count));
  AffineMap map = builder.getMultiDimIdentityMap(sizes.size()).dropResult(0);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  auto compute = te::buildCompute(builder, loc, sizes, element, [&](OpBuilder &b, Location loc) {
    return SmallVector<Value>{te::ReadOp::create(b, loc, tensor, map)};
  });
  return compute.getResult(0);
}

void LoopBatch::batch(te::UpdateOp op) {
  Value base = batched.lookupOrNull(op.getBase());
  if (!base)
    base = repeat(builder, op.getLoc(), uniform.lookupOrDefault(op.getBase()), count);
  batched.map(op.getResult(), makeUpdate(op, base, /*hasLeadingDim=*/true));
}

void LoopBatch::batchInPlace(te::UpdateOp op) {
  Value base = uniform.lookupOrDefault(op.getBase());
  uniform.map(op.getResult(), makeUpdate(op, base, /*hasLeadingDim=*/false));
}
