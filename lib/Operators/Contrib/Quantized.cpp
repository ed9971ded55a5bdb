//===- Quantized.cpp - functions of quantised tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Element-wise operators, pools and softmax compute in f32 between a dequantisation and
/// a quantisation that fuse with them.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Contrib/Contrib.h"
#include "lib/Operators/Quantization.h"

using namespace mlir;

namespace tssa::operators {

namespace {
/// How a tensor is quantised: one scale and at most one zero point.
struct Scaling {
  Tensor scale, zero;
};
} // namespace

/// The scaling in inputs `first` and `first` + 1.
static FailureOr<Scaling> getScaling(Builder &builder, const Node &node, unsigned first) {
  Scaling scaling{node.input(first), node.input(first + 1)};
  for (const Tensor &parameter : {scaling.scale, scaling.zero})
    if (parameter && !parameter.numElements().isConstant(1))
      return builder.unsupported("expected one scale and zero point, got " + parameter.str());
  return scaling;
}

static Scalar readOne(Body &body, const Tensor &tensor) {
  return readScalar(body, tensor, SmallVector<AffineExpr>(tensor.rank(), body.constantExpr(0)));
}

static Scalar dequantize(Body &body, const Scalar &x, const Scaling &scaling) {
  Scalar wide = convert(x, body.ops.getI32Type());
  if (scaling.zero)
    wide = wide - convert(readOne(body, scaling.zero), wide.getType());
  Scalar scale = readOne(body, scaling.scale);
  return convert(wide, scale.getType()) * scale;
}

static Value quantize(Body &body, const Scalar &real, const Scaling &scaling, DType type) {
  std::optional<Scalar> zero;
  if (scaling.zero)
    zero = readOne(body, scaling.zero);
  return quantize(body, real / readOne(body, scaling.scale), zero, type);
}

static FailureOr<Tensor> dequantize(Builder &builder, const Tensor &x, const Scaling &scaling) {
  return builder.compute(DType::F32, x.shape(), [&](Body &body) {
    return dequantize(body, readScalar(body, x, body.dims(0, x.rank())), scaling).getValue();
  });
}

static FailureOr<Tensor> quantize(Builder &builder, const Tensor &x, const Scaling &scaling,
                                  DType type) {
  return builder.compute(type, x.shape(), [&](Body &body) {
    return quantize(body, readScalar(body, x, body.dims(0, x.rank())), scaling, type);
  });
}

//===----------------------------------------------------------------------===//
// Element-wise
//===----------------------------------------------------------------------===//

static FailureOr<Tensors> buildBinary(Builder &builder, const Node &node,
                                      Scalar (*fn)(Scalar, Scalar)) {
  const Tensor &a = node.inputs[0], &b = node.inputs[3];
  FailureOr<Scaling> left = getScaling(builder, node, 1), right = getScaling(builder, node, 4),
                     result = getScaling(builder, node, 6);
  if (failed(left) || failed(right) || failed(result))
    return failure();
  DType type = a.dtype();
  auto element = [&](Body &body, ValueRange values) {
    Scalar x = dequantize(body, toScalar(body, values[0], type), *left);
    Scalar y = dequantize(body, toScalar(body, values[1], type), *right);
    return quantize(body, fn(x, y), *result, type);
  };
  return single(builder.elementwise(type, {a, b}, element));
}

using RealFn = llvm::function_ref<Scalar(Scalar)>;

static FailureOr<Tensors> buildUnary(Builder &builder, const Node &node, RealFn fn) {
  const Tensor &x = node.inputs[0];
  FailureOr<Scaling> from = getScaling(builder, node, 1), to = getScaling(builder, node, 3);
  if (failed(from) || failed(to))
    return failure();
  auto element = [&](Body &body, ValueRange values) {
    Scalar real = dequantize(body, toScalar(body, values[0], x.dtype()), *from);
    return quantize(body, fn(real), *to, x.dtype());
  };
  return single(builder.elementwise(x.dtype(), x, element));
}

static FailureOr<Tensors> buildWhere(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[1], &y = node.inputs[4];
  FailureOr<Scaling> left = getScaling(builder, node, 2), right = getScaling(builder, node, 5),
                     result = getScaling(builder, node, 7);
  if (failed(left) || failed(right) || failed(result))
    return failure();
  DType type = x.dtype();
  auto element = [&](Body &body, ValueRange values) {
    Scalar a = dequantize(body, toScalar(body, values[1], type), *left);
    Scalar b = dequantize(body, toScalar(body, values[2], type), *right);
    Scalar chosen = select(toScalar(body, values[0], DType::Bool), a, b);
    return quantize(body, chosen, *result, type);
  };
  return single(builder.elementwise(type, {node.inputs[0], x, y}, element));
}

static FailureOr<Tensors> buildConcat(Builder &builder, const Node &node) {
  FailureOr<Scaling> result = getScaling(builder, node, 0);
  if (failed(result))
    return failure();
  if (node.inputs.size() < 5 || (node.inputs.size() - 2) % 3 != 0)
    return builder.error("expected three inputs for each tensor, got " +
                         Twine(node.inputs.size() - 2));
  DType type = node.inputs[1].dtype();
  Tensors parts;
  for (size_t i = 2; i < node.inputs.size(); i += 3) {
    FailureOr<Scaling> scaling = getScaling(builder, node, i + 1);
    if (failed(scaling))
      return failure();
    for (size_t k : {i, i + 2})
      if (node.inputs[k].dtype() != type)
        return builder.error(Twine("expected elements of type ") + getName(type) + ", got " +
                             node.inputs[k].str());
    if (node.inputs[i + 1].dtype() != DType::F32)
      return builder.error("expected a scale in f32, got " + node.inputs[i + 1].str());
    FailureOr<Tensor> real = dequantize(builder, node.inputs[i], *scaling);
    FailureOr<Tensor> part = failed(real) ? real : quantize(builder, *real, *result, type);
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), parts[0].rank());
  if (failed(axis))
    return failure();
  return single(builder.concat(parts, *axis));
}

//===----------------------------------------------------------------------===//
// By way of the operators on f32
//===----------------------------------------------------------------------===//

/// Dequantises, applies `fn` and quantises.
static FailureOr<Tensors> buildReal(Builder &builder, const Node &node,
                                    llvm::function_ref<FailureOr<Tensors>(const Tensor &)> fn) {
  FailureOr<Scaling> from = getScaling(builder, node, 1), to = getScaling(builder, node, 3);
  if (failed(from) || failed(to))
    return failure();
  FailureOr<Tensor> real = dequantize(builder, node.inputs[0], *from);
  if (failed(real))
    return failure();
  FailureOr<Tensors> result = fn(*real);
  if (failed(result))
    return failure();
  return single(quantize(builder, result->front(), *to, node.inputs[0].dtype()));
}

/// `attributes` without those that only the quantised operator has.
static NamedAttrList dropAttributes(const Node &node, ArrayRef<StringRef> names) {
  NamedAttrList result = node.attributes;
  for (StringRef name : names)
    result.erase(name);
  return result;
}

static FailureOr<Tensors> buildPool(Builder &builder, const Node &node, StringRef op) {
  bool isLast = node.getInt("channels_last", 0) != 0;
  int64_t rank = node.inputs[0].rank();
  if (rank < 3)
    return builder.error("expected an input of rank 3 or more, got " + Twine(node.inputs[0].str()));
  SmallVector<int64_t> toFirst = {0, rank - 1}, toLast = {0};
  for (int64_t i = 1; i + 1 < rank; ++i) {
    toFirst.push_back(i);
    toLast.push_back(i + 1);
  }
  toLast.push_back(1);
  return buildReal(builder, node, [&](const Tensor &x) -> FailureOr<Tensors> {
    FailureOr<Tensor> first = isLast ? builder.transpose(x, toFirst) : FailureOr<Tensor>(x);
    if (failed(first))
      return failure();
    FailureOr<Tensors> pooled =
        buildStandard(builder, op, 11, *first, dropAttributes(node, {"channels_last"}));
    if (failed(pooled) || !isLast)
      return pooled;
    return single(builder.transpose(pooled->front(), toLast));
  });
}

static FailureOr<Tensors> buildSoftmax(Builder &builder, const Node &node) {
  int64_t opset = node.getInt("opset", 0);
  if (opset < 1)
    return builder.error("expected an opset of at least 1, got " + Twine(opset));
  return buildReal(builder, node, [&](const Tensor &x) {
    return buildStandard(builder, "Softmax", opset, x, dropAttributes(node, {"opset"}));
  });
}

static FailureOr<Tensors> buildReduceMean(Builder &builder, const Node &node) {
  return buildReal(builder, node, [&](const Tensor &x) {
    return buildStandard(builder, "ReduceMean", 13, x, node.attributes);
  });
}

static Scalar add(Scalar a, Scalar b) { return a + b; }
static Scalar multiply(Scalar a, Scalar b) { return a * b; }

static void registerQuantizedElementwise(Registry &registry) {
  const char *pair = "A:Q A_scale:f32 A_zero_point?:Q B:Q B_scale:f32 B_zero_point?:Q "
                     "C_scale:f32 C_zero_point?:Q";
  addContrib(registry, "QLinearAdd", {pair},
             [](Builder &builder, const Node &node) { return buildBinary(builder, node, add); });
  addContrib(registry, "QLinearMul", {pair}, [](Builder &builder, const Node &node) {
    return buildBinary(builder, node, multiply);
  });
  addContrib(registry, "QLinearWhere",
             {"condition:bool X:Q x_scale:f32 x_zero_point:Q Y:Q y_scale:f32 y_zero_point:Q "
              "z_scale:f32 z_zero_point:Q"},
             buildWhere);
  addContrib(registry, "QLinearConcat", {"Y_scale:f32 Y_zero_point:int8 inputs*:any", "axis!:int"},
             buildConcat);
}

void registerContribQuantized(Registry &registry) {
  registerQuantizedElementwise(registry);
  const char *one = "X:Q X_scale:f32 X_zero_point?:Q Y_scale:f32 Y_zero_point?:Q";
  addContrib(
      registry, "QLinearLeakyRelu", {one, "alpha:float"}, [](Builder &builder, const Node &node) {
        double alpha = node.getFloat("alpha", 0.01);
        return buildUnary(builder, node, [=](Scalar x) { return select(x < 0.0, alpha * x, x); });
      });
  addContrib(registry, "QLinearSigmoid", {one}, [](Builder &builder, const Node &node) {
    return buildUnary(builder, node, [](Scalar x) { return sigmoid(x); });
  });
  addContrib(registry, "QLinearSoftmax", {one, "axis:int opset!:int"}, buildSoftmax);
  addContrib(registry, "QLinearReduceMean", {one, "axes:ints keepdims:int"}, buildReduceMean);
  addContrib(
      registry, "QLinearAveragePool",
      {one, "auto_pad:string ceil_mode:int channels_last:int count_include_pad:int "
            "kernel_shape!:ints pads:ints strides:ints"},
      [](Builder &builder, const Node &node) { return buildPool(builder, node, "AveragePool"); });
  addContrib(registry, "QLinearGlobalAveragePool", {one, "channels_last:int"},
             [](Builder &builder, const Node &node) {
               return buildPool(builder, node, "GlobalAveragePool");
             });
  const char *blocks = "axis:int block_size:int output_dtype:int saturate:int";
  addAsStandard(registry, "QuantizeLinear", {"x:float y_scale:float y_zero_point?:any", blocks},
                "QuantizeLinear", 21);
  addAsStandard(registry, "DequantizeLinear", {"x:S x_scale:float x_zero_point?:S", blocks},
                "DequantizeLinear", 21);
}

} // namespace tssa::operators
