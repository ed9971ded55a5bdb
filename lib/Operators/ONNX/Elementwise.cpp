//===- Elementwise.cpp - arithmetic, comparison and logic -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Elementwise.h"
#include "lib/Operators/Families.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tssa/Builder/BodyScalar.h"

using namespace mlir;

namespace tssa::operators {

template <typename Op> static Scalar apply(Scalar x) {
  return x.with(Op::create(x.getBuilder(), x.getLoc(), x.getValue()));
}

static Scalar reciprocal(Scalar x) { return 1.0 / x; }
static Scalar negative(Scalar x) { return -x; }
static Scalar bitNot(Scalar x) { return ~x; }
static Scalar add(Scalar a, Scalar b) { return a + b; }
static Scalar subtract(Scalar a, Scalar b) { return a - b; }
static Scalar multiply(Scalar a, Scalar b) { return a * b; }
static Scalar divide(Scalar a, Scalar b) { return a / b; }
static Scalar bitAnd(Scalar a, Scalar b) { return a & b; }
static Scalar bitOr(Scalar a, Scalar b) { return a | b; }
static Scalar bitXor(Scalar a, Scalar b) { return a ^ b; }
static Scalar isEqual(Scalar a, Scalar b) { return a == b; }
static Scalar isLess(Scalar a, Scalar b) { return a < b; }
static Scalar isLessOrEqual(Scalar a, Scalar b) { return a <= b; }
static Scalar isGreater(Scalar a, Scalar b) { return a > b; }
static Scalar isGreaterOrEqual(Scalar a, Scalar b) { return a >= b; }

/// Returns a body that combines any number of operands by `fn`, from left to right.
template <Scalar (*fn)(Scalar, Scalar)> static ScalarBody variadic(const Node &) {
  return [](ArrayRef<Scalar> x) {
    Scalar result = x.front();
    for (const Scalar &operand : x.drop_front())
      result = fn(result, operand);
    return result;
  };
}

static ScalarBody mean(const Node &node) {
  return [sum = variadic<add>(node)](ArrayRef<Scalar> x) {
    return sum(x) / static_cast<double>(x.size());
  };
}

static ScalarBody bitShift(const Node &node) {
  bool isLeft = node.getString("direction", "") == "LEFT";
  return
      [=](ArrayRef<Scalar> x) { return isLeft ? shiftLeft(x[0], x[1]) : shiftRight(x[0], x[1]); };
}

static ScalarBody mod(const Node &node) {
  bool truncates = node.getInt("fmod", 0) != 0;
  return
      [=](ArrayRef<Scalar> x) { return truncates ? truncMod(x[0], x[1]) : floorMod(x[0], x[1]); };
}

static ScalarBody isInf(const Node &node) {
  bool positive = node.getInt("detect_positive", 1), negative = node.getInt("detect_negative", 1);
  return [=](ArrayRef<Scalar> x) {
    Scalar isPositive = x[0] == std::numeric_limits<double>::infinity();
    Scalar isNegative = x[0] == -std::numeric_limits<double>::infinity();
    Scalar never = isPositive.constant(0);
    return (positive ? isPositive : never) | (negative ? isNegative : never);
  };
}

template <std::optional<Size> (*fn)(const Size &, const Size &)>
static SizeBody binarySizes(const Node &) {
  return [](ArrayRef<Size> x) -> std::optional<Size> {
    std::optional<Size> result = x.front();
    for (const Size &operand : x.drop_front())
      if (result)
        result = fn(*result, operand);
    return result;
  };
}

static std::optional<Size> addSizes(const Size &a, const Size &b) { return a + b; }
static std::optional<Size> subtractSizes(const Size &a, const Size &b) { return a - b; }
static std::optional<Size> multiplySizes(const Size &a, const Size &b) { return a * b; }
static std::optional<Size> maxSizes(const Size &a, const Size &b) { return Size::max(a, b); }
static std::optional<Size> minSizes(const Size &a, const Size &b) { return Size::min(a, b); }

static std::optional<Size> divideSizes(const Size &a, const Size &b) {
  // A dynamic size may be 0. Then the model divides by 0, and any result is correct.
  if (!b.isAtLeast(0) || b.isConstant(0))
    return std::nullopt;
  if (a.isAtLeast(0))
    return a.floorDiv(b);
  if (a.isAtMost(0))
    return -(-a).floorDiv(b);
  return std::nullopt;
}

static std::optional<Size> equalSizes(const Size &a, const Size &b) {
  if (a == b)
    return Size(1);
  return a.differs(b) ? std::optional<Size>(0) : std::nullopt;
}

static std::optional<Size> lessSizes(const Size &a, const Size &b) {
  if ((b - a).isAtLeast(1))
    return Size(1);
  return (a - b).isAtLeast(0) ? std::optional<Size>(0) : std::nullopt;
}

static std::optional<Size> negate(std::optional<Size> truth) {
  return truth ? std::optional<Size>(Size(1) - *truth) : std::nullopt;
}

static std::optional<Size> greaterSizes(const Size &a, const Size &b) { return lessSizes(b, a); }
static std::optional<Size> lessEqualSizes(const Size &a, const Size &b) {
  return negate(lessSizes(b, a));
}
static std::optional<Size> greaterEqualSizes(const Size &a, const Size &b) {
  return negate(lessSizes(a, b));
}

static SizeBody modSizes(const Node &node) {
  bool truncates = node.getInt("fmod", 0) != 0;
  return [=](ArrayRef<Size> x) -> std::optional<Size> {
    if (!x[1].isAtLeast(1) || (truncates && !x[0].isAtLeast(0)))
      return std::nullopt;
    return x[0].mod(x[1]);
  };
}

static SizeBody negateSize(const Node &) {
  return [](ArrayRef<Size> x) { return -x[0]; };
}

static SizeBody notSize(const Node &) {
  return [](ArrayRef<Size> x) { return Size(1) - x[0]; };
}

static SizeBody absSize(const Node &) {
  return [](ArrayRef<Size> x) { return Size::max(x[0], -x[0]); };
}

FailureOr<Tensors> buildElementwise(Builder &builder, DType type, ArrayRef<Tensor> operands,
                                    const ScalarBody &body, const SizeBody &sizeBody) {
  auto element = [&](Body &at, ValueRange values) -> Value {
    SmallVector<Scalar> scalars;
    for (auto [value, operand] : llvm::zip_equal(values, operands))
      scalars.push_back(widen(toScalar(at, value, operand.dtype())));
    return toElement(at, body(scalars), type);
  };
  if (sizeBody)
    return single(builder.elementwise(type, operands, element, sizeBody));
  return single(builder.elementwise(type, operands, element));
}

static FailureOr<Tensors> buildFromTable(Builder &builder, const Node &node, MakeBodyFn makeBody,
                                         MakeSizeBodyFn makeSizeBody, bool isPredicate) {
  return buildElementwise(builder, isPredicate ? DType::Bool : node.inputs[0].dtype(), node.inputs,
                          makeBody(node), makeSizeBody ? makeSizeBody(node) : SizeBody());
}

OperatorFn pointwise(MakeBodyFn makeBody, MakeSizeBodyFn makeSizeBody) {
  return bindBack(buildFromTable, makeBody, makeSizeBody, /*isPredicate=*/false);
}

/// Returns a function that builds an element-wise operator with a result of type bool.
static OperatorFn predicate(MakeBodyFn makeBody, MakeSizeBodyFn makeSizeBody = nullptr) {
  return bindBack(buildFromTable, makeBody, makeSizeBody, /*isPredicate=*/true);
}

static FailureOr<Tensors> buildWhere(Builder &builder, const Node &node) {
  auto body = [](ArrayRef<Scalar> x) { return select(x[0], x[1], x[2]); };
  auto sizeBody = [](ArrayRef<Size> x) -> std::optional<Size> {
    if (x[0].isConstant(0))
      return x[2];
    return x[0].isConstant(1) || x[1] == x[2] ? std::optional<Size>(x[1]) : std::nullopt;
  };
  return buildElementwise(builder, node.inputs[1].dtype(), node.inputs, body, sizeBody);
}

/// Builds Clip. Its bounds are optional inputs and, before version 11, attributes.
static FailureOr<Tensors> buildClip(Builder &builder, const Node &node) {
  Tensors operands = {node.inputs[0]};
  bool hasLow = bool(node.input(1)), hasHigh = bool(node.input(2));
  if (hasLow)
    operands.push_back(node.input(1));
  if (hasHigh)
    operands.push_back(node.input(2));
  auto low = node.has("min") ? std::optional<double>(node.getFloat("min", 0)) : std::nullopt;
  auto high = node.has("max") ? std::optional<double>(node.getFloat("max", 0)) : std::nullopt;
  auto body = [=](ArrayRef<Scalar> x) {
    Scalar result = x.front();
    if (hasLow || low)
      result = atLeast(result, hasLow ? x[1] : result.constant(*low));
    if (hasHigh || high)
      result = atMost(result, hasHigh ? x.back() : result.constant(*high));
    return result;
  };
  auto sizeBody = [=](ArrayRef<Size> x) -> std::optional<Size> {
    if (low || high)
      return std::nullopt;
    Size result = hasLow ? Size::max(x[0], x[1]) : x[0];
    return hasHigh ? Size::min(result, x.back()) : result;
  };
  return buildElementwise(builder, node.inputs[0].dtype(), operands, body, sizeBody);
}

/// If a power with this constant exponent can be computed by products, a square root or a
/// reciprocal, returns a body that does so.
static std::optional<ScalarBody> getConstantPower(double exponent, bool isFloat) {
  if (exponent == 1)
    return [](ArrayRef<Scalar> x) { return x[0]; };
  if (exponent == 2)
    return [](ArrayRef<Scalar> x) { return x[0] * x[0]; };
  if (exponent == 3)
    return [](ArrayRef<Scalar> x) { return x[0] * x[0] * x[0]; };
  if (!isFloat)
    return std::nullopt;
  if (exponent == 0.5)
    return [](ArrayRef<Scalar> x) { return sqrt(x[0]); };
  if (exponent == -0.5)
    return [](ArrayRef<Scalar> x) { return 1.0 / sqrt(x[0]); };
  if (exponent == -1)
    return [](ArrayRef<Scalar> x) { return 1.0 / x[0]; };
  return std::nullopt;
}

static FailureOr<Tensors> buildPow(Builder &builder, const Node &node) {
  DType type = node.inputs[0].dtype();
  const Tensor &exponent = node.inputs[1];
  ScalarBody body = binary<power>(node);
  if (exponent.numElements().isConstant(1))
    if (auto value = builder.constantFloats(exponent))
      if (auto product = getConstantPower(value->front(), isFloat(type)))
        body = *product;
  return buildElementwise(builder, type, node.inputs, body);
}

static FailureOr<Tensors> buildBitCast(Builder &builder, const Node &node) {
  auto type = fromONNX(node.getInt("to", 0));
  if (!type)
    return builder.unsupported("element type " + Twine(node.getInt("to", 0)) + " of 'to'");
  DType from = node.inputs[0].dtype();
  auto width = [](DType type) { return type == DType::Bool ? 8 : getBits(type); };
  if (width(from) != width(*type))
    return builder.unsupported(Twine("a bit cast of ") + getName(from) + " to " + getName(*type) +
                               ", which has another width");
  auto element = [&](Body &body, ValueRange values) -> Value {
    Type elementType = getElementType(builder.context(), *type);
    if (from == DType::Bool || *type == DType::Bool) // a bool is a byte in memory, 0 or 1
      return toElement(body, toScalar(body, values[0], from), *type);
    if (isSubByte(*type)) // keeps the bits; the sign may change
      return cutToSubByte({body.ops, body.loc, values[0]}, *type).getValue();
    if (values[0].getType() == elementType)
      return values[0];
    return arith::BitcastOp::create(body.ops, body.loc, elementType, values[0]);
  };
  return single(builder.elementwise(*type, node.inputs, element));
}

OperatorRows getElementwiseRows() {
  return {
      {"Add", pointwise(binary<add>, binarySizes<addSizes>)},
      {"Sub", pointwise(binary<subtract>, binarySizes<subtractSizes>)},
      {"Mul", pointwise(binary<multiply>, binarySizes<multiplySizes>)},
      {"Div", pointwise(binary<divide>, binarySizes<divideSizes>)},
      {"Mod", pointwise(mod, modSizes)},
      {"Neg", pointwise(unary<negative>, negateSize)},
      {"Abs", pointwise(unary<abs>, absSize)},
      {"Sign", pointwise(unary<sign>)},
      {"Reciprocal", pointwise(unary<reciprocal>)},
      {"Sqrt", pointwise(unary<sqrt>)},
      {"Exp", pointwise(unary<exp>)},
      {"Log", pointwise(unary<log>)},
      {"Erf", pointwise(unary<erf>)},
      {"Sin", pointwise(unary<sin>)},
      {"Cos", pointwise(unary<cos>)},
      {"Tan", pointwise(unary<apply<math::TanOp>>)},
      {"Asin", pointwise(unary<apply<math::AsinOp>>)},
      {"Acos", pointwise(unary<apply<math::AcosOp>>)},
      {"Atan", pointwise(unary<apply<math::AtanOp>>)},
      {"Sinh", pointwise(unary<apply<math::SinhOp>>)},
      {"Cosh", pointwise(unary<apply<math::CoshOp>>)},
      {"Tanh", pointwise(unary<tanh>)},
      {"Asinh", pointwise(unary<apply<math::AsinhOp>>)},
      {"Acosh", pointwise(unary<apply<math::AcoshOp>>)},
      {"Atanh", pointwise(unary<apply<math::AtanhOp>>)},
      {"Ceil", pointwise(unary<ceil>)},
      {"Floor", pointwise(unary<floor>)},
      {"Round", pointwise(unary<roundEven>)},
      {"Min", pointwise(variadic<min>, binarySizes<minSizes>)},
      {"Max", pointwise(variadic<max>, binarySizes<maxSizes>)},
      {"Sum", pointwise(variadic<add>, binarySizes<addSizes>)},
      {"Mean", pointwise(mean)},
      {"And", pointwise(binary<bitAnd>, binarySizes<multiplySizes>)},
      {"Or", pointwise(binary<bitOr>, binarySizes<maxSizes>)},
      {"Xor", pointwise(binary<bitXor>)},
      {"Not", pointwise(unary<bitNot>, notSize)},
      {"BitwiseAnd", pointwise(binary<bitAnd>)},
      {"BitwiseOr", pointwise(binary<bitOr>)},
      {"BitwiseXor", pointwise(binary<bitXor>)},
      {"BitwiseNot", pointwise(unary<bitNot>)},
      {"BitShift", pointwise(bitShift)},
      {"Equal", predicate(binary<isEqual>, binarySizes<equalSizes>)},
      {"Less", predicate(binary<isLess>, binarySizes<lessSizes>)},
      {"LessOrEqual", predicate(binary<isLessOrEqual>, binarySizes<lessEqualSizes>)},
      {"Greater", predicate(binary<isGreater>, binarySizes<greaterSizes>)},
      {"GreaterOrEqual", predicate(binary<isGreaterOrEqual>, binarySizes<greaterEqualSizes>)},
      {"IsNaN", predicate(unary<isNaN>)},
      {"IsInf", predicate(isInf)},
      {"Where", buildWhere},
      {"Clip", buildClip},
      {"Pow", buildPow},
      {"BitCast", buildBitCast},
  };
}

} // namespace tssa::operators
