//===- CheckBounds.cpp - proves indexes in bounds and pieces complete -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each property is stated as a set of constraints that no point of the domain may satisfy: an
/// index below 0 or beyond the size, a point in two pieces, or a point in no piece.
/// 1. The simplifier tries to prove that one of the constraints never holds.
/// 2. Otherwise an exact solver decides whether a point satisfies the constraints, if the sizes are
///    constant. If some sizes are dynamic, it may prove that no point does, whatever these sizes
///    are.
/// 3. Otherwise both try again with the conditions of the te.checks that each run passes before it
///    reaches the op.
/// 4. Otherwise the answer is unknown. An index then becomes opaque (te.index), so that the run
///    checks it. For pieces it is an error.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Emptiness.h"
#include "dialects/te/Analysis/PointDomain.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/Passes.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "te-check-bounds"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TECHECKBOUNDS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// With more pieces than this, only the volumes can prove that the pieces cover the domain.
static constexpr unsigned maxCoveredPieces = 64;

namespace {
/// Proves properties of the points of one op.
class PointChecker {
public:
  /// A condition, left - right >= least, that holds whenever the op runs.
  struct Fact {
    Value left, right;
    int64_t least = 0;
  };

  PointChecker(ArrayRef<OpFoldResult> sizes, ArrayRef<Fact> facts, MLIRContext *context)
      : domain(context, sizes, findLeastValues(facts)), facts(facts.begin(), facts.end()) {
    for (OpFoldResult size : sizes) {
      std::optional<int64_t> constant = getConstantSize(size);
      constantSizes.push_back(constant.value_or(ShapedType::kDynamic));
    }
  }

  /// Returns Always if no point satisfies all constraints, and Never if some point does.
  Truth excludes(ArrayRef<AffineExpr> constraints) {
    Truth truth = decide(constraints, /*useFacts=*/false);
    return truth == Truth::Unknown && !facts.empty() ? decide(constraints, /*useFacts=*/true)
                                                     : truth;
  }

  PointDomain domain;

private:
  /// Returns what facts say about single values.
  static SmallVector<PointDomain::LeastValue> findLeastValues(ArrayRef<Fact> facts) {
    SmallVector<PointDomain::LeastValue> found;
    for (const Fact &fact : facts)
      if (std::optional<int64_t> right = getConstantSize(fact.right);
          right && !getConstantSize(fact.left))
        found.push_back({fact.left, *right + fact.least});
    return found;
  }

  Truth decide(ArrayRef<AffineExpr> constraints, bool useFacts) {
    SmallVector<AffineExpr> checked;
    if (useFacts)
      for (const Fact &fact : facts)
        checked.push_back(domain.getSize(getAsOpFoldResult(fact.left)) -
                          domain.getSize(getAsOpFoldResult(fact.right)) - fact.least);
    IndexSimplifier simplifier = domain.getSimplifier();
    for (AffineExpr fact : checked)
      simplifier.assumeNonNegative(fact);
    Constraints simplified;
    for (AffineExpr constraint : constraints)
      simplified.push_back(simplifier.simplify(constraint));
    for (AffineExpr constraint : constraints) {
      if (simplifier.decide(constraint, false) == Truth::Never)
        return Truth::Always;
      simplifier.assumeNonNegative(constraint);
    }
    std::optional<bool> empty = isEmpty(constantSizes, simplified);
    return !empty ? Truth::Unknown : *empty ? Truth::Always : Truth::Never;
  }

  SmallVector<int64_t> constantSizes;
  SmallVector<Fact> facts;
};

struct CheckBounds : te::impl::TECheckBoundsBase<CheckBounds> {
  using TECheckBoundsBase::TECheckBoundsBase;

  void runOnOperation() override {
    checks.clear();
    getOperation()->walk([&](CheckOp check) { checks[check->getBlock()].push_back(check); });
    SmallVector<std::pair<Operation *, UnknownDims>> unknown;
    getOperation()->walk([&](Operation *op) {
      auto expression = dyn_cast<ExpressionOpInterface>(op);
      if (!expression)
        return;
      auto check = [&](TensorAccess access, StringRef what) {
        if (UnknownDims dims = checkAccess(expression, access, what); !dims.empty())
          unknown.push_back({access.op, dims});
      };
      for (TensorAccess access : expression.getReads())
        check(access, "reads");
      for (TensorAccess access : expression.getWrites())
        check(access, "writes");
      if (auto compute = dyn_cast<ComputeOp>(op); compute && compute.getWhereAttr())
        checkPieces(compute);
    });
    checkInRun(unknown);
  }

private:
  /// The dims whose index is not known to be in bounds.
  using UnknownDims = SmallVector<unsigned>;

  SmallVector<PointChecker::Fact> getFacts(Operation *op);
  UnknownDims checkAccess(ExpressionOpInterface expression, TensorAccess access, StringRef what);
  void checkPieces(ComputeOp compute);
  bool conclude(Operation *op, Truth truth, const Twine &question);
  void requirePieces(ComputeOp compute, Truth truth, const Twine &question);
  void checkInRun(ArrayRef<std::pair<Operation *, UnknownDims>> unknown);

  llvm::DenseMap<Block *, SmallVector<CheckOp>> checks;
};
} // namespace

/// Returns the conditions on indexes that the te.checks before `op` check, and the bounds of the
/// loops around it.
SmallVector<PointChecker::Fact> CheckBounds::getFacts(Operation *op) {
  SmallVector<PointChecker::Fact> facts;
  for (Operation *at = op; at && at->getBlock(); at = at->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(at);
    if (loop && !loop.getUnsignedCmp() && loop.getInductionVar().getType().isIndex()) {
      facts.push_back({loop.getInductionVar(), loop.getLowerBound()});
      facts.push_back({loop.getUpperBound(), loop.getInductionVar(), 1});
    }
    for (CheckOp check : checks.lookup(at->getBlock())) {
      auto compare = check.getCondition().getDefiningOp<arith::CmpIOp>();
      if (!compare || !compare.getLhs().getType().isIndex() || !check->isBeforeInBlock(at))
        continue;
      Value left = compare.getLhs(), right = compare.getRhs();
      arith::CmpIPredicate predicate = compare.getPredicate();
      bool isEqual = predicate == arith::CmpIPredicate::eq;
      if (isEqual || predicate == arith::CmpIPredicate::sge)
        facts.push_back({left, right});
      if (isEqual || predicate == arith::CmpIPredicate::sle)
        facts.push_back({right, left});
      if (predicate == arith::CmpIPredicate::sgt)
        facts.push_back({left, right, 1});
      if (predicate == arith::CmpIPredicate::slt)
        facts.push_back({right, left, 1});
    }
  }
  return facts;
}

/// Reports the answer to `question`, where Always means that the property holds. Emits an error if
/// the property is violated. Returns whether the answer is known.
bool CheckBounds::conclude(Operation *op, Truth truth, const Twine &question) {
  LDBG() << op->getLoc() << ' ' << question << ": "
         << (truth == Truth::Always  ? "no"
             : truth == Truth::Never ? "yes"
                                     : "unknown");
  if (truth == Truth::Always) {
    ++numProven;
    return true;
  }
  if (truth == Truth::Never) {
    op->emitOpError(question);
    signalPassFailure();
    return true;
  }
  ++numUnknown;
  if (showUnknown)
    op->emitRemark() << "not known whether it " << question;
  return false;
}

//===----------------------------------------------------------------------===//
// Indexes
//===----------------------------------------------------------------------===//

/// Returns the size of a dim of `tensor` as an expression over the table of symbols, or null if no
/// value holds it.
static AffineExpr getTensorSize(PointDomain &domain, Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), type.getContext());
  OpFoldResult size = findSize(tensor, dim);
  return size ? domain.getSize(size) : AffineExpr();
}

/// Returns the dims of the accessed tensor whose index has to be checked. An opaque index needs no
/// check, and neither does an index that is a dim of the iteration domain with the size of the dim
/// that it indexes.
static SmallVector<unsigned> findQuestions(TensorAccess access, ArrayRef<OpFoldResult> sizes) {
  SmallVector<unsigned> dims;
  for (auto [dim, expr] : llvm::enumerate(access.map.getResults())) {
    auto index = dyn_cast<AffineDimExpr>(expr);
    bool isWhole = index && sizes[index.getPosition()] == findSize(access.tensor, dim);
    if (!isWhole && !access.opaque[dim])
      dims.push_back(dim);
  }
  return dims;
}

/// Writes what a symbol of an index stands for.
static void describeSymbol(raw_ostream &stream, Value value) {
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> number = dim.getConstantIndex()) {
      stream << "the size of dim " << *number << " of ";
      value = dim.getSource();
    }
  auto argument = dyn_cast<BlockArgument>(value);
  if (auto name = dyn_cast<NameLoc>(value.getLoc()))
    stream << "'" << name.getName().getValue() << "'";
  else if (argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    stream << "argument " << argument.getArgNumber();
  else if (argument)
    stream << "the index of a loop";
  else
    stream << "a result of '" << value.getDefiningOp()->getName() << "'";
}

/// Says which fact would prove that an index does not have the property in `question`: that
/// `violation` is negative. Null if no value holds the size of the dim.
static void reportMissing(Operation *op, PointDomain &domain, AffineExpr violation,
                          const Twine &question) {
  std::string fact;
  llvm::raw_string_ostream stream(fact);
  AffineExpr expr = violation ? domain.getSimplifier().simplify(violation) : AffineExpr();
  if (expr)
    stream << expr << " < 0";
  else
    stream << "a value holds the size of the dim";
  StringRef separator = ", where ";
  for (auto [number, value] : llvm::enumerate(domain.getSymbols()))
    if (expr && expr.isFunctionOfSymbol(number)) {
      stream << separator << 's' << number << " is ";
      describeSymbol(stream, value);
      separator = " and ";
    }
  remark::missed(op->getLoc(), remark::RemarkOpts::name("index").category("te-check-bounds"))
      << remark::add("the run checks whether it {0}", question.str())
      << remark::reason("it is not known that {0}", fact);
}

CheckBounds::UnknownDims CheckBounds::checkAccess(ExpressionOpInterface expression,
                                                  TensorAccess access, StringRef what) {
  SmallVector<OpFoldResult> sizes = expression.getIterationDomain();
  sizes.truncate(access.point.numDims);
  SmallVector<unsigned> dims = findQuestions(access, sizes);
  if (dims.empty())
    return {};
  PointChecker checker(sizes, getFacts(expression), &getContext());
  Constraints known;
  if (access.point.where)
    known = checker.domain.enter(getInequalities(access.point.where), access.point.symbols);
  if (access.guard)
    llvm::append_range(known, checker.domain.enter(getInequalities(access.guard), access.symbols));
  UnknownDims unknown;
  for (unsigned dim : dims) {
    AffineExpr index = checker.domain.enter(access.map.getResult(dim), access.symbols);
    auto decide = [&](AffineExpr violation, Truth truth, const Twine &question) {
      bool isKnown = conclude(access.op, truth, question);
      if (!isKnown)
        reportMissing(access.op, checker.domain, violation, question);
      return isKnown;
    };
    auto ask = [&](AffineExpr violation, const Twine &question) {
      SmallVector<AffineExpr> constraints(known);
      constraints.push_back(violation);
      return decide(violation, checker.excludes(constraints), question);
    };
    bool answered = ask(-1 - index, what + " dim " + Twine(dim) + " below 0");
    if (AffineExpr size = getTensorSize(checker.domain, access.tensor, dim))
      answered &= ask(index - size, what + " dim " + Twine(dim) + " beyond its size");
    else
      answered &= decide({}, Truth::Unknown, what + " dim " + Twine(dim) + " out of bounds");
    if (!answered)
      unknown.push_back(dim);
  }
  return unknown;
}

/// Builds a te.index for each result of `map` in `dims`, and replaces these results by new symbols.
/// Returns the values of the new symbols.
static SmallVector<Value> takeOut(OpBuilder &builder, Location loc, AffineMap &map,
                                  ValueRange operands, ArrayRef<unsigned> dims) {
  SmallVector<Value> values;
  SmallVector<AffineExpr> exprs(map.getResults());
  unsigned numSymbols = map.getNumSymbols();
  for (unsigned dim : dims) {
    auto index = AffineMap::get(map.getNumDims(), operands.size(), exprs[dim]);
    values.push_back(IndexOp::create(builder, loc, builder.getIndexType(), operands, index));
    exprs[dim] = builder.getAffineSymbolExpr(numSymbols++);
  }
  map = AffineMap::get(map.getNumDims(), numSymbols, exprs, builder.getContext());
  return values;
}

static void makeOpaque(IRRewriter &rewriter, ReadOp read, ArrayRef<unsigned> dims) {
  rewriter.setInsertionPoint(read);
  AffineMap map = read.getMap();
  SmallVector<Value> symbols(read.getSymbols());
  unsigned numSymbols = map.getNumSymbols() + dims.size();
  symbols.append(takeOut(rewriter, read.getLoc(), map, read.getSymbols(), dims));
  IntegerSet guard = read.getGuard().value_or(IntegerSet());
  if (guard)
    guard =
        IntegerSet::get(guard.getNumDims(), numSymbols, guard.getConstraints(), guard.getEqFlags());
  rewriter.replaceOpWithNewOp<ReadOp>(read, read.getSource(), map, symbols, guard,
                                      read.getPadAttr());
}

/// Makes the body yield the indexes of `dims`, after the opaque indexes that it already yields.
static void makeOpaque(IRRewriter &rewriter, UpdateOp update, ArrayRef<unsigned> dims) {
  Operation *yield = update.getBody().front().getTerminator();
  rewriter.setInsertionPoint(yield);
  AffineMap map = update.getMap();
  SmallVector<Value> indexes = takeOut(rewriter, update.getLoc(), map, update.getSymbols(), dims);
  rewriter.modifyOpInPlace(yield, [&] { yield->insertOperands(yield->getNumOperands(), indexes); });
  rewriter.modifyOpInPlace(update, [&] { update.setMap(map); });
}

void CheckBounds::checkInRun(ArrayRef<std::pair<Operation *, UnknownDims>> unknown) {
  IRRewriter rewriter(&getContext());
  llvm::MapVector<Operation *, unsigned> counts;
  for (auto &[op, dims] : unknown) {
    Operation *function = op->getParentOfType<FunctionOpInterface>();
    counts[function ? function : getOperation()] += dims.size();
    if (auto read = dyn_cast<ReadOp>(op))
      makeOpaque(rewriter, read, dims);
    else
      makeOpaque(rewriter, cast<UpdateOp>(op), dims);
  }
  for (auto [function, count] : counts)
    function->emitRemark() << count << (count == 1 ? " index is" : " indexes are")
                           << " not known to be in bounds: the run checks "
                           << (count == 1 ? "it" : "them");
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

void CheckBounds::requirePieces(ComputeOp compute, Truth truth, const Twine &question) {
  if (conclude(compute, truth, question))
    return;
  compute.emitOpError("cannot tell whether it ") << question;
  signalPassFailure();
}

/// Returns whether an expression has no symbols and only the first `numDims` dims.
static bool hasOnlyDims(AffineExpr expr, unsigned numDims) {
  return !expr.walk([&](AffineExpr part) {
                auto dim = dyn_cast<AffineDimExpr>(part);
                bool isOther = isa<AffineSymbolExpr>(part) || (dim && dim.getPosition() >= numDims);
                return isOther ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// If the constraints are a box that is bounded only in dims of constant size, returns the product
/// of its extents in these dims. Returns nothing for other constraints or on overflow.
static std::optional<int64_t> getVolume(ArrayRef<AffineExpr> constraints, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> lower(sizes.size(), 0), upper(sizes);
  for (AffineExpr constraint : constraints) {
    SmallVector<int64_t> row;
    if (!hasOnlyDims(constraint, sizes.size()) ||
        failed(getFlattenedAffineExpr(constraint, sizes.size(), 0, &row)) ||
        row.size() != sizes.size() + 1)
      return std::nullopt;
    std::optional<unsigned> bound;
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (row[dim] != 0) {
        if (bound || std::abs(row[dim]) != 1 || ShapedType::isDynamic(sizes[dim]))
          return std::nullopt;
        bound = dim;
      }
    if (!bound)
      return std::nullopt;
    if (row[*bound] > 0)
      lower[*bound] = std::max(lower[*bound], -row.back());
    else
      upper[*bound] = std::min(upper[*bound], row.back() + 1);
  }
  int64_t volume = 1;
  for (auto [size, low, high] : llvm::zip_equal(sizes, lower, upper))
    if (!ShapedType::isDynamic(size) &&
        llvm::MulOverflow(volume, std::max<int64_t>(0, high - low), volume))
      return std::nullopt;
  return volume;
}

/// Returns whether the volumes of disjoint boxes add up to that of the domain, so that the boxes
/// cover it.
static bool coverByVolume(ArrayRef<Constraints> sets, ArrayRef<int64_t> sizes) {
  int64_t sum = 0;
  for (const Constraints &set : sets) {
    std::optional<int64_t> volume = getVolume(set, sizes);
    if (!volume || llvm::AddOverflow(sum, *volume, sum))
      return false;
  }
  return getVolume({}, sizes) == sum;
}

void CheckBounds::checkPieces(ComputeOp compute) {
  PointChecker checker(compute.getParallelSizes(), getFacts(compute), &getContext());
  unsigned numPieces = compute.getPieces().size();
  SmallVector<Constraints> sets;
  for (unsigned piece = 0; piece < numPieces; ++piece)
    sets.push_back(
        checker.domain.enter(getInequalities(compute.getPieceSet(piece)), compute.getSymbols()));
  for (unsigned first = 0; first < numPieces; ++first)
    for (unsigned second = first + 1; second < numPieces; ++second) {
      Constraints both = sets[first];
      llvm::append_range(both, sets[second]);
      requirePieces(compute, checker.excludes(both),
                    "has points in piece " + Twine(first) + " and in piece " + Twine(second));
    }
  StringRef question = "has points in no piece";
  ArrayRef<int64_t> sizes = compute.getStaticSizes().take_front(compute.getNumParallel());
  bool covered = coverByVolume(sets, sizes);
  if (covered || numPieces > maxCoveredPieces)
    return requirePieces(compute, covered ? Truth::Always : Truth::Unknown, question);
  // A point in no piece violates a constraint of each piece. Each choice of the first constraint of
  // a piece that is violated is tried.
  SmallVector<Constraints> outside = {{}};
  constexpr unsigned maxChoices = 256;
  for (const Constraints &set : sets) {
    SmallVector<Constraints> next;
    for (Constraints &chosen : outside)
      for (AffineExpr constraint : set) {
        next.push_back(chosen);
        next.back().push_back(-1 - constraint);
        if (checker.excludes(next.back()) == Truth::Always)
          next.pop_back();
        chosen.push_back(constraint);
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
  requirePieces(compute, truth, question);
}
