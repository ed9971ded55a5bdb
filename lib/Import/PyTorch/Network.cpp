//===- Network.cpp - products and normalisations -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"
#include "tssa/Builder/BodyScalar.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using tssa::operators::single;

namespace tssa::pytorch {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Builds numpy's matmul. Requires that the two contracted dims have the same size.
static FailureOr<Tensor> multiply(Importer &importer, Tensor left, Tensor right) {
  operators::Builder &b = importer.b;
  if (left.rank() == 0 || right.rank() == 0)
    return b.error("expected tensors with dims");
  if (left.dtype() != right.dtype())
    return b.error(Twine("expected one element type, got ") + getName(left.dtype()) + " and " +
                   getName(right.dtype()));
  Sizes leftShape(left.shape()), rightShape(right.shape());
  Size &inner = leftShape.back();
  Size &other = rightShape[right.rank() == 1 ? 0 : right.rank() - 2];
  if (failed(importer.requireEqual(inner, other, "matmul")))
    return failure();
  if (inner.constant())
    other = inner;
  else
    inner = other;
  // Batch dims broadcast.
  if (left.rank() > 2 && right.rank() > 2) {
    MutableArrayRef<Size> leftBatch = MutableArrayRef<Size>(leftShape).drop_back(2);
    MutableArrayRef<Size> rightBatch = MutableArrayRef<Size>(rightShape).drop_back(2);
    FailureOr<Sizes> batch = importer.broadcast(
        {Sizes(leftBatch.begin(), leftBatch.end()), Sizes(rightBatch.begin(), rightBatch.end())});
    if (failed(batch))
      return failure();
    for (MutableArrayRef<Size> own : {leftBatch, rightBatch})
      for (auto [size, common] : llvm::zip_equal(own, ArrayRef<Size>(*batch).take_back(own.size())))
        if (!size.constant())
          size = importer.guards.isEqual(size, common) == false ? Size(1) : common;
  }
  left = b.wrap(b.value(left), left.dtype(), leftShape);
  right = b.wrap(b.value(right), right.dtype(), rightShape);
  FailureOr<Tensors> product = importer.call("MatMul", 13, {left, right});
  if (failed(product))
    return failure();
  return product->front();
}

static FailureOr<Tensors> buildMatmul(Importer &importer, const Call &call) {
  FailureOr<Tensor> left = importer.read(call[0]), right = importer.read(call[1]);
  if (failed(left) || failed(right))
    return failure();
  int64_t rank = call.name == "aten::mm" ? 2 : call.name == "aten::bmm" ? 3 : 0;
  if (rank && (left->rank() != rank || right->rank() != rank))
    return importer.b.error("expected tensors of " + Twine(rank) + " dims");
  return single(multiply(importer, *left, *right));
}

/// Returns the sum of two tensors of one type, which are broadcast.
static FailureOr<Tensor> add(Importer &importer, const Tensor &left, const Tensor &right) {
  FailureOr<Sizes> shape = importer.broadcast({Sizes(left.shape()), Sizes(right.shape())});
  if (failed(shape))
    return failure();
  FailureOr<Tensors> sum =
      importer.call("Add", 14, {importer.refine(left, *shape), importer.refine(right, *shape)});
  if (failed(sum))
    return failure();
  return sum->front();
}

static FailureOr<Tensor> scale(Importer &importer, const Tensor &tensor, const Value &factor) {
  if (factor.getConstant() == 1.0)
    return tensor;
  return importer.b.compute(tensor.dtype(), tensor.shape(), [&](operators::Body &body) {
    operators::Scalar element(body.ops, body.loc, body.read(tensor, body.dims(0, tensor.rank())),
                              operators::isUnsigned(tensor.dtype()));
    return (element * makeScalar(importer, body, factor, tensor.dtype())).getValue();
  });
}

/// addmm(self, mat1, mat2, beta, alpha) and baddbmm.
static FailureOr<Tensors> buildAddProduct(Importer &importer, const Call &call) {
  FailureOr<Tensor> self = importer.read(call[0]), left = importer.read(call[1]),
                    right = importer.read(call[2]);
  if (failed(self) || failed(left) || failed(right))
    return failure();
  FailureOr<Tensor> product = multiply(importer, *left, *right);
  if (failed(product))
    return failure();
  product = scale(importer, *product, call[4]);
  if (call[3].getConstant() == 0.0) // self has no effect, even if it is NaN
    return single(product);
  self = scale(importer, *self, call[3]);
  if (failed(product) || failed(self))
    return failure();
  return single(add(importer, *product, *self));
}

/// linear(input, weight, bias): input times the transpose of weight, plus bias. A weight that is a
/// vector is not transposed.
static FailureOr<Tensors> buildLinear(Importer &importer, const Call &call) {
  FailureOr<Tensor> input = importer.read(call[0]), weight = importer.read(call[1]);
  if (failed(input) || failed(weight))
    return failure();
  if (weight->rank() != 1 && weight->rank() != 2)
    return importer.b.error("expected a vector or a matrix as weight, got " + weight->str());
  FailureOr<Tensor> transposed = *weight;
  if (weight->rank() == 2)
    transposed = importer.b.transpose(*weight, {1, 0});
  if (failed(transposed))
    return failure();
  FailureOr<Tensor> product = multiply(importer, *input, *transposed);
  if (failed(product) || call[2].is(Value::None))
    return single(product);
  FailureOr<Tensor> bias = importer.read(call[2]);
  if (failed(bias))
    return failure();
  return single(add(importer, *product, *bias));
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

/// _softmax(self, dim, half_to_float) and _log_softmax.
static FailureOr<Tensors> buildSoftmax(Importer &importer, const Call &call, StringRef op) {
  mlir::Builder &ops = importer.b.ops;
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  if (failed(self))
    return failure();
  FailureOr<int64_t> axis = importer.getDim(call[1], self->rank());
  FailureOr<bool> convertsHalf = importer.getFlag(call[2], "half_to_float");
  if (failed(axis) || failed(convertsHalf))
    return failure();
  if (*convertsHalf)
    return importer.b.unsupported("half_to_float");
  if (!operators::isFloat(self->dtype) || self->rank() == 0)
    return importer.b.error("expected floats with dims, got " + Twine(getName(self->dtype)));
  return importer.call(op, 13, importer.read(*self),
                       ops.getNamedAttr("axis", ops.getI64IntegerAttr(*axis)));
}

/// native_layer_norm(input, normalized_shape, weight, bias, eps): the normalised tensor, the means
/// and the inverses of the standard deviations.
static FailureOr<Tensors> buildLayerNorm(Importer &importer, const Call &call) {
  mlir::Builder &ops = importer.b.ops;
  FailureOr<Tensor> input = importer.read(call[0]);
  FailureOr<Sizes> shape = importer.getSizes(call[1]);
  std::optional<double> epsilon = call[4].getConstant();
  if (failed(input) || failed(shape))
    return failure();
  if (!epsilon || static_cast<int64_t>(shape->size()) > input->rank())
    return importer.b.error(
        "expected a known eps, and a shape with at most as many dims as the tensor");
  for (auto [wanted, own] : llvm::zip_equal(*shape, input->shape().take_back(shape->size())))
    if (failed(importer.requireEqual(wanted, own, "layer_norm")))
      return failure();
  Tensors inputs = {*input};
  for (size_t i = 2; i < 4; ++i) {
    FailureOr<Tensor> parameter = call[i].is(Value::None)
                                      ? importer.b.fill(input->dtype(), *shape, i == 2 ? 1 : 0)
                                      : importer.read(call[i]);
    if (failed(parameter))
      return failure();
    inputs.push_back(importer.refine(*parameter, input->shape()));
  }
  int64_t axis = -static_cast<int64_t>(shape->size());
  FailureOr<Tensors> results = importer.call(
      "LayerNormalization", 17, inputs,
      {ops.getNamedAttr("axis", ops.getI64IntegerAttr(axis)),
       ops.getNamedAttr("epsilon", ops.getF32FloatAttr(static_cast<float>(*epsilon)))},
      /*numOutputs=*/3);
  if (failed(results))
    return failure();
  // The standard operator returns the means of f16 inputs as f32.
  for (Tensor &tensor : *results) {
    FailureOr<Tensor> result = importer.b.cast(tensor, input->dtype());
    if (failed(result))
      return failure();
    tensor = *result;
  }
  return results;
}

/// _native_batch_norm_legit_no_training(input, weight, bias, running_mean, running_var, momentum,
/// eps): normalises by the given statistics, and returns empty tensors as saved statistics.
static FailureOr<Tensors> buildBatchNorm(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  FailureOr<Tensor> input = importer.read(call[0]);
  std::optional<double> epsilon = call[6].getConstant();
  if (failed(input))
    return failure();
  if (!epsilon || input->rank() < 2)
    return b.error("expected a known eps and channels, got " + input->str());
  Tensors inputs = {*input};
  for (size_t i = 1; i < 5; ++i) {
    FailureOr<Tensor> parameter = call[i].is(Value::None)
                                      ? b.fill(input->dtype(), input->dim(1), i == 1 ? 1 : 0)
                                      : importer.read(call[i]);
    if (failed(parameter))
      return failure();
    inputs.push_back(importer.refine(*parameter, input->dim(1)));
  }
  FailureOr<Tensors> results = importer.call(
      "BatchNormalization", 15, inputs,
      b.ops.getNamedAttr("epsilon", b.ops.getF32FloatAttr(static_cast<float>(*epsilon))));
  FailureOr<Tensor> nothing = b.fill(input->dtype(), Size(0), 0);
  if (failed(results) || failed(nothing))
    return failure();
  return Tensors{results->front(), *nothing, *nothing};
}

void registerNetwork(OperatorTable &table) {
  for (StringRef name : {"aten::matmul", "aten::mm", "aten::bmm"})
    table.compute(name, "-", buildMatmul, Layout::Contiguous);
  table.compute("aten::addmm", "-", buildAddProduct, Layout::Contiguous);
  table.compute("aten::baddbmm", "-", buildAddProduct, Layout::Contiguous);
  table.compute("aten::linear", "-", buildLinear, Layout::Contiguous);
  for (auto [name, op] :
       {std::pair("aten::_softmax", "Softmax"), {"aten::_log_softmax", "LogSoftmax"}})
    table.compute(
        name, "-",
        [op = op](Importer &importer, const Call &call) {
          return buildSoftmax(importer, call, op);
        },
        Layout::Contiguous);
  table.compute("aten::native_layer_norm", "-", buildLayerNorm, Layout::Contiguous);
  table.compute("aten::_native_batch_norm_legit_no_training", "-", buildBatchNorm);
}

} // namespace tssa::pytorch
