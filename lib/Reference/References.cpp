//===- References.cpp - evaluate refs, views and writes -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A ref is a list that gives, for each of its elements in row-major order, the position of the
/// element in the storage. A view selects from the list of its base. The code here does not use the
/// maps of view operations, so the maps can be checked against its results.
///
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSwitch.h"

#include <numeric>

using namespace mlir;
using namespace ::tssa::reference;
using namespace mlir::tssa;
using llvm::Error;
using llvm::Expected;

namespace {
/// A shape and, for each element, its position in the storage.
struct Elements {
  SmallVector<int64_t> shape;
  std::vector<int64_t> numbers;
};

/// Applies one view operation to a list of elements.
class ViewEvaluator {
public:
  ViewEvaluator(const Elements &base, ArrayRef<int64_t> integers)
      : base(base), integers(integers) {}
  /// Returns the elements of the view. The error says what is wrong.
  Expected<Elements> run(StringRef name);

private:
  using Index = SmallVector<int64_t>;
  Error checkDim(bool mayBeRank = false);
  /// Returns a view of shape `shape`. `toBase` replaces the index of an element of the view by its
  /// index in the base.
  Elements gather(ArrayRef<int64_t> shape, llvm::function_ref<void(Index &)> toBase);
  Expected<Elements> select();
  Expected<Elements> slice();
  Expected<Elements> permute();
  Expected<Elements> unsqueeze();
  Expected<Elements> squeeze();
  Expected<Elements> expand();
  Expected<Elements> reshape();

  const Elements &base;
  ArrayRef<int64_t> integers;
};
} // namespace

Elements ViewEvaluator::gather(ArrayRef<int64_t> shape, llvm::function_ref<void(Index &)> toBase) {
  Elements view{SmallVector<int64_t>(shape), {}};
  int64_t count = countElements(shape).value_or(0);
  for (int64_t number = 0; number < count; ++number) {
    Index index(shape.size());
    int64_t rest = number;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      index[dim] = rest % shape[dim];
    toBase(index);
    int64_t flat = 0;
    for (auto [size, position] : llvm::zip_equal(base.shape, index))
      flat = flat * size + position;
    view.numbers.push_back(base.numbers[flat]);
  }
  return view;
}

Error ViewEvaluator::checkDim(bool mayBeRank) {
  int64_t rank = base.shape.size();
  if (integers[0] < rank + mayBeRank)
    return Error::success();
  return llvm::createStringError("expected a dim below " + llvm::Twine(rank + mayBeRank) +
                                 ", got " + llvm::Twine(integers[0]));
}

Expected<Elements> ViewEvaluator::select() {
  if (Error error = checkDim())
    return error;
  int64_t dim = integers[0], position = integers[1];
  if (position < 0 || position >= base.shape[dim])
    return llvm::createStringError("index " + llvm::Twine(position) + " is out of bounds for dim " +
                                   llvm::Twine(dim) + " of size " + llvm::Twine(base.shape[dim]));
  SmallVector<int64_t> shape(base.shape);
  shape.erase(shape.begin() + dim);
  return gather(shape, [&](Index &index) { index.insert(index.begin() + dim, position); });
}

Expected<Elements> ViewEvaluator::slice() {
  if (Error error = checkDim())
    return error;
  int64_t dim = integers[0], start = integers[1], size = integers[2], step = integers[3];
  int64_t bound = base.shape[dim];
  if (start < 0 || size < 0 || (size > 0 && start + (size - 1) * step >= bound))
    return llvm::createStringError("a slice of " + llvm::Twine(size) + " elements from " +
                                   llvm::Twine(start) + " by " + llvm::Twine(step) +
                                   " is out of bounds for dim " + llvm::Twine(dim) + " of size " +
                                   llvm::Twine(bound));
  SmallVector<int64_t> shape(base.shape);
  shape[dim] = size;
  return gather(shape, [&](Index &index) { index[dim] = start + index[dim] * step; });
}

Expected<Elements> ViewEvaluator::permute() {
  SmallVector<int64_t> shape;
  for (int64_t dim : integers)
    shape.push_back(base.shape[dim]);
  return gather(shape, [&](Index &index) {
    Index old(index);
    for (auto [position, dim] : llvm::enumerate(integers))
      index[dim] = old[position];
  });
}

Expected<Elements> ViewEvaluator::unsqueeze() {
  if (Error error = checkDim(/*mayBeRank=*/true))
    return error;
  Elements view = base;
  view.shape.insert(view.shape.begin() + integers[0], 1);
  return view;
}

Expected<Elements> ViewEvaluator::squeeze() {
  if (Error error = checkDim())
    return error;
  if (base.shape[integers[0]] != 1)
    return llvm::createStringError("expected size 1, got " + llvm::Twine(base.shape[integers[0]]));
  Elements view = base;
  view.shape.erase(view.shape.begin() + integers[0]);
  return view;
}

Expected<Elements> ViewEvaluator::expand() {
  if (Error error = checkDim())
    return error;
  if (base.shape[integers[0]] != 1)
    return llvm::createStringError("expected size 1, got " + llvm::Twine(base.shape[integers[0]]));
  SmallVector<int64_t> shape(base.shape);
  shape[integers[0]] = integers[1];
  return gather(shape, [&](Index &index) { index[integers[0]] = 0; });
}

Expected<Elements> ViewEvaluator::reshape() {
  if (countElements(integers) != countElements(base.shape))
    return llvm::createStringError("reshape of " + llvm::Twine(base.numbers.size()) +
                                   " elements to a shape with another number of elements");
  return Elements{SmallVector<int64_t>(integers), base.numbers};
}

Expected<Elements> ViewEvaluator::run(StringRef name) {
  using Method = Expected<Elements> (ViewEvaluator::*)();
  Method method = llvm::StringSwitch<Method>(name)
                      .Case("select", &ViewEvaluator::select)
                      .Case("slice", &ViewEvaluator::slice)
                      .Case("permute", &ViewEvaluator::permute)
                      .Case("unsqueeze", &ViewEvaluator::unsqueeze)
                      .Case("squeeze", &ViewEvaluator::squeeze)
                      .Case("expand", &ViewEvaluator::expand)
                      .Case("reshape", &ViewEvaluator::reshape)
                      .Default(nullptr);
  if (!method)
    return llvm::createStringError("cannot evaluate the view operation '" + name + "'");
  return (this->*method)();
}

/// Returns the elements of a storage of `shape`, numbered in row-major order.
static Elements numberElements(ArrayRef<int64_t> shape) {
  Elements elements{SmallVector<int64_t>(shape), {}};
  elements.numbers.resize(countElements(shape).value_or(0));
  std::iota(elements.numbers.begin(), elements.numbers.end(), 0);
  return elements;
}

/// Applies the view operations of `path` to `elements`.
static Expected<Elements> followPath(Operation *op, Elements elements, const refs::Path &path,
                                     llvm::function_ref<int64_t(Value)> lookup) {
  for (const refs::BoundStep &bound : path) {
    SmallVector<int64_t> integers;
    for (OpFoldResult integer : bound.integers)
      integers.push_back(isa<Value>(integer) ? lookup(cast<Value>(integer))
                                             : *getConstantIntValue(integer));
    Expected<Elements> view = ViewEvaluator(elements, integers).run(bound.getStep().getStepName());
    if (!view)
      return makeError(op->getLoc(), toString(view.takeError()));
    elements = std::move(*view);
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

HostRef HostRef::makeStorage(const HostTensor &contents) {
  HostRef ref;
  ref.storage = std::make_shared<HostTensor>(contents);
  Elements elements = numberElements(contents.getShape());
  ref.shape = std::move(elements.shape);
  ref.elements = std::move(elements.numbers);
  return ref;
}

Expected<HostTensor> HostRef::read() const {
  Expected<HostTensor> tensor = HostTensor::create(storage->getKind(), shape);
  if (!tensor)
    return tensor.takeError();
  for (auto [index, element] : llvm::enumerate(elements))
    tensor->set(index, storage->get(element));
  return tensor;
}

Error Interpreter::evaluate(refs::AllocOp op) {
  set(op.getRef(), HostRef::makeStorage(*get(op.getSource()).tensor));
  return Error::success();
}

Error Interpreter::evaluate(refs::ViewOp op) {
  const HostRef &source = *get(op.getSource()).ref;
  Expected<Elements> view = followPath(op, {source.shape, source.elements}, op.getBoundPath(),
                                       [&](Value value) { return get(value).scalar.i; });
  if (!view)
    return view.takeError();
  HostRef ref{source.storage, std::move(view->shape), std::move(view->numbers)};
  set(op.getRef(), std::move(ref));
  return Error::success();
}

Error Interpreter::evaluate(refs::DimOp op) {
  set(op.getSize(), makeInt(get(op.getRef()).ref->shape[op.getDim()]));
  return Error::success();
}

Error Interpreter::evaluate(refs::ReadOp op) {
  Expected<HostTensor> tensor = get(op.getRef()).ref->read();
  if (!tensor)
    return makeError(op.getLoc(), toString(tensor.takeError()));
  set(op.getValue(), std::move(*tensor));
  return Error::success();
}

/// Checks that a value has the shape of the view to which it is written.
static Error checkViewShape(Operation *op, const HostTensor &value, ArrayRef<int64_t> shape) {
  if (value.getShape() == shape)
    return Error::success();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "expected a value for a view of shape [";
  llvm::interleaveComma(shape, stream);
  stream << "], got " << value.describeType();
  return makeError(op->getLoc(), text);
}

Error Interpreter::evaluate(refs::WriteOp op) {
  const HostRef &ref = *get(op.getRef()).ref;
  const HostTensor &value = *get(op.getValue()).tensor;
  if (Error error = checkViewShape(op, value, ref.shape))
    return error;
  for (auto [index, element] : llvm::enumerate(ref.elements))
    ref.storage->set(element, value.get(index));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Error Interpreter::evaluate(refs::AccessOp op) {
  HostRef ref = HostRef::makeStorage(*get(op.getBase()).tensor);
  Expected<Elements> view = followPath(op, {ref.shape, ref.elements}, op.getBoundPath(),
                                       [&](Value value) { return get(value).scalar.i; });
  if (!view)
    return view.takeError();
  Expected<HostTensor> tensor =
      HostRef{ref.storage, std::move(view->shape), std::move(view->numbers)}.read();
  if (!tensor)
    return makeError(op.getLoc(), toString(tensor.takeError()));
  set(op.getResult(), std::move(*tensor));
  return Error::success();
}

Error Interpreter::evaluate(refs::AssignOp op) {
  HostTensor result = *get(op.getBase()).tensor;
  const HostTensor &source = *get(op.getSource()).tensor;
  Expected<Elements> view = followPath(op, numberElements(result.getShape()), op.getBoundPath(),
                                       [&](Value value) { return get(value).scalar.i; });
  if (!view)
    return view.takeError();
  if (Error error = checkViewShape(op, source, view->shape))
    return error;
  for (auto [index, element] : llvm::enumerate(view->numbers))
    result.set(element, source.get(index));
  set(op.getResult(), std::move(result));
  return Error::success();
}
