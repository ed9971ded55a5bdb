//===- MergeSiblings.cpp - make one expression of several siblings -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/MergeSiblings.h"
#include "dialects/te/Analysis/PieceBounds.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/WeightCollector.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tssa/Support/CheckedSize.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Returns the type of constants of the types of `values` that are joined along `dim`, or stacked
/// along a new first dim.
static RankedTensorType getJoinedType(ArrayRef<Attribute> values, std::optional<unsigned> dim) {
  auto type = cast<RankedTensorType>(cast<ElementsAttr>(values.front()).getShapedType());
  SmallVector<int64_t> shape(type.getShape());
  if (!dim) {
    shape.insert(shape.begin(), values.size());
    return type.clone(shape);
  }
  shape[*dim] = 0;
  for (Attribute value : values)
    shape[*dim] += cast<ElementsAttr>(value).getShapedType().getDimSize(*dim);
  return type.clone(shape);
}

ElementsAttr te::joinConstants(ArrayRef<Attribute> values, std::optional<unsigned> dim) {
  RankedTensorType type = getJoinedType(values, dim);
  unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
  unsigned outer = dim.value_or(0);
  std::optional<int64_t> total = ::tssa::CheckedSize::product(type.getShape(), bits / 8).get();
  std::optional<int64_t> rows =
      ::tssa::CheckedSize::product(type.getShape().take_front(outer), 1).get();
  if (bits == 0 || bits % 8 != 0 || !total || !rows || *rows == 0)
    return {};
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(*total, 64);
  char *begin = blob.getMutableData().data();
  int64_t pitch = *total / *rows;
  for (Attribute value : values) {
    FailureOr<ConstantBytes> bytes = ConstantBytes::get(cast<ElementsAttr>(value));
    if (failed(bytes))
      return {};
    int64_t length = bytes->getBytes().size() / *rows;
    for (int64_t row = 0; row < *rows; ++row)
      std::copy_n(bytes->getBytes().data() + row * length, length, begin + row * pitch);
    begin += length;
  }
  return makeConstant(type, "joined", std::move(blob));
}

//===----------------------------------------------------------------------===//
// The expression
//===----------------------------------------------------------------------===//

namespace {
class SiblingBuilder {
public:
  SiblingBuilder(RewriterBase &rewriter, const Siblings &siblings)
      : rewriter(rewriter), siblings(siblings), first(siblings.members.front()),
        stacked(siblings.mode.isStacked()) {}

  ComputeOp build() {
    if (!joinAllConstants())
      return {};
    rewriter.setInsertionPoint(first);
    SmallVector<Location> locations;
    for (ComputeOp member : siblings.members)
      locations.push_back(member.getLoc());
    ComputeOp merged = createOp(rewriter.getFusedLoc(locations));
    for (auto [from, to] : llvm::zip_equal(first->getRegions(), merged->getRegions()))
      cloneRegion(from, to);
    redirectReads(merged);
    for (ComputeOp member : siblings.members)
      rewriter.eraseOp(member);
    return merged;
  }

private:
  /// Makes the joined constants, before anything is changed.
  bool joinAllConstants() {
    for (const Variation &variation : siblings.variations) {
      ElementsAttr &joined = constants.emplace_back();
      if (variation.kind == Variation::Shifted || llvm::all_equal(variation.data))
        continue;
      joined = variation.kind == Variation::Joined ? joinConstants(variation.data, variation.dim)
                                                   : joinScalars(variation.data);
      if (!joined)
        return false;
    }
    return true;
  }

  /// Returns a constant with the scalar of each sibling at its indexes along the first dim, or
  /// along the axis.
  ElementsAttr joinScalars(ArrayRef<Attribute> data) {
    SmallVector<Attribute> elements;
    for (auto [value, member] : llvm::zip_equal(data, siblings.members))
      elements.append(stacked ? 1 : ComputeOp(member).getStaticSizes()[*siblings.mode.axis], value);
    auto type = RankedTensorType::get({static_cast<int64_t>(elements.size())},
                                      cast<TypedAttr>(data.front()).getType());
    return DenseElementsAttr::get(type, elements);
  }

  ComputeOp createOp(Location loc) {
    SmallVector<int64_t> sizes(first.getStaticSizes());
    unsigned numParallel = first.getNumParallel();
    if (stacked) {
      sizes.insert(sizes.begin(), siblings.members.size());
      ++numParallel;
    } else {
      sizes[*siblings.mode.axis] = 0;
      for (ComputeOp member : siblings.members)
        sizes[*siblings.mode.axis] += member.getStaticSizes()[*siblings.mode.axis];
    }
    auto type = cast<RankedTensorType>(first.getResultTypes().front());
    Type result = type.clone(ArrayRef(sizes).take_front(numParallel));
    return ComputeOp::create(rewriter, loc, result, first.getDynamicSizes(), ValueRange(), sizes,
                             numParallel, first.getInitAttr(), ArrayAttr(), StringAttr(), 1);
  }

  void cloneRegion(Region &from, Region &to) {
    if (from.empty())
      return;
    Block &body = from.front();
    IRMapping mapping;
    Block *block =
        rewriter.createBlock(&to, {}, body.getArgumentTypes(),
                             SmallVector<Location>(body.getNumArguments(), first.getLoc()));
    mapping.map(body.getArguments(), block->getArguments());
    unsigned numDims = &from == &first.getEpilogue() ? first.getNumParallel() : first.getNumDims();
    PointMap point = identityPoint(rewriter.getContext(), numDims);
    if (stacked) // the dims of the siblings come after the new one
      point.map = AffineMap::get(numDims + 1, 0, point.map.shiftDims(1).getResults(),
                                 rewriter.getContext());
    for (Operation &op : body.without_terminator())
      cloneOp(op, point, mapping);
    SmallVector<Value> yielded;
    for (Value value : body.getTerminator()->getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
    auto yield = YieldOp::create(rewriter, first.getLoc(), yielded);
    replaceScalars(*body.getTerminator(), yield, point);
  }

  void cloneOp(Operation &op, const PointMap &point, IRMapping &mapping) {
    Operation *copy = clonePointwise(rewriter, &op, point, mapping);
    auto read = dyn_cast<ReadOp>(copy);
    if (!read)
      return replaceScalars(op, copy, point);
    const Variation &variation = siblings.variations[next];
    ElementsAttr joined = constants[next++];
    if (variation.kind == Variation::Shifted)
      return shift(read, variation.shift);
    if (!joined)
      return;
    read.getSourceMutable().assign(makeConstant(joined));
    if (stacked)
      setResults(read, prepend(getAffineDimExpr(0, rewriter.getContext()), read.getMap()));
  }

  /// Makes `copy`, a copy of `op`, read the scalars in which siblings differ.
  void replaceScalars(Operation &op, Operation *copy, const PointMap &point) {
    for (; next < siblings.variations.size() && siblings.variations[next].op == &op; ++next) {
      if (!constants[next])
        continue;
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(copy);
      AffineExpr at = getAffineDimExpr(stacked ? 0 : *siblings.mode.axis, rewriter.getContext());
      Value value = ReadOp::create(rewriter, op.getLoc(), makeConstant(constants[next]),
                                   AffineMap::get(point.map.getNumDims(), 0, at));
      copy->setOperand(siblings.variations[next].operand, value);
    }
  }

  Value makeConstant(ElementsAttr value) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(rewriter.getInsertionBlock()->getParentOp());
    return ConstantOp::create(rewriter, first.getLoc(), value);
  }

  static SmallVector<AffineExpr> prepend(AffineExpr expr, AffineMap map) {
    SmallVector<AffineExpr> results{expr};
    llvm::append_range(results, map.getResults());
    return results;
  }

  static void setResults(ReadOp read, ArrayRef<AffineExpr> results) {
    AffineMap map = read.getMap();
    read.setMap(AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, map.getContext()));
  }

  /// Sibling i, which is index i of the first dim, reads `amounts` times i further.
  void shift(ReadOp read, ArrayRef<int64_t> amounts) {
    if (!stacked || amounts.empty())
      return;
    SmallVector<AffineExpr> results;
    for (auto [expr, amount] : llvm::zip_equal(read.getMap().getResults(), amounts))
      results.push_back(expr + getAffineDimExpr(0, rewriter.getContext()) * amount);
    setResults(read, results);
  }

  /// Makes the reads of the siblings' results read the merged result.
  void redirectReads(ComputeOp merged) {
    int64_t begin = 0;
    for (auto [number, sibling] : llvm::enumerate(siblings.members)) {
      ComputeOp member = sibling;
      for (Operation *user : llvm::make_early_inc_range(member->getUsers())) {
        auto read = cast<ReadOp>(user);
        SmallVector<AffineExpr> results(read.getMap().getResults());
        if (stacked)
          results.insert(results.begin(), getAffineConstantExpr(number, rewriter.getContext()));
        else
          results[*siblings.mode.axis] = results[*siblings.mode.axis] + begin;
        rewriter.modifyOpInPlace(read, [&] {
          read.getSourceMutable().assign(merged.getResult(0));
          setResults(read, results);
        });
      }
      if (!stacked)
        begin += member.getStaticSizes()[*siblings.mode.axis];
    }
  }

  RewriterBase &rewriter;
  const Siblings &siblings;
  ComputeOp first;
  bool stacked;
  SmallVector<ElementsAttr> constants; ///< of each variation; null if nothing is joined
  unsigned next = 0;                   ///< the next variation of the regions
};
} // namespace

ComputeOp te::mergeSiblings(RewriterBase &rewriter, const Siblings &siblings) {
  return SiblingBuilder(rewriter, siblings).build();
}

//===----------------------------------------------------------------------===//
// Pieces of one tensor
//===----------------------------------------------------------------------===//

namespace {
/// A piece that reads one element, and the box of its points.
struct ReadPiece {
  ReadOp read;
  PieceBounds bounds;
};
} // namespace

static std::optional<SmallVector<ReadPiece, 0>> matchReadPieces(ComputeOp compute) {
  SmallVector<ReadPiece, 0> pieces;
  for (unsigned piece = 0; piece < compute.getPieces().size(); ++piece) {
    Block &body = *compute.getPieceBlock(piece);
    auto read = dyn_cast<ReadOp>(body.front());
    if (!read || !llvm::hasNItems(body, 2) || read.getGuard() || !read.getSymbols().empty() ||
        body.getTerminator()->getOperand(0) != read.getValue())
      return std::nullopt;
    pieces.push_back({read, getPieceBounds(compute.getPieceSet(piece), compute.getNumParallel())});
    if (!pieces.back().bounds.rest.empty() || read.getSource() != pieces[0].read.getSource())
      return std::nullopt;
  }
  return pieces;
}

/// Returns an expression over the dims that equals result `result` of the map of each piece in that
/// piece: an expression that all have, or d_i + c where piece k, which has one index of dim i,
/// reads this constant; null if there is none.
static AffineExpr unite(ArrayRef<ReadPiece> pieces, unsigned result, ArrayRef<OpFoldResult> sizes) {
  auto get = [&](const ReadPiece &piece) { return ReadOp(piece.read).getMap().getResult(result); };
  AffineExpr first = get(pieces.front());
  if (llvm::all_of(pieces, [&](const ReadPiece &piece) { return get(piece) == first; }))
    return first;
  MLIRContext *context = first.getContext();
  auto constant = dyn_cast<AffineConstantExpr>(first);
  for (unsigned dim = 0; constant && dim < sizes.size(); ++dim) {
    AffineExpr own = getAffineDimExpr(dim, context);
    AffineExpr common = own + (constant.getValue() - pieces.front().bounds.lower[dim]);
    bool fits = llvm::all_of(pieces, [&](const ReadPiece &piece) {
      const PieceBounds &bounds = piece.bounds;
      bool isOne = getConstantSize(bounds.getExtent(dim, sizes[dim])) == 1;
      AffineExpr there = common.replace(own, getAffineConstantExpr(bounds.lower[dim], context));
      return isOne && get(piece) == simplifyAffineExpr(there, sizes.size(), 0);
    });
    if (fits)
      return common;
  }
  return {};
}

ComputeOp te::unitePieces(RewriterBase &rewriter, ComputeOp compute) {
  if (compute.getPieces().size() < 2 || compute.hasReduction() || compute.getNumResults() != 1)
    return {};
  std::optional<SmallVector<ReadPiece, 0>> pieces = matchReadPieces(compute);
  if (!pieces)
    return {};
  SmallVector<AffineExpr> results;
  ReadOp first = pieces->front().read;
  for (unsigned result = 0; result < first.getMap().getNumResults(); ++result) {
    results.push_back(unite(*pieces, result, compute.getParallelSizes()));
    if (!results.back())
      return {};
  }
  auto map = AffineMap::get(compute.getNumParallel(), 0, results, rewriter.getContext());
  rewriter.setInsertionPoint(compute);
  Type element = cast<RankedTensorType>(compute.getResultTypes().front()).getElementType();
  auto united =
      buildCompute(rewriter, compute.getLoc(), compute.getParallelSizes(), element,
                   [&](OpBuilder &builder, Location loc) -> SmallVector<Value> {
                     return {ReadOp::create(builder, loc, first.getSource(), map).getResult()};
                   });
  rewriter.replaceOp(compute, united);
  return united;
}
