//===- Importer.cpp - builds tssa, te and scf ops for a recorded program -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Importer.h"
#include "lib/Import/Limits.h"
#include "lib/Import/PyTorch/Operators.h"
#include "lib/Import/PyTorch/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Operators/Catalogue.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;

namespace arith = mlir::arith;
namespace refs = mlir::tssa::refs;

namespace tssa::pytorch {

/// The maximal number of nodes that are built, including those of trials.
static constexpr size_t maxBuilt = 200'000;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Value makeConstant(const Literal &literal) {
  switch (literal.kind) {
  case Literal::Int:
    return Value::integer(literal.integer);
  case Literal::Float:
    return Value::number(literal.number);
  case Literal::Bool:
    return Value::truth(literal.integer != 0);
  case Literal::String:
    return Value::string(literal.text);
  case Literal::List:
  case Literal::Tuple: {
    Values elements;
    for (const Literal &element : literal.elements)
      elements.push_back(makeConstant(element));
    return literal.kind == Literal::List ? Value::list(elements) : Value::tuple(elements);
  }
  case Literal::None:
  case Literal::Tensor:
    break;
  }
  return {};
}

static mlir::Location getLocation(mlir::MLIRContext *context, const RecordedNode &node,
                                  const SourceLocation &location) {
  std::string name = sys::path::filename(location.file).str() + ":" + std::to_string(location.line);
  mlir::Location named = mlir::NameLoc::get(mlir::StringAttr::get(context, name));
  mlir::Location at =
      mlir::FileLineColLoc::get(context, location.file, location.line, location.column);
  return mlir::FusedLoc::get(context, {named, at}, mlir::StringAttr::get(context, node.op));
}

Values Importer::getValues(ArrayRef<ValueId> ids) const {
  Values result;
  for (ValueId id : ids)
    result.push_back(values[id]);
  return result;
}

void Importer::setValues(ArrayRef<ValueId> ids, ArrayRef<Value> from) {
  for (auto [id, value] : llvm::zip_equal(ids, from))
    values[id] = value;
}

FailureOr<Values> Importer::build(const RecordedNode &node) {
  if (node.is("prim::Constant"))
    return Values{makeConstant(node.value)};
  if (node.is("prim::If"))
    return importIf(*this, node);
  if (node.is("prim::Loop"))
    return importLoop(*this, node);
  const Operator *op = OperatorTable::get().find(node.op);
  if (!op)
    return b.unsupported("operator is not supported");
  Values arguments = getValues(node.inputs);
  auto [name, overload] = StringRef(node.op).split('.');
  Call call{name, overload, arguments};
  if (op->evaluate)
    return op->evaluate(*this, call);
  FailureOr<Tensors> results = op->compute(*this, call);
  if (failed(results))
    return failure();
  bool isContiguous = op->layout == Layout::Contiguous;
  if (!isContiguous)
    isContiguous = llvm::all_of(arguments, [](const Value &value) {
      return !value.is(Value::Tensor) || value.getTensor().isRowMajor;
    });
  Values made;
  for (const Tensor &result : *results) {
    TensorRef tensor = allocate(result, isContiguous);
    if (!isContiguous)
      keepStrides(*this, arguments, tensor);
    made.push_back(Value::tensor(tensor));
  }
  return made;
}

LogicalResult Importer::reportNode(const RecordedNode &node) {
  if (!errorText.empty() || b.fault() == Fault::None)
    return failure();
  errorText = node.op + ": " + b.faultText().str();
  if (location.line)
    errorText = location.file + ":" + std::to_string(location.line) + ": " + errorText;
  return failure();
}

LogicalResult Importer::importNode(const RecordedNode &node) {
  if (node.location.line)
    location = node.location;
  b.setLoc(getLocation(b.context(), node, location));
  if (++numBuilt > maxBuilt)
    (void)b.limit("the program is too large");
  FailureOr<Values> results = failure();
  if (b.fault() == Fault::None)
    results = build(node);
  if (failed(results))
    return reportNode(node);
  if (results->size() != node.outputs.size()) {
    (void)b.error("expected " + Twine(node.outputs.size()) + " results, got " +
                  Twine(results->size()));
    return reportNode(node);
  }
  setValues(node.outputs, *results);
  return success();
}

LogicalResult Importer::importBlock(const Block &block) {
  for (const RecordedNode &node : block.nodes)
    if (failed(importNode(node)))
      return failure();
  return success();
}

FailureOr<Values> Importer::run(ArrayRef<Value> arguments) {
  setValues(program.body.inputs, arguments);
  if (failed(importBlock(program.body))) {
    if (errorText.empty())
      errorText = b.faultText().str();
    return failure();
  }
  return getValues(program.body.outputs);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

LogicalResult Importer::needsKnown(const Twine &what) {
  return b.unsupported(what + " must be known when the program is compiled");
}

FailureOr<Size> Importer::getSize(const Value &value) {
  if (value.is(Value::Int))
    return value.getSize();
  if (std::optional<int64_t> constant = value.getConstantInt())
    return Size(*constant);
  if (value.is(Value::Bool)) {
    mlir::Value index =
        arith::IndexCastUIOp::create(b.ops, b.loc(), b.ops.getIndexType(), value.getScalar());
    return b.sizes.get(index, /*nonNegative=*/true);
  }
  return b.error("expected an int, got " + value.describe());
}

FailureOr<int64_t> Importer::getInt(const Value &value, StringRef what) {
  if (std::optional<int64_t> constant = value.getConstantInt())
    return *constant;
  if (!value.is(Value::Int) && !value.is(Value::Bool))
    return b.error(what + ": expected an int, got " + value.describe());
  return needsKnown(what);
}

FailureOr<bool> Importer::getFlag(const Value &value, StringRef what) {
  if (std::optional<bool> constant = value.getConstantBool())
    return *constant;
  if (!value.is(Value::Bool))
    return b.error(what + ": expected a bool, got " + value.describe());
  return needsKnown(what);
}

FailureOr<Sizes> Importer::getSizes(const Value &value) {
  Sizes sizes;
  if (!value.isSequence()) {
    FailureOr<Size> size = getSize(value);
    if (failed(size))
      return failure();
    return Sizes{*size};
  }
  for (const Value &element : value.getElements()) {
    FailureOr<Size> size = getSize(element);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return sizes;
}

FailureOr<SmallVector<int64_t>> Importer::getInts(const Value &value, StringRef what) {
  SmallVector<int64_t> ints;
  ArrayRef<Value> elements = value;
  if (value.isSequence())
    elements = value.getElements();
  for (const Value &element : elements) {
    FailureOr<int64_t> constant = getInt(element, what);
    if (failed(constant))
      return failure();
    ints.push_back(*constant);
  }
  return ints;
}

FailureOr<int64_t> Importer::getDim(const Value &value, int64_t rank) {
  FailureOr<int64_t> dim = getInt(value, "a dim");
  if (failed(dim))
    return failure();
  int64_t range = std::max<int64_t>(rank, 1);
  if (*dim < -range || *dim >= range)
    return b.error("expected a dim in [" + Twine(-range) + ", " + Twine(range - 1) + "], got " +
                   Twine(*dim));
  return *dim < 0 ? *dim + range : *dim;
}

mlir::Value Importer::getTruth(const Value &value) {
  if (value.getScalar() && value.is(Value::Bool))
    return value.getScalar();
  if (std::optional<double> constant = value.getConstant())
    return arith::ConstantIntOp::create(b.ops, b.loc(), *constant != 0, 1);
  if (value.is(Value::Int))
    return arith::CmpIOp::create(b.ops, b.loc(), arith::CmpIPredicate::ne,
                                 b.materializeValue(value.getSize()), b.materializeValue(0));
  mlir::Value zero = arith::ConstantOp::create(b.ops, b.loc(), b.ops.getF64FloatAttr(0));
  return arith::CmpFOp::create(b.ops, b.loc(), arith::CmpFPredicate::UNE, value.getScalar(), zero);
}

mlir::Value Importer::getNumber(const Value &value) {
  if (std::optional<double> constant = value.getConstant())
    return arith::ConstantOp::create(b.ops, b.loc(), b.ops.getF64FloatAttr(*constant));
  if (value.is(Value::Float))
    return value.getScalar();
  mlir::Type f64 = b.ops.getF64Type();
  if (value.is(Value::Bool))
    return arith::UIToFPOp::create(b.ops, b.loc(), f64, value.getScalar());
  mlir::Value integer = arith::IndexCastOp::create(b.ops, b.loc(), b.ops.getI64Type(),
                                                   b.materializeValue(value.getSize()));
  return arith::SIToFPOp::create(b.ops, b.loc(), f64, integer);
}

std::optional<DType> lookupScalarType(int64_t code) {
  static constexpr std::pair<int64_t, DType> codes[] = {
      {0, DType::U8},   {1, DType::I8},   {2, DType::I16}, {3, DType::I32},   {4, DType::I64},
      {5, DType::F16},  {6, DType::F32},  {7, DType::F64}, {11, DType::Bool}, {15, DType::BF16},
      {27, DType::U16}, {28, DType::U32}, {29, DType::U64}};
  for (auto [known, type] : codes)
    if (known == code)
      return type;
  return std::nullopt;
}

FailureOr<DType> Importer::getDType(const Value &value, DType otherwise) {
  if (value.is(Value::None))
    return otherwise;
  FailureOr<int64_t> code = getInt(value, "a dtype");
  if (failed(code))
    return failure();
  if (std::optional<DType> type = lookupScalarType(*code))
    return *type;
  return b.unsupported("dtype number " + Twine(*code));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Sizes getContiguousStrides(ArrayRef<Size> shape) {
  Sizes strides(shape.size(), Size(1));
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

FailureOr<TensorRef> Importer::getTensor(const Value &value) {
  if (!value.is(Value::Tensor))
    return b.error("expected a tensor, got " + value.describe());
  return value.getTensor();
}

Tensor Importer::read(const TensorRef &tensor) {
  if (auto known = constants.find(tensor.ref); known != constants.end())
    return known->second;
  mlir::Value value = refs::ReadOp::create(b.ops, b.loc(), tensor.ref);
  return b.wrap(value, tensor.dtype, tensor.shape);
}

FailureOr<Tensor> Importer::read(const Value &value) {
  FailureOr<TensorRef> tensor = getTensor(value);
  if (failed(tensor))
    return failure();
  return read(*tensor);
}

FailureOr<SmallVector<TensorRef>> Importer::getTensors(const Value &list) {
  if (!list.isSequence())
    return b.error("expected a list of tensors, got " + list.describe());
  SmallVector<TensorRef> tensors;
  for (const Value &element : list.getElements()) {
    FailureOr<TensorRef> tensor = getTensor(element);
    if (failed(tensor))
      return failure();
    tensors.push_back(*tensor);
  }
  return tensors;
}

TensorRef Importer::allocate(const Tensor &contents, bool isContiguous) {
  mlir::Value value = b.value(contents);
  TensorRef tensor;
  tensor.ref = refs::AllocOp::create(b.ops, b.loc(), value);
  tensor.dtype = contents.dtype();
  auto type = cast<mlir::RankedTensorType>(value.getType());
  for (auto [size, extent] : llvm::zip_equal(contents.shape(), type.getShape()))
    tensor.shape.push_back(mlir::ShapedType::isDynamic(extent) ? size : Size(extent));
  tensor.isRowMajor = isContiguous;
  if (isContiguous)
    tensor.strides = getContiguousStrides(tensor.shape);
  return tensor;
}

static operators::Scalar truncateToInteger(operators::Scalar x, DType type) {
  bool isLong = type == DType::I64;
  mlir::Type wide = x.getBuilder().getIntegerType(isLong ? 64 : 32);
  double limit = isLong ? 0x1p63 : 0x1p31;
  x = widen(x);
  operators::Scalar fits = (x >= -limit) & (x < limit);
  operators::Scalar integer = convert(select(fits, x, 0.0), wide);
  APInt least = APInt::getSignedMinValue(isLong ? 64 : 32);
  return select(fits, integer, integer.constant(least));
}

FailureOr<Tensor> Importer::convertTo(const Tensor &tensor, DType type) {
  bool isWideUnsigned = type == DType::U16 || type == DType::U32 || type == DType::U64;
  if (!operators::isFloat(tensor.dtype()) || !operators::isInteger(type) || isWideUnsigned)
    return b.cast(tensor, type);
  return b.compute(type, tensor.shape(), [&](operators::Body &body) -> mlir::Value {
    operators::Scalar x(body.ops, body.loc, body.read(tensor, body.dims(0, tensor.rank())));
    return convert(truncateToInteger(x, type), operators::getElementType(b.context(), type),
                   operators::isUnsigned(type))
        .getValue();
  });
}

TensorRef Importer::allocateConstant(const Tensor &contents, StringRef name) {
  TensorRef tensor = allocate(contents);
  tensor.ref.getDefiningOp<refs::AllocOp>().setConstant(name);
  constants.try_emplace(tensor.ref, contents);
  return tensor;
}

LogicalResult Importer::write(const TensorRef &target, const Tensor &contents) {
  FailureOr<Tensor> converted = convertTo(contents, target.dtype);
  if (failed(converted))
    return failure();
  FailureOr<Tensor> full = broadcastTo(*converted, target.shape);
  if (failed(full))
    return failure();
  mlir::Value value = b.value(*full);
  mlir::Type type = cast<refs::RefType>(target.ref.getType()).getTensorType();
  if (value.getType() != type)
    value = mlir::tensor::CastOp::create(b.ops, b.loc(), type, value);
  refs::WriteOp::create(b.ops, b.loc(), value, target.ref);
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static std::string describeShape(ArrayRef<Size> shape) {
  std::string text;
  for (const Size &size : shape)
    text += (text.empty() ? "" : ", ") + size.str();
  return "[" + text + "]";
}

LogicalResult Importer::requireEqual(const Size &lhs, const Size &rhs, const Twine &what) {
  std::optional<bool> equal = guards.isEqual(lhs, rhs);
  if (!equal)
    return b.requireEqual(lhs, rhs, what);
  if (*equal)
    return success();
  return b.error(what + ": expected equal sizes, got " + lhs.str() + " and " + rhs.str());
}

FailureOr<Sizes> Importer::broadcast(ArrayRef<Sizes> shapes) {
  size_t rank = 0;
  for (const Sizes &shape : shapes)
    rank = std::max(rank, shape.size());
  Sizes result(rank, Size(1));
  for (const Sizes &shape : shapes)
    for (size_t i = 0; i < shape.size(); ++i) {
      Size &common = result[rank - shape.size() + i];
      const Size &size = shape[i];
      if (size.isConstant(1) || size == common)
        continue;
      if (common.isConstant(1)) {
        common = size;
        continue;
      }
      std::optional<bool> equal = guards.isEqual(size, common);
      if (equal == true || (!equal && succeeded(b.requireEqual(size, common, "broadcasting")))) {
        common = size.constant() ? size : common;
      } else if (guards.isEqual(common, 1) == true) {
        common = size;
      } else if (guards.isEqual(size, 1) != true) {
        return b.error("sizes " + common.str() + " and " + size.str() +
                       " do not broadcast: shapes " + describeShape(shapes.front()) + " and " +
                       describeShape(shape));
      }
    }
  return result;
}

Tensor Importer::refine(const Tensor &tensor, ArrayRef<Size> shape) {
  if (tensor.hasContents() || tensor.constant() || tensor.shape() == shape.take_back(tensor.rank()))
    return tensor;
  Sizes refined(tensor.shape());
  for (auto [size, common] : llvm::zip_equal(refined, shape.take_back(tensor.rank()))) {
    if (size.constant())
      continue;
    size = guards.isEqual(size, common) == false ? Size(1) : common;
  }
  return b.wrap(b.value(tensor), tensor.dtype(), refined);
}

FailureOr<Tensor> Importer::broadcastTo(const Tensor &tensor, ArrayRef<Size> shape) {
  if (tensor.shape() == shape)
    return tensor;
  Sizes own(tensor.shape()), target(shape);
  if (own.size() > target.size())
    return b.error("a tensor of shape " + describeShape(own) + " does not broadcast to " +
                   describeShape(target));
  FailureOr<Sizes> common = broadcast({target, own});
  if (failed(common))
    return failure();
  for (auto [size, wanted] : llvm::zip_equal(*common, target))
    if (guards.isEqual(size, wanted) == false)
      return b.error("a tensor of shape " + describeShape(own) + " does not broadcast to " +
                     describeShape(target));
  return b.expand(refine(tensor, target), target);
}

FailureOr<Tensors> Importer::call(StringRef op, int64_t version, ArrayRef<Tensor> inputs,
                                  ArrayRef<mlir::NamedAttribute> attributes, unsigned numOutputs) {
  operators::Node node;
  node.op = op.str();
  node.version = version;
  node.inputs.assign(inputs.begin(), inputs.end());
  node.outputs.assign(numOutputs, true);
  for (mlir::NamedAttribute attribute : attributes)
    node.attributes.set(attribute.getName(), attribute.getValue());
  const operators::OperatorRow *row = operators::findOperator("", op, version);
  if (!row)
    return b.unsupported("operator " + op + " of the standard set is missing");
  FailureOr<Tensors> results = row->build(b, node);
  if (succeeded(results))
    results->truncate(numOutputs);
  return results;
}

} // namespace tssa::pytorch
