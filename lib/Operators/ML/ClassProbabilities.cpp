//===- ClassProbabilities.cpp - class probabilities from pairwise ones -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ML/ClassProbabilities.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/LoopBuilder.h"

using namespace mlir;

namespace tssa::operators {

/// Returns the matrix Q. The probabilities p minimise the quadratic form p Q p.
static FailureOr<Tensor> makeForm(Builder &builder, const Tensor &chances) {
  ReducedDims reduced(3);
  unsigned slot = reduced.add(chances.dim(1));
  FailureOr<Tensor> squares =
      sum(builder, DType::F32, DType::F32, chances.shape(), reduced, [&](Body &body) {
        AffineExpr other = reduced.expr(body, slot);
        Scalar chance = readScalar(body, chances, {body.dim(0), other, body.dim(1)});
        Scalar isSame =
            indexScalar(body, other, DType::I64) == indexScalar(body, body.dim(1), DType::I64);
        return select(isSame, chance.constant(0), chance * chance);
      });
  if (failed(squares))
    return failure();
  return builder.compute(DType::F32, chances.shape(), [&](Body &body) {
    AffineExpr row = body.dim(0), i = body.dim(1), j = body.dim(2);
    Scalar isDiagonal = indexScalar(body, i, DType::I64) == indexScalar(body, j, DType::I64);
    Scalar product =
        readScalar(body, chances, {row, i, j}) * readScalar(body, chances, {row, j, i});
    return select(isDiagonal, readScalar(body, *squares, {row, i, j}), -product).getValue();
  });
}

namespace {
/// The quadratic form at p: Q p, [rows, classes], and p Q p, [rows].
struct FormValue {
  Tensor product, value;
};

/// A loop body that carries the probabilities.
class Iteration : public Subgraph {
public:
  explicit Iteration(const Tensor &form) : form(form) {}

  unsigned numOutputs() const override { return 1; }
  std::optional<unsigned> getForwardedInput(unsigned) const override { return std::nullopt; }
  bool isAlwaysTrue(unsigned) const override { return false; }

protected:
  FailureOr<FormValue> evaluate(Builder &builder, const Tensor &p) {
    FailureOr<Tensor> product = multiply(builder, p);
    if (failed(product))
      return failure();
    ReducedDims reduced(1);
    unsigned slot = reduced.add(p.dim(1));
    FailureOr<Tensor> value =
        sum(builder, DType::F32, DType::F32, p.dim(0), reduced, [&](Body &body) {
          AffineExpr k = reduced.expr(body, slot);
          return readScalar(body, p, {body.dim(0), k}) *
                 readScalar(body, *product, {body.dim(0), k});
        });
    if (failed(value))
      return failure();
    return FormValue{*product, *value};
  }

  const Tensor &form;

private:
  FailureOr<Tensor> multiply(Builder &builder, const Tensor &p) {
    ReducedDims reduced(2);
    unsigned slot = reduced.add(p.dim(1));
    return sum(builder, DType::F32, DType::F32, p.shape(), reduced, [&](Body &body) {
      AffineExpr k = reduced.expr(body, slot);
      return readScalar(body, form, {body.dim(0), body.dim(1), k}) *
             readScalar(body, p, {body.dim(0), k});
    });
  }
};

/// Minimises the form along one probability, in the rows whose largest error exceeds `bound`.
class Step : public Iteration {
public:
  Step(const Tensor &form, const Tensor &error, double bound)
      : Iteration(form), error(error), bound(bound) {}

  unsigned numInputs() const override { return 2; }

  FailureOr<Tensors> build(Builder &builder, ArrayRef<Tensor> inputs) override {
    const Tensor &p = inputs[0], &position = inputs[1];
    FailureOr<FormValue> current = evaluate(builder, p);
    if (failed(current))
      return failure();
    return single(builder.compute(DType::F32, p.shape(), [&](Body &body) {
      AffineExpr row = body.dim(0);
      Scalar number = readScalar(body, position, ArrayRef<AffineExpr>());
      AffineExpr i = body.opaque(toIndex(number));
      Scalar move =
          (readScalar(body, current->value, row) - readScalar(body, current->product, {row, i})) /
          readScalar(body, form, {row, i, i});
      move = select(readScalar(body, error, row) < bound, move.constant(0), move);
      Scalar isMoved = indexScalar(body, body.dim(1), DType::I64) == number;
      Scalar old = readScalar(body, p, body.dims(0, 2));
      return ((old + select(isMoved, move, move.constant(0))) / (1.0 + move)).getValue();
    }));
  }

private:
  const Tensor &error;
  double bound;
};

/// A loop body that takes one step for each class. Output 0 tells whether any row has taken a step.
class Sweep : public Iteration {
public:
  Sweep(const Tensor &form, int64_t numClasses)
      : Iteration(form), numClasses(numClasses), bound(0.005 / numClasses) {}

  unsigned numInputs() const override { return 1; }
  unsigned numOutputs() const override { return 2; }

  FailureOr<Tensors> build(Builder &builder, ArrayRef<Tensor> inputs) override {
    FailureOr<Tensor> error = findError(builder, inputs[0]);
    if (failed(error))
      return failure();
    ReducedDims rows(0);
    unsigned row = rows.add(error->dim(0));
    FailureOr<Tensor> isMoving = combine(
        builder, te::Combiner::Max, DType::F32, DType::Bool, {}, rows,
        [&](Body &body) { return readScalar(body, *error, rows.expr(body, row)); },
        [&](Body &, Scalar greatest) {
          Scalar isDone = greatest < bound; // false for NaN
          return select(isDone, isDone.constant(0), isDone.constant(1));
        });
    if (failed(isMoving))
      return failure();
    Step step(form, *error, bound);
    LoopSpec loop(step, inputs);
    loop.count = Size(numClasses);
    loop.makeInputs = [&](const Size &position, ArrayRef<Tensor> carried) -> FailureOr<Tensors> {
      return Tensors{carried[0], builder.fromSizes(DType::I64, {}, position)};
    };
    FailureOr<Tensors> moved = LoopBuilder(builder, loop).run();
    if (failed(moved))
      return failure();
    return Tensors{*isMoving, moved->front()};
  }

private:
  /// Returns for each row the largest absolute difference between p Q p and an element of Q p. This
  /// error is 0 at the minimum.
  FailureOr<Tensor> findError(Builder &builder, const Tensor &p) {
    FailureOr<FormValue> current = evaluate(builder, p);
    if (failed(current))
      return failure();
    ReducedDims reduced(1);
    unsigned slot = reduced.add(p.dim(1));
    return combine(builder, te::Combiner::Max, DType::F32, DType::F32, p.dim(0), reduced,
                   [&](Body &body) {
                     AffineExpr k = reduced.expr(body, slot);
                     return abs(readScalar(body, current->product, {body.dim(0), k}) -
                                readScalar(body, current->value, body.dim(0)));
                   });
  }

  int64_t numClasses;
  double bound;
};
} // namespace

FailureOr<Tensor> findClassProbabilities(Builder &builder, const Tensor &chances,
                                         int64_t numClasses) {
  FailureOr<Tensor> form = makeForm(builder, chances);
  FailureOr<Tensor> equal =
      builder.fill(DType::F32, {chances.dim(0), chances.dim(1)}, 1.0 / numClasses);
  if (failed(form) || failed(equal))
    return failure();
  Sweep sweep(*form, numClasses);
  LoopSpec loop(sweep, *equal);
  loop.firstOutput = 1;
  FailureOr<Value> start = extractFlag(builder, builder.fromSizes(DType::Bool, {}, Size(1)));
  if (failed(start))
    return failure();
  loop.condition = *start;
  loop.count = Size(std::max<int64_t>(100, numClasses));
  loop.makeInputs = [](const Size &, ArrayRef<Tensor> carried) -> FailureOr<Tensors> {
    return Tensors(carried);
  };
  FailureOr<Tensors> result = LoopBuilder(builder, loop).run();
  if (failed(result))
    return failure();
  return result->front();
}

} // namespace tssa::operators
