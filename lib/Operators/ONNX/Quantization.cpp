//===- Quantization.cpp - quantised elements -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Quantization.h"
#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Convolution.h"

using namespace mlir;

namespace tssa::operators {

/// `parameter` is a 1-D scale or zero point with one element for all indexes of an axis, or one
/// element for each index. Returns the position in `parameter` for the index `index`. If `index` is
/// null, `parameter` has one element.
static AffineExpr pick(Body &body, const Tensor &parameter, AffineExpr index) {
  const Size &size = parameter.dim(0);
  if (!index || size.isConstant(1))
    return body.constantExpr(0);
  return size.constant() ? index : index % body.size(size);
}

LogicalResult requireOneOrEach(Builder &builder, const Tensor &parameter, const Size &count) {
  if (!parameter || parameter.rank() != 1 || parameter.dim(0).isConstant(1))
    return success();
  const Size &size = parameter.dim(0);
  Size expected = builder.select(builder.isEqual(size, 1), 1, count);
  return builder.requireEqual(size, expected, "scales or zero points and what they are for");
}

namespace {
/// Determines which element of a scale or zero point belongs to an element of a tensor. The scale
/// has one element for the whole tensor, one per index of `axis`, or one per block along `axis`.
struct Granularity {
  int64_t axis, block;

  SmallVector<AffineExpr> at(Body &body, const Tensor &parameter,
                             ArrayRef<AffineExpr> point) const {
    if (parameter.rank() == 0)
      return {};
    if (parameter.rank() == 1)
      return {point.empty() ? body.constantExpr(0) : pick(body, parameter, point[axis])};
    SmallVector<AffineExpr> result(point);
    result[axis] = point[axis].floorDiv(block);
    return result;
  }
};
} // namespace

/// Requires that a zero point is one number, or has one number per index of the axis, or has the
/// shape of the scale.
static LogicalResult requireZeroPoint(Builder &builder, const Tensor &x, const Tensor &scale,
                                      const Tensor &zeroPoint, int64_t axis) {
  if (!zeroPoint || zeroPoint.rank() == 0)
    return success();
  if (zeroPoint.rank() == 1)
    return requireOneOrEach(builder, zeroPoint, x.rank() == 0 ? Size(1) : x.dim(axis));
  if (zeroPoint.rank() != scale.rank())
    return builder.error("expected a zero point of the same rank as the scale, " +
                         Twine(scale.str()) + ", got " + zeroPoint.str());
  for (auto [ours, theirs] : llvm::zip_equal(zeroPoint.shape(), scale.shape()))
    if (failed(builder.requireEqual(ours, theirs, "sizes of the zero point and of the scale")))
      return failure();
  return success();
}

static FailureOr<Granularity> getGranularity(Builder &builder, const Node &node,
                                             const Tensor &scale) {
  const Tensor &x = node.inputs[0];
  Granularity granularity{0, node.getInt("block_size", 0)};
  if (scale.rank() == 0 || (scale.rank() == 1 && scale.dim(0).isConstant(1)))
    return granularity;
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 1), x.rank());
  if (failed(axis))
    return failure();
  granularity.axis = *axis;
  if (scale.rank() == 1) {
    if (failed(requireOneOrEach(builder, scale, x.dim(*axis))))
      return failure();
    return granularity;
  }
  if (scale.rank() != x.rank() || granularity.block < 1)
    return builder.error("expected one scale, a row of scales or blocks of 'block_size', got " +
                         Twine(scale.str()));
  for (int64_t i = 0; i < x.rank(); ++i)
    if (failed(builder.requireEqual(scale.dim(i),
                                    i == *axis ? x.dim(i).ceilDiv(granularity.block) : x.dim(i),
                                    "sizes of the scales and of the blocks")))
      return failure();
  return granularity;
}

Value quantize(Body &body, const Scalar &quotient, const std::optional<Scalar> &zero, DType type,
               bool saturates) {
  Scalar rounded = isFloat(type) ? quotient : roundEven(quotient);
  if (zero)
    rounded = rounded + convert(*zero, rounded.getType());
  if (isSmallFloat(type))
    return encodeSmallFloat(rounded, type, {saturates}).getValue();
  if (isSubByte(type)) {
    double count = 1 << getBits(type), least = isUnsigned(type) ? 0 : -count / 2;
    rounded = atMost(atLeast(rounded, least), least + count - 1);
  }
  return toElement(body, rounded, type);
}

static std::optional<Scalar> readZero(Body &body, const Tensor &zeroPoint,
                                      const Granularity &granularity, ArrayRef<AffineExpr> at) {
  if (!zeroPoint)
    return std::nullopt;
  return readScalar(body, zeroPoint, granularity.at(body, zeroPoint, at));
}

static FailureOr<Tensors> buildQuantizeLinear(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0], &scale = node.inputs[1];
  Tensor zeroPoint = node.input(2);
  FailureOr<Granularity> granularity = getGranularity(builder, node, scale);
  if (failed(granularity) ||
      failed(requireZeroPoint(builder, x, scale, zeroPoint, granularity->axis)))
    return failure();
  DType type = zeroPoint ? zeroPoint.dtype() : DType::U8;
  if (int64_t number = node.getInt("output_dtype", 0); number && !zeroPoint) {
    std::optional<DType> given = fromONNX(number);
    if (!given)
      return builder.unsupported("element type " + Twine(number) + " of 'output_dtype'");
    type = *given;
  }
  return single(builder.compute(type, x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    Scalar divisor = readScalar(body, scale, granularity->at(body, scale, at));
    Scalar element = convert(readScalar(body, x, at), divisor.getType());
    return quantize(body, element / divisor, readZero(body, zeroPoint, *granularity, at), type,
                    node.getInt("saturate", 1) != 0);
  }));
}

static FailureOr<Tensors> buildDequantizeLinear(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0], &scale = node.inputs[1];
  Tensor zeroPoint = node.input(2);
  FailureOr<Granularity> granularity = getGranularity(builder, node, scale);
  if (failed(granularity) ||
      failed(requireZeroPoint(builder, x, scale, zeroPoint, granularity->axis)))
    return failure();
  DType type = scale.dtype();
  if (int64_t number = node.getInt("output_dtype", 0)) {
    std::optional<DType> given = fromONNX(number);
    if (!given)
      return builder.unsupported("element type " + Twine(number) + " of 'output_dtype'");
    type = *given;
  }
  return single(builder.compute(type, x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    Type wide = isFloat(x.dtype()) ? Type(body.ops.getF32Type()) : body.ops.getI32Type();
    Scalar element = convert(readScalar(body, x, at), wide);
    if (std::optional<Scalar> zero = readZero(body, zeroPoint, *granularity, at))
      element = element - convert(*zero, wide);
    Scalar factor = readScalar(body, scale, granularity->at(body, scale, at));
    return toElement(body, convert(element, factor.getType()) * factor, type);
  }));
}

/// Returns x, as i32, minus its zero point. `zeroPoint` is null, one number, or one number per
/// index.
static Scalar shift(Body &body, const Scalar &x, const Tensor &zeroPoint, AffineExpr index) {
  Type wide = body.ops.getI32Type();
  Scalar result = convert(x, wide);
  if (!zeroPoint)
    return result;
  return result - convert(readScale(body, zeroPoint, index), wide);
}

LogicalResult requireSimple(Builder &builder, ArrayRef<Tensor> parameters) {
  for (const Tensor &parameter : parameters)
    if (parameter && parameter.rank() > 1 && !parameter.numElements().isConstant(1))
      return builder.unsupported("a scale or zero point of rank 2 or more: " + parameter.str());
  return success();
}

/// Checks the sizes of the parameters that belong to the rows of `a` and to the columns of `b`.
static LogicalResult requireFit(Builder &builder, const Tensor &a, ArrayRef<Tensor> ofRows,
                                const Tensor &b, ArrayRef<Tensor> ofColumns) {
  for (const Tensor &parameter : ofRows)
    if (failed(requireOneOrEach(builder, parameter, a.rank() > 1 ? a.dim(a.rank() - 2) : 1)))
      return failure();
  for (const Tensor &parameter : ofColumns)
    if (failed(requireOneOrEach(builder, parameter, b.rank() > 1 ? b.dim(b.rank() - 1) : 1)))
      return failure();
  return success();
}

MatMulOptions getIntegerMatMul(const Tensor &aZero, const Tensor &bZero) {
  auto left = [=](Body &body, Scalar x, AffineExpr row) { return shift(body, x, aZero, row); };
  auto right = [=](Body &body, Scalar x, AffineExpr column) {
    return shift(body, x, bZero, column);
  };
  return {DType::I32, DType::I32, left, right, nullptr};
}

static FailureOr<Tensors> buildMatMulInteger(Builder &builder, const Node &node) {
  if (failed(requireSimple(builder, {node.input(2), node.input(3)})) ||
      failed(requireFit(builder, node.inputs[0], node.input(2), node.inputs[1], node.input(3))))
    return failure();
  return single(matmul(builder, node.inputs[0], node.inputs[1],
                       getIntegerMatMul(node.input(2), node.input(3))));
}

Scalar readScale(Body &body, const Tensor &scale, AffineExpr index) {
  SmallVector<AffineExpr> at(scale.rank(), body.constantExpr(0));
  if (scale.rank() == 1)
    at[0] = pick(body, scale, index);
  return readScalar(body, scale, at);
}

static FailureOr<Tensors> buildQLinearMatMul(Builder &builder, const Node &node) {
  const Tensors &in = node.inputs;
  const Tensor &a = in[0], &aScale = in[1], &aZero = in[2], &b = in[3], &bScale = in[4],
               &bZero = in[5], &yScale = in[6], &yZero = in[7];
  if (failed(requireSimple(builder, {aScale, aZero, bScale, bZero, yScale, yZero})) ||
      failed(requireFit(builder, a, {aScale, aZero}, b, {bScale, bZero, yScale, yZero})))
    return failure();
  MatMulOptions options = getIntegerMatMul(aZero, bZero);
  options.result = yZero.dtype();
  options.epilogue = [=](Body &body, Scalar total, ArrayRef<AffineExpr> at) {
    AffineExpr row = at.size() > 1 ? at[at.size() - 2] : AffineExpr();
    AffineExpr column = at.empty() ? AffineExpr() : at.back();
    Scalar factor = readScale(body, aScale, row) * readScale(body, bScale, column);
    Scalar real = convert(total, factor.getType()) * factor / readScale(body, yScale, column);
    Value result = quantize(body, real, readScale(body, yZero, column), options.result);
    return toScalar(body, result, options.result);
  };
  return single(matmul(builder, a, b, options));
}

static FailureOr<Tensors> buildQLinearConv(Builder &builder, const Node &node) {
  const Tensors &in = node.inputs;
  const Tensor &x = in[0], &xScale = in[1], &xZero = in[2], &w = in[3], &wScale = in[4],
               &wZero = in[5], &yScale = in[6], &yZero = in[7];
  Tensor bias = node.input(8);
  FailureOr<Convolution> conv = getConvolution(builder, node, x, w);
  if (failed(conv) ||
      failed(requireParameters(builder, *conv, {xScale, xZero, yScale, yZero}, {wScale, wZero})) ||
      (bias && failed(requireBias(builder, bias, w.dim(0)))))
    return failure();
  DType type = yZero.dtype();
  auto term = [&](Body &body, ArrayRef<AffineExpr> inputAt, Guard guard,
                  ArrayRef<AffineExpr> weightsAt) {
    return readShifted(body, x, xZero, inputAt, guard, body.constantExpr(0)) *
           readShifted(body, w, wZero, weightsAt, {}, weightsAt[0]);
  };
  auto epilogue = [&](Body &body, Scalar total) {
    AffineExpr channel = body.dim(1), none = body.constantExpr(0);
    if (bias)
      total = total + readScalar(body, bias, channel);
    Scalar factor = readScale(body, xScale, none) * readScale(body, wScale, channel) /
                    readScale(body, yScale, none);
    Scalar real = convert(total, factor.getType()) * factor;
    return toScalar(body, quantize(body, real, readScale(body, yZero, none), type), type);
  };
  return single(convolve(builder, *conv, DType::I32, type, term, epilogue));
}

FailureOr<Quantized> quantizeByRange(Builder &builder, const Tensor &x) {
  ReducedDims reduced(0);
  unsigned slot = reduced.add(x.shape());
  auto bound = [&](te::Combiner combiner) {
    return combine(
        builder, combiner, DType::F32, DType::F32, {}, reduced,
        [&](Body &body) {
          SmallVector<AffineExpr> at;
          for (int64_t i = 0; i < x.rank(); ++i)
            at.push_back(reduced.expr(body, slot + i));
          return readScalar(body, x, at);
        },
        [&](Body &, Scalar found) {
          return combiner == te::Combiner::Max ? atLeast(found, 0.0) : atMost(found, 0.0);
        });
  };
  FailureOr<Tensor> greatest = bound(te::Combiner::Max), least = bound(te::Combiner::Min);
  if (failed(greatest) || failed(least))
    return failure();
  FailureOr<Tensor> scale = builder.compute(DType::F32, {}, [&](Body &body) {
    Scalar range = readScalar(body, *greatest, ArrayRef<AffineExpr>()) -
                   readScalar(body, *least, ArrayRef<AffineExpr>());
    return select(range == 0.0, 1.0, range / 255.0).getValue();
  });
  if (failed(scale))
    return failure();
  FailureOr<Tensor> zero = builder.compute(DType::U8, {}, [&](Body &body) {
    Scalar least0 = readScalar(body, *least, ArrayRef<AffineExpr>());
    Scalar zeroPoint = -least0 / readScalar(body, *scale, ArrayRef<AffineExpr>());
    return toElement(body, roundEven(zeroPoint), DType::U8);
  });
  if (failed(zero))
    return failure();
  FailureOr<Tensor> elements = builder.compute(DType::U8, x.shape(), [&](Body &body) {
    Scalar real = readScalar(body, x, body.dims(0, x.rank()));
    return quantize(body, real / readScalar(body, *scale, ArrayRef<AffineExpr>()),
                    readScalar(body, *zero, ArrayRef<AffineExpr>()), DType::U8);
  });
  if (failed(elements))
    return failure();
  return Quantized{*elements, *scale, *zero};
}

OperatorRows getQuantizationRows() {
  return {
      {"QuantizeLinear", buildQuantizeLinear}, {"DequantizeLinear", buildDequantizeLinear},
      {"MatMulInteger", buildMatMulInteger},   {"QLinearMatMul", buildQLinearMatMul},
      {"QLinearConv", buildQLinearConv},
  };
}

} // namespace tssa::operators
