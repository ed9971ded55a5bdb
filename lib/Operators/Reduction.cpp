//===- Reduction.cpp - reductions over axes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Reduction.h"
#include "tssa/Operators/Registry.h"

using namespace mlir;

namespace tssa::operators {

static Scalar square(Scalar x) { return x * x; }

Scalar normTerm(Scalar x, double p) {
  if (p == 1)
    return abs(x);
  return p == 2 ? square(x) : power(abs(x), x.constant(p));
}

/// Roots of integers are taken in f64.
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

/// Where the elements that are reduced to one lie: the expression of each dim of
/// the input at a point of the result.
static SmallVector<AffineExpr> getSourcePoint(Body &body, const Tensor &input,
                                              ArrayRef<int64_t> axes, bool keepDims,
                                              const ReducedDims &reduced) {
  SmallVector<AffineExpr> at;
  unsigned slot = 0, dim = 0;
  for (int64_t i = 0; i < input.rank(); ++i) {
    bool isReduced = llvm::is_contained(axes, i);
    at.push_back(isReduced ? reduced.expr(body, slot++) : body.dim(dim));
    dim += !isReduced || keepDims;
  }
  return at;
}

static SmallVector<Size> getReducedShape(const Tensor &input, ArrayRef<int64_t> axes,
                                         bool keepDims) {
  SmallVector<Size> shape;
  for (auto [i, size] : llvm::enumerate(input.shape())) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(i));
    if (!isReduced || keepDims)
      shape.push_back(isReduced ? Size(1) : size);
  }
  return shape;
}

static ReducedDims getReducedDims(const Tensor &input, ArrayRef<int64_t> axes,
                                  unsigned numParallel) {
  ReducedDims reduced(numParallel);
  for (int64_t i = 0; i < input.rank(); ++i)
    if (llvm::is_contained(axes, i))
      reduced.add(input.dim(i));
  return reduced;
}

FailureOr<Tensor> reduceAxes(Builder &builder, const Tensor &input, ArrayRef<int64_t> axes,
                             bool keepDims, const ReductionKind &kind) {
  DType type = input.dtype();
  SmallVector<Size> shape = getReducedShape(input, axes, keepDims);
  ReducedDims reduced = getReducedDims(input, axes, shape.size());
  Size count(1);
  for (int64_t axis : axes)
    count = count * input.dim(axis);
  auto term = [&](Body &body) {
    Scalar x = readScalar(body, input, getSourcePoint(body, input, axes, keepDims, reduced));
    return kind.term ? kind.term(x) : x;
  };
  auto epilogue = [&](Body &body, Scalar joined) {
    Scalar number = indexScalar(body, body.size(count), DType::I64);
    return kind.finish(joined, convert(number, joined.getType(), joined.isUnsigned()));
  };
  return join(builder, kind.combiner, getAccumulator(type), type, shape, reduced, term,
              kind.finish ? JoinedFn(epilogue) : JoinedFn());
}

/// log(sum(exp(x))), computed on x minus its maximum.
static FailureOr<Tensor> reduceLogSumExp(Builder &builder, const Tensor &input,
                                         ArrayRef<int64_t> axes, bool keepDims) {
  FailureOr<Tensor> greatest = reduceAxes(builder, input, axes, keepDims, maxReduction());
  if (failed(greatest))
    return failure();
  DType type = input.dtype();
  SmallVector<Size> shape = getReducedShape(input, axes, keepDims);
  ReducedDims reduced = getReducedDims(input, axes, shape.size());
  auto offset = [&](Body &body) {
    Scalar x = readScalar(body, *greatest, body.dims(0, shape.size()));
    return select(abs(x) == std::numeric_limits<double>::infinity(), 0.0, x);
  };
  auto term = [&](Body &body) {
    SmallVector<AffineExpr> at = getSourcePoint(body, input, axes, keepDims, reduced);
    return exp(readScalar(body, input, at) - offset(body));
  };
  return sum(builder, getAccumulator(type), type, shape, reduced, term,
             [&](Body &body, Scalar total) { return log(total) + offset(body); });
}

static FailureOr<Tensor> reduceLogSumExpAs(Builder &builder, const Tensor &input,
                                           ArrayRef<int64_t> axes, bool keepDims) {
  if (isFloat(input.dtype()))
    return reduceLogSumExp(builder, input, axes, keepDims);
  FailureOr<Tensor> wide = builder.cast(input, DType::F64);
  if (failed(wide))
    return failure();
  FailureOr<Tensor> result = reduceLogSumExp(builder, *wide, axes, keepDims);
  return failed(result) ? result : builder.cast(*result, input.dtype());
}

/// The axes of a reduction: an attribute, or an input of later versions. None means
/// all, or the identity if `noop_with_empty_axes` says so.
static FailureOr<std::optional<SmallVector<int64_t>>> getAxes(Builder &builder,
                                                              const Node &node) {
  const Tensor &input = node.inputs[0];
  SmallVector<int64_t> axes = node.getInts("axes");
  if (Tensor given = node.input(1); given && !given.numElements().isConstant(0)) {
    FailureOr<SmallVector<int64_t>> known = builder.requireConstantInts(given, "axes");
    if (failed(known))
      return failure();
    axes = *known;
  }
  if (axes.empty()) {
    if (node.getInt("noop_with_empty_axes", 0))
      return std::optional<SmallVector<int64_t>>();
    return std::optional<SmallVector<int64_t>>(
        llvm::to_vector(llvm::seq<int64_t>(0, input.rank())));
  }
  FailureOr<SmallVector<int64_t>> normal = builder.normalizeAxes(axes, input.rank());
  if (failed(normal))
    return failure();
  return std::optional(*normal);
}

using ReduceFn = std::function<FailureOr<Tensor>(Builder &, const Tensor &, ArrayRef<int64_t>,
                                                 bool keepDims)>;

static void addReduction(Registry &registry, StringRef name, const ReduceFn &reduce) {
  registry.add(name, [reduce](Builder &builder, const Node &node) -> FailureOr<Tensors> {
    FailureOr<std::optional<SmallVector<int64_t>>> axes = getAxes(builder, node);
    if (failed(axes))
      return failure();
    bool keepDims = node.getInt("keepdims", 1) != 0;
    SmallVector<int64_t> reduced = axes->value_or(SmallVector<int64_t>());
    return single(reduce(builder, node.inputs[0], reduced, keepDims));
  });
}

static void addReduction(Registry &registry, StringRef name, const ReductionKind &kind) {
  addReduction(registry, name,
               [kind](Builder &builder, const Tensor &input, ArrayRef<int64_t> axes,
                      bool keepDims) { return reduceAxes(builder, input, axes, keepDims, kind); });
}

/// Maximum and minimum; of bools they are `or` and `and`.
static void addExtremum(Registry &registry, StringRef name, te::Combiner onNumbers,
                        te::Combiner onBools) {
  addReduction(registry, name,
               [=](Builder &builder, const Tensor &input, ArrayRef<int64_t> axes, bool keepDims) {
                 bool isBool = input.dtype() == DType::Bool;
                 return reduceAxes(builder, input, axes, keepDims,
                                   {isBool ? onBools : onNumbers, nullptr, nullptr});
               });
}

void registerReduction(Registry &registry) {
  addReduction(registry, "ReduceSum", {te::Combiner::Add, nullptr, nullptr});
  addReduction(registry, "ReduceProd", {te::Combiner::Mul, nullptr, nullptr});
  addReduction(registry, "ReduceMean", meanReduction());
  addReduction(registry, "ReduceL1", normReduction(1));
  addReduction(registry, "ReduceL2", normReduction(2));
  addReduction(registry, "ReduceSumSquare", {te::Combiner::Add, square, nullptr});
  addReduction(registry, "ReduceLogSum",
               {te::Combiner::Add, nullptr, [](Scalar sum, Scalar) { return logOf(sum); }});
  addReduction(registry, "ReduceLogSumExp", reduceLogSumExpAs);
  addExtremum(registry, "ReduceMax", te::Combiner::Max, te::Combiner::Or);
  addExtremum(registry, "ReduceMin", te::Combiner::Min, te::Combiner::And);
}

} // namespace tssa::operators
