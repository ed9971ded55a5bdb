//===- Quantized.cpp - functions of quantised tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Element-wise operators, poolings and softmax are computed in f32, between a dequantisation and a
/// quantisation. Both can be merged with the operator.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/Microsoft/Standard.h"
#include "lib/Operators/ONNX/Quantization.h"
#include "lib/Operators/ONNX/Recurrent.h"
#include "tssa/Builder/BodyScalar.h"

using namespace mlir;

namespace tssa::operators {

namespace {
/// The quantisation of a tensor: one scale and at most one zero point.
struct Scaling {
  Tensor scale, zero;
};
} // namespace

/// Reads the scaling from inputs `first` and `first` + 1.
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

using RealFn = llvm::function_ref<Scalar(ArrayRef<Scalar>)>;

/// Applies `fn` to dequantised elements and quantises the result. From input `first` on, the node
/// has `count` quantised tensors, each followed by its scaling, and then the scaling of the result.
/// `fn` also gets the inputs before `first`, unchanged.
static FailureOr<Tensors> buildPointwise(Builder &builder, const Node &node, unsigned first,
                                         unsigned count, RealFn fn) {
  SmallVector<Tensor> operands(ArrayRef(node.inputs).take_front(first));
  SmallVector<Scaling> scalings;
  for (unsigned i = first, end = first + 3 * count; i <= end; i += 3) {
    bool isResult = i == end;
    if (!isResult)
      operands.push_back(node.inputs[i]);
    FailureOr<Scaling> scaling = getScaling(builder, node, isResult ? i : i + 1);
    if (failed(scaling))
      return failure();
    scalings.push_back(*scaling);
  }
  DType type = node.inputs[first].dtype();
  auto element = [&](Body &body, ValueRange values) {
    SmallVector<Scalar> scalars;
    for (auto [i, value] : llvm::enumerate(values)) {
      Scalar scalar = toScalar(body, value, operands[i].dtype());
      scalars.push_back(i < first ? scalar : dequantize(body, scalar, scalings[i - first]));
    }
    return quantize(body, fn(scalars), scalings.back(), type);
  };
  return single(builder.elementwise(type, operands, element));
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
// Operators that use the f32 operator
//===----------------------------------------------------------------------===//

/// Dequantises the input, applies `fn` and quantises the result.
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

/// Returns the attributes of `node` without those in `names`, which only the quantised operator
/// has.
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

static Scalar add(ArrayRef<Scalar> x) { return x[0] + x[1]; }
static Scalar multiply(ArrayRef<Scalar> x) { return x[0] * x[1]; }
static Scalar choose(ArrayRef<Scalar> x) { return select(x[0], x[1], x[2]); }
static Scalar logistic(ArrayRef<Scalar> x) { return sigmoid(x[0]); }

static FailureOr<Tensors> buildLeakyRelu(Builder &builder, const Node &node) {
  double alpha = node.getFloat("alpha", 0.01);
  return buildPointwise(builder, node, 0, 1,
                        [=](ArrayRef<Scalar> x) { return select(x[0] < 0.0, alpha * x[0], x[0]); });
}

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

/// Requires one scale or zero point for each direction, or for each direction and gate row, of
/// `weights`, whose last dim is the gate rows.
static LogicalResult requirePerDirection(Builder &builder, const Tensor &parameter,
                                         const Tensor &weights) {
  if (parameter.rank() != 1 && parameter.rank() != 2)
    return builder.error("expected a scale and zero point of rank 1 or 2, got " +
                         Twine(parameter.str()));
  const Size sizes[] = {weights.dim(0), weights.dim(2)};
  for (auto [given, expected] : llvm::zip(parameter.shape(), sizes))
    if (failed(builder.requireEqual(given, expected, "sizes of a scale and of the weights")))
      return failure();
  return success();
}

/// Builds an LSTM whose W and R are transposed and quantised.
static FailureOr<Tensors> buildDynamicLSTM(Builder &builder, const Node &node) {
  // The range of x would then be that of the steps before the longest sequence ends.
  if (node.input(4))
    return builder.unsupported("sequence_lens");
  Node inner = node;
  inner.op = "LSTM";
  for (unsigned i : {1u, 2u}) {
    const Tensor &weights = node.inputs[i];
    if (weights.rank() != 3)
      return builder.error("expected W and R of rank 3, got " + Twine(weights.str()));
    for (unsigned k : {6 + 2 * i, 7 + 2 * i})
      if (failed(requirePerDirection(builder, node.inputs[k], weights)))
        return failure();
    FailureOr<Tensor> rows = builder.transpose(weights, {0, 2, 1});
    if (failed(rows))
      return failure();
    inner.inputs[i] = *rows;
  }
  inner.inputs.resize(8);
  return buildLSTM(builder, inner,
                   {{node.inputs[8], node.inputs[9]}, {node.inputs[10], node.inputs[11]}});
}

OperatorRows getMicrosoftQuantizedRows() {
  const char *one = "X:Q X_scale:f32 X_zero_point?:Q Y_scale:f32 Y_zero_point?:Q";
  const char *pair = "A:Q A_scale:f32 A_zero_point?:Q B:Q B_scale:f32 B_zero_point?:Q "
                     "C_scale:f32 C_zero_point?:Q";
  const char *blocks = "axis:int block_size:int output_dtype:int saturate:int";
  return {
      {"QLinearAdd", Signature{pair}, bindBack(buildPointwise, 0, 2, add)},
      {"QLinearMul", Signature{pair}, bindBack(buildPointwise, 0, 2, multiply)},
      {"QLinearWhere",
       Signature{"condition:bool X:Q x_scale:f32 x_zero_point:Q Y:Q y_scale:f32 y_zero_point:Q "
                 "z_scale:f32 z_zero_point:Q"},
       bindBack(buildPointwise, 1, 2, choose)},
      {"QLinearConcat", Signature{"Y_scale:f32 Y_zero_point:int8 inputs*:any", "axis!:int"},
       buildConcat},
      {"QLinearLeakyRelu", Signature{one, "alpha:float"}, buildLeakyRelu},
      {"QLinearSigmoid", Signature{one}, bindBack(buildPointwise, 0, 1, logistic)},
      {"QLinearSoftmax", Signature{one, "axis:int opset!:int"}, buildSoftmax},
      {"QLinearReduceMean", Signature{one, "axes:ints keepdims:int"}, buildReduceMean},
      {"QLinearAveragePool",
       Signature{one, "auto_pad:string ceil_mode:int channels_last:int count_include_pad:int "
                      "kernel_shape!:ints pads:ints strides:ints"},
       bindBack(buildPool, "AveragePool")},
      {"QLinearGlobalAveragePool", Signature{one, "channels_last:int"},
       bindBack(buildPool, "GlobalAveragePool")},
      {"DynamicQuantizeLSTM",
       Signature{
           "X:f32 W:int8 R:int8 B?:f32 sequence_lens?:i32 initial_h?:f32 initial_c?:f32 P?:f32 "
           "W_scale:f32 W_zero_point:int8 R_scale:f32 R_zero_point:int8",
           "activation_alpha:floats activation_beta:floats activations:strings clip:float "
           "direction:string hidden_size:int input_forget:int"},
       buildDynamicLSTM},
      {"QuantizeLinear", Signature{"x:float y_scale:float y_zero_point?:any", blocks},
       asStandard("QuantizeLinear", 21)},
      {"DequantizeLinear", Signature{"x:S x_scale:float x_zero_point?:S", blocks},
       asStandard("DequantizeLinear", 21)},
  };
}

} // namespace tssa::operators
