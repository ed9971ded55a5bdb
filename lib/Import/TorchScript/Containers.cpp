//===- Containers.cpp - lists and tuples -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lists have a known length and are changed while the program is built, so not inside of
/// loops and branches that a run decides: such a loop is unrolled.
///
//===----------------------------------------------------------------------===//

#include "lib/Import/TorchScript/Operators.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;

namespace tssa::torchscript {

static FailureOr<Values> makeList(Importer &importer, const Call &call) {
  return Values{Value::list(call.arguments, importer.getLevel())};
}

static FailureOr<Values> makeTuple(Importer &, const Call &call) {
  return Values{Value::tuple(call.arguments)};
}

static FailureOr<Values> unpack(Importer &importer, const Call &call) {
  if (!call[0].isSequence())
    return importer.b.error("expected a list or tuple, got " + call[0].describe());
  return Values(ArrayRef<Value>(call[0].getElements()));
}

static FailureOr<Values> getLength(Importer &importer, const Call &call) {
  if (call[0].is(Value::Tensor)) {
    const TensorRef &tensor = call[0].getTensor();
    if (tensor.rank() == 0)
      return importer.b.error("len() of a tensor without dims");
    return Values{Value::integer(tensor.shape.front())};
  }
  if (!call[0].isSequence())
    return importer.b.error("len() of a " + call[0].describe());
  return Values{Value::integer(static_cast<int64_t>(call[0].getElements().size()))};
}

/// The position of an index in a list.
static FailureOr<int64_t> getPosition(Importer &importer, const Value &list, const Value &index) {
  if (!list.isSequence())
    return importer.b.error("expected a list or tuple, got " + list.describe());
  FailureOr<int64_t> position = importer.getInt(index, "the index into a list");
  if (failed(position))
    return failure();
  int64_t length = list.getElements().size();
  if (*position < -length || *position >= length)
    return importer.b.error("index " + Twine(*position) + " is out of range for a list of length " +
                            Twine(length));
  return *position < 0 ? *position + length : *position;
}

static FailureOr<Values> getItem(Importer &importer, const Call &call) {
  FailureOr<int64_t> position = getPosition(importer, call[0], call[1]);
  if (failed(position))
    return failure();
  return Values{call[0].getElements()[*position]};
}

/// Fails where a run decides whether the list changes.
static mlir::LogicalResult checkMutable(Importer &importer, const Value &list) {
  if (!list.is(Value::List))
    return importer.b.error("expected a list, got " + list.describe());
  if (list.getLevel() != importer.getLevel())
    return importer.needsKnown("a list is changed in a loop or branch that only a run decides");
  if (list.isAmbiguous())
    return importer.needsKnown("a list is changed that a loop or branch may have given another "
                               "name: give it a copy there, as in list(a)");
  return mlir::success();
}

static FailureOr<Values> setItem(Importer &importer, const Call &call) {
  FailureOr<int64_t> position = getPosition(importer, call[0], call[1]);
  if (failed(position) || failed(checkMutable(importer, call[0])))
    return failure();
  call[0].getElements()[*position] = call[2];
  return Values{call[0]};
}

static FailureOr<Values> append(Importer &importer, const Call &call) {
  if (failed(checkMutable(importer, call[0])))
    return failure();
  call[0].getElements().push_back(call[1]);
  return Values{call[0]};
}

static FailureOr<Values> extend(Importer &importer, const Call &call) {
  if (failed(checkMutable(importer, call[0])) || !call[1].isSequence())
    return failure();
  std::vector<Value> added = call[1].getElements();
  llvm::append_range(call[0].getElements(), added);
  return Values();
}

static FailureOr<Values> concatenate(Importer &importer, const Call &call) {
  if (!call[0].isSequence() || !call[1].isSequence())
    return importer.b.error("expected two lists");
  Values all((ArrayRef<Value>(call[0].getElements())));
  llvm::append_range(all, call[1].getElements());
  return Values{Value::list(all, importer.getLevel())};
}

static FailureOr<Values> copyList(Importer &importer, const Call &call) {
  if (!call[0].isSequence())
    return importer.b.error("expected a list, got " + call[0].describe());
  return Values{Value::list(call[0].getElements(), importer.getLevel())};
}

static FailureOr<Values> sliceList(Importer &importer, const Call &call) {
  if (!call[0].isSequence())
    return importer.b.error("expected a list, got " + call[0].describe());
  ArrayRef<Value> elements = call[0].getElements();
  int64_t length = elements.size(), bounds[] = {0, length};
  for (unsigned i = 0; i < 2; ++i) {
    if (call[i + 1].is(Value::None))
      continue;
    FailureOr<int64_t> bound = importer.getInt(call[i + 1], "a bound of a list's slice");
    if (failed(bound))
      return failure();
    bounds[i] = std::clamp<int64_t>(*bound < 0 ? *bound + length : *bound, 0, length);
  }
  FailureOr<int64_t> step = importer.getInt(call[3], "the step of a list's slice");
  if (failed(step))
    return failure();
  if (*step < 1)
    return importer.b.unsupported("a slice of a list with a step below 1");
  Values taken;
  for (int64_t i = bounds[0]; i < bounds[1]; i += *step)
    taken.push_back(elements[i]);
  return Values{Value::list(taken, importer.getLevel())};
}

static FailureOr<Values> makeUninitialized(Importer &, const Call &) {
  return Values{Value::uninitialized()};
}

/// self.x += 1 gives the attribute the tensor that it has.
static FailureOr<Values> setAttribute(Importer &importer, const Call &call) {
  if (call[0].isSame(call[1]))
    return Values();
  return importer.b.unsupported("an attribute of a module is given another tensor: write into the "
                                "one it has");
}

static FailureOr<Values> forward(Importer &, const Call &call) { return Values{call[0]}; }

/// Whether a value is None, which is known always.
template <bool isNegated> static FailureOr<Values> isNone(Importer &, const Call &call) {
  return Values{Value::truth((call[0].is(Value::None) && call[1].is(Value::None)) != isNegated)};
}

void registerContainers(OperatorTable &table) {
  table.evaluate("prim::ListConstruct", "-", makeList);
  table.evaluate("prim::TupleConstruct", "-", makeTuple);
  table.evaluate("prim::ListUnpack", "-", unpack);
  table.evaluate("prim::TupleUnpack", "-", unpack);
  table.evaluate("prim::TupleIndex", "-", getItem);
  table.evaluate("prim::Uninitialized", "-", makeUninitialized);
  table.evaluate("prim::SetAttr", "-", setAttribute);
  table.evaluate("prim::unchecked_cast", "-", forward);
  table.evaluate("prim::unchecked_unwrap_optional", "-", forward);
  table.evaluate("aten::_unwrap_optional", "-", forward);
  table.evaluate("aten::__is__", "-", isNone<false>);
  table.evaluate("aten::__isnot__", "-", isNone<true>);
  table.evaluate("aten::len", "t Tensor", getLength);
  table.evaluate("aten::__getitem__", "t", getItem);
  table.evaluate("aten::_set_item", "t", setItem);
  table.evaluate("aten::append", "t", append);
  table.evaluate("aten::extend", "t", extend);
  table.evaluate("aten::add", "t", concatenate);
  table.evaluate("aten::list", "t", copyList);
  table.evaluate("aten::slice", "t", sliceList);
}

} // namespace tssa::torchscript
