//===- MatMul.cpp - fused matrix products and convolutions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/Microsoft/Standard.h"
#include "lib/Operators/ONNX/Elementwise.h"
#include "lib/Operators/ONNX/Quantization.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Shapes.h"

using namespace mlir;

namespace tssa::operators {

//===----------------------------------------------------------------------===//
// Products of floats
//===----------------------------------------------------------------------===//

/// Rearranges an operand of a product: moves its first dim before the last one if `movesBatch`,
/// then exchanges the last two dims if `transposes`.
static FailureOr<Tensor> arrange(Builder &builder, const Tensor &x, bool transposes,
                                 bool movesBatch) {
  int64_t rank = x.rank();
  if (rank < 2 || (!transposes && !movesBatch))
    return x;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (movesBatch)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (transposes)
    std::swap(order[rank - 2], order[rank - 1]);
  return builder.transpose(x, order);
}

static FailureOr<Tensors> buildFusedMatMul(Builder &builder, const Node &node) {
  FailureOr<Tensor> a =
      arrange(builder, node.inputs[0], node.getInt("transA", 0), node.getInt("transBatchA", 0));
  FailureOr<Tensor> b =
      arrange(builder, node.inputs[1], node.getInt("transB", 0), node.getInt("transBatchB", 0));
  if (failed(a) || failed(b))
    return failure();
  double alpha = node.getFloat("alpha", 1);
  auto keep = [](Body &, Scalar x, AffineExpr) { return widen(x); };
  MatMulOptions options{getAccumulator(a->dtype()), a->dtype(), keep, keep, nullptr};
  if (alpha != 1)
    options.epilogue = [=](Body &, Scalar total, ArrayRef<AffineExpr>) { return total * alpha; };
  return single(matmul(builder, *a, *b, options));
}

/// Applies the standard operator named `activation`, with the attributes `alpha` and `beta`, to
/// `x`.
static FailureOr<Tensors> activate(Builder &builder, StringRef activation, const Tensor &x,
                                   std::optional<double> alpha, std::optional<double> beta) {
  NamedAttrList attributes;
  bool isClip = activation == "Clip";
  if (alpha)
    attributes.set(isClip ? "min" : "alpha", builder.ops.getF32FloatAttr(*alpha));
  if (beta)
    attributes.set(isClip ? "max" : "beta", builder.ops.getF32FloatAttr(*beta));
  static const StringRef known[] = {"Relu", "Tanh", "Sigmoid",  "LeakyRelu", "HardSigmoid",
                                    "Clip", "Elu",  "Softplus", "Softsign",  "ThresholdedRelu"};
  if (!llvm::is_contained(known, activation))
    return builder.unsupported("activation '" + Twine(activation) + "'");
  return buildStandard(builder, activation, 6, x, attributes);
}

static std::optional<double> getOptional(const Node &node, StringRef name) {
  return node.has(name) ? std::optional<double>(node.getFloat(name, 0)) : std::nullopt;
}

static FailureOr<Tensors> buildFusedGemm(Builder &builder, const Node &node) {
  NamedAttrList attributes;
  for (NamedAttribute attribute : node.attributes)
    if (!attribute.getName().getValue().starts_with("activation"))
      attributes.push_back(attribute);
  FailureOr<Tensors> product = buildStandard(builder, "Gemm", 13, node.inputs, attributes);
  StringRef activation = node.getString("activation", "");
  if (failed(product) || activation.empty())
    return product;
  return activate(builder, activation, product->front(), getOptional(node, "activation_alpha"),
                  getOptional(node, "activation_beta"));
}

/// Builds a convolution, adds input Z to its result, and applies an activation.
static FailureOr<Tensors> buildFusedConv(Builder &builder, const Node &node) {
  NamedAttrList attributes;
  for (NamedAttribute attribute : node.attributes)
    if (!attribute.getName().getValue().starts_with("activation"))
      attributes.push_back(attribute);
  Tensors inputs(ArrayRef<Tensor>(node.inputs).take_front(3));
  FailureOr<Tensors> conv = buildStandard(builder, "Conv", 11, inputs, attributes);
  if (Tensor z = node.input(3); z && succeeded(conv))
    conv = buildStandard(builder, "Add", 14, {conv->front(), z});
  StringRef activation = node.getString("activation", "");
  if (failed(conv) || activation.empty())
    return conv;
  SmallVector<double> parameters = node.getFloats("activation_params");
  auto parameter = [&](size_t i) {
    return i < parameters.size() ? std::optional<double>(parameters[i]) : std::nullopt;
  };
  return activate(builder, activation, conv->front(), parameter(0), parameter(1));
}

//===----------------------------------------------------------------------===//
// Products of integers
//===----------------------------------------------------------------------===//

/// Returns the epilogue of an integer product: scales it to f32 and adds a bias.
static auto scaleProduct(const Tensor &aScale, const Tensor &bScale, const Tensor &bias) {
  return [=](Body &body, Scalar total, ArrayRef<AffineExpr> at) {
    AffineExpr row = at.size() > 1 ? at[at.size() - 2] : body.constantExpr(0);
    AffineExpr column = at.empty() ? body.constantExpr(0) : at.back();
    Scalar factor = readScale(body, aScale, row) * readScale(body, bScale, column);
    Scalar real = convert(total, factor.getType()) * factor;
    return bias ? real + readScalar(body, bias, column) : real;
  };
}

/// Requires that each parameter has one element or `size` elements.
static LogicalResult requirePerElement(Builder &builder, ArrayRef<Tensor> parameters,
                                       const Size &size) {
  if (failed(requireSimple(builder, parameters)))
    return failure();
  for (const Tensor &parameter : parameters)
    if (parameter && parameter.rank() == 1 && !parameter.dim(0).isConstant(1) &&
        failed(builder.requireEqual(parameter.dim(0), size, "scales or zero points and columns")))
      return failure();
  return success();
}

/// Removes the leading dims of size 1 from a bias, so that only the last dim, of size `size`, is
/// left.
static LogicalResult flattenBias(Builder &builder, Tensor &bias, const Size &size) {
  if (!bias)
    return success();
  if (bias.rank() < 1 ||
      !llvm::all_of(bias.shape().drop_back(), [](const Size &dim) { return dim.isConstant(1); }))
    return builder.error("expected a bias of rank 1, got " + Twine(bias.str()));
  if (failed(builder.requireEqual(bias.shape().back(), size, "bias and columns")))
    return failure();
  FailureOr<Tensor> flat = builder.reshape(bias, bias.shape().back());
  if (failed(flat))
    return failure();
  bias = *flat;
  return success();
}

static LogicalResult checkOperands(Builder &builder, const Tensor &a, const Tensor &b,
                                   ArrayRef<Tensor> ofA, ArrayRef<Tensor> ofB) {
  if (a.rank() < 2 || b.rank() < 2)
    return builder.error("expected operands of rank 2 or more, got " + Twine(a.str()) + " and " +
                         b.str());
  if (failed(requirePerElement(builder, ofA, a.dim(a.rank() - 2))))
    return failure();
  return requirePerElement(builder, ofB, b.shape().back());
}

static FailureOr<Tensors> buildMatMulIntegerToFloat(Builder &builder, const Node &node) {
  const Tensor &a = node.inputs[0], &b = node.inputs[1];
  const Tensor &aScale = node.inputs[2], &bScale = node.inputs[3];
  Tensor aZero = node.input(4), bZero = node.input(5), bias = node.input(6);
  if (failed(checkOperands(builder, a, b, {aScale, aZero}, {bScale, bZero})) ||
      failed(flattenBias(builder, bias, b.shape().back())))
    return failure();
  MatMulOptions options = getIntegerMatMul(aZero, bZero);
  options.result = aScale.dtype();
  options.epilogue = scaleProduct(aScale, bScale, bias);
  return single(matmul(builder, a, b, options));
}

static FailureOr<Tensors> buildDynamicQuantizeMatMul(Builder &builder, const Node &node) {
  const Tensor &a = node.inputs[0], &b = node.inputs[1], &bScale = node.inputs[2];
  Tensor bZero = node.input(3), bias = node.input(4);
  if (failed(checkOperands(builder, a, b, {}, {bScale, bZero})) ||
      failed(flattenBias(builder, bias, b.shape().back())))
    return failure();
  FailureOr<Quantized> quantized = quantizeByRange(builder, a);
  if (failed(quantized))
    return failure();
  MatMulOptions options = getIntegerMatMul(quantized->zero, bZero);
  options.result = DType::F32;
  options.epilogue = scaleProduct(quantized->scale, bScale, bias);
  return single(matmul(builder, quantized->elements, b, options));
}

/// Builds alpha A B + C, where C has the scale of the product. If no scale of the result is given,
/// the result is f32.
static FailureOr<Tensors> buildQGemm(Builder &builder, const Node &node) {
  Tensor aScale = node.inputs[1], aZero = node.input(2), bScale = node.inputs[4],
         bZero = node.input(5), c = node.input(6), yScale = node.input(7), yZero = node.input(8);
  if (node.inputs[0].rank() != 2 || node.inputs[3].rank() != 2)
    return builder.error("expected A and B of rank 2");
  if (!yScale && yZero)
    return builder.error("expected a scale with the zero point of the result");
  FailureOr<Tensor> a = arrange(builder, node.inputs[0], node.getInt("transA", 0), false);
  FailureOr<Tensor> b = arrange(builder, node.inputs[3], node.getInt("transB", 0), false);
  if (failed(a) || failed(b) ||
      failed(checkOperands(builder, *a, *b, {aScale, aZero}, {bScale, bZero})) ||
      failed(checkOperands(builder, *a, *b, {}, {yScale, yZero})))
    return failure();
  SmallVector<Size> shape = {a->dim(0), b->dim(1)};
  if (c && failed(requireBroadcast(builder, c, shape, "C")))
    return failure();
  double alpha = node.getFloat("alpha", 1);
  MatMulOptions options = getIntegerMatMul(aZero, bZero);
  options.result = !yScale ? DType::F32 : yZero ? yZero.dtype() : DType::U8;
  options.epilogue = [=](Body &body, Scalar total, ArrayRef<AffineExpr> at) {
    if (c)
      total = total + toScalar(body, body.readBroadcast(c, shape, at), DType::I32);
    Scalar factor = readScale(body, aScale, at[0]) * readScale(body, bScale, at[1]) * alpha;
    Scalar real = convert(total, factor.getType()) * factor;
    if (!yScale)
      return real;
    std::optional<Scalar> zero;
    if (yZero)
      zero = readScale(body, yZero, at[1]);
    Value result = quantize(body, real / readScale(body, yScale, at[1]), zero, options.result);
    return toScalar(body, result, options.result);
  };
  return single(matmul(builder, *a, *b, options));
}

OperatorRows getMicrosoftMatMulRows() {
  return {
      {"FusedMatMul",
       Signature{"A:T B:T", "alpha:float transA:int transB:int transBatchA:int transBatchB:int"},
       buildFusedMatMul},
      {"TransposeMatMul", Signature{"A:T B:T", "alpha:float transA:int transB:int"},
       buildFusedMatMul},
      {"FusedGemm",
       Signature{"A:T B:T C?:T", "alpha:float beta:float transA:int transB:int activation:string "
                                 "activation_alpha:float activation_beta:float "
                                 "activation_gamma:float"},
       buildFusedGemm},
      {"FusedConv",
       Signature{
           "X:T W:T B?:T Z?:T",
           "auto_pad:string dilations:ints group:int kernel_shape:ints pads:ints strides:ints "
           "activation:string activation_params:floats"},
       buildFusedConv},
      {"MatMulIntegerToFloat",
       Signature{"A:int8 B:int8 a_scale:T b_scale:T a_zero_point?:int8 b_zero_point?:int8 bias?:T"},
       buildMatMulIntegerToFloat},
      {"DynamicQuantizeMatMul", Signature{"A:f32 B:int8 b_scale:f32 b_zero_point?:int8 bias?:f32"},
       buildDynamicQuantizeMatMul},
      {"QGemm",
       Signature{"A:int8 a_scale:f32 a_zero_point:int8 B:int8 b_scale:f32 b_zero_point:int8 "
                 "C?:i32 y_scale?:f32 y_zero_point?:int8",
                 "alpha:float transA:int transB:int"},
       buildQGemm},
  };
}

} // namespace tssa::operators
