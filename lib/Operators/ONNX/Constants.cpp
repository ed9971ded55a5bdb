//===- Constants.cpp - tensors from attributes, sizes and positions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Elements.h"

using namespace mlir;

namespace tssa::operators {

static FailureOr<Tensors> buildConstant(Builder &b, const Node &node) {
  for (StringRef name : {"value", "sparse_value"})
    if (Tensor value = node.getTensor(name))
      return Tensors{value};
  auto make = [&](DType type, ArrayRef<int64_t> shape, ArrayRef<Attribute> values) {
    auto tensorType = RankedTensorType::get(shape, getElementType(b.context(), type));
    return Tensors{b.constant(type, fromAttributes(tensorType, values))};
  };
  for (StringRef name : {"value_int", "value_float"})
    if (Attribute value = node.attributes.get(name))
      return make(name == "value_int" ? DType::I64 : DType::F32, {}, value);
  if (node.has("value_ints")) {
    SmallVector<int64_t> ints = node.getInts("value_ints");
    int64_t count = ints.size();
    return Tensors{b.constant(DType::I64, fromInts(b.context(), DType::I64, count, ints))};
  }
  if (node.has("value_floats")) {
    SmallVector<Attribute> values;
    for (double value : node.getFloats("value_floats"))
      values.push_back(b.ops.getF32FloatAttr(value));
    return make(DType::F32, static_cast<int64_t>(values.size()), values);
  }
  bool isOne = node.has("value_string");
  if (!isOne && !node.has("value_strings"))
    return b.error("expected one attribute with the value");
  SmallVector<std::string> texts = node.getStrings("value_strings");
  if (isOne)
    texts = {node.getString("value_string", "").str()};
  Labels strings{Labels::Strings, {texts.begin(), texts.end()}, {}};
  SmallVector<int64_t> indexes = llvm::to_vector(llvm::seq<int64_t>(0, texts.size()));
  SmallVector<int64_t> shape;
  if (!isOne)
    shape.push_back(indexes.size());
  return Tensors{b.constant(DType::I64, fromInts(b.context(), DType::I64, shape, indexes))
                     .withStrings(std::make_shared<const Labels>(std::move(strings)))};
}

static FailureOr<Tensors> buildConstantOfShape(Builder &b, const Node &node) {
  FailureOr<SmallVector<Size>> shape = b.requireSizes(node.inputs[0], "the shape");
  if (failed(shape))
    return failure();
  Tensor value = node.getTensor("value");
  if (!value)
    return single(b.fill(DType::F32, *shape, 0));
  if (!value.numElements().isConstant(1))
    return b.error("expected one element as value, got " + value.str());
  if (value.hasContents())
    if (std::optional<int64_t> element = value.contents().front().constant())
      if (llvm::isInt<54>(*element))
        return single(b.fill(value.dtype(), *shape, *element));
  Attribute element = readAttributes(value.constant(), 1)->front();
  return single(b.compute(value.dtype(), *shape, [&](Body &body) -> Value {
    return arith::ConstantOp::create(body.ops, body.loc, cast<TypedAttr>(element));
  }));
}

//===----------------------------------------------------------------------===//
// Range
//===----------------------------------------------------------------------===//

static FailureOr<Size> countIntegers(Builder &b, const Size &start, const Size &limit,
                                     const Size &delta) {
  if (delta.isConstant(0))
    return b.error("delta is 0");
  if (!delta.differs(0)) {
    Builder::Condition isZero = b.isEqual(delta, 0);
    Value zero = arith::ConstantIntOp::create(b.ops, b.loc(), 0, 1);
    b.check(arith::CmpIOp::create(b.ops, b.loc(), arith::CmpIPredicate::eq, isZero.value, zero),
            "delta is 0");
  }
  Builder::Condition falls = b.isLess(delta, 0);
  Size distance = b.select(falls, start - limit, limit - start);
  Size step = b.select(falls, -delta, delta);
  return Size::max(distance.ceilDiv(step), 0);
}

static FailureOr<Size> countFloats(Builder &b, const Node &node) {
  if (std::optional<SmallVector<double>> delta = b.constantFloats(node.inputs[2]))
    if (delta->size() == 1 && delta->front() == 0)
      return b.error("delta is 0");
  FailureOr<Tensor> count = b.elementwise(DType::I64, node.inputs, [&](Body &body, ValueRange x) {
    auto wide = [&](unsigned i) {
      Scalar scalar = toScalar(body, x[i], node.inputs[i].dtype());
      return convert(scalar, body.ops.getF64Type());
    };
    Scalar steps = ceil((wide(1) - wide(0)) / wide(2));
    return convert(max(steps, steps.constant(0)), body.ops.getI64Type()).getValue();
  });
  if (failed(count))
    return failure();
  return b.requireSize(*count, "the number of elements");
}

static FailureOr<Tensors> buildRange(Builder &b, const Node &node) {
  const Tensor &start = node.inputs[0], &delta = node.inputs[2];
  DType type = start.dtype();
  for (const Tensor &input : node.inputs)
    if (!input.numElements().isConstant(1))
      return b.error("expected scalars, got " + input.str());
  if (isFloat(type)) {
    FailureOr<Size> count = countFloats(b, node);
    if (failed(count))
      return failure();
    return single(b.compute(type, *count, [&](Body &body) {
      auto read = [&](const Tensor &tensor) {
        SmallVector<AffineExpr> at(tensor.rank(), body.constantExpr(0));
        return readScalar(body, tensor, at);
      };
      Scalar first = read(start), step = read(delta);
      Scalar position(body.ops, body.loc, body.fromIndex(body.index(body.dim(0)), DType::I64));
      return toElement(body, first + step * convert(position, step.getType()), type);
    }));
  }
  SmallVector<Size> bounds;
  for (const Tensor &input : node.inputs) {
    FailureOr<Size> bound = b.requireSize(input, "a bound of the range");
    if (failed(bound))
      return failure();
    bounds.push_back(*bound);
  }
  FailureOr<Size> count = countIntegers(b, bounds[0], bounds[1], bounds[2]);
  if (failed(count))
    return failure();
  return single(b.compute(type, *count, [&](Body &body) {
    AffineExpr element = body.size(bounds[0]) + body.dim(0) * body.size(bounds[2]);
    return body.fromIndex(body.index(element), type);
  }));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

static FailureOr<Tensors> buildEyeLike(Builder &b, const Node &node) {
  const Tensor &x = node.inputs[0];
  if (x.rank() != 2)
    return b.error("expected a matrix, got " + x.str());
  std::optional<DType> type = x.dtype();
  if (node.has("dtype"))
    type = fromONNX(node.getInt("dtype", 0));
  if (!type)
    return b.unsupported("element type " + Twine(node.getInt("dtype", 0)) + " is not supported");
  int64_t diagonal = node.getInt("k", 0);
  return single(b.compute(*type, x.shape(), [&](Body &body) -> Value {
    AffineExpr distance = body.dim(1) - body.dim(0) - diagonal;
    Value isOn = body.inside({distance, -distance});
    return arith::SelectOp::create(body.ops, body.loc, isOn, body.constant(*type, 1.0),
                                   body.constant(*type, 0.0));
  }));
}

/// If the elements are known, returns the positions of those that are not 0.
static std::optional<Tensor> findKnown(Builder &b, const Tensor &x) {
  std::optional<int64_t> count = x.numElements().constant();
  std::optional<SmallVector<double>> values;
  if (count && *count <= Builder::maxContents)
    values = b.constantFloats(x);
  if (!values)
    return std::nullopt;
  SmallVector<int64_t> positions;
  for (auto [i, value] : llvm::enumerate(*values))
    if (value != 0)
      positions.push_back(i);
  SmallVector<Size> indexes(x.rank() * positions.size());
  for (auto [column, position] : llvm::enumerate(positions)) {
    int64_t rest = position;
    for (int64_t dim = x.rank(); dim-- > 0; rest /= *x.dim(dim).constant())
      indexes[dim * positions.size() + column] = rest % *x.dim(dim).constant();
  }
  if (static_cast<int64_t>(indexes.size()) > Builder::maxContents)
    return std::nullopt;
  return b.fromSizes(DType::I64, {Size(x.rank()), Size(positions.size())}, indexes);
}

static FailureOr<Tensors> buildNonZero(Builder &b, const Node &node) {
  const Tensor &x = node.inputs[0];
  if (std::optional<Tensor> known = findKnown(b, x))
    return Tensors{*known};
  return b.callExtern("nonzero", x,
                      Builder::ExternResult{DType::I64, {Size(x.rank()), std::nullopt}}, {});
}

OperatorRows getConstantsRows() {
  return {
      {"Constant", buildConstant, readsStrings},
      {"ConstantOfShape", buildConstantOfShape, List{0, resultRank}},
      {"EyeLike", buildEyeLike},
      {"NonZero", buildNonZero, callsHost},
      {"Range", buildRange},
  };
}

} // namespace tssa::operators
