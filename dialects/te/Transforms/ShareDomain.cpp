//===- ShareDomain.cpp - one expression with the results of several -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/ShareDomain.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/Transforms/AbsorbConsumer.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the values from outside that `compute` needs.
static llvm::SetVector<Value> collectNeeded(ComputeOp compute) {
  llvm::SetVector<Value> needed;
  getUsedValuesDefinedAbove(compute->getRegions(), needed);
  needed.insert_range(compute->getOperands());
  return needed;
}

/// Returns whether `value`, which an op after `first` in its block uses, is known before `first`.
static bool isKnownBefore(Value value, ComputeOp first) {
  Operation *op = value.getDefiningOp();
  return !op || op->getBlock() != first->getBlock() || op->isBeforeInBlock(first);
}

/// Returns the constant that must move before `first` so that `value` is known there, or null.
static Operation *findLaterConstant(Value value, ComputeOp first) {
  Operation *op = value.getDefiningOp();
  bool isConstant = op && op->getNumOperands() == 0 && op->getNumRegions() == 0 && isPure(op);
  return isConstant && !isKnownBefore(value, first) ? op : nullptr;
}

bool te::canShareDomain(ComputeOp first, ComputeOp next) {
  return first->getBlock() == next->getBlock() && first->isBeforeInBlock(next) &&
         first.getPieces().size() == 1 && next.getPieces().size() == 1 &&
         first.getNumParallel() == next.getNumParallel() &&
         first.getIterationDomain() == next.getIterationDomain() &&
         llvm::all_of(collectNeeded(next), [&](Value value) {
           return isKnownBefore(value, first) || findLaterConstant(value, first);
         });
}

static ComputeOp createShared(RewriterBase &rewriter, ArrayRef<ComputeOp> members) {
  ComputeOp first = members.front();
  SmallVector<Location> locations;
  SmallVector<Attribute> init;
  SmallVector<Type> types;
  for (ComputeOp member : members) {
    locations.push_back(member.getLoc());
    llvm::append_range(types, member.getResultTypes());
    if (member.hasReduction())
      llvm::append_range(init, member.getInitAttr());
  }
  return ComputeOp::create(rewriter, rewriter.getFusedLoc(locations), types,
                           first.getDynamicSizes(), ValueRange(), first.getStaticSizes(),
                           first.getNumParallel(),
                           first.hasReduction() ? rewriter.getArrayAttr(init) : ArrayAttr(),
                           ArrayAttr(), StringAttr(), 1);
}

static void buildSharedPiece(RewriterBase &rewriter, ComputeOp shared,
                             ArrayRef<ComputeOp> members) {
  rewriter.createBlock(&shared.getPieces().front());
  SmallVector<Value> yielded;
  for (ComputeOp member : members) {
    IRMapping mapping;
    PointMap point = identityPoint(shared.getContext(), member.getNumDims());
    llvm::append_range(yielded, cloneBody(rewriter, *member.getPieceBlock(), point, mapping));
  }
  YieldOp::create(rewriter, shared.getLoc(), yielded);
}

static void buildSharedEpilogue(RewriterBase &rewriter, ComputeOp shared,
                                ArrayRef<ComputeOp> members) {
  if (llvm::none_of(members, [](ComputeOp member) { return member.hasEpilogue(); }))
    return;
  SmallVector<Type> types = shared.getAccumulatorTypes();
  Block *block = rewriter.createBlock(&shared.getEpilogue(), {}, types,
                                      SmallVector<Location>(types.size(), shared.getLoc()));
  SmallVector<Value> yielded;
  unsigned begin = 0;
  for (ComputeOp member : members) {
    unsigned count = member.getAccumulatorTypes().size();
    ValueRange accumulators = block->getArguments().slice(begin, count);
    begin += count;
    if (!member.hasEpilogue()) {
      llvm::append_range(yielded, accumulators);
      continue;
    }
    Block &epilogue = member.getEpilogue().front();
    IRMapping mapping;
    mapping.map(epilogue.getArguments(), accumulators);
    PointMap point = identityPoint(shared.getContext(), member.getNumParallel());
    llvm::append_range(yielded, cloneBody(rewriter, epilogue, point, mapping));
  }
  YieldOp::create(rewriter, shared.getLoc(), yielded);
}

ComputeOp te::shareDomain(RewriterBase &rewriter, ArrayRef<ComputeOp> members) {
  ComputeOp first = members.front();
  for (ComputeOp member : members)
    for (Value value : collectNeeded(member))
      if (Operation *constant = findLaterConstant(value, first))
        rewriter.moveOpBefore(constant, first);
  rewriter.setInsertionPoint(first);
  ComputeOp shared = createShared(rewriter, members);
  buildSharedPiece(rewriter, shared, members);
  if (shared.hasReduction()) {
    buildSharedEpilogue(rewriter, shared, members);
    buildCombiner(rewriter, shared, members);
  }
  ResultRange results = shared.getResults();
  for (ComputeOp member : members) {
    unsigned count = member.getNumResults();
    rewriter.replaceOp(member, results.take_front(count));
    results = results.drop_front(count);
  }
  return shared;
}
