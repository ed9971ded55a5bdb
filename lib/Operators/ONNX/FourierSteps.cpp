//===- FourierSteps.cpp - Fourier transforms as matrix products -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/FourierSteps.h"
#include "tssa/Builder/Contraction.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace tssa::operators {

/// The greatest number of rows of a matrix of roots, and the greatest length that is not split.
static constexpr int64_t mostRoots = 512, shortLength = 32;

/// Returns the greatest factor of `length` that does not exceed the square root of `length`; 1 for
/// a short length.
static int64_t findFactor(int64_t length) {
  int64_t factor = 1;
  for (int64_t i = 2; i * i <= length; ++i)
    factor = length % i == 0 ? i : factor;
  return length <= shortLength ? 1 : factor;
}

bool hasFourierSteps(int64_t length) {
  return length >= 1 && length <= mostRoots * mostRoots && length / findFactor(length) <= mostRoots;
}

namespace {
struct Root {
  double cosine, sine;

  /// Computes e^(sign 2 pi i turns / length).
  Root(int64_t turns, int64_t length, double sign) {
    double angle = 2 * llvm::numbers::pi * (turns % length) / length;
    cosine = std::cos(angle);
    sine = sign * std::sin(angle);
  }
};
} // namespace

static Tensor makeTable(Builder &builder, ArrayRef<int64_t> shape, ArrayRef<double> values) {
  auto type = RankedTensorType::get(shape, builder.ops.getF64Type());
  return builder.constant(DType::F64, DenseElementsAttr::get(type, values));
}

/// Returns the matrix w(length)^(n k) as real numbers [n, from, to, k]: the factors with which part
/// `from` (real or imaginary) of element n is added to part `to` of result k. `parts` and
/// `resultParts` are the sizes of the dims from and to.
static Tensor makeMatrix(Builder &builder, int64_t length, int64_t parts, int64_t resultParts,
                         double sign) {
  SmallVector<double> values;
  for (int64_t n = 0; n < length; ++n)
    for (int64_t from = 0; from < parts; ++from)
      for (int64_t to = 0; to < resultParts; ++to)
        for (int64_t k = 0; k < length; ++k) {
          Root root(n * k, length, sign);
          values.push_back(from == to ? root.cosine : from == 0 ? root.sine : -root.sine);
        }
  return makeTable(builder, {length, parts, resultParts, length}, values);
}

/// Returns the twiddle factors w(a b)^(n k) as real numbers [3, b, a]. Row 0 multiplies the part
/// (real or imaginary) that is computed. Rows 1 and 2 multiply the other part: row 1 if the real
/// part is computed, row 2 if the imaginary part is computed.
static Tensor makeRotation(Builder &builder, int64_t a, int64_t b, double sign) {
  SmallVector<double> values;
  for (int64_t row = 0; row < 3; ++row)
    for (int64_t n = 0; n < b; ++n)
      for (int64_t k = 0; k < a; ++k) {
        Root root(n * k, a * b, sign);
        values.push_back(row == 0 ? root.cosine : row == 1 ? -root.sine : root.sine);
      }
  return makeTable(builder, {3, b, a}, values);
}

namespace {
/// Builds the steps of a transform. Intermediate tensors are [part, before, slow, fast, after],
/// where the dims slow and fast replace the transformed dim.
class Stepper {
public:
  Stepper(Builder &builder, const FourierSteps &steps)
      : builder(builder), steps(steps), fast(findFactor(steps.length)), slow(steps.length / fast),
        axis(1 + steps.before.size()) {}

  FailureOr<Tensor> run(SignalFn signal) {
    if (fast == 1)
      return arrange(multiplySlow(steps.parts, [&](Body &body, AffineExpr n, AffineExpr part) {
        return signal(body, before(body), n, after(body), part);
      }));
    FailureOr<Tensor> turned = rotate(multiplyFast(signal));
    if (failed(turned))
      return failure();
    return arrange(multiplySlow(2, [&](Body &body, AffineExpr n, AffineExpr part) {
      SmallVector<AffineExpr> at = body.dims(0, rank());
      at[0] = part;
      at[axis] = n;
      return readScalar(body, *turned, at);
    }));
  }

private:
  /// Returns how many of the terms n * step can be other than 0, of `length` terms.
  int64_t countTerms(int64_t length, int64_t step) const {
    return steps.terms ? std::min(length, llvm::divideCeilSigned(*steps.terms, step)) : length;
  }
  unsigned rank() const { return axis + 2 + steps.after.size(); }
  SmallVector<AffineExpr> before(Body &body) const { return body.dims(1, axis); }
  SmallVector<AffineExpr> after(Body &body) const { return body.dims(axis + 2, rank()); }

  SmallVector<Size> getShape(int64_t parts, const Size &slowSize) const {
    SmallVector<Size> shape = {Size(parts)};
    shape.append(steps.before.begin(), steps.before.end());
    shape.append({slowSize, Size(fast)});
    shape.append(steps.after.begin(), steps.after.end());
    return shape;
  }

  /// Builds the transforms of length `fast`. Each sums over elements that are `slow` apart.
  FailureOr<Tensor> multiplyFast(SignalFn signal) {
    Tensor matrix = makeMatrix(builder, fast, steps.parts, 2, steps.sign);
    ReducedDims reduced(rank());
    unsigned n = reduced.add(Size(countTerms(fast, slow))), from = reduced.add(Size(steps.parts));
    return sum(builder, DType::F64, DType::F64, getShape(2, Size(slow)), reduced, [&](Body &body) {
      AffineExpr i = reduced.expr(body, n), part = reduced.expr(body, from);
      Scalar element = signal(body, before(body), i * slow + body.dim(axis), after(body), part);
      return element * readScalar(body, matrix, {i, part, body.dim(0), body.dim(axis + 1)});
    });
  }

  FailureOr<Tensor> rotate(FailureOr<Tensor> x) {
    if (failed(x))
      return failure();
    Tensor table = makeRotation(builder, fast, slow, steps.sign);
    return builder.compute(DType::F64, x->shape(), [&](Body &body) {
      SmallVector<AffineExpr> at = body.dims(0, rank());
      AffineExpr n = at[axis], k = at[axis + 1], part = at[0];
      Scalar own = readScalar(body, *x, at);
      at[0] = 1 - part;
      Scalar other = readScalar(body, *x, at);
      return (own * readScalar(body, table, {body.constantExpr(0), n, k}) +
              other * readScalar(body, table, {1 + part, n, k}))
          .getValue();
    });
  }

  /// Builds the transforms of length `slow`.
  FailureOr<Tensor> multiplySlow(int64_t parts,
                                 llvm::function_ref<Scalar(Body &, AffineExpr, AffineExpr)> read) {
    Tensor matrix = makeMatrix(builder, slow, parts, steps.resultParts, steps.sign);
    ReducedDims reduced(rank());
    unsigned n = reduced.add(Size(fast == 1 ? countTerms(slow, 1) : slow)),
             from = reduced.add(Size(parts));
    auto term = [&](Body &body) {
      AffineExpr i = reduced.expr(body, n), part = reduced.expr(body, from);
      return read(body, i, part) * readScalar(body, matrix, {i, part, body.dim(0), body.dim(axis)});
    };
    auto scale = [&](Body &, Scalar total) { return total * steps.scale; };
    return sum(builder, DType::F64, steps.type,
               getShape(steps.resultParts, steps.outputs.ceilDiv(fast)), reduced, term,
               steps.scale == 1 ? EpilogueFn() : EpilogueFn(scale));
  }

  FailureOr<Tensor> arrange(FailureOr<Tensor> x) {
    if (failed(x))
      return failure();
    SmallVector<Size> shape(steps.before);
    shape.push_back(steps.outputs);
    shape.append(steps.after.begin(), steps.after.end());
    shape.push_back(Size(steps.resultParts));
    return builder.compute(steps.type, shape, [&](Body &body) {
      AffineExpr k = body.dim(axis - 1);
      SmallVector<AffineExpr> at = {body.dim(shape.size() - 1)};
      at.append(body.dims(0, axis - 1));
      at.append({k.floorDiv(fast), k % fast});
      at.append(body.dims(axis, shape.size() - 1));
      return body.read(*x, at);
    });
  }

  Builder &builder;
  const FourierSteps &steps;
  int64_t fast, slow;
  unsigned axis; ///< position of the dim slow
};
} // namespace

FailureOr<Tensor> transformInSteps(Builder &builder, const FourierSteps &steps, SignalFn signal) {
  return Stepper(builder, steps).run(signal);
}

} // namespace tssa::operators
