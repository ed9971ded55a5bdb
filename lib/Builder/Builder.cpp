//===- Builder.cpp - tensors, sizes and errors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/Builder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Builder/Elements.h"
#include "tssa/Builder/Limits.h"

using namespace mlir;

namespace tssa::operators {

/// The maximal number of elements that `constantInts` and `constantFloats` read.
static constexpr int64_t maxReadElements = 1 << 20;

Builder::Builder(OpBuilder &ops, SizeTable &sizes)
    : ops(ops), sizes(sizes), location(ops.getUnknownLoc()) {}

Builder::~Builder() {
  for (Operation *op : discarded)
    op->destroy();
}

void Builder::discard(Operation *op) {
  op->remove();
  op->dropAllReferences();
  discarded.push_back(op);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

LogicalResult Builder::fail(Fault fault, const Twine &text) {
  if (lastFault == Fault::None) {
    lastFault = fault;
    lastText = text.str();
  }
  return failure();
}

LogicalResult Builder::needsValue(const Tensor &operand, const Twine &text) {
  if (lastFault == Fault::None)
    lastUnknown = operand;
  return unsupported(text);
}

LogicalResult Builder::error(const Twine &text) { return fail(Fault::Model, text); }
LogicalResult Builder::unsupported(const Twine &text) { return fail(Fault::Unsupported, text); }
LogicalResult Builder::limit(const Twine &text) { return fail(Fault::Limit, text); }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// If the insertion point is in the body of a te op, moves it to before that op.
static void leaveBodies(OpBuilder &ops) {
  while (Operation *parent = ops.getInsertionBlock()->getParentOp()) {
    if (!isa<te::ExpressionOpInterface>(parent))
      return;
    ops.setInsertionPoint(parent);
  }
}

bool Builder::isVisible(Value value) {
  Region *region = value.getParentRegion(); // null once discarded
  return region && region->isAncestor(ops.getInsertionBlock()->getParent());
}

/// Collects the values on which `size` depends. `seen` has the atoms that were visited before.
static void collectValues(const Size &size, llvm::SmallPtrSetImpl<const Atom *> &seen,
                          SmallVectorImpl<Value> &values) {
  for (const auto &[monomial, coefficient] : size.terms())
    for (const Atom *atom : monomial) {
      if (!seen.insert(atom).second)
        continue;
      if (atom->kind == Atom::Value) {
        values.push_back(atom->value);
        continue;
      }
      collectValues(*atom->lhs, seen, values);
      collectValues(*atom->rhs, seen, values);
    }
}

bool Builder::isVisible(const Size &size) {
  llvm::SmallPtrSet<const Atom *, 8> seen;
  SmallVector<Value> values;
  collectValues(size, seen, values);
  return llvm::all_of(values, [&](Value value) { return isVisible(value); });
}

static Tensor makeTensor(Builder &builder, DType type, ArrayRef<Size> shape) {
  if (shape.size() > maxRank)
    (void)builder.limit("a tensor of rank " + Twine(shape.size()) + ", at most " + Twine(maxRank) +
                        " is supported");
  return Tensor(type, shape);
}

Tensor Builder::wrap(Value value, DType type) {
  OpBuilder::InsertionGuard guard(ops);
  leaveBodies(ops);
  SmallVector<Size> shape;
  auto tensorType = llvm::cast<RankedTensorType>(value.getType());
  for (auto [i, extent] : llvm::enumerate(tensorType.getShape())) {
    if (!ShapedType::isDynamic(extent)) {
      shape.push_back(extent);
      continue;
    }
    Value dim = tensor::DimOp::create(ops, location, value, static_cast<int64_t>(i));
    shape.push_back(sizes.get(dim, /*nonNegative=*/true));
  }
  return wrap(value, type, shape);
}

Tensor Builder::wrap(Value value, DType type, ArrayRef<Size> shape) {
  Tensor tensor = makeTensor(*this, type, shape);
  tensor.data->values.push_back(value);
  return tensor;
}

Tensor Builder::constant(DType type, ElementsAttr elements) {
  ArrayRef<int64_t> extents = elements.getShapedType().getShape();
  Tensor tensor = makeTensor(*this, type, SmallVector<Size>(extents.begin(), extents.end()));
  tensor.data->constant = elements;
  if (std::optional<SmallVector<int64_t>> ints = readInts(elements, type, maxContents))
    tensor.data->contents.emplace(ints->begin(), ints->end());
  return tensor;
}

Tensor Builder::scalar(DType type, double value) {
  Type elementType = getElementType(context(), type);
  if (isSmallFloat(type))
    return constant(type,
                    fromAttributes(RankedTensorType::get({}, elementType),
                                   ops.getI8IntegerAttr(runtime::encodeSmallFloat(type, value))));
  if (!isFloat(type))
    return constant(type, fromInts(context(), type, {}, static_cast<int64_t>(value)));
  return constant(type, fromAttributes(RankedTensorType::get({}, elementType),
                                       ops.getFloatAttr(elementType, value)));
}

Tensor Builder::fromSizes(DType type, ArrayRef<Size> shape, ArrayRef<Size> elements) {
  Tensor tensor = makeTensor(*this, type, shape);
  tensor.data->contents.emplace(elements.begin(), elements.end());
  SmallVector<int64_t> ints;
  for (const Size &element : elements)
    if (std::optional<int64_t> constant = element.constant())
      ints.push_back(*constant);
  if (ints.size() == elements.size())
    tensor.data->constant = fromInts(context(), type, *tensor.staticShape(), ints);
  return tensor;
}

Tensor Builder::fromSizes(ArrayRef<Size> elements) {
  return fromSizes(DType::I64, Size(elements.size()), elements);
}

Value Builder::value(const Tensor &tensor) {
  for (Value value : tensor.data->values)
    if (isVisible(value))
      return value;
  OpBuilder::InsertionGuard guard(ops);
  leaveBodies(ops);
  Value value = tensor.constant() ? te::ConstantOp::create(ops, location, tensor.constant())
                                  : buildContents(tensor);
  tensor.data->values.push_back(value);
  return value;
}

/// Builds a te.compute that selects each element of the contents by its position.
Value Builder::buildContents(const Tensor &tensor) {
  ArrayRef<Size> elements = tensor.contents();
  SmallVector<int64_t> shape = *tensor.staticShape();
  SmallVector<Value> values;
  for (const Size &element : elements)
    values.push_back(materializeValue(element));
  te::ComputeOp op = te::buildCompute(
      ops, location, materialize(tensor.shape()), getElementType(context(), tensor.dtype()),
      [&](OpBuilder &, Location) -> SmallVector<Value> {
        Body body(*this, ops, location);
        AffineExpr position = body.constantExpr(0);
        for (auto [i, extent] : llvm::enumerate(shape))
          position = position * extent + body.dim(i);
        Value result = body.fromIndex(values.back(), tensor.dtype());
        for (int64_t i = static_cast<int64_t>(values.size()) - 2; i >= 0; --i) {
          Value element = body.fromIndex(values[i], tensor.dtype());
          Value here = body.inside({i - position});
          result = arith::SelectOp::create(ops, location, here, element, result);
        }
        return {result};
      });
  return op.getResult(0);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

OpFoldResult Builder::materialize(const Size &size) {
  if (std::optional<int64_t> constant = size.constant())
    return ops.getIndexAttr(*constant);
  return materializeValue(size);
}

SmallVector<OpFoldResult> Builder::materialize(ArrayRef<Size> sizes) {
  SmallVector<OpFoldResult> result;
  for (const Size &size : sizes)
    result.push_back(materialize(size));
  return result;
}

Value Builder::materializeValue(const Size &size) {
  SmallVector<Value, 1> &known = sizeValues[size];
  for (Value value : known)
    if (isVisible(value))
      return value;
  OpBuilder::InsertionGuard guard(ops);
  leaveBodies(ops);
  Value value = buildSize(size);
  known.push_back(value);
  return value;
}

Value Builder::buildSize(const Size &size) {
  if (std::optional<int64_t> constant = size.constant())
    return arith::ConstantIndexOp::create(ops, location, *constant);
  if (size.overflowed()) {
    (void)limit("a size is too large, or depends on too much, to be computed");
    return arith::ConstantIndexOp::create(ops, location, 0);
  }
  Value sum;
  for (const auto &[monomial, coefficient] : size.terms()) {
    Value term;
    if (size.terms().size() > 1) {
      term = materializeValue(Size(monomial, coefficient));
    } else {
      for (const Atom *atom : monomial) {
        Value factor = materializeAtom(*atom);
        term = term ? arith::MulIOp::create(ops, location, term, factor).getResult() : factor;
      }
      if (coefficient != 1)
        term = arith::MulIOp::create(ops, location, term, materializeValue(coefficient));
    }
    sum = sum ? arith::AddIOp::create(ops, location, sum, term).getResult() : term;
  }
  return sum;
}

Value Builder::materializeAtom(const Atom &atom) {
  if (atom.kind == Atom::Value)
    return atom.value;
  SmallVector<Value, 1> &known = sizeValues[Size(atom)];
  for (Value value : known)
    if (isVisible(value))
      return value;
  // A division by a divisor that is 0 at run time must not trap; its result is then unused.
  bool isDivision = atom.kind == Atom::FloorDiv;
  Value lhs = materializeValue(*atom.lhs);
  Value rhs = materializeValue(isDivision ? Size::max(*atom.rhs, 1) : *atom.rhs);
  Value value;
  if (atom.kind == Atom::Min)
    value = arith::MinSIOp::create(ops, location, lhs, rhs);
  else if (atom.kind == Atom::Max)
    value = arith::MaxSIOp::create(ops, location, lhs, rhs);
  else if (atom.nonNegative)
    value = arith::DivUIOp::create(ops, location, lhs, rhs);
  else
    value = arith::FloorDivSIOp::create(ops, location, lhs, rhs);
  known.push_back(value);
  return value;
}

Size Builder::asAtom(const Size &size) {
  if (size.constant() || size.overflowed())
    return size;
  return sizes.get(materializeValue(size), size.isAtLeast(0));
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> Builder::constantInts(const Tensor &tensor) {
  if (tensor.constant())
    return readInts(tensor.constant(), tensor.dtype(), maxReadElements);
  return std::nullopt;
}

std::optional<SmallVector<double>> Builder::constantFloats(const Tensor &tensor) {
  if (tensor.constant())
    return readFloats(tensor.constant(), tensor.dtype(), maxReadElements);
  return std::nullopt;
}

FailureOr<SmallVector<int64_t>> Builder::requireConstantInts(const Tensor &tensor, StringRef what) {
  if (std::optional<SmallVector<int64_t>> ints = constantInts(tensor))
    return *ints;
  return needsValue(tensor, what + " must be known when the model is compiled");
}

FailureOr<SmallVector<double>> Builder::requireConstantFloats(const Tensor &tensor,
                                                              StringRef what) {
  if (std::optional<SmallVector<double>> floats = constantFloats(tensor))
    return *floats;
  return needsValue(tensor, what + " must be known when the model is compiled");
}

/// The maximal length of a list that is read at run time: two numbers for each of 32 dims.
static constexpr int64_t maxListLength = 64;

FailureOr<SmallVector<Size>> Builder::requireSizes(const Tensor &tensor, StringRef what) {
  if (tensor.hasContents())
    return SmallVector<Size>(tensor.contents());
  std::optional<int64_t> count = tensor.numElements().constant();
  if (!count || tensor.rank() > 1 || isFloat(tensor.dtype()) || *count > maxListLength)
    return needsValue(tensor, what + " must be a short list of integers of known length, got " +
                                  tensor.str());
  Value source = value(tensor);
  SmallVector<Size> elements;
  for (int64_t i = 0; i < *count; ++i) {
    SmallVector<Value> at;
    if (tensor.rank())
      at.push_back(materializeValue(i));
    Value element = tensor::ExtractOp::create(ops, location, source, at);
    Body body(*this, ops, location);
    elements.push_back(sizes.get(body.toIndex(element, tensor.dtype()),
                                 /*nonNegative=*/isUnsigned(tensor.dtype())));
  }
  if (source.getParentRegion() == ops.getInsertionBlock()->getParent())
    tensor.data->contents = elements;
  return elements;
}

FailureOr<Size> Builder::requireSize(const Tensor &tensor, StringRef what) {
  if (!tensor.numElements().isConstant(1))
    return error(what + " must be one number, got " + tensor.str());
  Tensor flat = tensor;
  if (tensor.rank() > 1 && !tensor.hasContents()) {
    FailureOr<Tensor> reshaped = reshape(tensor, Size(1));
    if (failed(reshaped))
      return failure();
    flat = *reshaped;
  }
  FailureOr<SmallVector<Size>> elements = requireSizes(flat, what);
  if (failed(elements))
    return failure();
  return elements->front();
}

FailureOr<int64_t> Builder::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return error("axis " + Twine(axis) + " is out of range for a tensor of rank " + Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>> Builder::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normal = normalizeAxis(axis, rank);
    if (failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal))
      return error("axis " + Twine(axis) + " is given twice");
    result.push_back(*normal);
  }
  return result;
}

void Builder::check(Value condition, const Twine &message) {
  OpBuilder::InsertionGuard guard(ops);
  leaveBodies(ops);
  te::CheckOp::create(ops, location, condition, ops.getStringAttr(message));
}

Builder::Condition Builder::isEqual(const Size &lhs, const Size &rhs) {
  if (lhs == rhs)
    return {true, {}};
  if (lhs.differs(rhs))
    return {false, {}};
  return {std::nullopt, arith::CmpIOp::create(ops, location, arith::CmpIPredicate::eq,
                                              materializeValue(lhs), materializeValue(rhs))};
}

Builder::Condition Builder::isLess(const Size &lhs, const Size &rhs) {
  if (lhs.constant() && rhs.constant())
    return {*lhs.constant() < *rhs.constant(), {}};
  Size difference = rhs - lhs;
  if (difference.isAtLeast(1))
    return {true, {}};
  if (difference.isAtMost(0))
    return {false, {}};
  return {std::nullopt, arith::CmpIOp::create(ops, location, arith::CmpIPredicate::slt,
                                              materializeValue(lhs), materializeValue(rhs))};
}

Size Builder::select(const Condition &condition, const Size &ifTrue, const Size &ifFalse) {
  if (condition.known)
    return *condition.known ? ifTrue : ifFalse;
  if (ifTrue == ifFalse)
    return ifTrue;
  Value chosen = arith::SelectOp::create(ops, location, condition.value, materializeValue(ifTrue),
                                         materializeValue(ifFalse));
  return sizes.get(chosen, ifTrue.isAtLeast(0) && ifFalse.isAtLeast(0));
}

LogicalResult Builder::require(const Condition &condition, const Twine &message) {
  if (condition.known)
    return *condition.known ? success() : error(message);
  check(condition.value, message);
  return success();
}

LogicalResult Builder::requireEqual(const Size &lhs, const Size &rhs, const Twine &what) {
  if (lhs == rhs)
    return success();
  if (lhs.overflowed() || rhs.overflowed())
    return limit(what + ": a size is too large");
  if (lhs.differs(rhs))
    return error(what + ": expected equal sizes, got " + lhs.str() + " and " + rhs.str());
  check(isEqual(lhs, rhs).value,
        what + ": expected equal sizes (" + lhs.str() + " and " + rhs.str() + ")");
  return success();
}

LogicalResult Builder::requireNonNegative(const Size &size, const Twine &what) {
  if (size.overflowed())
    return limit(what + " is too large");
  if (size.isAtLeast(0))
    return success();
  if (size.isAtMost(-1))
    return error(what + " is negative: " + size.str());
  if (failed(require(isLess(-1, size), what + " is negative")))
    return failure();
  // A check in a branch or a loop may not have run before the size is used elsewhere.
  if (isa<func::FuncOp>(ops.getInsertionBlock()->getParentOp()))
    sizes.learnNonNegative(size);
  return success();
}

} // namespace tssa::operators
