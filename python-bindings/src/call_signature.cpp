//===- call_signature.cpp -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "call_signature.h"

#include <cmath>
#include <cstring>

namespace nb = nanobind;
using namespace tssa::python;

namespace {

/// More tensors than these in a call are not looked at here.
constexpr size_t mostTensors = 64;

/// Whether a tensor has elements and they lie row by row without gaps.
bool isContiguous(const tssa_tensor &tensor) {
  int64_t step = 1;
  for (int32_t dim = tensor.ndim; dim-- > 0;) {
    int64_t size = tensor.shape[dim];
    if (size == 0 || (size != 1 && tensor.strides && tensor.strides[dim] != step))
      return false;
    step *= size;
  }
  return true;
}

} // namespace

bool Node::accepts(const tssa_tensor &tensor) const {
  if (tensor.device.type != cpu.type || std::memcmp(&tensor.dtype, &dtype, sizeof(dtype)) != 0 ||
      size_t(tensor.ndim) != sizes.size())
    return false;
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    if (sizes[dim] >= 0 && sizes[dim] != tensor.shape[dim])
      return false;
  return isContiguous(tensor);
}

bool Node::acceptsNumber(nb::handle number) const {
  if (!expected.is_valid() || number.is(expected))
    return true;
  if (kind == Int)
    return PyObject_RichCompareBool(number.ptr(), expected.ptr(), Py_EQ) == 1;
  double left = PyFloat_AsDouble(number.ptr()), right = PyFloat_AsDouble(expected.ptr());
  return std::memcmp(&left, &right, sizeof(left)) == 0 || (std::isnan(left) && std::isnan(right));
}

bool Node::acceptsLiteral(nb::handle value) const {
  return value.is(expected) || (value.type().is(expected.type()) &&
                                PyObject_RichCompareBool(value.ptr(), expected.ptr(), Py_EQ) == 1);
}

// What is known.

bool CallSignature::learnPart(nb::handle part, nb::list fixed, Parts &parts) {
  PyObject *object = part.ptr();
  if (part.type().is(tensorType))
    return parts.values.size() < fixed.size() &&
           learnTensor(part, fixed[parts.values.size()], parts);
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) {
    bool isList = PyList_CheckExact(object);
    if (isList && !parts.addContainer(object))
      return false;
    Py_ssize_t count = PySequence_Size(object);
    nodes.push_back({isList ? Node::List : Node::Tuple, size_t(count)});
    for (Py_ssize_t i = 0; i < count; ++i)
      if (!learnPart(isList ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i), fixed, parts))
        return false;
    return true;
  }
  if (PyDict_CheckExact(object))
    return learnDict(part, fixed, parts);
  if (parts.values.size() >= fixed.size())
    return false;
  nb::object known = fixed[parts.values.size()];
  parts.values.push_back(nb::borrow(part));
  if (PyLong_CheckExact(object) || PyFloat_CheckExact(object)) {
    nodes.push_back({PyFloat_CheckExact(object) ? Node::Float : Node::Int, 0,
                     known.is_none() ? nb::object() : known});
    return true;
  }
  nodes.push_back({Node::Literal, 0, nb::borrow(part)});
  return PySequence_Contains(literals.ptr(), part.type().ptr()) == 1;
}

bool CallSignature::learnTensor(nb::handle tensor, nb::handle sizes, Parts &parts) {
  ManagedPointer memory = exchange.take(tensor);
  if (!memory || !parts.isFirst(tensor) || parts.values.size() == mostTensors)
    return false;
  Node node = {Node::Tensor};
  node.dtype = memory->tensor.dtype;
  for (nb::handle size : sizes)
    node.sizes.push_back(size.is_none() ? -1 : nb::cast<int64_t>(size));
  bool isKnown = node.accepts(memory->tensor);
  nodes.push_back(std::move(node));
  parts.values.push_back(nb::borrow(tensor));
  return isKnown;
}

bool CallSignature::learnDict(nb::handle dict, nb::list fixed, Parts &parts) {
  if (!parts.addContainer(dict.ptr()))
    return false;
  nb::tuple keys(nb::borrow<nb::dict>(dict).keys());
  nodes.push_back({Node::Dict, keys.size(), keys});
  for (nb::handle key : keys)
    if (!PyUnicode_CheckExact(key.ptr()) || !learnPart(dict[key], fixed, parts))
      return false;
  return true;
}

bool CallSignature::learn(nb::tuple arguments, nb::list fixed) {
  Parts parts;
  return learnPart(arguments, fixed, parts) && parts.values.size() == fixed.size();
}

// Whether a call is like it.

bool CallSignature::match(nb::tuple args, nb::dict kwargs, Parts &parts) const {
  if (nodes.empty())
    return false;
  const Node *node = nodes.data() + 1; // after the pair of both
  return match(args, node, parts) && match(kwargs, node, parts);
}

bool CallSignature::match(nb::handle part, const Node *&node, Parts &parts) const {
  PyObject *object = part.ptr();
  const Node &known = *node++;
  switch (known.kind) {
  case Node::Tensor:
    return part.type().is(tensorType) && matchTensor(part, known, parts);
  case Node::Int:
  case Node::Float:
    parts.values.push_back(nb::borrow(part));
    parts.memory.emplace_back();
    return (known.kind == Node::Int ? PyLong_CheckExact(object) : PyFloat_CheckExact(object)) &&
           known.acceptsNumber(part);
  case Node::Literal:
    parts.values.push_back(nb::borrow(part));
    parts.memory.emplace_back();
    return known.acceptsLiteral(part);
  case Node::Dict:
    return PyDict_CheckExact(object) && matchDict(part, node, parts);
  case Node::List:
    // Another thread may change it meanwhile.
    if (!PyList_CheckExact(object) || !parts.addContainer(object))
      return false;
    for (size_t i = 0; i < known.count; ++i)
      if (size_t(PyList_Size(object)) != known.count ||
          !match(nb::borrow(PyList_GetItem(object, Py_ssize_t(i))), node, parts))
        return false;
    return size_t(PyList_Size(object)) == known.count;
  case Node::Tuple:
    if (!PyTuple_CheckExact(object) || size_t(PyTuple_Size(object)) != known.count)
      return false;
    for (size_t i = 0; i < known.count; ++i)
      if (!match(PyTuple_GetItem(object, Py_ssize_t(i)), node, parts))
        return false;
    return true;
  }
  return false;
}

bool CallSignature::matchTensor(nb::handle tensor, const Node &node, Parts &parts) const {
  if (!parts.isFirst(tensor))
    return false;
  // The key of a recording contains the names of what callers store in tensors.
  nb::object attributes = nb::steal(PyObject_GenericGetDict(tensor.ptr(), nullptr));
  ManagedPointer memory = exchange.take(tensor);
  if (!attributes.is_valid() || PyDict_Size(attributes.ptr()) != 0 || !memory ||
      !node.accepts(memory->tensor))
    return false;
  parts.values.push_back(nb::borrow(tensor));
  parts.memory.push_back(std::move(memory));
  return true;
}

bool CallSignature::matchDict(nb::handle dict, const Node *&node, Parts &parts) const {
  const Node &known = node[-1];
  if (size_t(PyDict_Size(dict.ptr())) != known.count || !parts.addContainer(dict.ptr()))
    return false;
  Py_ssize_t position = 0;
  PyObject *name, *part;
  for (size_t i = 0; i < known.count; ++i) {
    if (!PyDict_Next(dict.ptr(), &position, &name, &part))
      return false;
    nb::object kept = nb::borrow(part);
    PyObject *expected = PyTuple_GetItem(known.expected.ptr(), Py_ssize_t(i));
    if (name != expected && PyUnicode_Compare(name, expected) != 0)
      return false;
    if (!match(kept, node, parts))
      return false;
  }
  return true;
}
