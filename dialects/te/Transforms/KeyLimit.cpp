//===- KeyLimit.cpp - whether masked keys may be skipped ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/KeyLimit.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/MaskedKeys.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
class LimitBuilder {
public:
  LimitBuilder(RewriterBase &rewriter, Location loc, ArrayRef<Operation *> group,
               SmallVectorImpl<Operation *> &created)
      : rewriter(rewriter), loc(loc), group(group), created(created) {}

  Value build(MaskedScores scores) {
    Value query = buildPeak(scores.query.getSource(), nullptr);
    Value key = buildPeak(scores.key.getSource(), nullptr);
    Value limit = buildPeak(scores.value.getSource(), [&](OpBuilder &builder, Value peak) {
      return decide(builder, query, key, peak, scores.terms, scores.most + 1);
    });
    Value number = tensor::ExtractOp::create(rewriter, loc, limit, ValueRange());
    return arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), number);
  }

private:
  using FinishFn = function_ref<Value(OpBuilder &, Value)>;

  Value constant(TypedAttr value) { return arith::ConstantOp::create(rewriter, loc, value); }

  /// Returns 0 if the greatest absolute values of the factors are small enough, and none is NaN.
  Value decide(OpBuilder &builder, Value query, Value key, Value peak, double terms,
               int64_t unlimited) {
    Type type = peak.getType();
    AffineMap scalar = AffineMap::get(0, 0, {}, builder.getContext());
    Value product = arith::MulFOp::create(builder, loc, ReadOp::create(builder, loc, query, scalar),
                                          ReadOp::create(builder, loc, key, scalar));
    Value most = constant(builder.getFloatAttr(type, mostBesideMask / terms));
    Value isSmall = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, product, most);
    auto infinity = APFloat::getInf(cast<FloatType>(type).getFloatSemantics());
    Value isFinite = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, peak,
                                           constant(builder.getFloatAttr(type, infinity)));
    Value mayLimit = arith::AndIOp::create(builder, loc, isSmall, isFinite);
    return arith::SelectOp::create(builder, loc, mayLimit, constant(builder.getI64IntegerAttr(0)),
                                   constant(builder.getI64IntegerAttr(unlimited)));
  }

  /// Builds the greatest absolute value of `tensor`, as a tensor without dims, and gives it to
  /// `finish`. All but the last two dims are reduced in a second step, so that threads share the
  /// first one.
  Value buildPeak(Value tensor, FinishFn finish) {
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, tensor);
    size_t numParallel = sizes.size() > 2 ? sizes.size() - 2 : 0;
    if (numParallel > 0) {
      tensor = reduce(ArrayRef(sizes).take_front(numParallel),
                      ArrayRef(sizes).drop_front(numParallel), tensor, /*isFirst=*/true, nullptr);
      sizes.truncate(numParallel);
    }
    return reduce({}, sizes, tensor, /*isFirst=*/numParallel == 0, finish);
  }

  Value reduce(ArrayRef<OpFoldResult> parallel, ArrayRef<OpFoldResult> reduction, Value tensor,
               bool isFirst, FinishFn finish) {
    unsigned numDims = parallel.size() + reduction.size();
    Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
    auto body = [&](OpBuilder &builder, Location) -> SmallVector<Value> {
      Value value =
          read(builder, tensor, AffineMap::getMultiDimIdentityMap(numDims, builder.getContext()));
      return {isFirst ? math::AbsFOp::create(builder, loc, value).getResult() : value};
    };
    auto epilogue = [&](OpBuilder &builder, Location, ValueRange peak) -> SmallVector<Value> {
      return {finish(builder, peak.front())};
    };
    ComputeOp peak = buildReduce(rewriter, loc, parallel, reduction, Combiner::Max, type, false,
                                 finish ? rewriter.getI64Type() : type, body,
                                 finish ? ArgsBodyFn(epilogue) : ArgsBodyFn());
    created.push_back(peak);
    return peak.getResult(0);
  }

  /// Reads `tensor`, or computes the element if it is not stored.
  Value read(OpBuilder &builder, Value tensor, AffineMap map) {
    auto source = tensor.getDefiningOp<ComputeOp>();
    if (!source || !llvm::is_contained(group, source.getOperation()))
      return ReadOp::create(builder, loc, tensor, map);
    IRMapping mapping;
    return cloneBody(builder, *source.getPieceBlock(), PointMap{map, {}}, mapping).front();
  }

  RewriterBase &rewriter;
  Location loc;
  ArrayRef<Operation *> group;
  SmallVectorImpl<Operation *> &created;
};
} // namespace

Value te::buildKeyLimit(RewriterBase &rewriter, Location loc, MaskedScores scores,
                        ArrayRef<Operation *> group, SmallVectorImpl<Operation *> &created) {
  return LimitBuilder(rewriter, loc, group, created).build(scores);
}
