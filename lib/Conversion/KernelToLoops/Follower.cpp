//===- Follower.cpp - expressions over what an iteration wrote -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

namespace {
/// A factor and a loop of a sum of loops.
struct Term {
  int64_t factor;
  unsigned loop;
};

/// Finds the elements of a root that one iteration of its bound loops writes.
class IterationBox {
public:
  IterationBox(IndexBuilder &index, const ScheduledPiece &root) : index(index), root(root) {}

  /// Returns the indexes along parallel dim `dim`, or nothing if they are not consecutive.
  std::optional<IndexSpan> getSpan(unsigned dim) {
    AffineExpr expr = getLiveExpr(index, root.schedule, getAffineDimExpr(dim, index.getContext()));
    if (dividesInner(expr))
      return std::nullopt;
    AffineExpr start = keepLoops(expr, /*bound=*/true);
    AffineExpr extent = getExtent(keepLoops(expr, /*bound=*/false));
    if (!extent)
      return std::nullopt;
    AffineExpr left = index.simplify(root.extents[dim] - start);
    if (index.isNonNegative(left - extent))
      return IndexSpan{start, extent};
    Value rest = index.materialize(left), whole = index.materialize(extent);
    Value least = arith::MinUIOp::create(index.getBuilder(), index.getLoc(), rest, whole);
    return IndexSpan{start, index.getSymbol(least)};
  }

private:
  bool isBound(unsigned loop) { return llvm::is_contained(root.schedule.parallel, loop); }

  /// Returns `expr` at iteration 0 of the loops that are not bound, or of those that are.
  AffineExpr keepLoops(AffineExpr expr, bool bound) {
    AffineExpr zero = getAffineConstantExpr(0, expr.getContext());
    for (unsigned loop = 0; loop < root.schedule.loops.size(); ++loop)
      if (isBound(loop) != bound)
        expr = expr.replace(getAffineDimExpr(loop, expr.getContext()), zero);
    return index.simplify(expr);
  }

  /// Returns whether `expr` divides a loop that is not bound, so that it is no sum of loops.
  bool dividesInner(AffineExpr expr) {
    auto walked = expr.walk([&](AffineExpr part) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(part);
      if (!binary || binary.getKind() == AffineExprKind::Add ||
          binary.getKind() == AffineExprKind::Mul)
        return WalkResult::advance();
      for (unsigned loop = 0; loop < root.schedule.loops.size(); ++loop)
        if (!isBound(loop) && binary.isFunctionOfDim(loop))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return walked.wasInterrupted();
  }

  /// Returns the number of values of `expr`, a sum of loops, if they are consecutive from 0.
  AffineExpr getExtent(AffineExpr expr) {
    SmallVector<Term> terms;
    for (AffineExpr each : getTerms(expr))
      if (each != getAffineConstantExpr(0, each.getContext()) && !addTerm(each, terms))
        return {};
    llvm::sort(terms, [](Term lhs, Term rhs) { return lhs.factor < rhs.factor; });
    AffineExpr extent = getAffineConstantExpr(1, expr.getContext());
    for (Term term : terms) {
      if (extent != getAffineConstantExpr(term.factor, expr.getContext()))
        return {};
      extent = index.simplify(extent * root.schedule.loops[term.loop].extent);
    }
    return extent;
  }

  bool addTerm(AffineExpr expr, SmallVectorImpl<Term> &terms) {
    int64_t factor = 1;
    if (auto product = dyn_cast<AffineBinaryOpExpr>(expr)) {
      auto constant = dyn_cast<AffineConstantExpr>(product.getRHS());
      if (product.getKind() != AffineExprKind::Mul || !constant)
        return false;
      factor = constant.getValue();
      expr = product.getLHS();
    }
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || isBound(loop.getPosition()))
      return false;
    terms.push_back({factor, loop.getPosition()});
    return true;
  }

  IndexBuilder &index;
  const ScheduledPiece &root;
};

/// Finds the indexes of a follower from its reads.
class FollowerSpans {
public:
  FollowerSpans(IndexBuilder &index, const ScheduledPiece &root, te::ComputeOp follower)
      : index(index), root(root), follower(follower), spans(follower.getNumParallel()) {}

  /// Adds what a read of the root says. Returns false if it reads more than the iteration wrote.
  bool addRead(te::ReadOp read) {
    if (!read.getSymbols().empty() || read.getGuard())
      return false;
    findWritten(read.getMap().getNumResults());
    for (auto [dim, expr] : llvm::enumerate(read.getMap().getResults()))
      if (!written[dim] || !addIndex(expr, *written[dim], root.extents[dim]))
        return false;
    return true;
  }

  /// Returns whether `read`, of another follower, reads the element at the own parallel dims.
  bool readsSameElement(te::ReadOp read) {
    return te::readsOwnPoint(read) && read.getMap().getNumResults() == follower.getNumParallel();
  }

  /// Returns whether the reads say which indexes belong to the iteration, along all dims but those
  /// of size 1.
  bool isComplete() {
    return llvm::all_of(llvm::enumerate(spans), [&](auto span) {
      return span.value().offset ||
             te::getConstantSize(follower.getIterationDomain()[span.index()]) == 1;
    });
  }
  SmallVector<IndexSpan> take() { return std::move(spans); }

private:
  void findWritten(unsigned numDims) {
    IterationBox box(index, root);
    while (written.size() < numDims)
      written.push_back(box.getSpan(written.size()));
  }

  bool addIndex(AffineExpr expr, IndexSpan written, AffineExpr size) {
    auto zero = getAffineConstantExpr(0, index.getContext());
    if (expr == zero)
      return size == getAffineConstantExpr(1, index.getContext());
    if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && isReduction(dim))
      return written.offset == zero && written.extent == size && getLength(dim) == size;
    auto [own, length] = matchPart(expr);
    auto extent = dyn_cast<AffineConstantExpr>(written.extent);
    if (!own || !written.offset.isMultipleOf(length) || !size.isMultipleOf(length) ||
        (extent && !extent.isMultipleOf(length)))
      return false;
    IndexSpan span{index.simplify(written.offset.floorDiv(length)),
                   index.simplify(written.extent.floorDiv(length))};
    IndexSpan &known = spans[own.getPosition()];
    if (known.offset && (known.offset != span.offset || known.extent != span.extent))
      return false;
    known = span;
    return true;
  }

  bool isReduction(AffineDimExpr dim) { return dim.getPosition() >= follower.getNumParallel(); }
  AffineExpr getLength(AffineDimExpr reduction) {
    std::optional<int64_t> size =
        te::getConstantSize(follower.getIterationDomain()[reduction.getPosition()]);
    return size ? getAffineConstantExpr(*size, index.getContext()) : AffineExpr();
  }

  /// Matches d and d * n + r, where r is a reduction dim of size n. Returns d and n (1 for d).
  std::pair<AffineDimExpr, int64_t> matchPart(AffineExpr expr) {
    auto isOwn = [&](AffineExpr part) {
      auto dim = dyn_cast<AffineDimExpr>(part);
      return dim && !isReduction(dim) ? dim : AffineDimExpr(nullptr);
    };
    if (auto own = isOwn(expr))
      return {own, 1};
    auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!sum || sum.getKind() != AffineExprKind::Add)
      return {AffineDimExpr(nullptr), 1};
    auto product = dyn_cast<AffineBinaryOpExpr>(sum.getLHS());
    auto reduction = dyn_cast<AffineDimExpr>(sum.getRHS());
    if (!product || product.getKind() != AffineExprKind::Mul || !reduction ||
        !isReduction(reduction) || product.getRHS() != getLength(reduction))
      return {AffineDimExpr(nullptr), 1};
    return {isOwn(product.getLHS()), cast<AffineConstantExpr>(product.getRHS()).getValue()};
  }

  IndexBuilder &index;
  const ScheduledPiece &root;
  te::ComputeOp follower;
  SmallVector<std::optional<IndexSpan>> written; ///< by the iteration, along each dim of the root
  SmallVector<IndexSpan> spans;
};
} // namespace

namespace tssa::conversion {

FailureOr<SmallVector<IndexSpan>> getFollowerSpans(IndexBuilder &index, const ScheduledPiece &root,
                                                   te::ComputeOp rootOp, te::ComputeOp follower,
                                                   Operation *after) {
  FollowerSpans spans(index, root, follower);
  bool isCovered = follower.getPieces().size() == 1;
  follower.walk([&](te::ReadOp read) {
    auto source = read.getSource().getDefiningOp<te::ComputeOp>();
    if (source == rootOp)
      isCovered &= spans.addRead(read);
    else if (source)
      isCovered &=
          root.schedule.computeAfter.contains(getLabel(source)) && spans.readsSameElement(read);
  });
  if (!isCovered || !spans.isComplete())
    return after->emitError("expected one iteration of '")
           << getLabel(rootOp) << "' to write all that an element of '" << getLabel(follower)
           << "' reads";
  return spans.take();
}

} // namespace tssa::conversion
