//===- CheckBounds.cpp - indexes are in bounds, pieces cover their domain -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A question is a set of constraints that no point of the domain may satisfy: an
/// index below 0 or beyond the size, a point in two pieces, a point in none.
/// 1. The simplifier proves that one of the constraints never holds.
/// 2. Else, for constant sizes, an exact solver says whether there is a point.
/// 3. Else the answer is unknown.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Emptiness.h"
#include "dialects/te/Analysis/PointDomain.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/Passes.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TECHECKBOUNDS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Sets with more pieces are not checked for covering their domain.
static constexpr unsigned maxCoveredPieces = 8;

namespace {
/// Answers questions about the points of one op.
class PointChecker {
public:
  PointChecker(ArrayRef<OpFoldResult> sizes, MLIRContext *context) : domain(context, sizes) {
    for (OpFoldResult size : sizes) {
      std::optional<int64_t> constant = getConstantSize(size);
      constantSizes.push_back(constant.value_or(ShapedType::kDynamic));
    }
  }

  /// Always: no point satisfies all constraints; Never: some point does.
  Truth excludes(ArrayRef<AffineExpr> constraints) {
    IndexSimplifier simplifier = domain.getSimplifier();
    Constraints simplified;
    for (AffineExpr constraint : constraints)
      simplified.push_back(simplifier.simplify(constraint));
    for (AffineExpr constraint : constraints) {
      if (simplifier.decide(constraint, false) == Truth::Never)
        return Truth::Always;
      simplifier.assumeNonNegative(constraint);
    }
    if (llvm::is_contained(constantSizes, ShapedType::kDynamic))
      return Truth::Unknown;
    std::optional<bool> empty = isEmpty(constantSizes, simplified);
    return !empty ? Truth::Unknown : *empty ? Truth::Always : Truth::Never;
  }

  PointDomain domain;

private:
  SmallVector<int64_t> constantSizes;
};

struct CheckBounds : te::impl::TECheckBoundsBase<CheckBounds> {
  using TECheckBoundsBase::TECheckBoundsBase;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (auto read = dyn_cast<ReadOp>(op))
        checkRead(read);
      else if (auto update = dyn_cast<UpdateOp>(op))
        checkUpdate(update);
      else if (auto compute = dyn_cast<ComputeOp>(op); compute && compute.getWhereAttr())
        checkPieces(compute);
    });
  }

private:
  void checkRead(ReadOp read);
  void checkUpdate(UpdateOp update);
  void checkPieces(ComputeOp compute);
  void checkIndexes(Operation *op, PointChecker &checker, Value tensor,
                    ArrayRef<AffineExpr> indexes, ArrayRef<bool> isOpaque,
                    ArrayRef<AffineExpr> known, StringRef what);
  void conclude(Operation *op, Truth truth, const Twine &question);
};
} // namespace

void CheckBounds::conclude(Operation *op, Truth truth, const Twine &question) {
  if (truth == Truth::Always) {
    ++numProven;
    return;
  }
  if (truth == Truth::Never) {
    op->emitOpError(question);
    signalPassFailure();
    return;
  }
  ++numUnknown;
  if (showUnknown)
    op->emitRemark() << "not known whether " << question;
}

/// The size of a tensor's dim over the table of symbols, without making new ops.
static AffineExpr getTensorSize(PointDomain &domain, Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), type.getContext());
  OpFoldResult size = findSize(tensor, dim);
  return size ? domain.getSize(size) : AffineExpr();
}

void CheckBounds::checkIndexes(Operation *op, PointChecker &checker, Value tensor,
                               ArrayRef<AffineExpr> indexes, ArrayRef<bool> isOpaque,
                               ArrayRef<AffineExpr> known, StringRef what) {
  for (unsigned dim = 0; dim < indexes.size(); ++dim) {
    if (isOpaque[dim]) // checked by the run
      continue;
    auto ask = [&](AffineExpr violation, const Twine &question) {
      SmallVector<AffineExpr> constraints(known);
      constraints.push_back(violation);
      conclude(op, checker.excludes(constraints), question);
    };
    ask(-1 - indexes[dim], Twine(what) + " dim " + Twine(dim) + " below 0");
    AffineExpr size = getTensorSize(checker.domain, tensor, dim);
    if (!size) {
      conclude(op, Truth::Unknown, Twine(what) + " dim " + Twine(dim) + " out of bounds");
      continue;
    }
    ask(indexes[dim] - size, Twine(what) + " dim " + Twine(dim) + " beyond its size");
  }
}

/// Which results of a map use symbols that `isInside` says are of the body.
static SmallVector<bool> findOpaque(AffineMap map, function_ref<bool(unsigned)> isInside) {
  SmallVector<bool> opaque;
  for (AffineExpr expr : map.getResults()) {
    bool found = false;
    expr.walk([&](AffineExpr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      found |= symbol && isInside(symbol.getPosition());
    });
    opaque.push_back(found);
  }
  return opaque;
}

void CheckBounds::checkRead(ReadOp read) {
  Operation *op = read->getParentOp();
  SmallVector<OpFoldResult> sizes;
  Constraints known;
  if (auto compute = dyn_cast<ComputeOp>(op)) {
    bool inEpilogue = read->getParentRegion() == &compute.getEpilogue();
    sizes = inEpilogue ? compute.getParallelSizes() : compute.getMixedSizes();
    for (unsigned piece = 0; piece < compute.getPieces().size(); ++piece)
      if (&compute.getPieces()[piece] == read->getParentRegion() && compute.getPieceSet(piece))
        known = getInequalities(compute.getPieceSet(piece));
  } else {
    sizes = cast<UpdateOp>(op).getMixedSizes();
  }
  PointChecker checker(sizes, &getContext());
  if (read.getGuard())
    llvm::append_range(
        known, checker.domain.enter(getInequalities(*read.getGuard()), read.getSymbols()));
  auto indexes = checker.domain.enter(read.getMap().getResults(), read.getSymbols());
  auto opaque = findOpaque(read.getMap(), [&](unsigned symbol) {
    return op->isProperAncestor(read.getSymbols()[symbol].getParentRegion()->getParentOp()) ||
           read.getSymbols()[symbol].getParentRegion()->getParentOp() == op;
  });
  checkIndexes(read, checker, read.getSource(), indexes, opaque, known, "reads");
}

void CheckBounds::checkUpdate(UpdateOp update) {
  PointChecker checker(update.getMixedSizes(), &getContext());
  unsigned numOuter = update.getSymbols().size();
  auto opaque = findOpaque(update.getMap(), [&](unsigned symbol) { return symbol >= numOuter; });
  // What the body yields has no value to enter: those indexes are not asked for.
  SmallVector<AffineExpr> exprs;
  for (auto [expr, isOpaque] : llvm::zip(update.getMap().getResults(), opaque))
    exprs.push_back(isOpaque ? getAffineConstantExpr(0, &getContext()) : expr);
  Constraints known;
  if (update.getGuard())
    known = checker.domain.enter(getInequalities(*update.getGuard()), update.getSymbols());
  checkIndexes(update, checker, update.getBase(), checker.domain.enter(exprs, update.getSymbols()),
               opaque, known, "writes");
}

void CheckBounds::checkPieces(ComputeOp compute) {
  PointChecker checker(compute.getParallelSizes(), &getContext());
  unsigned numPieces = compute.getPieces().size();
  SmallVector<Constraints> sets;
  for (unsigned piece = 0; piece < numPieces; ++piece)
    sets.push_back(getInequalities(compute.getPieceSet(piece)));
  for (unsigned first = 0; first < numPieces; ++first)
    for (unsigned second = first + 1; second < numPieces; ++second) {
      Constraints both = sets[first];
      llvm::append_range(both, sets[second]);
      conclude(compute, checker.excludes(both),
               "has points in piece " + Twine(first) + " and in piece " + Twine(second));
    }
  if (numPieces > maxCoveredPieces) {
    conclude(compute, Truth::Unknown, "has points in no piece");
    return;
  }
  // A point in no piece breaks one constraint of each: try every choice.
  SmallVector<Constraints> outside = {{}};
  constexpr unsigned maxChoices = 256;
  for (const Constraints &set : sets) {
    SmallVector<Constraints> next;
    for (const Constraints &chosen : outside)
      for (AffineExpr constraint : set) {
        next.push_back(chosen);
        next.back().push_back(-1 - constraint);
        if (checker.excludes(next.back()) == Truth::Always)
          next.pop_back();
      }
    outside = std::move(next);
    if (outside.size() > maxChoices)
      break;
  }
  Truth truth = outside.empty() ? Truth::Always : Truth::Unknown;
  if (outside.size() <= maxChoices)
    for (const Constraints &choice : outside)
      if (checker.excludes(choice) == Truth::Never)
        truth = Truth::Never;
  conclude(compute, truth, "has points in no piece");
}
