//===- Elementwise.cpp - operators that are one scalar function -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// This file has the type rules, and the operators that no row of the tables describes.
///
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Elementwise.h"
#include "lib/Import/PyTorch/Operators.h"
#include "lib/Import/PyTorch/Promotion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Scalar.h"
#include "tssa/Operators/Activations.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using tssa::operators::Body;
using tssa::operators::Scalar;
using tssa::operators::single;

namespace tssa::pytorch {

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Scalar makeScalar(Importer &importer, Body &body, const Value &value, DType type) {
  mlir::Type elementType = operators::getElementType(importer.b.context(), type);
  bool isUnsigned = operators::isUnsigned(type);
  auto wrap = [&](mlir::Value scalar, bool isBool = false) {
    return convert(Scalar(body.ops, body.loc, scalar, isBool), elementType, isUnsigned);
  };
  if (!value.isNumber()) {
    (void)importer.b.error(Twine("expected a number, got ") + value.describe());
    return {body.ops, body.loc, body.constant(type, static_cast<int64_t>(0)), isUnsigned};
  }
  if (std::optional<int64_t> integer = value.getConstantInt()) {
    if (operators::isFloat(type))
      return {body.ops, body.loc, body.constant(type, static_cast<double>(*integer)), false};
    return wrap(mlir::arith::ConstantIntOp::create(body.ops, body.loc, *integer, 64));
  }
  if (value.is(Value::Int))
    return wrap(body.fromIndex(body.index(body.size(value.getSize())), DType::I64));
  if (std::optional<double> number = value.getKnown())
    return wrap(
        mlir::arith::ConstantOp::create(body.ops, body.loc, body.ops.getF64FloatAttr(*number)));
  return wrap(value.getScalar(), value.is(Value::Bool));
}

namespace {
/// Builds one call of the operator that a row of the tables describes. Tensors are read and
/// broadcast; numbers become constants of the body.
class ElementwiseBuilder {
public:
  ElementwiseBuilder(Importer &importer, const Call &call, unsigned numOperands)
      : importer(importer), call(call), numOperands(numOperands) {}

  FailureOr<DType> getCommonType();
  /// Applies `element` to the first `count` arguments, converted to `compute`. Returns a tensor of
  /// type `type`.
  FailureOr<Tensor> build(DType compute, DType type, unsigned count,
                          function_ref<Scalar(Scalars)> element);

  bool hasExactNumbers = false; ///< see Row
  std::optional<Sizes> least;   ///< if set, the operands also broadcast to this shape

private:
  FailureOr<Sizes> readTensors(unsigned count);
  Importer &importer;
  const Call &call;
  unsigned numOperands;
  SmallVector<Tensor> tensors;
};
} // namespace

FailureOr<DType> ElementwiseBuilder::getCommonType() {
  ResultType result;
  for (unsigned i = 0; i < numOperands; ++i) {
    const Value &value = call[i];
    if (value.is(Value::Tensor))
      result.addTensor(value.getTensor().dtype, value.getTensor().rank() > 0);
    else if (value.isNumber())
      result.addNumber(value.kind());
    else
      return importer.b.error("expected a tensor or a number as argument " + Twine(i) + ", got " +
                              value.describe());
  }
  std::optional<DType> type = result.get();
  if (!type)
    return importer.b.error("the operands have no common type");
  return *type;
}

FailureOr<Sizes> ElementwiseBuilder::readTensors(unsigned count) {
  SmallVector<Sizes> shapes;
  for (unsigned i = 0; i < count; ++i)
    if (call[i].is(Value::Tensor))
      shapes.push_back(call[i].getTensor().shape);
  if (least)
    shapes.insert(shapes.begin(), *least);
  FailureOr<Sizes> shape = importer.broadcast(shapes);
  if (failed(shape))
    return failure();
  for (unsigned i = 0; i < count; ++i)
    if (call[i].is(Value::Tensor))
      tensors.push_back(importer.refine(importer.read(call[i].getTensor()), *shape));
  return shape;
}

FailureOr<Tensor> ElementwiseBuilder::build(DType compute, DType type, unsigned count,
                                            function_ref<Scalar(Scalars)> element) {
  operators::Builder &b = importer.b;
  FailureOr<Sizes> shape = readTensors(count);
  if (failed(shape))
    return failure();
  return b.compute(type, *shape, [&](Body &body) -> mlir::Value {
    mlir::Type computeType = operators::getElementType(b.context(), compute);
    bool isHalf = operators::isFloat(compute) && operators::getBits(compute) == 16;
    DType numberType = isHalf && hasExactNumbers ? DType::F32 : compute;
    SmallVector<Scalar> scalars;
    unsigned next = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (!call[i].is(Value::Tensor)) {
        scalars.push_back(widen(makeScalar(importer, body, call[i], numberType)));
        continue;
      }
      const Tensor &tensor = tensors[next++];
      mlir::Value read = body.readBroadcast(tensor, *shape, body.dims(0, shape->size()));
      Scalar scalar(body.ops, body.loc, read, operators::isUnsigned(tensor.dtype()));
      scalars.push_back(widen(convert(scalar, computeType, operators::isUnsigned(compute))));
    }
    Scalar result = element(scalars);
    return convert(result, operators::getElementType(b.context(), type),
                   operators::isUnsigned(type))
        .getValue();
  });
}

/// Builds a run-time check that no integer is divided by 0, because eager PyTorch raises an error
/// for such a division.
static mlir::LogicalResult checkDivisor(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  const Value &divisor = call[1];
  if (call[0].is(Value::Tensor) && is_contained(call[0].getTensor().shape, Size(0)))
    return mlir::success(); // nothing is divided
  constexpr StringLiteral message = "ZeroDivisionError";
  if (!divisor.is(Value::Tensor)) {
    if (std::optional<double> known = divisor.getConstant())
      return *known == 0 ? b.error(message) : mlir::success();
    b.check(importer.getTruth(divisor), message);
    return mlir::success();
  }
  Tensor tensor = importer.read(divisor.getTensor());
  FailureOr<Tensor> isZero = b.compute(DType::I32, tensor.shape(), [&](Body &body) -> mlir::Value {
    Scalar x(body.ops, body.loc, body.read(tensor, body.dims(0, tensor.rank())),
             operators::isUnsigned(tensor.dtype()));
    Scalar one(body.ops, body.loc, body.constant(DType::I32, static_cast<int64_t>(1)));
    return select(x == 0.0, one, 0.0).getValue();
  });
  if (failed(isZero))
    return failure();
  FailureOr<Tensors> any = importer.call(
      "ReduceMax", 18, {*isZero}, b.ops.getNamedAttr("keepdims", b.ops.getI64IntegerAttr(0)));
  if (failed(any))
    return failure();
  mlir::Value found = mlir::tensor::ExtractOp::create(b.ops, b.loc(), b.value(any->front()));
  mlir::Value one = mlir::arith::ConstantIntOp::create(b.ops, b.loc(), 1, 32);
  b.check(mlir::arith::CmpIOp::create(b.ops, b.loc(), mlir::arith::CmpIPredicate::ne, found, one),
          message);
  return mlir::success();
}

/// Reports an error if `rule` does not allow operands of this type.
static mlir::LogicalResult checkType(Importer &importer, Rule rule, DType type) {
  bool isFloat = operators::isFloat(type), isBool = type == DType::Bool;
  if ((rule == Rule::FloatOnly || rule == Rule::WideFloat) && !isFloat)
    return importer.b.error(Twine("expected floats, got ") + getName(type));
  if (rule == Rule::WideFloat && operators::getBits(type) < 32)
    return importer.b.unsupported(Twine("floats of type ") + getName(type));
  if ((rule == Rule::Bits || rule == Rule::Integer) && isFloat)
    return importer.b.error(Twine("expected integers, got ") + getName(type));
  if ((rule == Rule::NoBool || rule == Rule::Integer) && isBool)
    return importer.b.error("PyTorch has no such operator of bools");
  return mlir::success();
}

static FailureOr<Tensors> buildRow(Importer &importer, const Call &call, const Row &row) {
  ElementwiseBuilder builder(importer, call, row.numOperands);
  FailureOr<DType> common = builder.getCommonType();
  if (failed(common))
    return failure();
  DType compute = *common, type = compute;
  bool isFloat = operators::isFloat(compute);
  if (failed(checkType(importer, row.rule, compute)))
    return failure();
  if (row.rule == Rule::ToFloat && !isFloat)
    compute = type = DType::F32;
  if (row.rule == Rule::Logical)
    compute = DType::Bool;
  if (row.rule == Rule::Compare || row.rule == Rule::Logical)
    type = DType::Bool;
  if (row.rule == Rule::Divide && !isFloat && failed(checkDivisor(importer, call)))
    return failure();
  builder.hasExactNumbers = row.hasExactNumbers;
  return single(builder.build(compute, type, row.numOperands + row.numScalars, row.element));
}

//===----------------------------------------------------------------------===//
// Operators with rules of their own
//===----------------------------------------------------------------------===//

/// div with rounding_mode.
static FailureOr<Tensors> buildRoundedDivision(Importer &importer, const Call &call) {
  const Value &mode = call[2];
  if (!mode.is(Value::String) && !mode.is(Value::None))
    return importer.b.error("expected a rounding mode");
  if (mode.is(Value::None))
    return buildRow(importer, call,
                    {"div", "", Rule::ToFloat, 2, 0, [](Scalars x) { return x[0] / x[1]; }});
  if (mode.getText() != "floor" && mode.getText() != "trunc")
    return importer.b.error("expected floor or trunc as rounding mode");
  return buildRow(
      importer, call,
      {"div", "", Rule::Divide, 2, 0, mode.getText() == "floor" ? floorDivide : truncDivide});
}

/// clamp(self, min, max), where one bound may be None.
static FailureOr<Tensors> buildClamp(Importer &importer, const Call &call) {
  SmallVector<Value> arguments = {call[0]};
  bool hasLow = !call[1].is(Value::None), hasHigh = !call[2].is(Value::None);
  if (hasLow)
    arguments.push_back(call[1]);
  if (hasHigh)
    arguments.push_back(call[2]);
  if (arguments.size() < 2)
    return importer.b.error("clamp: expected a bound");
  Call bounded = call;
  bounded.arguments = arguments;
  auto element = hasLow && hasHigh ? +[](Scalars x) { return min(max(x[0], x[1]), x[2]); }
                 : hasLow          ? +[](Scalars x) { return max(x[0], x[1]); }
                                   : +[](Scalars x) { return min(x[0], x[1]); };
  return buildRow(
      importer, bounded,
      {"clamp", "", Rule::Promote, static_cast<unsigned>(arguments.size()), 0, element});
}

/// where(condition, self, other).
static FailureOr<Tensors> buildWhere(Importer &importer, const Call &call) {
  if (!call[0].is(Value::Tensor) || call[0].getTensor().dtype != DType::Bool)
    return importer.b.error("where: expected a bool tensor as condition");
  Value operands[] = {call[1], call[2], call[0]};
  Call moved = call;
  moved.arguments = operands;
  return buildRow(importer, moved, {"where", "", Rule::Promote, 2, 1, [](Scalars x) {
                                      return select(x[2] != 0.0, x[0], x[1]);
                                    }});
}

/// masked_fill(self, mask, value), whose result has the type of self.
static FailureOr<Tensors> buildMaskedFill(Importer &importer, const Call &call) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]), mask = importer.getTensor(call[1]);
  if (failed(self) || failed(mask))
    return failure();
  if (mask->dtype != DType::Bool)
    return importer.b.error(Twine("masked_fill: expected a bool mask, got ") +
                            getName(mask->dtype));
  if (call[2].is(Value::Tensor) && call[2].getTensor().rank() > 0)
    return importer.b.error("masked_fill: expected a value without dims");
  Value operands[] = {call[0], call[2], call[1]};
  Call moved = call;
  moved.arguments = operands;
  return single(
      ElementwiseBuilder(importer, moved, 1).build(self->dtype, self->dtype, 3, [](Scalars x) {
        return select(x[2] != 0.0, x[1], x[0]);
      }));
}

/// pow(self, exponent). If the exponent is known and small, the power is computed as a product.
static FailureOr<Tensors> buildPower(Importer &importer, const Call &call) {
  std::optional<double> exponent = call[1].getConstant();
  Scalar (*element)(Scalars) = powerOf;
  if (exponent == 2.0)
    element = [](Scalars x) { return x[0] * x[0]; };
  else if (exponent == 3.0)
    element = [](Scalars x) { return x[0] * x[0] * x[0]; };
  else if (exponent == 0.5)
    element = [](Scalars x) { return sqrt(x[0]); };
  if (exponent && *exponent < 0 && call[1].is(Value::Int) && call[0].is(Value::Tensor) &&
      !operators::isFloat(call[0].getTensor().dtype))
    return importer.b.error("integers to a negative power");
  return buildRow(importer, call, {"pow", "", Rule::Promote, 2, 0, element});
}

static FailureOr<Tensors> buildGelu(Importer &importer, const Call &call) {
  bool isTanh = call[1].is(Value::String) && call[1].getText() == "tanh";
  auto exact = [](Scalars x) { return operators::gelu(x[0]); };
  auto approximate = [](Scalars x) { return operators::geluByTanh(x[0]); };
  return buildRow(importer, call,
                  {"gelu", "", Rule::FloatOnly, 1, 0, isTanh ? +approximate : +exact});
}

/// fill(self, value) and zero(self).
static FailureOr<Tensors> buildFill(Importer &importer, const Call &call) {
  FailureOr<TensorRef> self = importer.getTensor(call[0]);
  if (failed(self))
    return failure();
  if (call[1].is(Value::Tensor) && call[1].getTensor().rank() > 0)
    return importer.b.error("fill: expected a value without dims");
  Value zero = Value::integer(0);
  Value operands[] = {call.name == "aten::zero" ? zero : call[1]};
  Call filled = call;
  filled.arguments = operands;
  ElementwiseBuilder builder(importer, filled, 1);
  builder.least = self->shape;
  return single(builder.build(self->dtype, self->dtype, 1, [](Scalars x) { return x[0]; }));
}

void registerElementwise(OperatorTable &table) {
  for (ArrayRef<Row> rows : {getArithmetic(), getFunctions()})
    for (const Row &row : rows)
      table.compute(
          Twine("aten::") + row.name, row.overloads,
          [&row](Importer &importer, const Call &call) { return buildRow(importer, call, row); });
  table.compute("aten::div", "Tensor_mode Scalar_mode", buildRoundedDivision);
  table.compute("aten::clamp", "- Tensor", buildClamp);
  table.compute("aten::where", "self", buildWhere);
  table.compute("aten::masked_fill", "Scalar Tensor", buildMaskedFill);
  table.compute("aten::pow", "Tensor_Scalar Tensor_Tensor Scalar", buildPower);
  table.compute("aten::gelu", "-", buildGelu);
  table.compute("aten::fill", "Scalar Tensor", buildFill);
  table.compute("aten::zero", "-", buildFill);
}

} // namespace tssa::pytorch
