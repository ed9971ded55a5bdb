//===- SoftmaxSum.cpp - sums that are weighted by a softmax ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/SoftmaxSum.h"
#include "dialects/te/Analysis/SoftmaxMatch.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/KeyLimit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
/// Where keys are masked, over the dims of the weights, and the index that keeps them from being
/// skipped (KeyLimit.h). Null if none are.
struct KeyMask {
  AffineExpr masked;
  Value limit;
};

/// Writes the expressions that take the place of a softmax and its sum.
class SoftmaxRewriter {
public:
  /// `keys`: of a block, 0 if there is one block.
  SoftmaxRewriter(RewriterBase &rewriter, const SoftmaxSum &softmax, unsigned numRows, int64_t keys,
                  KeyMask mask)
      : rewriter(rewriter), old(softmax), numRows(numRows), keys(keys), mask(mask),
        context(rewriter.getContext()), loc(old.product.getLoc()) {
    type = old.exponential.getType();
    rows = SmallVector<OpFoldResult>(ArrayRef(old.weights.getParallelSizes()).take_front(numRows));
    size = old.weights.getParallelSizes().back();
  }

  /// Returns the new expressions, the product last.
  SmallVector<Operation *> rewrite() {
    rewriter.setInsertionPoint(old.product);
    bool inBlocks = keys != 0;
    blocked = rows;
    if (inBlocks)
      blocked.push_back(rewriter.getIndexAttr(*getConstantSize(size) / keys));
    OpFoldResult inner = inBlocks ? rewriter.getIndexAttr(keys) : size;
    ComputeOp max = buildMax(inner), weights = buildWeights(max, inner);
    ComputeOp sum = buildSum(weights, inner);
    SmallVector<Operation *> created{max, weights, sum};
    ComputeOp product;
    if (inBlocks) {
      ComputeOp parts = buildParts(weights, sum, inner), greatest = buildGreatest(max);
      ComputeOp scales = buildScales(max, greatest, sum), total = buildTotal(scales);
      product = buildCombined(scales, parts, total);
      created.append({parts, greatest, scales, total, product});
    } else {
      product = buildProduct(weights, sum);
      created.push_back(product);
    }
    rewriter.replaceOp(old.product, product);
    for (ComputeOp op : {old.weights, old.sum, old.max})
      rewriter.eraseOp(op);
    return created;
  }

private:
  AffineMap getMap(unsigned numDims, ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(numDims, 0, exprs, context);
  }
  AffineExpr dim(unsigned number) { return getAffineDimExpr(number, context); }
  SmallVector<AffineExpr> getDims(unsigned count) {
    return llvm::map_to_vector(llvm::seq(count), [&](unsigned number) { return dim(number); });
  }
  Value read(ComputeOp source, unsigned numDims, ArrayRef<AffineExpr> indexes) {
    return ReadOp::create(rewriter, loc, source.getResult(0), getMap(numDims, indexes));
  }
  /// Reads `source`, whose dim after the rows is the block, at the current row and at block
  /// `blockDim`, where that has keys that are not masked; elsewhere gives `pad`.
  Value readOpen(ComputeOp source, unsigned numDims, ArrayRef<AffineExpr> indexes,
                 unsigned blockDim, const APFloat &pad) {
    if (!mask.limit)
      return read(source, numDims, indexes);
    SmallVector<AffineExpr> point = getDims(numRows);
    point.push_back(dim(blockDim) * keys); // the first key of the block
    AffineExpr open = simplifyAffineExpr(
        getAffineSymbolExpr(0, context) - mask.masked.replaceDims(point) - 1, numDims, 1);
    IntegerSet guard = IntegerSet::get(numDims, 1, open, /*eqFlags=*/false);
    return ReadOp::create(rewriter, loc, source.getResult(0),
                          AffineMap::get(numDims, 1, indexes, context), mask.limit, guard,
                          rewriter.getFloatAttr(type, pad));
  }
  Value readOpenBlock(ComputeOp source, const APFloat &pad) {
    return readOpen(source, numRows + 1, getDims(numRows + 1), numRows, pad);
  }
  APFloat getZero() { return APFloat::getZero(cast<FloatType>(type).getFloatSemantics()); }
  APFloat getLeast() {
    return APFloat::getLargest(cast<FloatType>(type).getFloatSemantics(), true);
  }

  Value readLeading(ComputeOp source, unsigned numDims) {
    return read(source, numDims, getDims(source.getNumParallel()));
  }

  /// Returns the old point of a key at the current point, whose dims are rows, the block if there
  /// are several, the parallel dims of the product from `columns` on, and the key of the block.
  PointMap getOldPoint(unsigned numDims, unsigned key, ArrayRef<AffineExpr> columns = {}) {
    SmallVector<AffineExpr> point = getDims(numRows);
    point.append(columns.begin(), columns.end());
    point.push_back(keys ? dim(numRows) * keys + dim(key) : dim(key));
    return {getMap(numDims, point), {}};
  }

  /// Clones what computes `value` of the weights at a key of a block.
  Value cloneAtKey(Value value, IRMapping &mapping) {
    unsigned numDims = blocked.size() + 1;
    return cloneValue(value, getOldPoint(numDims, numDims - 1), mapping);
  }

  /// Clones what computes `value`, in program order.
  Value cloneValue(Value value, const PointMap &point, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (op->getBlock() != old.weights.getPieceBlock())
      return value;
    for (Value operand : op->getOperands())
      cloneValue(operand, point, mapping);
    clonePointwise(rewriter, op, point, mapping);
    return mapping.lookup(value);
  }

  /// If weights that are NaN count as 0, returns 0 in place of a `value` that is NaN. A weight is
  /// NaN where all of its row are: the new sum is then 0.
  Value clearNaN(Value value) {
    if (!old.clearsNaN)
      return value;
    Value isNaN = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNE, value, value);
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getFloatAttr(type, 0));
    return arith::SelectOp::create(rewriter, loc, isNaN, zero, value);
  }

  /// Returns 0 in place of the `weight` of a key whose row counts as 0.
  Value clearRow(Value weight, IRMapping &mapping) {
    if (!old.clearsRow)
      return weight;
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getFloatAttr(type, 0));
    return arith::SelectOp::create(rewriter, loc, cloneAtKey(old.clearsRow, mapping), zero, weight);
  }

  /// Gives the sum of all weights, `total`, the epilogue of the old one. Other sums than 0 are at
  /// least 1, so that those of cleared weights divide by 1.
  void finishTotal(ComputeOp total) {
    if (!old.clearsNaN) {
      total.getEpilogue().takeBody(old.sum.getEpilogue());
      return;
    }
    OpBuilder::InsertionGuard guard(rewriter);
    Block *block = rewriter.createBlock(&total.getEpilogue(), {}, type, loc);
    Value one = arith::ConstantOp::create(rewriter, loc, rewriter.getFloatAttr(type, 1));
    Value sum = arith::MaximumFOp::create(rewriter, loc, block->getArgument(0), one);
    SmallVector<Value> results{sum};
    if (old.sum.hasEpilogue()) {
      Block &epilogue = old.sum.getEpilogue().front();
      IRMapping mapping;
      mapping.map(epilogue.getArgument(0), sum);
      results = cloneBody(rewriter, epilogue, identityPoint(context, numRows), mapping);
    }
    YieldOp::create(rewriter, loc, results);
  }

  ComputeOp buildMax(OpFoldResult inner) {
    auto body = [&](OpBuilder &, Location) -> SmallVector<Value> {
      IRMapping mapping;
      return {cloneAtKey(old.score, mapping)};
    };
    // In a block whose scores are all -inf, the differences to a finite number are -inf.
    auto epilogue = [&](OpBuilder &builder, Location, ValueRange max) -> SmallVector<Value> {
      Value bound = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, getLeast()));
      return {arith::MaximumFOp::create(builder, loc, max.front(), bound)};
    };
    return buildReduce(rewriter, loc, blocked, inner, Combiner::Max, type, false, type, body,
                       keys ? ArgsBodyFn(epilogue) : ArgsBodyFn());
  }

  ComputeOp buildWeights(ComputeOp max, OpFoldResult inner) {
    SmallVector<OpFoldResult> sizes = blocked;
    sizes.push_back(inner);
    return buildCompute(rewriter, loc, sizes, type, [&](OpBuilder &, Location) {
      IRMapping mapping;
      auto difference = old.exponential.getDefiningOp()->getOperand(0).getDefiningOp();
      mapping.map(difference->getOperand(1), readLeading(max, sizes.size()));
      return SmallVector<Value>{clearRow(clearNaN(cloneAtKey(old.exponential, mapping)), mapping)};
    });
  }

  /// Builds the sum of the weights, of a block or of all keys.
  ComputeOp buildSum(ComputeOp weights, OpFoldResult inner) {
    ComputeOp sum =
        buildReduce(rewriter, loc, blocked, inner, Combiner::Add, type, false, type,
                    [&](OpBuilder &, Location) {
                      return SmallVector<Value>{readLeading(weights, blocked.size() + 1)};
                    });
    if (!keys)
      finishTotal(sum);
    return sum;
  }

  /// Builds the body of the old product with the new weights in place of the old ones.
  SmallVector<Value> buildBody(ComputeOp weights, unsigned numColumns) {
    unsigned numDims = blocked.size() + numColumns + 1;
    SmallVector<AffineExpr> columns;
    for (unsigned column = 0; column < numColumns; ++column)
      columns.push_back(dim(blocked.size() + column));
    SmallVector<AffineExpr> indexes = getDims(blocked.size());
    indexes.push_back(dim(numDims - 1));
    IRMapping mapping;
    mapping.map(old.weight.getResult(), read(weights, numDims, indexes));
    Block &body = *old.product.getPieceBlock();
    PointMap point = getOldPoint(numDims, numDims - 1, columns);
    for (Operation &op : body.without_terminator())
      if (&op != old.weight.getOperation())
        clonePointwise(rewriter, &op, point, mapping);
    return llvm::map_to_vector(body.getTerminator()->getOperands(),
                               [&](Value value) { return mapping.lookupOrDefault(value); });
  }

  /// Applies the factor of the row to the sum, in front of the epilogue of the old product. The sum
  /// of a row that counts as 0 has no other factor: it is 0 already.
  SmallVector<Value> buildEpilogue(Value sum, ComputeOp total) {
    unsigned numDims = old.product.getNumParallel();
    IRMapping mapping;
    for (Operation *user : old.sum->getUsers())
      mapping.map(user->getResult(0), readLeading(total, numDims));
    if (old.factor) {
      PointMap point = identityPoint(context, numDims);
      Value factor = cloneValue(old.factor, point, mapping);
      if (old.clearsRow) {
        Value one = arith::ConstantOp::create(rewriter, loc, rewriter.getFloatAttr(type, 1));
        Value isCleared = cloneValue(old.clearsRow, point, mapping);
        factor = arith::SelectOp::create(rewriter, loc, isCleared, one, factor);
      }
      sum = isa<arith::DivFOp>(old.scaling)
                ? arith::DivFOp::create(rewriter, loc, sum, factor).getResult()
                : arith::MulFOp::create(rewriter, loc, sum, factor).getResult();
    }
    if (!old.product.hasEpilogue())
      return {sum};
    Block &epilogue = old.product.getEpilogue().front();
    IRMapping own;
    own.map(epilogue.getArgument(0), sum);
    return cloneBody(rewriter, epilogue, identityPoint(context, numDims), own);
  }

  SmallVector<OpFoldResult> getProductSizes() { return old.product.getParallelSizes(); }
  Type getAccumulatorType() { return old.product.getAccumulatorTypes().front(); }

  ComputeOp buildProduct(ComputeOp weights, ComputeOp sum) {
    unsigned numColumns = old.product.getNumParallel() - numRows;
    return buildReduce(
        rewriter, loc, getProductSizes(), {size}, Combiner::Add, getAccumulatorType(), false,
        getElementType(), [&](OpBuilder &, Location) { return buildBody(weights, numColumns); },
        [&](OpBuilder &, Location, ValueRange value) { return buildEpilogue(value[0], sum); });
  }

  Type getElementType() {
    return cast<RankedTensorType>(old.product.getResult(0).getType()).getElementType();
  }

  /// Builds the sums of the product for each block, divided by the weights of the block. Weights
  /// that are all zero have the sum 0; others have one that is at least 1.
  ComputeOp buildParts(ComputeOp weights, ComputeOp sum, OpFoldResult inner) {
    SmallVector<OpFoldResult> sizes = blocked, all = getProductSizes();
    sizes.append(all.begin() + numRows, all.end());
    Type accumulator = getAccumulatorType();
    return buildReduce(
        rewriter, loc, sizes, inner, Combiner::Add, accumulator, false, accumulator,
        [&](OpBuilder &, Location) { return buildBody(weights, sizes.size() - blocked.size()); },
        [&](OpBuilder &builder, Location, ValueRange value) -> SmallVector<Value> {
          Value one = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, 1));
          Value divisor =
              arith::MaximumFOp::create(builder, loc, readLeading(sum, sizes.size()), one);
          Value factor = arith::DivFOp::create(builder, loc, one, divisor);
          return {arith::MulFOp::create(builder, loc, value[0], factor)};
        });
  }

  ComputeOp buildGreatest(ComputeOp max) {
    return buildReduce(
        rewriter, loc, rows, blocked.back(), Combiner::Max, type, false, type,
        [&](OpBuilder &, Location) { return SmallVector<Value>{readOpenBlock(max, getLeast())}; });
  }

  /// Builds the weights of the blocks, relative to the greatest maximum.
  ComputeOp buildScales(ComputeOp max, ComputeOp greatest, ComputeOp sum) {
    return buildCompute(rewriter, loc, blocked, type, [&](OpBuilder &, Location) {
      Value own = readOpenBlock(max, getLeast()), all = readLeading(greatest, numRows + 1);
      Value difference = arith::SubFOp::create(rewriter, loc, own, all);
      Value scale = clearNaN(math::ExpOp::create(rewriter, loc, difference));
      Value weight = readOpenBlock(sum, getZero());
      return SmallVector<Value>{arith::MulFOp::create(rewriter, loc, scale, weight)};
    });
  }

  /// Builds the sum of all weights, with the epilogue of the old one.
  ComputeOp buildTotal(ComputeOp scales) {
    ComputeOp total = buildReduce(rewriter, loc, rows, blocked.back(), Combiner::Add, type, false,
                                  type, [&](OpBuilder &, Location) {
                                    return SmallVector<Value>{readLeading(scales, numRows + 1)};
                                  });
    finishTotal(total);
    return total;
  }

  ComputeOp buildCombined(ComputeOp scales, ComputeOp parts, ComputeOp total) {
    SmallVector<OpFoldResult> sizes = getProductSizes();
    unsigned block = sizes.size();
    SmallVector<AffineExpr> scaleIndexes = getDims(numRows), partIndexes = getDims(numRows);
    scaleIndexes.push_back(dim(block));
    partIndexes.push_back(dim(block));
    for (unsigned column = numRows; column < sizes.size(); ++column)
      partIndexes.push_back(dim(column));
    Type accumulator = getAccumulatorType();
    return buildReduce(
        rewriter, loc, sizes, blocked.back(), Combiner::Add, accumulator, false, getElementType(),
        [&](OpBuilder &, Location) {
          Value scale = read(scales, block + 1, scaleIndexes);
          Value part = readOpen(parts, block + 1, partIndexes, block, getZero());
          return SmallVector<Value>{arith::MulFOp::create(rewriter, loc, scale, part)};
        },
        [&](OpBuilder &, Location, ValueRange value) { return buildEpilogue(value[0], total); });
  }

  RewriterBase &rewriter;
  SoftmaxSum old;
  unsigned numRows;
  int64_t keys;
  KeyMask mask;
  MLIRContext *context;
  Location loc;
  Type type;
  SmallVector<OpFoldResult> rows, blocked; ///< sizes of the rows, and with the number of blocks
  OpFoldResult size;                       ///< the number of keys
};
} // namespace

/// Masked keys are skipped by blocks, so these are shorter.
static constexpr int64_t shorterIfMasked = 8;

bool te::rewriteSoftmaxSum(RewriterBase &rewriter, SmallVectorImpl<Operation *> &group,
                           unsigned numRows, int64_t mostKeys,
                           SmallVectorImpl<Operation *> &others) {
  std::optional<SoftmaxSum> softmax = matchSoftmaxSum(group, numRows, /*isMerged=*/true);
  if (!softmax)
    return false;
  int64_t keys = softmax->findKeyBlock(mostKeys / shorterIfMasked);
  std::optional<MaskedScores> masked = findMaskedScores(*softmax, group);
  if (!masked || keys == 0) {
    masked.reset();
    keys = softmax->findKeyBlock(mostKeys);
  }
  auto options = remark::RemarkOpts::name("softmax").category("te-form-kernels");
  remark::passed(group.back()->getLoc(), options)
      << remark::add("the sum is weighted by exponentials, and divided at its end")
      << remark::metric("KeysOfBlock", keys)
      << remark::metric("SkipsMasked", int64_t(masked.has_value()));
  rewriter.setInsertionPoint(softmax->product);
  Value limit =
      masked ? buildKeyLimit(rewriter, softmax->product.getLoc(), *masked, group, others) : Value();
  SmallVector<Operation *> replaced{softmax->max, softmax->sum, softmax->weights, softmax->product};
  SmallVector<Operation *> created =
      SoftmaxRewriter(rewriter, *softmax, numRows, keys,
                      {masked ? masked->masked : AffineExpr(), limit})
          .rewrite();
  llvm::erase_if(group, [&](Operation *op) { return llvm::is_contained(replaced, op); });
  group.append(created);
  return true;
}
