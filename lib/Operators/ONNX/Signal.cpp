//===- Signal.cpp - Fourier transforms and mel filters -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// If the length of a transform is known and has suitable factors, the transform is a few matrix
/// products (FourierSteps.h). Any other transform of length N is computed as the sum that defines
/// it, in f64, with a table of the N roots of unity.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/FourierSteps.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Indexing.h"

using namespace mlir;

namespace tssa::operators {

static Scalar toDouble(Body &body, const Scalar &x) { return convert(x, body.ops.getF64Type()); }

static Scalar sizeAsDouble(Body &body, const Size &size) {
  return toDouble(body, sizeScalar(body, size));
}

/// Returns the sum of x^(first + 2i) (-1)^i / (first + 2i)!: cos(x) if `first` is 0, sin(x) if
/// `first` is 1. The result is exact to the last bit for |x| up to pi / 4.
static Scalar sumSeries(const Scalar &x, int first) {
  constexpr int numTerms = 9;
  Scalar square = x * x, result = x.constant(1);
  for (int i = numTerms - 1; i > 0; --i) {
    int power = first + 2 * i;
    result = 1.0 - square * (1.0 / (power * (power - 1))) * result;
  }
  return first == 1 ? x * result : result;
}

/// Returns cos and sin of 2 pi j / length, as f64[length, 2]. Devices have no such functions on
/// f64, so they are computed by series. First, quarters of a circle are subtracted from the angle
/// until the series converge.
static FailureOr<Tensor> makeRoots(Builder &builder, const Size &length) {
  return builder.compute(DType::F64, {length, Size(2)}, [&](Body &body) {
    Scalar count = sizeAsDouble(body, length);
    Scalar quarters = toDouble(body, indexScalar(body, body.dim(0), DType::I64)) * 4.0;
    Scalar turned = roundEven(quarters / count);
    Scalar angle = (quarters - turned * count) / count * (llvm::numbers::pi / 2);
    Scalar cosine = sumSeries(angle, 0), sine = sumSeries(angle, 1);
    // The sine is the cosine of the angle minus a quarter of a circle.
    Scalar isSine = toDouble(body, indexScalar(body, body.dim(1), DType::I64));
    Scalar quarter = turned - isSine;
    Scalar isOdd = (quarter == 1.0) | (quarter == 3.0) | (quarter == -1.0);
    Scalar isNegative = (quarter == 1.0) | (quarter == 2.0);
    Scalar result = select(isOdd, sine, cosine);
    return select(isNegative, -result, result).getValue();
  });
}

namespace {
/// Multiplies complex numbers by e^(sign 2 pi i k n / length).
struct Rotation {
  Tensor roots;
  Size length;
  double sign;

  /// Multiplies the number whose parts `read` returns. Returns part `part` of the product: 0 is the
  /// real part, 1 the imaginary part.
  Scalar apply(Body &body, const Scalar &k, const Scalar &n, AffineExpr part,
               llvm::function_ref<Scalar(AffineExpr)> read) const {
    auto asUnsigned = [&](const Scalar &x) {
      return Scalar(body.ops, body.loc, x.getValue(), /*isUnsigned=*/true);
    };
    Scalar turns = truncMod(asUnsigned(k) * asUnsigned(n), asUnsigned(sizeScalar(body, length)));
    AffineExpr j = body.opaque(toIndex(turns));
    Scalar cosine = readScalar(body, roots, {j, body.constantExpr(0)});
    Scalar sine = readScalar(body, roots, {j, body.constantExpr(1)});
    Scalar crossed = read(1 - part) * sine * sign;
    Scalar isReal = indexScalar(body, part, DType::I64) == 0.0;
    return read(part) * cosine + select(isReal, -crossed, crossed);
  }
};
} // namespace

/// Reads a part (real or imaginary) of an element as f64. The imaginary part of a real tensor is 0.
static Scalar readPart(Body &body, const Tensor &x, ArrayRef<AffineExpr> at) {
  const Size &parts = x.shape().back();
  SmallVector<AffineExpr> guard;
  if (!parts.isConstant(2))
    guard.push_back(body.size(parts) - 1 - at.back());
  TypedAttr zero =
      cast<TypedAttr>(body.ops.getZeroAttr(getElementType(body.ops.getContext(), x.dtype())));
  return toDouble(body, toScalar(body, body.read(x, at, guard, zero), x.dtype()));
}

static LogicalResult requireParts(Builder &builder, const Tensor &x, bool mustBeReal) {
  const Size &parts = x.shape().back();
  if (parts.differs(1) && (mustBeReal || parts.differs(2)))
    return builder.error(Twine("expected a last dim of ") + (mustBeReal ? "1" : "1 or 2") +
                         ", got " + x.str());
  return success();
}

//===----------------------------------------------------------------------===//
// DFT
//===----------------------------------------------------------------------===//

namespace {
/// The dim that is transformed: `known` or, if it is known only at run time, `number`.
struct TransformedAxis {
  std::optional<int64_t> known;
  Size number;

  Builder::Condition is(Builder &builder, int64_t dim) const {
    return known ? Builder::Condition{*known == dim, {}} : builder.isEqual(number, dim);
  }
  /// Returns `ifAxis` if `dim` is the transformed dim, else `otherwise`.
  Scalar choose(Body &body, int64_t dim, const Scalar &ifAxis, const Scalar &otherwise) const {
    if (known)
      return *known == dim ? ifAxis : otherwise;
    return select(sizeScalar(body, number) == static_cast<double>(dim), ifAxis, otherwise);
  }
  /// Returns `point` with the index `n` along the transformed dim.
  SmallVector<AffineExpr> position(Body &body, ArrayRef<AffineExpr> point, AffineExpr n) const {
    SmallVector<AffineExpr> at(point);
    for (auto [dim, index] : llvm::enumerate(at)) {
      if (known) {
        index = *known == static_cast<int64_t>(dim) ? n : index;
        continue;
      }
      Scalar chosen =
          choose(body, dim, indexScalar(body, n, DType::I64), indexScalar(body, index, DType::I64));
      index = body.opaque(toIndex(chosen));
    }
    return at;
  }
};
} // namespace

static FailureOr<TransformedAxis> getTransformedAxis(Builder &builder, const Node &node) {
  int64_t rank = node.inputs[0].rank();
  int64_t given = node.version >= 20 ? -2 : node.getInt("axis", 1);
  if (Tensor axis = node.version >= 20 ? node.input(2) : Tensor()) {
    FailureOr<Size> number = builder.requireSize(axis, "the axis");
    if (failed(number))
      return failure();
    if (!number->constant()) {
      Size normal = builder.select(builder.isLess(*number, 0), *number + rank, *number);
      if (failed(builder.require(builder.isLess(normal, rank - 1), "the axis is out of range")) ||
          failed(builder.requireNonNegative(normal, "the axis")))
        return failure();
      return TransformedAxis{std::nullopt, normal};
    }
    given = *number->constant();
  }
  FailureOr<int64_t> axis = builder.normalizeAxis(given, rank);
  if (failed(axis))
    return failure();
  if (*axis == rank - 1)
    return builder.error("the last dim cannot be transformed");
  return TransformedAxis{*axis, *axis};
}

namespace {
struct Transform {
  Tensor x;
  TransformedAxis axis;
  bool isInverse, isOneSided;
  Size signal, length; ///< the size of the input along the axis, and the length of the transform

  /// Returns whether half of a spectrum is transformed to a real signal.
  bool isHalfSpectrum() const { return isInverse && isOneSided; }
  Size half() const { return length.floorDiv(2) + 1; }
};
} // namespace

static SmallVector<Size> getTransformedShape(Builder &builder, const Transform &dft) {
  SmallVector<Size> shape(dft.x.shape());
  Size extent = dft.isOneSided && !dft.isInverse ? dft.half() : dft.length;
  for (int64_t dim = 0; dim + 1 < dft.x.rank(); ++dim)
    shape[dim] = builder.select(dft.axis.is(builder, dim), extent, shape[dim]);
  shape.back() = dft.isHalfSpectrum() ? 1 : 2;
  return shape;
}

/// Returns how often element `n` of the input counts for the real part of the sum. An element of
/// half a spectrum stands for two elements of the spectrum, except the first element and, if the
/// length is even, the last element.
static Scalar weigh(Body &body, const Transform &dft, const Scalar &n, const Scalar &product) {
  if (!dft.isHalfSpectrum())
    return product;
  Scalar isAlone = (n == 0.0) | (n + n == sizeScalar(body, dft.length));
  return select(isAlone, product, product * 2.0);
}

/// Reads an element of the input as f64, weighed; yields 0 after the end of the signal.
static Scalar readElement(Body &body, const Transform &dft, ArrayRef<AffineExpr> at) {
  SmallVector<AffineExpr> guard;
  AffineExpr n = at[*dft.axis.known];
  Size count = Size::min(dft.signal, dft.isHalfSpectrum() ? dft.half() : dft.length);
  if (dft.isHalfSpectrum() || !(count - dft.length).isAtLeast(0))
    guard.push_back(body.size(count) - 1 - n);
  TypedAttr zero =
      cast<TypedAttr>(body.ops.getZeroAttr(getElementType(body.ops.getContext(), dft.x.dtype())));
  Scalar element = toDouble(body, toScalar(body, body.read(dft.x, at, guard, zero), dft.x.dtype()));
  return weigh(body, dft, indexScalar(body, n, DType::I64), element);
}

/// Returns the options of a transform by matrix products, or nothing if this transform cannot be
/// computed in that way.
static std::optional<FourierSteps> getSteps(const Transform &dft) {
  std::optional<int64_t> length = dft.length.constant(), parts = dft.x.shape().back().constant();
  if (!dft.axis.known || !length || !parts || !hasFourierSteps(*length))
    return std::nullopt;
  ArrayRef<Size> dims = dft.x.shape().drop_back();
  FourierSteps steps;
  steps.before.assign(dims.take_front(*dft.axis.known).begin(),
                      dims.take_front(*dft.axis.known).end());
  steps.after.assign(dims.drop_front(*dft.axis.known + 1).begin(), dims.end());
  steps.length = *length;
  steps.outputs = dft.isOneSided && !dft.isInverse ? dft.half() : dft.length;
  steps.parts = *parts;
  if (dft.isHalfSpectrum()) {
    steps.resultParts = 1;
    steps.terms = *length / 2 + 1;
  }
  steps.sign = dft.isInverse ? 1 : -1;
  steps.scale = dft.isInverse ? 1.0 / *length : 1;
  steps.type = dft.x.dtype();
  return steps;
}

static FailureOr<Tensor> transform(Builder &builder, const Transform &dft) {
  if (std::optional<FourierSteps> steps = getSteps(dft))
    return transformInSteps(builder, *steps,
                            [&](Body &body, ArrayRef<AffineExpr> before, AffineExpr n,
                                ArrayRef<AffineExpr> after, AffineExpr part) {
                              SmallVector<AffineExpr> at(before);
                              at.push_back(n);
                              at.append(after.begin(), after.end());
                              at.push_back(part);
                              return readElement(body, dft, at);
                            });
  FailureOr<Tensor> roots = makeRoots(builder, dft.length);
  if (failed(roots))
    return failure();
  Rotation rotation{*roots, dft.length, dft.isInverse ? 1.0 : -1.0};
  SmallVector<Size> shape = getTransformedShape(builder, dft);
  int64_t rank = dft.x.rank();
  ReducedDims reduced(rank);
  unsigned slot =
      reduced.add(Size::min(dft.signal, dft.isHalfSpectrum() ? dft.half() : dft.length));
  auto term = [&](Body &body) {
    AffineExpr index = reduced.expr(body, slot);
    Scalar n = indexScalar(body, index, DType::I64), k = n;
    for (int64_t dim = 0; dim + 1 < rank; ++dim)
      k = dft.axis.choose(body, dim, indexScalar(body, body.dim(dim), DType::I64), k);
    SmallVector<AffineExpr> at = dft.axis.position(body, body.dims(0, rank - 1), index);
    Scalar product = rotation.apply(body, k, n, body.dim(rank - 1), [&](AffineExpr part) {
      SmallVector<AffineExpr> position(at);
      position.push_back(part);
      return readPart(body, dft.x, position);
    });
    return weigh(body, dft, n, product);
  };
  auto divide = [&](Body &body, Scalar total) { return total / sizeAsDouble(body, dft.length); };
  return sum(builder, DType::F64, dft.x.dtype(), shape, reduced, term,
             dft.isInverse ? EpilogueFn(divide) : EpilogueFn());
}

static FailureOr<Tensors> buildDFT(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  if (x.rank() < 2)
    return builder.error("expected an input of rank 2 or more, got " + Twine(x.str()));
  FailureOr<TransformedAxis> axis = getTransformedAxis(builder, node);
  if (failed(axis))
    return failure();
  Transform dft{x, *axis, node.getInt("inverse", 0) != 0, node.getInt("onesided", 0) != 0, {}, {}};
  if (failed(requireParts(builder, x, dft.isOneSided && !dft.isInverse)))
    return failure();
  dft.signal = x.dim(0);
  for (int64_t dim = 1; dim + 1 < x.rank(); ++dim)
    dft.signal = builder.select(axis->is(builder, dim), x.dim(dim), dft.signal);
  dft.length = dft.isHalfSpectrum() ? (dft.signal - 1) * 2 : dft.signal;
  if (Tensor given = node.input(1)) {
    FailureOr<Size> length = builder.requireSize(given, "the length of the transform");
    if (failed(length))
      return failure();
    dft.length = *length;
  }
  if (failed(builder.requireNonNegative(dft.length, "the length of the transform")))
    return failure();
  return single(transform(builder, dft));
}

//===----------------------------------------------------------------------===//
// STFT
//===----------------------------------------------------------------------===//

/// Returns the length of a frame: the given length, else the length of the window, else the length
/// of the signal.
static FailureOr<Size> getFrameLength(Builder &builder, const Node &node) {
  Tensor window = node.input(2), given = node.input(3);
  if (!given)
    return window ? window.dim(0) : node.inputs[0].dim(1);
  FailureOr<Size> length = builder.requireSize(given, "the length of a frame");
  if (succeeded(length) && window &&
      failed(builder.requireEqual(*length, window.dim(0), "length of a frame and of the window")))
    return failure();
  return length;
}

/// Returns a real signal of rank 2 with the dim of size 1 that exporters leave out, and any other
/// signal as it is.
static FailureOr<Tensor> addParts(Builder &builder, const Tensor &signal) {
  if (signal.rank() != 2)
    return signal;
  return builder.reshape(signal, {signal.dim(0), signal.dim(1), 1});
}

static FailureOr<Tensors> buildSTFT(Builder &builder, const Node &node) {
  FailureOr<Tensor> given = addParts(builder, node.inputs[0]);
  if (failed(given))
    return failure();
  const Tensor &signal = *given;
  Tensor window = node.input(2);
  bool isOneSided = node.getInt("onesided", 1) != 0;
  if (signal.rank() != 3 || (window && window.rank() != 1))
    return builder.error("expected a signal of rank 2 or 3 and a window of rank 1, got " +
                         signal.str() + (window ? " and " + window.str() : ""));
  if (failed(requireParts(builder, signal, isOneSided)))
    return failure();
  FailureOr<Size> step = builder.requireSize(node.inputs[1], "the step between frames");
  FailureOr<Size> length = getFrameLength(builder, node);
  if (failed(step) || failed(length))
    return failure();
  if (failed(
          builder.require(builder.isLess(0, *step), "the step between frames is not positive")) ||
      failed(builder.require(builder.isLess(*length - 1, signal.dim(1)),
                             "a frame is longer than the signal")))
    return failure();
  Size frames = (signal.dim(1) - *length).floorDiv(*step) + 1;
  Size outputs = isOneSided ? length->floorDiv(2) + 1 : *length;
  if (std::optional<int64_t> parts = signal.dim(2).constant();
      parts && length->constant() && hasFourierSteps(*length->constant())) {
    FourierSteps steps{{signal.dim(0), frames}, {}, *length->constant(), outputs, *parts, -1, 1,
                       signal.dtype()};
    return single(transformInSteps(
        builder, steps,
        [&](Body &body, ArrayRef<AffineExpr> before, AffineExpr n, ArrayRef<AffineExpr>,
            AffineExpr part) {
          AffineExpr position = before[1] * body.size(*step) + n;
          Scalar element = toDouble(body, readScalar(body, signal, {before[0], position, part}));
          return window ? element * toDouble(body, readScalar(body, window, n)) : element;
        }));
  }
  FailureOr<Tensor> roots = makeRoots(builder, *length);
  if (failed(roots))
    return failure();
  Rotation rotation{*roots, *length, -1.0};
  SmallVector<Size> shape = {signal.dim(0), frames, outputs, 2};
  ReducedDims reduced(shape.size());
  unsigned slot = reduced.add(*length);
  return single(sum(builder, DType::F64, signal.dtype(), shape, reduced, [&](Body &body) {
    AffineExpr n = reduced.expr(body, slot);
    AffineExpr position = body.dim(1) * body.size(*step) + n;
    Scalar product =
        rotation.apply(body, indexScalar(body, body.dim(2), DType::I64),
                       indexScalar(body, n, DType::I64), body.dim(3), [&](AffineExpr part) {
                         return readPart(body, signal, {body.dim(0), position, part});
                       });
    return window ? product * toDouble(body, readScalar(body, window, n)) : product;
  }));
}

//===----------------------------------------------------------------------===//
// MelWeightMatrix
//===----------------------------------------------------------------------===//

/// Reads the only element of a tensor as f64.
static Scalar readOne(Body &body, const Tensor &tensor) {
  SmallVector<AffineExpr> at(tensor.rank(), body.constantExpr(0));
  return toDouble(body, readScalar(body, tensor, at));
}

/// Returns the `count` bins of the spectrum at which the triangles begin, peak and end. They are
/// equidistant on the mel scale.
static FailureOr<Tensor> makeMelBins(Builder &builder, const Node &node, const Size &count) {
  return builder.compute(DType::I64, count, [&](Body &body) {
    constexpr double scale = 2595, corner = 700;
    const double ln10 = std::log(10.0);
    auto toMel = [&](const Tensor &hertz) {
      return log1p(readOne(body, hertz) / corner) * scale / ln10;
    };
    Scalar low = toMel(node.inputs[3]), high = toMel(node.inputs[4]);
    Scalar step = (high - low) / sizeAsDouble(body, count);
    Scalar mel = toDouble(body, indexScalar(body, body.dim(0), DType::I64)) * step + low;
    Scalar hertz = (exp(mel / scale * ln10) - 1.0) * corner;
    Scalar bin =
        floor((readOne(body, node.inputs[1]) + 1.0) * hertz / readOne(body, node.inputs[2]));
    return convert(bin, body.ops.getI64Type()).getValue();
  });
}

static FailureOr<Tensors> buildMelWeightMatrix(Builder &builder, const Node &node) {
  for (const Tensor &input : node.inputs)
    if (input.numElements().differs(1))
      return builder.error("expected scalars, got " + input.str());
  FailureOr<Size> count = builder.requireSize(node.inputs[0], "the number of bins");
  FailureOr<Size> length = builder.requireSize(node.inputs[1], "the length of the transform");
  if (failed(count) || failed(length))
    return failure();
  int64_t code = node.getInt("output_datatype", 1);
  std::optional<DType> type = fromONNX(code);
  if (!type)
    return builder.unsupported("element type " + Twine(code) + " of 'output_datatype'");
  FailureOr<Tensor> bins = makeMelBins(builder, node, *count + 2);
  if (failed(bins))
    return failure();
  SmallVector<Size> shape = {length->floorDiv(2) + 1, *count};
  return single(builder.compute(*type, shape, [&](Body &body) {
    Scalar row = indexScalar(body, body.dim(0), DType::I64);
    auto bin = [&](int64_t offset) { return readScalar(body, *bins, body.dim(1) + offset); };
    Scalar begin = bin(0), peak = bin(1), end = bin(2);
    auto ratio = [&](const Scalar &a, const Scalar &b) {
      return toDouble(body, a) / toDouble(body, b);
    };
    Scalar rises = (row >= begin) & (row <= peak), falls = (row >= peak) & (row < end);
    Scalar rising = select(rises, ratio(row - begin, max(peak - begin, row.constant(1))), 0.0);
    Scalar isPeak = (begin == peak) & (row == peak);
    Scalar result = select(isPeak, 1.0, rising);
    return toElement(
        body, select(falls, ratio(end - row, max(end - peak, row.constant(1))), result), *type);
  }));
}

OperatorRows getSignalRows() {
  return {
      {"DFT", buildDFT},
      {"STFT", buildSTFT},
      {"MelWeightMatrix", buildMelWeightMatrix},
  };
}

} // namespace tssa::operators
