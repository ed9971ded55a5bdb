//===- PointOps.cpp - ops of a te body and their index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/PointOps.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

bool te::isPointOp(Operation *op) { return isa<ReadOp, IndexOp, InsideOp>(op); }

namespace {
/// Collects symbol operands without duplicates. `get` returns the symbol expression of an operand.
class SymbolOperands {
public:
  SymbolOperands(MLIRContext *context, SmallVectorImpl<Value> &symbols)
      : context(context), symbols(symbols) {}

  AffineExpr get(Value value) {
    auto *it = llvm::find(symbols, value);
    unsigned position = it - symbols.begin();
    if (it == symbols.end())
      symbols.push_back(value);
    return getAffineSymbolExpr(position, context);
  }

private:
  MLIRContext *context;
  SmallVectorImpl<Value> &symbols;
};

/// The expressions that replace the old dims and symbols, over the new dims and symbols.
struct Substitution {
  SmallVector<AffineExpr> dims, symbols;
  AffineExpr apply(AffineExpr expr) const { return expr.replaceDimsAndSymbols(dims, symbols); }
};
} // namespace

static Substitution makeSubstitution(unsigned numDims, ValueRange symbols, const PointMap &point,
                                     const IRMapping &mapping, SmallVectorImpl<Value> &newSymbols) {
  MLIRContext *context = point.map.getContext();
  SymbolOperands table(context, newSymbols);
  Substitution substitution;
  for (Value symbol : symbols)
    substitution.symbols.push_back(table.get(mapping.lookupOrDefault(symbol)));
  SmallVector<AffineExpr> pointSymbols;
  for (Value symbol : point.symbols)
    pointSymbols.push_back(table.get(symbol));
  for (unsigned dim = 0; dim < numDims; ++dim)
    substitution.dims.push_back(dim < point.map.getNumResults()
                                    ? point.map.getResult(dim).replaceSymbols(pointSymbols)
                                    : getAffineDimExpr(dim, context));
  return substitution;
}

bool te::hasOpaqueIndex(ReadOp read) {
  return llvm::any_of(read.getSymbols(),
                      [&](Value symbol) { return symbol.getParentBlock() == read->getBlock(); });
}

AffineMap te::composeMap(AffineMap map, ValueRange symbols, const PointMap &point,
                         const IRMapping &mapping, SmallVectorImpl<Value> &newSymbols) {
  Substitution substitution =
      makeSubstitution(map.getNumDims(), symbols, point, mapping, newSymbols);
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(substitution.apply(expr));
  return AffineMap::get(point.map.getNumDims(), newSymbols.size(), results, map.getContext());
}

IntegerSet te::composeSet(IntegerSet set, ValueRange symbols, const PointMap &point,
                          const IRMapping &mapping, SmallVectorImpl<Value> &newSymbols) {
  Substitution substitution =
      makeSubstitution(set.getNumDims(), symbols, point, mapping, newSymbols);
  SmallVector<AffineExpr> constraints;
  for (AffineExpr expr : set.getConstraints())
    constraints.push_back(substitution.apply(expr));
  return IntegerSet::get(point.map.getNumDims(), newSymbols.size(), constraints, set.getEqFlags());
}

/// Returns `set` as a set over `numSymbols` symbols.
static IntegerSet withNumSymbols(IntegerSet set, unsigned numSymbols) {
  return IntegerSet::get(set.getNumDims(), numSymbols, set.getConstraints(), set.getEqFlags());
}

void PieceSets::add(IntegerSet set, ValueRange values) {
  SymbolOperands table(set.getContext(), symbols);
  SmallVector<AffineExpr> replacements;
  for (auto [position, value] : llvm::enumerate(values)) {
    bool isUsed = llvm::any_of(set.getConstraints(), [position = position](AffineExpr expr) {
      return expr.isFunctionOfSymbol(position);
    });
    replacements.push_back(isUsed ? table.get(value) : getAffineConstantExpr(0, set.getContext()));
  }
  sets.push_back(set.replaceDimsAndSymbols({}, replacements, set.getNumDims(), symbols.size()));
}

ArrayAttr PieceSets::get(MLIRContext *context) const {
  SmallVector<Attribute> attributes;
  for (IntegerSet set : sets)
    attributes.push_back(IntegerSetAttr::get(withNumSymbols(set, symbols.size())));
  return ArrayAttr::get(context, attributes);
}

static Operation *cloneRead(OpBuilder &builder, ReadOp read, const PointMap &point,
                            IRMapping &mapping) {
  SmallVector<Value> symbols;
  AffineMap map = composeMap(read.getMap(), read.getSymbols(), point, mapping, symbols);
  IntegerSet guard;
  if (read.getGuard()) {
    guard = composeSet(*read.getGuard(), read.getSymbols(), point, mapping, symbols);
    guard = withNumSymbols(guard, symbols.size());
    map = AffineMap::get(map.getNumDims(), symbols.size(), map.getResults(), map.getContext());
  }
  return ReadOp::create(builder, read.getLoc(), mapping.lookupOrDefault(read.getSource()), map,
                        symbols, guard, read.getPadAttr());
}

Operation *te::clonePointwise(OpBuilder &builder, Operation *op, const PointMap &point,
                              IRMapping &mapping) {
  Operation *copy = nullptr;
  SmallVector<Value> symbols;
  if (auto read = dyn_cast<ReadOp>(op)) {
    copy = cloneRead(builder, read, point, mapping);
  } else if (auto index = dyn_cast<IndexOp>(op)) {
    AffineMap map = composeMap(index.getMap(), index.getSymbols(), point, mapping, symbols);
    copy = IndexOp::create(builder, op->getLoc(), symbols, map);
  } else if (auto inside = dyn_cast<InsideOp>(op)) {
    IntegerSet set = composeSet(inside.getSet(), inside.getSymbols(), point, mapping, symbols);
    copy = InsideOp::create(builder, op->getLoc(), symbols, set);
  } else {
    return builder.clone(*op, mapping);
  }
  mapping.map(op->getResults(), copy->getResults());
  return copy;
}

SmallVector<Value> te::cloneBody(OpBuilder &builder, Block &body, const PointMap &point,
                                 IRMapping &mapping) {
  for (Operation &op : body.without_terminator())
    clonePointwise(builder, &op, point, mapping);
  SmallVector<Value> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  return yielded;
}

PointMap te::identityPoint(MLIRContext *context, unsigned numDims) {
  return {AffineMap::getMultiDimIdentityMap(numDims, context), {}};
}

/// Returns whether the value of `op` is a constant or depends on the point of the domain only.
static bool isOfPoint(Operation *op) {
  return isa<ComputeOp>(op->getParentOp()) || op->hasTrait<OpTrait::ConstantLike>();
}

bool te::areEqualAtPoint(Value lhs, Value rhs) {
  if (lhs == rhs)
    return true;
  auto left = dyn_cast<OpResult>(lhs), right = dyn_cast<OpResult>(rhs);
  if (!left || !right || left.getResultNumber() != right.getResultNumber() ||
      !isOfPoint(left.getOwner()) || !isOfPoint(right.getOwner()))
    return false;
  return OperationEquivalence::isEquivalentTo(
      left.getOwner(), right.getOwner(),
      [&](Value a, Value b) { return success(areEqualAtPoint(a, b)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

void te::setNumDims(Region &body, unsigned numDims) {
  auto widenMap = [&](AffineMap map) {
    return map.getNumDims() >= numDims
               ? map
               : AffineMap::get(numDims, map.getNumSymbols(), map.getResults(), map.getContext());
  };
  auto widenSet = [&](IntegerSet set) {
    return set.getNumDims() >= numDims ? set
                                       : IntegerSet::get(numDims, set.getNumSymbols(),
                                                         set.getConstraints(), set.getEqFlags());
  };
  // Parsers call this before the verifier has run, so attributes may be missing.
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ExpressionOpInterface>(op))
      return WalkResult::skip();
    if (auto read = dyn_cast<ReadOp>(op)) {
      if (read.getMapAttr())
        read.setMap(widenMap(read.getMap()));
      if (read.getGuard())
        read.setGuard(widenSet(*read.getGuard()));
    } else if (auto index = dyn_cast<IndexOp>(op); index && index.getMapAttr()) {
      index.setMap(widenMap(index.getMap()));
    } else if (auto inside = dyn_cast<InsideOp>(op); inside && inside.getSetAttr()) {
      inside.setSet(widenSet(inside.getSet()));
    }
    return WalkResult::advance();
  });
}

void te::collectPointOps(Value value, Block *body, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return;
  if (isPointOp(op))
    ops.insert(op);
  for (Value operand : op->getOperands())
    collectPointOps(operand, body, ops);
}

bool te::hasOpaqueRead(Value value, Block *body) {
  llvm::SetVector<Operation *> ops;
  collectPointOps(value, body, ops);
  return llvm::any_of(ops, [](Operation *op) {
    auto read = dyn_cast<ReadOp>(op);
    return read && hasOpaqueIndex(read);
  });
}

llvm::SetVector<unsigned> te::collectDims(Value value, Block *body) {
  llvm::SetVector<unsigned> dims;
  auto add = [&](AffineExpr expr) {
    expr.walk([&](AffineExpr e) {
      if (auto dim = dyn_cast<AffineDimExpr>(e))
        dims.insert(dim.getPosition());
    });
  };
  llvm::SetVector<Operation *> ops;
  collectPointOps(value, body, ops);
  for (Operation *op : ops) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      llvm::for_each(read.getMap().getResults(), add);
      if (read.getGuard())
        llvm::for_each(read.getGuard()->getConstraints(), add);
    } else if (auto index = dyn_cast<IndexOp>(op)) {
      add(index.getMap().getResult(0));
    } else if (auto inside = dyn_cast<InsideOp>(op)) {
      llvm::for_each(inside.getSet().getConstraints(), add);
    }
  }
  return dims;
}
