//===- LoopBuilder.cpp - loops over tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/LoopBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tssa::operators {

/// The maximal number of trials of all loops of a program together.
static constexpr size_t maxTrials = 1000;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

RankedTensorType getType(Builder &builder, const TensorForm &form) {
  SmallVector<int64_t> extents;
  for (const std::optional<Size> &size : form.shape)
    extents.push_back(size ? size->constant().value_or(ShapedType::kDynamic)
                           : ShapedType::kDynamic);
  return RankedTensorType::get(extents, getElementType(builder.context(), form.type));
}

Tensor wrap(Builder &builder, Value value, const TensorForm &form) {
  SmallVector<Size> shape;
  for (auto [i, size] : llvm::enumerate(form.shape)) {
    if (size) {
      shape.push_back(*size);
      continue;
    }
    Value extent =
        tensor::DimOp::create(builder.ops, builder.loc(), value, static_cast<int64_t>(i));
    shape.push_back(builder.sizes.get(extent, /*nonNegative=*/true));
  }
  return builder.wrap(value, form.type, shape);
}

Value conform(Builder &builder, const Tensor &tensor, Type type) {
  Value value = builder.value(tensor);
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder.ops, builder.loc(), type, value);
}

FailureOr<Value> extractFlag(Builder &builder, const Tensor &tensor) {
  if (tensor.dtype() != DType::Bool || !tensor.numElements().isConstant(1))
    return builder.error("expected one bool as condition, got " + tensor.str());
  Location loc = builder.loc();
  if (std::optional<SmallVector<int64_t>> known = builder.constantInts(tensor))
    return arith::ConstantIntOp::create(builder.ops, loc, known->front() != 0, 1).getResult();
  Value source = builder.value(tensor);
  SmallVector<Value> at(tensor.rank(), builder.materializeValue(0));
  return tensor::ExtractOp::create(builder.ops, loc, source, at).getResult();
}

LogicalResult requirePlain(Builder &builder, ArrayRef<Tensor> tensors, const Twine &what) {
  for (const Tensor &tensor : tensors)
    if (!tensor.isPlain())
      return builder.unsupported(
          what + " gives a " + tensor.str() + ", expected tensors" +
          (tensor.isSequence() ? "; give the tensor of a ConcatFromSequence instead" : ""));
  return success();
}

//===----------------------------------------------------------------------===//
// Scan outputs
//===----------------------------------------------------------------------===//

unsigned LoopBuilder::numScans() const {
  return spec.body.numOutputs() - spec.firstOutput - spec.initial.size();
}

/// Returns whether the result of a scan output is allocated before the loop, with space for the
/// elements of all iterations.
bool LoopBuilder::isPreallocated(const TensorForm &element) const {
  return !spec.condition && spec.count &&
         llvm::all_of(element.shape, [](const auto &size) { return size.has_value(); });
}

TensorForm LoopBuilder::getAccumulatorForm(const TensorForm &element) const {
  TensorForm form = element;
  form.shape.insert(form.shape.begin(), isPreallocated(element) ? spec.count : std::nullopt);
  return form;
}

/// Adds an element to the accumulator of a scan output: writes it at its index if the accumulator
/// is preallocated, else appends it.
FailureOr<Tensor> LoopBuilder::accumulate(unsigned scan, const Tensor &accumulator,
                                          const Tensor &element, const Size &position) {
  int64_t rank = element.rank();
  if (isPreallocated((*scanned)[scan])) {
    bool isReversed = scan < spec.reversed.size() && spec.reversed[scan];
    Size index = isReversed ? *spec.count - 1 - position : position;
    return b.update(accumulator, element.shape(), [&](Body &body) {
      SmallVector<AffineExpr> at = body.dims(0, rank), target = {body.size(index)};
      Value value = body.read(element, at);
      llvm::append_range(target, at);
      return Builder::Write{value, target, {}};
    });
  }
  Size length = accumulator.dim(0);
  SmallVector<Size> shape = {length + 1};
  Builder::Condition isFirst = b.isEqual(length, 0);
  for (auto [i, size] : llvm::enumerate(element.shape())) {
    if (failed(
            b.requireEqual(b.select(isFirst, size, accumulator.dim(i + 1)), size,
                           "the elements of a scan output, or the parts that a loop appends to a "
                           "sequence, have one shape (pad others): dim " +
                               Twine(i))))
      return failure();
    shape.push_back(size);
  }
  auto pad = cast<TypedAttr>(b.ops.getZeroAttr(getElementType(b.context(), element.dtype())));
  return b.compute(element.dtype(), shape, [&](Body &body) -> Value {
    AffineExpr isOld = body.size(length) - 1 - body.dim(0);
    Value old = body.read(accumulator, body.dims(0, rank + 1), isOld, pad);
    Value added = body.read(element, body.dims(1, rank + 1));
    return arith::SelectOp::create(body.ops, body.loc, body.inside(isOld), old, added);
  });
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

LoopBuilder::LoopBuilder(Builder &builder, const LoopSpec &spec)
    : b(builder), spec(spec), block(builder.ops.getInsertionBlock()) {
  for (const Tensor &tensor : spec.initial)
    carried.push_back({tensor.dtype(), SmallVector<std::optional<Size>>(tensor.shape().begin(),
                                                                        tensor.shape().end())});
  if (numScans() == 0)
    scanned.emplace();
}

FailureOr<SmallVector<Value>> LoopBuilder::getInitialValues() {
  SmallVector<Value> values;
  for (auto [tensor, form] : llvm::zip_equal(spec.initial, carried))
    values.push_back(conform(b, tensor, getType(b, form)));
  if (!scanned)
    return values;
  for (const TensorForm &element : *scanned) {
    TensorForm form = getAccumulatorForm(element);
    SmallVector<Size> shape;
    for (const std::optional<Size> &size : form.shape)
      shape.push_back(size.value_or(0));
    FailureOr<Tensor> empty = b.fill(form.type, shape, 0);
    if (failed(empty))
      return failure();
    values.push_back(conform(b, *empty, getType(b, form)));
  }
  return values;
}

/// Compares the outputs of a body with its inputs, and updates the forms. Returns true if a form
/// changed. The body must then be built again.
FailureOr<bool> LoopBuilder::learn(ArrayRef<Tensor> outputs) {
  bool learned = false;
  ArrayRef<Tensor> next = outputs.drop_front(spec.firstOutput).take_front(carried.size());
  for (auto [i, tensor] : llvm::enumerate(next)) {
    TensorForm &form = carried[i];
    if (tensor.dtype() != form.type || tensor.rank() != static_cast<int64_t>(form.shape.size()))
      return b.unsupported("carried value " + Twine(i) + " is " + spec.initial[i].str() +
                           " before the loop and " + tensor.str() + " after an iteration");
    for (auto [size, known] : llvm::zip_equal(tensor.shape(), form.shape))
      if (known && *known != size) {
        known = std::nullopt;
        learned = true;
      }
  }
  OpBuilder::InsertionGuard guard(b.ops);
  b.ops.setInsertionPointToEnd(block);
  SmallVector<TensorForm> elements;
  for (const Tensor &tensor : outputs.drop_front(spec.firstOutput + carried.size())) {
    TensorForm form{tensor.dtype(), {}};
    for (const Size &size : tensor.shape())
      form.shape.push_back(b.isVisible(size) ? std::optional(size) : std::nullopt);
    elements.push_back(std::move(form));
  }
  auto isSame = [](const TensorForm &l, const TensorForm &r) { return l.shape == r.shape; };
  learned |= !scanned || !llvm::equal(*scanned, elements, isSame);
  scanned = std::move(elements);
  return learned;
}

/// Builds the body for `values`: the carried values, then the accumulators. Returns the new tensors
/// in the same order.
LoopBuilder::Trial LoopBuilder::buildBody(const Size &position, ValueRange values, Value *goesOn) {
  Tensors state, accumulators;
  for (auto [value, form] : llvm::zip(values, carried))
    state.push_back(wrap(b, value, form));
  if (scanned)
    for (auto [value, element] : llvm::zip_equal(values.drop_front(carried.size()), *scanned))
      accumulators.push_back(wrap(b, value, getAccumulatorForm(element)));
  FailureOr<Tensors> inputs = spec.makeInputs(position, state);
  if (failed(inputs))
    return failure();
  Location loc = b.loc();
  FailureOr<Tensors> outputs = spec.body.build(b, *inputs);
  b.setLoc(loc);
  if (failed(outputs) || failed(requirePlain(b, *outputs, "the body of the loop")))
    return failure();
  FailureOr<bool> learned = learn(*outputs);
  if (failed(learned))
    return failure();
  if (*learned)
    return std::optional<Tensors>();
  Tensors next(ArrayRef<Tensor>(*outputs).drop_front(spec.firstOutput));
  for (unsigned scan = 0; scan < accumulators.size(); ++scan) {
    Tensor &element = next[carried.size() + scan];
    FailureOr<Tensor> result = accumulate(scan, accumulators[scan], element, position);
    if (failed(result))
      return failure();
    element = *result;
  }
  if (goesOn) {
    FailureOr<Value> flag = extractFlag(b, outputs->front());
    if (failed(flag))
      return failure();
    *goesOn = *flag;
  }
  return std::optional(next);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> LoopBuilder::conformAll(ArrayRef<Tensor> tensors, TypeRange types) {
  SmallVector<Value> values;
  for (auto [tensor, type] : llvm::zip_equal(tensors, types))
    values.push_back(conform(b, tensor, type));
  return values;
}

Tensors LoopBuilder::wrapResults(ValueRange values) {
  SmallVector<TensorForm> forms = carried;
  for (const TensorForm &element : *scanned)
    forms.push_back(getAccumulatorForm(element));
  Tensors results;
  for (auto [value, form] : llvm::zip_equal(values, forms))
    results.push_back(wrap(b, value, form));
  return results;
}

LoopBuilder::Trial LoopBuilder::tryFor() {
  FailureOr<SmallVector<Value>> initial = getInitialValues();
  if (failed(initial))
    return failure();
  Value zero = b.materializeValue(0), one = b.materializeValue(1);
  auto loop =
      scf::ForOp::create(b.ops, b.loc(), zero, b.materializeValue(*spec.count), one, *initial);
  auto fill = [&]() -> Trial {
    OpBuilder::InsertionGuard guard(b.ops);
    Block *body = loop.getBody();
    if (!body->empty())
      body->back().erase();
    b.ops.setInsertionPointToEnd(body);
    Size position = b.sizes.getPosition(loop.getInductionVar(), *spec.count);
    Trial next = buildBody(position, loop.getRegionIterArgs(), nullptr);
    if (succeeded(next) && *next)
      scf::YieldOp::create(b.ops, b.loc(), conformAll(**next, loop.getResultTypes()));
    return next;
  };
  Trial next = fill();
  if (failed(next))
    return failure();
  if (!*next) {
    b.discard(loop);
    return std::optional<Tensors>();
  }
  return std::optional(wrapResults(loop.getResults()));
}

/// Builds the condition of the loop: the iteration number is less than the count, and the flag is
/// true.
void LoopBuilder::fillCondition(Block *before) {
  OpBuilder::InsertionGuard guard(b.ops);
  b.ops.setInsertionPointToEnd(before);
  Value flag = before->getArgument(1);
  if (spec.count) {
    Value isBelow = arith::CmpIOp::create(b.ops, b.loc(), arith::CmpIPredicate::slt,
                                          before->getArgument(0), b.materializeValue(*spec.count));
    flag = arith::AndIOp::create(b.ops, b.loc(), isBelow, flag);
  }
  scf::ConditionOp::create(b.ops, b.loc(), flag, before->getArguments());
}

LoopBuilder::Trial LoopBuilder::tryWhile() {
  FailureOr<SmallVector<Value>> tensors = getInitialValues();
  if (failed(tensors))
    return failure();
  SmallVector<Value> initial = {b.materializeValue(0), spec.condition};
  llvm::append_range(initial, *tensors);
  if (spec.count)
    b.materializeValue(*spec.count);
  SmallVector<Type> types(ValueRange(initial).getTypes());
  SmallVector<Location> locs(types.size(), b.loc());
  auto loop = scf::WhileOp::create(b.ops, b.loc(), types, initial);
  auto fill = [&]() -> Trial {
    OpBuilder::InsertionGuard guard(b.ops);
    fillCondition(b.ops.createBlock(&loop.getBefore(), {}, types, locs));
    Block *body = b.ops.createBlock(&loop.getAfter(), {}, types, locs);
    Value index = body->getArgument(0);
    Size position = spec.count ? b.sizes.getPosition(index, *spec.count)
                               : b.sizes.get(index, /*nonNegative=*/true);
    Value goesOn;
    Trial next = buildBody(position, body->getArguments().drop_front(2), &goesOn);
    if (failed(next) || !*next)
      return next;
    SmallVector<Value> values = {b.materializeValue(position + 1), goesOn};
    llvm::append_range(values, conformAll(**next, ValueRange(*tensors).getTypes()));
    scf::YieldOp::create(b.ops, b.loc(), values);
    return next;
  };
  Trial next = fill();
  if (failed(next))
    return failure();
  if (!*next) {
    b.discard(loop);
    return std::optional<Tensors>();
  }
  return std::optional(wrapResults(loop.getResults().drop_front(2)));
}

FailureOr<Tensors> LoopBuilder::run() {
  while (b.numDiscarded() < maxTrials) {
    Trial results = spec.condition ? tryWhile() : tryFor();
    if (failed(results))
      return failure();
    if (*results)
      return **results;
  }
  return b.limit("loops are nested too deeply to find the sizes of what they carry");
}

} // namespace tssa::operators
