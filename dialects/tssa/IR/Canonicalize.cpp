//===- Canonicalize.cpp - the laws of access and assign -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// With b, s values and P, Q paths:
///
///   (L1) access(assign(b, s, P), P) = s
///   (L2) assign(b, access(b, P), P) = b
///   (L3) assign(assign(b, s, P), s', P) = assign(b, s', P)
///   (L4) access(access(b, P), Q) = access(b, P; Q)
///   (L5) assign(b, assign(access(b, P), s, Q), P) = assign(b, s, P; Q)
///   (L6) access(assign(b, s, P), Q) = access(b, Q), P and Q disjoint
///
/// In L1, L2 and L3 the two paths P may consist of different steps, if they are known to select the
/// same elements. Paths of assigns are injective, as the verifier demands.
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tssa::refs;

/// Relates the views of `base` along two paths. Uses the sizes that the type of `base` gives.
static Relation relateOn(Value base, const Path &left, const Path &right) {
  auto type = cast<RankedTensorType>(base.getType());
  if (left == right)
    return Relation::Equal;
  // Views that take all of a dim can only be compared if its size is given. An upper bound of the
  // size is enough, since both views lie in the base. But an upper bound cannot prove that one view
  // contains the other.
  Builder builder(base.getContext());
  SmallVector<OpFoldResult> sizes = llvm::map_to_vector(type.getShape(), [&](int64_t size) {
    constexpr int64_t large = int64_t(1) << 40;
    return OpFoldResult(builder.getIndexAttr(ShapedType::isDynamic(size) ? large : size));
  });
  Relation relation = relate(left, right, sizes);
  return relation == Relation::Contains ? Relation::Unknown : relation;
}

//===----------------------------------------------------------------------===//
// view and dim
//===----------------------------------------------------------------------===//

OpFoldResult ViewOp::fold(FoldAdaptor) {
  if (getPath().empty() && getSource().getType() == getRef().getType())
    return getSource();
  return {};
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  int64_t size = getRef().getType().getShape()[getDim()];
  if (!ShapedType::isDynamic(size))
    return Builder(getContext()).getIndexAttr(size);
  auto view = getRef().getDefiningOp<ViewOp>();
  if (!view)
    return {};
  // Each dim of the source gets a mark in place of its size. A mark in the result is a dim that
  // the path leaves alone.
  SmallVector<OpFoldResult> marks;
  Builder builder(getContext());
  for (int64_t dim = 0; dim < view.getSource().getType().getRank(); ++dim)
    marks.push_back(builder.getI32IntegerAttr(dim));
  OpFoldResult found = reifyShape(view.getBoundPath(), marks)[getDim()];
  auto mark = dyn_cast<Attribute>(found);
  auto number = dyn_cast_or_null<IntegerAttr>(mark);
  if (!number || !number.getType().isInteger(32))
    return found;
  getRefMutable().assign(view.getSource());
  setDim(number.getInt());
  return getResult();
}

namespace {
/// view(view(r, P), Q) = view(r, P; Q)
struct ComposeViews : OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ViewOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<ViewOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the source is no view");
    Path path = concat(rewriter, op.getLoc(), inner.getBoundPath(), op.getBoundPath());
    rewriter.replaceOpWithNewOp<ViewOp>(op, inner.getSource(), path);
    return success();
  }
};
} // namespace

void ViewOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ComposeViews>(context);
}

Value ViewOp::getViewSource() { return getSource(); }
Value ViewOp::getViewDest() { return getRef(); }

//===----------------------------------------------------------------------===//
// access
//===----------------------------------------------------------------------===//

OpFoldResult AccessOp::fold(FoldAdaptor) {
  if (getPath().empty())
    return getBase();
  auto assign = getBase().getDefiningOp<AssignOp>();
  if (!assign)
    return {};
  switch (relateOn(getBase(), assign.getBoundPath(), getBoundPath())) {
  case Relation::Equal: // L1
    return assign.getSource().getType() == getType() ? OpFoldResult(assign.getSource())
                                                     : OpFoldResult();
  case Relation::Disjoint: // L6
    getBaseMutable().assign(assign.getBase());
    return getResult();
  case Relation::Contains:
  case Relation::Unknown:
    return {};
  }
  llvm_unreachable("all relations are handled");
}

namespace {
/// (L4) access(access(b, P), Q) = access(b, P; Q)
struct ComposeAccesses : OpRewritePattern<AccessOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AccessOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getBase().getDefiningOp<AccessOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the base is no access");
    Path path = concat(rewriter, op.getLoc(), inner.getBoundPath(), op.getBoundPath());
    rewriter.replaceOpWithNewOp<AccessOp>(op, inner.getBase(), path);
    return success();
  }
};

/// (L3) assign(assign(b, s, P), s', P) = assign(b, s', P)
struct DropOverwritten : OpRewritePattern<AssignOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssignOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getBase().getDefiningOp<AssignOp>();
    if (!inner ||
        relateOn(op.getBase(), inner.getBoundPath(), op.getBoundPath()) != Relation::Equal)
      return rewriter.notifyMatchFailure(op, "the base is no assign along the same path");
    rewriter.modifyOpInPlace(op, [&] { op.getBaseMutable().assign(inner.getBase()); });
    return success();
  }
};

/// (L5) assign(b, assign(access(b, P), s, Q), P) = assign(b, s, P; Q)
struct ComposeAssigns : OpRewritePattern<AssignOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssignOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<AssignOp>();
    auto access = inner ? inner.getBase().getDefiningOp<AccessOp>() : AccessOp();
    if (!access || access.getBase() != op.getBase() ||
        relateOn(op.getBase(), access.getBoundPath(), op.getBoundPath()) != Relation::Equal)
      return rewriter.notifyMatchFailure(op, "the source is no assign to the same view");
    Path path = concat(rewriter, op.getLoc(), op.getBoundPath(), inner.getBoundPath());
    rewriter.replaceOpWithNewOp<AssignOp>(op, inner.getSource(), op.getBase(), path);
    return success();
  }
};
} // namespace

void AccessOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ComposeAccesses>(context);
}

//===----------------------------------------------------------------------===//
// assign
//===----------------------------------------------------------------------===//

OpFoldResult AssignOp::fold(FoldAdaptor) {
  if (getPath().empty())
    return getSource();
  auto access = getSource().getDefiningOp<AccessOp>();
  if (access && access.getBase() == getBase() &&
      relateOn(getBase(), access.getBoundPath(), getBoundPath()) == Relation::Equal) // L2
    return getBase();
  return {};
}

void AssignOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropOverwritten, ComposeAssigns>(context);
}
