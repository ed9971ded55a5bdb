//===- ExpandUpdate.cpp - updates of windows as expressions with pieces ---===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/ExpandUpdate.h"
#include "dialects/te/Analysis/UpdateTarget.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Partition/CostModel.h"
#include "dialects/te/Transforms/InlineProducer.h"
#include "dialects/te/Transforms/SimplifyBody.h"
#include "dialects/te/Transforms/StoreWindow.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Updates of a base that stays stored are expanded if the expression copies at most this part.
static constexpr double maxCopied = 0.5;

static constexpr StringLiteral tooManyPieces = "it would have too many pieces";

namespace {
/// A dim of the base of which an update writes the indexes from `low` to `high` - 1 only. Without
/// `high` it writes up to the end.
struct Bound {
  unsigned dim;
  int64_t low;
  std::optional<int64_t> high;
};

/// The window of the base that an update writes.
struct Window {
  SmallVector<Bound> bounds;
  /// For each dim of the update, its index at the point of the update that writes the current
  /// element of the base.
  SmallVector<AffineExpr> point;
};
} // namespace

/// Returns whether a te.check before `op` ensures that `size` is at least `least`.
static bool isCheckedAtLeast(Value size, int64_t least, Operation *op) {
  auto isBefore = [&](Operation *check) {
    Operation *at = check->getBlock()->findAncestorOpInBlock(*op);
    return isa<CheckOp>(check) && at && check->isBeforeInBlock(at);
  };
  return llvm::any_of(size.getUsers(), [&](Operation *user) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    if (!compare || compare.getLhs() != size || compare.getPredicate() != arith::CmpIPredicate::sge)
      return false;
    std::optional<int64_t> bound = getConstantIntValue(compare.getRhs());
    return bound && *bound >= least && llvm::any_of(compare->getUsers(), isBefore);
  });
}

/// Returns whether `written` is known to be `size` - `low`.
static bool reachesEnd(OpFoldResult written, int64_t low, OpFoldResult size) {
  MLIRContext *context = cast<Value>(size).getContext();
  PointDomain domain(context, {});
  AffineExpr rest = domain.getSize(size) - low - domain.getSize(written);
  IndexSimplifier &simplifier = domain.getSimplifier();
  return simplifier.isNonNegative(rest) && simplifier.isNonNegative(-rest);
}

/// Adds to `window` what `expr`, the index of an update in dim `dim` of its base, says. Returns
/// false if it is no constant and no dim of the update with a constant offset.
static bool addIndex(Window &window, UpdateOp update, unsigned dim, AffineExpr expr,
                     OpFoldResult size) {
  AffineExpr own = getAffineDimExpr(dim, update.getContext());
  std::optional<int64_t> known = getConstantSize(size);
  int64_t low = 0, extent = 1;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    low = constant.getValue();
  } else {
    std::optional<StridedIndex> index = matchStridedIndex(expr, update.getNumDims(), 0);
    auto offset = index ? dyn_cast<AffineConstantExpr>(index->offset) : AffineConstantExpr();
    if (!offset || !index->dim || index->stride != 1 || window.point[*index->dim])
      return false;
    low = offset.getValue();
    window.point[*index->dim] = own - low;
    OpFoldResult written = update.getIterationDomain()[*index->dim];
    if (low == 0 && written == size)
      return true;
    std::optional<int64_t> length = getConstantSize(written);
    if (!length) {
      window.bounds.push_back({dim, low, std::nullopt});
      return !known && low > 0 && reachesEnd(written, low, size);
    }
    extent = *length;
  }
  int64_t high = low + extent;
  if (low < 0 || (known ? high > *known : !isCheckedAtLeast(cast<Value>(size), high, update)))
    return false;
  if (extent != known)
    window.bounds.push_back({dim, low, high == known ? std::nullopt : std::optional(high)});
  return true;
}

/// Returns the window of its base that `update` writes, if each point writes its own element of a
/// box with constant bounds.
static std::optional<Window> findWindow(UpdateOp update) {
  if (!update.getInjective() || update.getGuard() || update.hasCombiner() ||
      update.getNumOpaque() != 0 || !update.getSymbols().empty())
    return std::nullopt;
  Window window;
  window.point.resize(update.getNumDims());
  for (auto [dim, expr] : llvm::enumerate(update.getMap().getResults())) {
    OpFoldResult size = findSize(update.getBase(), dim);
    if (!size || !addIndex(window, update, dim, expr, size))
      return std::nullopt;
  }
  for (auto [expr, size] : llvm::zip_equal(window.point, update.getStaticSizes())) {
    if (!expr && size != 1)
      return std::nullopt;
    if (!expr)
      expr = getAffineConstantExpr(0, update.getContext());
  }
  return window;
}

/// Returns whether `user`, a use of `producer`, is a read by an expression of the same block that
/// can be split into pieces, or by an update that can become one.
static bool readsElementwise(Operation *user, ComputeOp producer) {
  Operation *reader = isa<ReadOp>(user) ? user->getParentOp() : nullptr;
  if (!reader || reader->getBlock() != producer->getBlock())
    return false;
  if (auto update = dyn_cast<UpdateOp>(reader))
    return findWindow(update).has_value();
  auto compute = dyn_cast<ComputeOp>(reader);
  return compute && !compute.hasReduction();
}

//===----------------------------------------------------------------------===//
// The expression
//===----------------------------------------------------------------------===//

/// Returns disjoint boxes that cover all elements of a base with `rank` dims. The last one is the
/// window.
static SmallVector<Attribute> makeBoxes(const Window &window, unsigned rank, MLIRContext *context) {
  SmallVector<Attribute> boxes;
  SmallVector<AffineExpr> inside;
  auto add = [&](AffineExpr further) {
    SmallVector<AffineExpr> constraints(inside);
    constraints.push_back(further);
    SmallVector<bool> equalities(constraints.size(), false);
    boxes.push_back(IntegerSetAttr::get(IntegerSet::get(rank, 0, constraints, equalities)));
  };
  for (const Bound &bound : window.bounds) {
    AffineExpr own = getAffineDimExpr(bound.dim, context);
    if (bound.low > 0) {
      add(-own + (bound.low - 1));
      inside.push_back(own - bound.low);
    }
    if (bound.high) {
      add(own - *bound.high);
      inside.push_back(-own + (*bound.high - 1));
    }
  }
  if (!inside.empty())
    add(inside.pop_back_val());
  return boxes;
}

/// Builds an expression with the same result as `update`. `versions` maps the results of updates
/// to expressions that have been built for them.
static ComputeOp buildExpression(RewriterBase &rewriter, UpdateOp update, ComputeOp base,
                                 const IRMapping &versions) {
  SmallVector<OpFoldResult> sizes = base.getParallelSizes();
  Window window = *findWindow(update);
  unsigned rank = sizes.size();
  SmallVector<Attribute> boxes = makeBoxes(window, rank, rewriter.getContext());
  unsigned numPieces = std::max<size_t>(boxes.size(), 1);
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> dynamicSizes;
  dispatchSizes(sizes, staticSizes, dynamicSizes);
  auto result = ComputeOp::create(rewriter, update.getLoc(), TypeRange{update.getBase().getType()},
                                  dynamicSizes, ValueRange(), staticSizes, rank, ArrayAttr(),
                                  boxes.empty() ? ArrayAttr() : rewriter.getArrayAttr(boxes),
                                  update.getLabelAttr(), numPieces);
  for (auto [number, piece] : llvm::enumerate(result.getPieces())) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.createBlock(&piece);
    Value value;
    if (number + 1 == numPieces) {
      IRMapping mapping(versions);
      PointMap point{AffineMap::get(rank, 0, window.point, rewriter.getContext()), {}};
      value = cloneBody(rewriter, update.getBody().front(), point, mapping).front();
    } else {
      value = ReadOp::create(rewriter, update.getLoc(), versions.lookupOrDefault(update.getBase()),
                             rewriter.getMultiDimIdentityMap(rank));
    }
    YieldOp::create(rewriter, update.getLoc(), ValueRange{value});
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

namespace {
/// Updates of windows, each of which has the one before it as its base. Only updates of the chain
/// use the results of the others than the last one.
struct Chain {
  ComputeOp base;
  SmallVector<UpdateOp> updates;

  bool contains(Operation *user) const {
    return llvm::any_of(updates, [&](UpdateOp update) { return update->isAncestor(user); });
  }
};
} // namespace

/// Returns whether a body of `op` has an index that data determine, or that divides by something
/// else than a constant and changes along the innermost dim. Pieces would compute it again for each
/// element.
static bool hasDearIndex(Operation *op) {
  unsigned numDims = cast<ExpressionOpInterface>(op).getIterationDomain().size();
  WalkResult result = op->walk([numDims](Operation *inner) {
    auto read = dyn_cast<ReadOp>(inner);
    auto index = dyn_cast<IndexOp>(inner);
    if (read && hasOpaqueIndex(read))
      return WalkResult::interrupt();
    AffineMap map = read ? read.getMap() : index ? index.getMap() : AffineMap();
    bool isDear = false;
    if (map)
      map.walkExprs([&](AffineExpr expr) {
        auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
        isDear |= binary && expr.getKind() != AffineExprKind::Add &&
                  expr.getKind() != AffineExprKind::Mul &&
                  !isa<AffineConstantExpr>(binary.getRHS()) && numDims > 0 &&
                  expr.isFunctionOfDim(numDims - 1);
      });
    return isDear ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

static std::optional<Chain> findChain(UpdateOp last, StringRef &obstacle) {
  Chain chain;
  for (UpdateOp update = last; update;) {
    if (!findWindow(update)) {
      obstacle = "it does not write each element of a window once whose bounds are constants, or "
                 "the end of a dim";
      return std::nullopt;
    }
    chain.updates.insert(chain.updates.begin(), update);
    Operation *base = update.getBase().getDefiningOp();
    if (!base || base->getBlock() != last->getBlock() || !isa<ComputeOp, UpdateOp>(base)) {
      obstacle = "no expression of the same block computes its base";
      return std::nullopt;
    }
    chain.base = dyn_cast<ComputeOp>(base);
    update = dyn_cast<UpdateOp>(base);
    if (update &&
        !llvm::all_of(update->getUsers(), [&](Operation *user) { return chain.contains(user); })) {
      obstacle = "its base is an update that is read elsewhere";
      return std::nullopt;
    }
  }
  bool isOpen = !cast<RankedTensorType>(last.getType()).hasStaticShape();
  if (isOpen && (hasDearIndex(chain.base) || llvm::any_of(chain.updates, hasDearIndex))) {
    obstacle = "its sizes are open, and an index divides by one along the innermost dim or depends "
               "on data";
    return std::nullopt;
  }
  if (chain.base.getPieces().size() + chain.updates.size() > maxPieces) {
    obstacle = tooManyPieces;
    return std::nullopt;
  }
  return chain;
}

/// Computes the expressions in `versions` where `result` reads them. Fails if that is not possible
/// with few pieces.
static LogicalResult mergeVersions(RewriterBase &rewriter, ComputeOp &result,
                                   ArrayRef<ComputeOp> versions) {
  SimplifyCounts counts;
  while (true) {
    ReadOp read;
    result.walk([&](ReadOp inner) {
      if (llvm::is_contained(versions, inner.getSource().getDefiningOp<ComputeOp>()))
        read = inner;
    });
    if (!read)
      return success();
    if (read.getGuard())
      return failure();
    auto producer = read.getSource().getDefiningOp<ComputeOp>();
    PointDomain domain = PointDomain::get(read);
    PiecesRead pieces = findPieces(read, producer, domain);
    if (pieces.isOne())
      inlineProducer(rewriter, read, producer, pieces.pieces.front().first);
    else if (findSplitObstacle(read, pieces).empty())
      result = splitByPieces(rewriter, result, read, producer, pieces);
    else
      return failure();
    result = cast<ComputeOp>(*simplifyBodies(rewriter, result, counts));
  }
}

/// Builds an expression with the same result as `chain` before its last update. Returns null if
/// that is not possible with few pieces.
static ComputeOp buildExpression(RewriterBase &rewriter, const Chain &chain) {
  rewriter.setInsertionPoint(chain.updates.back());
  IRMapping map;
  SmallVector<ComputeOp> versions;
  for (UpdateOp update : chain.updates) {
    versions.push_back(buildExpression(rewriter, update, chain.base, map));
    map.map(update.getResult(), versions.back().getResult(0));
  }
  ComputeOp result = versions.pop_back_val();
  bool isMerged = succeeded(mergeVersions(rewriter, result, versions));
  if (!isMerged)
    rewriter.eraseOp(result);
  for (ComputeOp version : llvm::reverse(versions))
    rewriter.eraseOp(version);
  return isMerged ? result : ComputeOp();
}

//===----------------------------------------------------------------------===//
// When to expand
//===----------------------------------------------------------------------===//

/// Returns the number of points, relative to the elements of `base`, at which `result` only copies
/// elements of `base`.
static double countCopies(ComputeOp result, ComputeOp base) {
  double copies = 0;
  for (Region &piece : result.getPieces()) {
    Value yielded = piece.front().getTerminator()->getOperand(0);
    auto read = yielded.getDefiningOp<ReadOp>();
    if (read && read.getSource().getDefiningOp() == base)
      copies += getReuse(getReadSite(read, base).points, base.getParallelSizes());
  }
  return copies;
}

/// Returns the points at which `read` would compute elements of `base`. A window that is read often
/// would be computed once.
static double countComputations(ReadOp read, ComputeOp base, const BodyFacts &facts) {
  ReadSite site = getReadSite(read, base);
  std::optional<ReadWindow> window = findReadWindow(read, base);
  Type element = read.getValue().getType();
  if (window && CostModel().isWorthStoring(facts, site.points, window->sizes, element))
    site.points = window->sizes;
  return site.trips * getReuse(site.points, {});
}

/// Returns why the uses of `base`, which has no reduction, need it stored when `result` has
/// replaced `chain`.
static StringRef findUseObstacle(const Chain &chain, ComputeOp base, ComputeOp result) {
  BodyFacts facts = getFacts(base);
  bool isOnlyReader = true;
  double points = 0;
  for (Operation *user : base->getUsers()) {
    if (chain.contains(user))
      continue;
    if (!readsElementwise(user, base))
      return "its base has a use that cannot compute it";
    isOnlyReader &= result->isAncestor(user);
    points += countComputations(cast<ReadOp>(user), base, facts);
  }
  if (isOnlyReader || facts.isRearrangement())
    return "";
  double elements = getReuse(base.getParallelSizes(), {});
  Type element = cast<RankedTensorType>(base.getResult(0).getType()).getElementType();
  return CostModel().isWorthStoring(facts, points, elements, element)
             ? "the readers of its base would compute it several times"
             : "";
}

/// Returns why `chain` should not be replaced by `result`.
static StringRef findObstacle(const Chain &chain, ComputeOp result) {
  ComputeOp base = chain.base;
  if (base.getPieces().size() + result.getPieces().size() > maxPieces)
    return tooManyPieces;
  if (!base.hasReduction())
    return findUseObstacle(chain, base, result);
  return countCopies(result, base) <= maxCopied ? "" : "its base is stored, and most of it copied";
}

ComputeOp te::expandUpdates(RewriterBase &rewriter, UpdateOp last, ::tssa::Apply apply,
                            StringRef &obstacle) {
  if (apply == ::tssa::Apply::Never) {
    obstacle = "an option says so";
    return {};
  }
  std::optional<Chain> chain = findChain(last, obstacle);
  if (!chain)
    return {};
  ComputeOp result = buildExpression(rewriter, *chain);
  if (!result)
    obstacle = tooManyPieces;
  else
    obstacle = apply == ::tssa::Apply::Always ? "" : findObstacle(*chain, result);
  if (!obstacle.empty()) {
    if (result)
      rewriter.eraseOp(result);
    return {};
  }
  rewriter.replaceOp(last, result);
  chain->updates.pop_back();
  for (UpdateOp update : llvm::reverse(chain->updates))
    rewriter.eraseOp(update);
  if (chain->base->use_empty())
    rewriter.eraseOp(chain->base);
  return result;
}
