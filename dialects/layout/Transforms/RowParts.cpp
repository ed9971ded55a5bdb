//===- RowParts.cpp - reductions of rows in two phases -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With the sum S = sum(x) of each part of n elements, and any m,
//   sum((x - m)^2) = sum((x - S/n)^2) + n * (S/n - m)^2
// holds for each part. The first phase computes S and the first sum, without knowing m.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/RowParts.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns the dim of a tensor of `type` along which a read at `map` reduces, all of it. The other
/// indexes are different parallel dims, or 0 in dims of size 1, and other parallel dims have
/// size 1. Returns nothing if that is not so.
static std::optional<unsigned> findReducedDim(AffineMap map, te::ComputeOp op,
                                              RankedTensorType type) {
  std::optional<unsigned> reduced;
  llvm::SmallSet<unsigned, 8> seen;
  for (auto [number, expr] : llvm::enumerate(map.getResults())) {
    if (expr == getAffineConstantExpr(0, map.getContext()) && type.getDimSize(number) == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !seen.insert(dim.getPosition()).second)
      return std::nullopt;
    if (dim.getPosition() >= op.getNumParallel())
      reduced = number;
  }
  if (!reduced || type.getDimSize(*reduced) != te::getConstantSize(op.getReductionSizes().front()))
    return std::nullopt;
  for (unsigned dim = 0; dim < op.getNumParallel(); ++dim)
    if (!seen.contains(dim) && te::getConstantSize(op.getParallelSizes()[dim]) != 1)
      return std::nullopt;
  return reduced;
}

/// Whether `value` is computed in `body` or is a constant of the kernel.
static bool isOfBody(Value value, Block *body) {
  Operation *definition = value.getDefiningOp();
  return definition &&
         (definition->getBlock() == body || (definition->hasTrait<OpTrait::ConstantLike>() &&
                                             isa<te::KernelOp>(definition->getParentOp())));
}

/// Returns the map of the reads of `tensor` in the body of `op`, if it reads nothing else.
static AffineMap findOnlyMap(te::ComputeOp op, Value tensor) {
  AffineMap map;
  for (Operation &inner : op.getPieceBlock()->without_terminator()) {
    if (auto read = dyn_cast<te::ReadOp>(inner)) {
      if (read.getSource() != tensor || read.getGuard() || !read.getSymbols().empty() ||
          (map && read.getMap() != map))
        return {};
      map = read.getMap();
      continue;
    }
    if (te::isPointOp(&inner) || inner.getNumRegions() != 0 ||
        !llvm::all_of(inner.getOperands(),
                      [&](Value operand) { return isOfBody(operand, op.getPieceBlock()); }))
      return {};
  }
  return map;
}

static bool isSum(te::ComputeOp op) {
  return isa<FloatType>(op.getAccumulatorTypes().front()) &&
         te::matchCombiner(op.getCombiner()) == te::Combiner::Add;
}

static Value getYielded(te::ComputeOp op) {
  return op.getPieceBlock()->getTerminator()->getOperand(0);
}

/// Returns whether `value` is the element of `source` at the parallel dims of the reader `op`.
static bool readsOwnRow(Value value, te::ComputeOp op, te::ComputeOp source) {
  auto read = value.getDefiningOp<te::ReadOp>();
  return read && read.getSource() == source.getResult(0) && te::readsOwnPoint(read) &&
         op.getNumParallel() == source.getNumParallel();
}

/// Returns the reduction whose result is m, if `op` is the sum of (x - m)^2 and that is computed
/// from the sum of x.
static const RowReduction *findMean(te::ComputeOp op, ArrayRef<RowReduction> others) {
  auto square = getYielded(op).getDefiningOp<arith::MulFOp>();
  auto difference = square ? square.getLhs().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  if (!difference || square.getLhs() != square.getRhs() || !isSum(op))
    return nullptr;
  const RowReduction *mean = llvm::find_if(others, [&](const RowReduction &other) {
    te::ComputeOp sum = other.op;
    return !other.mean && isSum(sum) && sum.getIterationDomain() == op.getIterationDomain() &&
           sum.getAccumulatorTypes() == op.getAccumulatorTypes() &&
           readsOwnRow(difference.getRhs(), op, sum) &&
           te::areEqualAtPoint(difference.getLhs(), getYielded(sum));
  });
  return mean == others.end() ? nullptr : mean;
}

std::optional<RowReduction> layout::matchRowReduction(te::ComputeOp op, Value tensor,
                                                      ArrayRef<RowReduction> others) {
  if (op.getPieces().size() != 1 || op.getNumReduction() != 1 ||
      op.getAccumulatorTypes().size() != 1 || !te::getConstantSize(op.getReductionSizes().front()))
    return std::nullopt;
  if (const RowReduction *mean = findMean(op, others))
    return RowReduction{op, tensor, mean->op, mean->map, mean->dim};
  AffineMap map = findOnlyMap(op, tensor);
  if (!map)
    return std::nullopt;
  auto type = cast<RankedTensorType>(tensor.getType());
  std::optional<unsigned> dim = findReducedDim(map, op, type);
  if (!dim)
    return std::nullopt;
  return RowReduction{op, tensor, te::ComputeOp(), map, *dim};
}

/// Maps the constants that `body` uses to copies at the insertion point of `builder`.
static void cloneConstants(OpBuilder &builder, Block &body, IRMapping &mapping) {
  for (Operation &op : body)
    for (Value operand : op.getOperands())
      if (Operation *definition = operand.getDefiningOp();
          definition && definition->hasTrait<OpTrait::ConstantLike>() &&
          definition->getBlock() != &body && !mapping.contains(operand))
        builder.clone(*definition, mapping);
}

static Value buildFloat(OpBuilder &builder, Location loc, Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc, type, builder.getFloatAttr(type, double(value)));
}

static Value buildSquare(OpBuilder &builder, Location loc, Value value) {
  return arith::MulFOp::create(builder, loc, value, value);
}

SmallVector<std::optional<unsigned>> layout::getRowDims(const RowReduction &row) {
  te::ComputeOp op = row.op;
  SmallVector<std::optional<unsigned>> dims(op.getNumParallel());
  for (auto [number, expr] : llvm::enumerate(row.map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && number != row.dim)
      dims[dim.getPosition()] = number;
  return dims;
}

/// Returns the sizes of the first phase: those of the rows, and the number of parts.
static SmallVector<OpFoldResult> getPartSizes(const RowReduction &row, ArrayRef<OpFoldResult> sizes,
                                              int64_t length) {
  te::ComputeOp op = row.op;
  Builder builder(op.getContext());
  SmallVector<OpFoldResult> parallel;
  for (std::optional<unsigned> dim : getRowDims(row))
    parallel.push_back(dim ? sizes[*dim] : OpFoldResult(builder.getIndexAttr(1)));
  int64_t count = *te::getConstantSize(op.getReductionSizes().front()) / length;
  parallel.push_back(builder.getIndexAttr(count));
  return parallel;
}

/// Returns the points of a reduction at those of its first phase: the part is a dim more.
static te::PointMap getPartPoint(te::ComputeOp op, int64_t length) {
  MLIRContext *context = op.getContext();
  unsigned rows = op.getNumParallel();
  SmallVector<AffineExpr> point;
  for (unsigned dim = 0; dim < rows; ++dim)
    point.push_back(getAffineDimExpr(dim, context));
  point.push_back(getAffineDimExpr(rows, context) * length + getAffineDimExpr(rows + 1, context));
  return {AffineMap::get(rows + 2, 0, point, context), {}};
}

/// Builds a read of a part at the leading dims of a body of `numDims` dims.
static Value readPart(OpBuilder &builder, Location loc, Value parts, unsigned numDims) {
  unsigned rank = cast<RankedTensorType>(parts.getType()).getRank();
  return te::ReadOp::create(
      builder, loc, parts,
      AffineMap::getMultiDimIdentityMap(numDims, builder.getContext()).getMajorSubMap(rank));
}

te::ComputeOp layout::buildRowParts(OpBuilder &builder, const RowReduction &row, Value tensor,
                                    ArrayRef<OpFoldResult> sizes, int64_t length,
                                    te::ComputeOp meanParts) {
  te::ComputeOp op = row.op, source = row.mean ? row.mean : row.op;
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> parallel = getPartSizes(row, sizes, length);
  SmallVector<int64_t> shape = llvm::map_to_vector(parallel, [](OpFoldResult size) {
    return te::getConstantSize(size).value_or(ShapedType::kDynamic);
  });
  Type type = op.getAccumulatorTypes().front();
  IRMapping mapping;
  cloneConstants(builder, *source.getPieceBlock(), mapping);
  mapping.map(row.tensor, tensor);
  Value count = row.mean ? buildFloat(builder, loc, type, length) : Value();
  te::ComputeOp parts = te::createReduction(builder, op, RankedTensorType::get(shape, type),
                                            parallel, OpFoldResult(builder.getIndexAttr(length)));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&parts.getPieces().front());
  Value value =
      te::cloneBody(builder, *source.getPieceBlock(), getPartPoint(op, length), mapping).front();
  if (row.mean) {
    Value sum = readPart(builder, loc, meanParts.getResult(0), parts.getNumDims());
    Value mean = arith::DivFOp::create(builder, loc, sum, count);
    value = buildSquare(builder, loc, arith::SubFOp::create(builder, loc, value, mean));
  }
  te::YieldOp::create(builder, loc, value);
  return parts;
}

te::ComputeOp layout::combineRowParts(const RowReduction &row, Value parts, Value meanParts,
                                      int64_t length) {
  te::ComputeOp op = row.op;
  IRRewriter builder(op);
  Location loc = op.getLoc();
  Type type = op.getAccumulatorTypes().front();
  Value count = row.mean ? buildFloat(builder, loc, type, length) : Value();
  int64_t numParts = *te::getConstantSize(op.getReductionSizes().front()) / length;
  te::ComputeOp combined =
      te::createReduction(builder, op, op.getResultTypes(), op.getParallelSizes(),
                          OpFoldResult(builder.getIndexAttr(numParts)));
  combined.setLabelAttr(op.getLabelAttr());
  builder.createBlock(&combined.getPieces().front());
  Value value = readPart(builder, loc, parts, combined.getNumDims());
  if (row.mean) {
    Value sum = readPart(builder, loc, meanParts, combined.getNumDims());
    Value mean = readPart(builder, loc, row.mean->getResult(0), combined.getNumDims());
    Value ofPart = arith::DivFOp::create(builder, loc, sum, count);
    Value shift = arith::SubFOp::create(builder, loc, ofPart, mean);
    Value moved = arith::MulFOp::create(builder, loc, buildSquare(builder, loc, shift), count);
    value = arith::AddFOp::create(builder, loc, value, moved);
  }
  te::YieldOp::create(builder, loc, value);
  combined.getEpilogue().takeBody(op.getEpilogue());
  builder.replaceOp(op, combined);
  return combined;
}
