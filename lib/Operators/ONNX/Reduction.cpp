//===- Reduction.cpp - reductions over axes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Reduction.h"
#include "lib/Operators/Families.h"

using namespace mlir;

namespace tssa::operators {

static Scalar square(Scalar x) { return x * x; }

Scalar normTerm(Scalar x, double p) {
  if (p == 1)
    return abs(x);
  return p == 2 ? square(x) : power(abs(x), x.constant(p));
}

// Roots of integers are computed in f64.
Scalar normRoot(Scalar sum, double p) {
  if (p == 1)
    return sum;
  Scalar wide = sum.isFloat() ? sum : convert(sum, sum.getBuilder().getF64Type());
  Scalar root = p == 2 ? sqrt(wide) : power(wide, wide.constant(1 / p));
  return convert(root, sum.getType(), sum.isUnsigned());
}

static Scalar logOf(Scalar sum) {
  Scalar wide = sum.isFloat() ? sum : convert(sum, sum.getBuilder().getF64Type());
  return convert(log(wide), sum.getType(), sum.isUnsigned());
}

ReductionKind meanReduction() {
  return {te::Combiner::Add, nullptr, [](Scalar sum, Scalar count) { return sum / count; }};
}

ReductionKind maxReduction() { return {te::Combiner::Max, nullptr, nullptr}; }

ReductionKind normReduction(double p) {
  return {te::Combiner::Add, [=](Scalar x) { return normTerm(x, p); },
          [=](Scalar sum, Scalar) { return normRoot(sum, p); }};
}

namespace {
/// Describes which elements are reduced to an element of the result.
struct ReductionPlan {
  SmallVector<Size> shape;
  ReducedDims reduced;
  SmallVector<Size> extents; ///< for each reduction dim, how many elements are combined
  /// Returns the index of the input element at a point of the domain.
  std::function<SmallVector<AffineExpr>(Body &, const ReducedDims &)> at;

  SmallVector<AffineExpr> point(Body &body) const { return at(body, reduced); }
};
} // namespace

static ReductionPlan planReduction(const Tensor &input, ArrayRef<int64_t> axes, bool keepDims) {
  SmallVector<Size> shape, extents;
  SmallVector<bool> isReduced;
  for (auto [i, size] : llvm::enumerate(input.shape())) {
    isReduced.push_back(llvm::is_contained(axes, static_cast<int64_t>(i)));
    if (isReduced.back())
      extents.push_back(size);
    if (!isReduced.back() || keepDims)
      shape.push_back(isReduced.back() ? Size(1) : size);
  }
  ReducedDims reduced(shape.size());
  reduced.add(extents);
  auto at = [isReduced, keepDims](Body &body, const ReducedDims &reduced) {
    SmallVector<AffineExpr> result;
    unsigned slot = 0, dim = 0;
    for (bool flag : isReduced) {
      result.push_back(flag ? reduced.expr(body, slot++) : body.dim(dim));
      dim += !flag || keepDims;
    }
    return result;
  };
  return {shape, reduced, extents, at};
}

/// Returns 1 if the sizes are equal, else 0.
static Size isSame(const Size &a, const Size &b) {
  return Size(1) - Size::min(Size::max(a - b, b - a), 1);
}

/// Returns the size as one SSA value, so that its products with other sizes have few terms.
static Size asValue(Builder &builder, const Size &size) {
  return builder.sizes.get(builder.materializeValue(size), /*nonNegative=*/true);
}

/// Returns the plan for axes that are known only at run time. If dims are kept, every dim of the
/// input has a parallel dim and a reduction dim, one of which has size 1. Otherwise dim j of the
/// result is the j-th of the dims that are not reduced.
static FailureOr<ReductionPlan> planReduction(Builder &builder, const Tensor &input,
                                              ArrayRef<Size> axes, bool keepDims) {
  int64_t rank = input.rank(), resultRank = keepDims ? rank : rank - axes.size();
  if (resultRank < 0)
    return builder.error("expected at most " + Twine(rank) + " axes, got " + Twine(axes.size()));
  for (const Size &axis : axes)
    if (failed(builder.requireNonNegative(axis + rank, "an axis plus the rank")) ||
        failed(builder.requireNonNegative(Size(rank - 1) - axis, "the last axis minus an axis")))
      return failure();
  SmallVector<Size> shape(resultRank, Size(0)), extents;
  // comesFrom[i][j]: 1 if dim i of the input is dim j of the result, else 0.
  std::vector<SmallVector<Size>> comesFrom(rank, SmallVector<Size>(resultRank, Size(0)));
  Size numKept(0);
  for (int64_t i = 0; i < rank; ++i) {
    Size isReduced(0);
    for (const Size &axis : axes)
      isReduced = Size::max(isReduced, isSame(axis.mod(rank), i));
    isReduced = asValue(builder, isReduced);
    extents.push_back(asValue(builder, Size(1) + isReduced * (input.dim(i) - 1)));
    for (int64_t j = 0; j < resultRank; ++j) {
      if (!keepDims)
        comesFrom[i][j] = asValue(builder, (Size(1) - isReduced) * isSame(numKept, j));
      else if (i == j)
        comesFrom[i][j] = 1;
      Size extent = keepDims ? Size(1) + (Size(1) - isReduced) * (input.dim(i) - 1) : input.dim(i);
      shape[j] = shape[j] + comesFrom[i][j] * extent;
    }
    numKept = numKept + 1 - isReduced;
  }
  for (Size &size : shape)
    size = asValue(builder, size);
  ReducedDims reduced(resultRank);
  reduced.add(extents);
  auto at = [comesFrom](Body &body, const ReducedDims &reduced) {
    SmallVector<AffineExpr> result;
    for (auto [i, sources] : llvm::enumerate(comesFrom)) {
      AffineExpr expr = reduced.expr(body, i);
      for (auto [j, isSource] : llvm::enumerate(sources))
        expr = expr + body.dim(j) * body.size(isSource);
      result.push_back(expr);
    }
    return result;
  };
  return ReductionPlan{shape, reduced, extents, at};
}

static FailureOr<Tensor> reduce(Builder &builder, const Tensor &input, const ReductionPlan &plan,
                                const ReductionKind &kind) {
  DType type = input.dtype();
  auto term = [&](Body &body) {
    Scalar x = readScalar(body, input, plan.point(body));
    return kind.term ? kind.term(x) : x;
  };
  auto epilogue = [&](Body &body, Scalar combined) {
    Scalar count = indexScalar(body, body.size(product(plan.extents)), DType::I64);
    return kind.finish(combined, convert(count, combined.getType(), combined.isUnsigned()));
  };
  return combine(builder, kind.combiner, getAccumulator(type), type, plan.shape, plan.reduced, term,
                 kind.finish ? EpilogueFn(epilogue) : EpilogueFn());
}

FailureOr<Tensor> reduceAxes(Builder &builder, const Tensor &input, ArrayRef<int64_t> axes,
                             bool keepDims, const ReductionKind &kind) {
  return reduce(builder, input, planReduction(input, axes, keepDims), kind);
}

/// Returns log(sum(exp(x))), computed on x minus its maximum.
static FailureOr<Tensor> reduceLogSumExp(Builder &builder, const Tensor &input,
                                         const ReductionPlan &plan) {
  if (!isFloat(input.dtype())) {
    FailureOr<Tensor> wide = builder.cast(input, DType::F64);
    if (failed(wide))
      return failure();
    FailureOr<Tensor> result = reduceLogSumExp(builder, *wide, plan);
    return failed(result) ? result : builder.cast(*result, input.dtype());
  }
  FailureOr<Tensor> greatest = reduce(builder, input, plan, maxReduction());
  if (failed(greatest))
    return failure();
  auto offset = [&](Body &body) {
    Scalar x = readScalar(body, *greatest, body.dims(0, plan.shape.size()));
    return select(abs(x) == std::numeric_limits<double>::infinity(), 0.0, x);
  };
  auto term = [&](Body &body) {
    return exp(readScalar(body, input, plan.point(body)) - offset(body));
  };
  return sum(builder, getAccumulator(input.dtype()), input.dtype(), plan.shape, plan.reduced, term,
             [&](Body &body, Scalar total) { return log(total) + offset(body); });
}

/// Returns the plan for the axes of a node, which are an attribute or, in later versions, an input.
/// An empty list means all axes or, with `noop_with_empty_axes`, no reduction.
static FailureOr<ReductionPlan> planReduction(Builder &builder, const Node &node) {
  const Tensor &input = node.inputs[0];
  bool keepDims = node.getInt("keepdims", 1) != 0;
  SmallVector<int64_t> axes = node.getInts("axes");
  if (Tensor given = node.input(1); given && !given.numElements().isConstant(0)) {
    std::optional<SmallVector<int64_t>> known = builder.constantInts(given);
    if (!known) {
      FailureOr<SmallVector<Size>> sizes = builder.requireSizes(given, "axes");
      if (failed(sizes))
        return failure();
      return planReduction(builder, input, *sizes, keepDims);
    }
    axes = *known;
  }
  if (axes.empty() && !node.getInt("noop_with_empty_axes", 0))
    axes = llvm::to_vector(llvm::seq<int64_t>(0, input.rank()));
  FailureOr<SmallVector<int64_t>> normal = builder.normalizeAxes(axes, input.rank());
  if (failed(normal))
    return failure();
  return planReduction(input, *normal, keepDims);
}

using ReduceFn = std::function<FailureOr<Tensor>(Builder &, const Tensor &, const ReductionPlan &)>;

static OperatorFn reduction(const ReduceFn &reduceFn) {
  return [reduceFn](Builder &builder, const Node &node) -> FailureOr<Tensors> {
    FailureOr<ReductionPlan> plan = planReduction(builder, node);
    if (failed(plan))
      return failure();
    return single(reduceFn(builder, node.inputs[0], *plan));
  };
}

static OperatorFn reduction(const ReductionKind &kind) {
  return reduction([kind](Builder &builder, const Tensor &input, const ReductionPlan &plan) {
    return reduce(builder, input, plan, kind);
  });
}

/// Returns a function that builds a maximum or minimum. For bools these are `or` and `and`.
static OperatorFn extremum(te::Combiner onNumbers, te::Combiner onBools) {
  return reduction([=](Builder &builder, const Tensor &input, const ReductionPlan &plan) {
    bool isBool = input.dtype() == DType::Bool;
    return reduce(builder, input, plan, {isBool ? onBools : onNumbers, nullptr, nullptr});
  });
}

OperatorRows getReductionRows() {
  const List axes{1, settleReducedAxes};
  return {
      {"ReduceSum", reduction({te::Combiner::Add, nullptr, nullptr}), axes},
      {"ReduceProd", reduction({te::Combiner::Mul, nullptr, nullptr}), axes},
      {"ReduceMean", reduction(meanReduction()), axes},
      {"ReduceL1", reduction(normReduction(1)), axes},
      {"ReduceL2", reduction(normReduction(2)), axes},
      {"ReduceSumSquare", reduction({te::Combiner::Add, square, nullptr}), axes},
      {"ReduceLogSum",
       reduction({te::Combiner::Add, nullptr, [](Scalar sum, Scalar) { return logOf(sum); }}),
       axes},
      {"ReduceLogSumExp", reduction(reduceLogSumExp), axes},
      {"ReduceMax", extremum(te::Combiner::Max, te::Combiner::Or), axes},
      {"ReduceMin", extremum(te::Combiner::Min, te::Combiner::And), axes},
  };
}

} // namespace tssa::operators
