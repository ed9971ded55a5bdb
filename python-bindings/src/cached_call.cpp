//===- cached_call.cpp -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cached_call.h"

#include "exchange.h"
#include "program.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nb = nanobind;
using namespace tssa::python;

namespace {

/// More tensors than these in a call are not looked at here.
constexpr size_t mostTensors = 64;
constexpr tssa_device cpu = {1, 0};
constexpr tssa_dtype int64 = {0, 64, 1}, float64 = {2, 64, 1};

/// What a call returns that is not like the known one.
nb::object &getMiss() {
  static nb::object *miss = new nb::object(nb::module_::import_("builtins").attr("object")());
  return *miss;
}

/// An attribute of a Python object, by a name that is looked up once.
#define TSSA_NAME(variable, text) static PyObject *variable = PyUnicode_InternFromString(text)

bool isGuard(const RuntimeError &error) {
  return error.message.find("guard: ") != std::string::npos;
}

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

/// A part of the arguments of the known call, in preorder.
struct Node {
  enum Kind { Tensor, Int, Float, Literal, Tuple, List, Dict };
  Kind kind;
  /// How many parts a container has.
  size_t count = 0;
  /// The literal, the number if it is fixed, the keys of a dict as a tuple.
  nb::object expected;
  tssa_dtype dtype = {};
  /// Of a tensor; -1 for those that are open.
  std::vector<int64_t> sizes;

  bool accepts(const tssa_tensor &tensor) const;
  bool acceptsNumber(nb::handle number) const;
  bool acceptsLiteral(nb::handle value) const;
};

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

/// The parts of the arguments of a call. They live as long as it runs.
struct Parts {
  std::vector<nb::object> values;
  /// The memory of the values; null for those that are no tensors.
  std::vector<ManagedPointer> memory;
  /// The lists and dicts, each of which occurs once.
  std::vector<PyObject *> containers;

  bool isFirst(nb::handle tensor) const {
    return std::none_of(values.begin(), values.end(),
                        [&](const nb::object &value) { return value.is(tensor); });
  }
  bool addContainer(PyObject *container) {
    if (std::find(containers.begin(), containers.end(), container) != containers.end())
      return false;
    containers.push_back(container);
    return true;
  }
};

/// How a result of a call is made.
struct Leaf {
  enum Kind { Root, Value, Constant };
  Kind kind;
  size_t place;
  nb::object constant;
  /// Sizes and strides of a view of that tensor; none if it is the tensor itself.
  nb::object sizes, strides;
  /// By how many elements the view starts later.
  int64_t moved = 0;

  explicit Leaf(nb::handle given) : kind(Kind(nb::cast<int>(given[0]))) {
    constant = given[1];
    place = kind == Constant ? 0 : nb::cast<size_t>(constant);
    if (nb::object view = given[2]; !view.is_none()) {
      sizes = view[0];
      strides = view[1];
      moved = nb::cast<int64_t>(view[2]);
    }
  }
  nb::object make(const nb::object &base) const;
};

nb::object Leaf::make(const nb::object &base) const {
  if (!sizes.is_valid())
    return base;
  TSSA_NAME(getOffset, "storage_offset");
  TSSA_NAME(asStrided, "as_strided");
  nb::object offset = nb::steal(PyObject_CallMethodObjArgs(base.ptr(), getOffset, nullptr));
  if (!offset.is_valid())
    throw nb::python_error();
  offset = nb::int_(nb::cast<int64_t>(offset) + moved);
  PyObject *made = PyObject_CallMethodObjArgs(base.ptr(), asStrided, sizes.ptr(), strides.ptr(),
                                              offset.ptr(), nullptr);
  if (!made)
    throw nb::python_error();
  return nb::steal(made);
}

/// An artifact. roots: for each tensor that the program returns its place among the results of the
/// artifact, or -1 - i if it is input i.
struct Binary {
  nb::object owner;
  const Program *program;
  std::vector<int64_t> roots;
};
using Binaries = std::vector<Binary>;

/// An input of the artifacts: a value of the call, or a tensor of the program at -1 - place. order:
/// of the dims in memory, empty if it is theirs.
struct Source {
  int64_t place;
  std::vector<size_t> order;
};

class CachedCall {
public:
  using Given = std::pair<int64_t, std::optional<std::vector<size_t>>>;
  /// Its name, the value of the call that has it, the dim of that; -1 if it is the value.
  using Symbol = std::tuple<nb::str, size_t, int64_t>;

  CachedCall(nb::object tensors, nb::tuple literalTypes, const std::vector<Given> &given,
             std::vector<Symbol> symbols, bool hasConditions)
      : tensorType(std::move(tensors)), literals(std::move(literalTypes)),
        exchange(nb::cast<nb::capsule>(tensorType.attr("__dlpack_c_exchange_api__"))),
        symbols(std::move(symbols)), hasConditions(hasConditions) {
    for (const auto &[place, order] : given) {
      sources.push_back({place, order.value_or(std::vector<size_t>())});
      hasOwned |= place < 0;
    }
  }

  /// Takes the parts of the known call. fixed: for each the sizes of a tensor, with None for
  /// those that are open, and None for an open number. Returns whether all are of known kinds.
  bool learn(nb::tuple arguments, nb::list fixed) {
    Parts parts;
    return learnPart(arguments, fixed, parts) && parts.values.size() == fixed.size();
  }
  /// Takes how the result is made: of one leaf, or as a list or tuple of leaves.
  void learnResult(nb::object type, nb::list given) {
    resultType = type;
    for (nb::handle leaf : given)
      leaves.emplace_back(leaf);
    isSimple = true;
  }
  void setBinaries(const std::vector<std::pair<nb::object, std::vector<int64_t>>> &given) {
    auto made = std::make_shared<Binaries>();
    for (const auto &[program, roots] : given)
      made->push_back({program, nb::cast<const Program *>(program), roots});
    binaries = std::move(made);
  }

  nb::object run(nb::handle recording, nb::tuple args, nb::dict kwargs, bool checksGradients) const;

  /// For the garbage collector: what else is held are classes and artifacts.
  static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self))
      return 0;
    const CachedCall *call = nb::inst_ptr<CachedCall>(self);
    for (const Node &node : call->nodes)
      Py_VISIT(node.expected.ptr());
    for (const Leaf &leaf : call->leaves)
      Py_VISIT(leaf.constant.ptr());
    return 0;
  }
  static int clear(PyObject *self) {
    CachedCall *call = nb::inst_ptr<CachedCall>(self);
    std::vector<Node> nodes = std::move(call->nodes);
    std::vector<Leaf> leaves = std::move(call->leaves);
    return 0;
  }

private:
  bool learnPart(nb::handle part, nb::list fixed, Parts &parts);
  bool learnTensor(nb::handle tensor, nb::handle sizes, Parts &parts);
  bool learnDict(nb::handle dict, nb::list fixed, Parts &parts);
  bool match(nb::handle part, const Node *&node, Parts &parts) const;
  bool matchTensor(nb::handle tensor, const Node &node, Parts &parts) const;
  bool matchDict(nb::handle dict, const Node *&node, Parts &parts) const;
  nb::dict findSymbols(const Parts &parts) const;
  bool holds(nb::handle recording, const Parts &parts) const;
  nb::object finish(nb::handle recording, const Parts &parts, nb::tuple args, nb::dict kwargs,
                    const std::vector<nb::object> &roots) const;

  nb::object tensorType;
  nb::tuple literals;
  Exchange exchange;
  std::vector<Node> nodes;
  std::vector<Source> sources;
  std::vector<Symbol> symbols;
  bool hasConditions, hasOwned = false, isSimple = false;
  nb::object resultType;
  std::vector<Leaf> leaves;
  std::shared_ptr<const Binaries> binaries;
};

// What is known.

bool CachedCall::learnPart(nb::handle part, nb::list fixed, Parts &parts) {
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

bool CachedCall::learnTensor(nb::handle tensor, nb::handle sizes, Parts &parts) {
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

bool CachedCall::learnDict(nb::handle dict, nb::list fixed, Parts &parts) {
  if (!parts.addContainer(dict.ptr()))
    return false;
  nb::tuple keys(nb::borrow<nb::dict>(dict).keys());
  nodes.push_back({Node::Dict, keys.size(), keys});
  for (nb::handle key : keys)
    if (!PyUnicode_CheckExact(key.ptr()) || !learnPart(dict[key], fixed, parts))
      return false;
  return true;
}

// Whether a call is like it.

bool CachedCall::match(nb::handle part, const Node *&node, Parts &parts) const {
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

bool CachedCall::matchTensor(nb::handle tensor, const Node &node, Parts &parts) const {
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

bool CachedCall::matchDict(nb::handle dict, const Node *&node, Parts &parts) const {
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

nb::list makeList(const std::vector<nb::object> &values) {
  nb::list made;
  for (const nb::object &value : values)
    made.append(value);
  return made;
}

/// The sizes and numbers of a call that are open, by name.
nb::dict CachedCall::findSymbols(const Parts &parts) const {
  nb::dict found;
  for (const auto &[name, place, dim] : symbols)
    found[name] = dim < 0 ? parts.values[place]
                          : nb::steal(PyLong_FromLongLong(parts.memory[place]->tensor.shape[dim]));
  return found;
}

bool CachedCall::holds(nb::handle recording, const Parts &parts) const {
  TSSA_NAME(holdsState, "holds_state");
  TSSA_NAME(holdsFor, "holds_for");
  nb::object held = nb::steal(PyObject_CallMethodObjArgs(recording.ptr(), holdsState, nullptr));
  if (held.is_valid() && held.is(Py_True) && hasConditions)
    held = nb::steal(
        PyObject_CallMethodObjArgs(recording.ptr(), holdsFor, findSymbols(parts).ptr(), nullptr));
  if (!held.is_valid())
    throw nb::python_error();
  return held.is(Py_True);
}

// The run.

/// The inputs of a run, and what they refer to.
struct Inputs {
  std::vector<tssa_value> values;
  std::vector<ManagedPointer> owned;
  std::vector<std::vector<int64_t>> extents;
  std::vector<nb::object> kept;
  /// Numbers, at the places of `values`.
  std::vector<uint64_t> numbers;

  bool addNumber(nb::handle number);
  bool addTensor(const tssa_tensor &tensor, const std::vector<size_t> &order);
};

bool Inputs::addNumber(nb::handle number) {
  bool isFloat = PyFloat_CheckExact(number.ptr());
  uint64_t &word = numbers[values.size()];
  if (isFloat) {
    double value = PyFloat_AsDouble(number.ptr());
    std::memcpy(&word, &value, sizeof(word));
  } else {
    int overflow = 0;
    word = uint64_t(PyLong_AsLongLongAndOverflow(number.ptr(), &overflow));
    if (overflow)
      return false;
  }
  tssa_value value = {};
  value.tensor.data = &word;
  value.tensor.device = cpu;
  value.tensor.dtype = isFloat ? float64 : int64;
  values.push_back(value);
  return true;
}

bool Inputs::addTensor(const tssa_tensor &tensor, const std::vector<size_t> &order) {
  if (tensor.device.type != cpu.type || (!order.empty() && order.size() != size_t(tensor.ndim)))
    return false;
  tssa_value value = {};
  value.tensor = tensor;
  value.tensor.data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  value.tensor.byte_offset = 0;
  if (!order.empty()) {
    std::vector<int64_t> &extent = extents.emplace_back();
    for (const int64_t *numbers : {tensor.shape, tensor.strides})
      for (size_t dim : order)
        extent.push_back(numbers[dim]);
    value.tensor.shape = extent.data();
    value.tensor.strides = extent.data() + order.size();
  }
  values.push_back(value);
  return true;
}

bool requiresGradient(nb::handle tensor) {
  TSSA_NAME(name, "requires_grad");
  nb::object found = nb::steal(PyObject_GetAttr(tensor.ptr(), name));
  if (!found.is_valid())
    throw nb::python_error();
  return !found.is(Py_False);
}

nb::object CachedCall::run(nb::handle recording, nb::tuple args, nb::dict kwargs,
                           bool checksGradients) const {
  Parts parts;
  const Node *node = nodes.data() + 1; // after the pair of both
  if (!match(args, node, parts) || !match(kwargs, node, parts) || !holds(recording, parts))
    return getMiss();
  Inputs inputs;
  inputs.numbers.resize(sources.size());
  nb::list owned;
  if (hasOwned)
    owned = nb::cast<nb::list>(recording.attr("find_owned")());
  for (const Source &source : sources) {
    nb::handle value = source.place >= 0 ? nb::handle(parts.values[size_t(source.place)])
                                         : nb::handle(owned[size_t(-1 - source.place)]);
    bool isNumber = source.place >= 0 && !parts.memory[size_t(source.place)];
    if (isNumber ? !inputs.addNumber(value) : checksGradients && requiresGradient(value))
      return getMiss();
    inputs.kept.push_back(nb::borrow(value));
    if (isNumber)
      continue;
    if (source.place < 0)
      inputs.owned.push_back(exchange.take(value));
    const ManagedPointer &memory =
        source.place < 0 ? inputs.owned.back() : parts.memory[size_t(source.place)];
    if (!memory || !inputs.addTensor(memory->tensor, source.order))
      return getMiss();
  }
  std::shared_ptr<const Binaries> known = binaries;
  for (const Binary &binary : *known) {
    Results results;
    tssa_run_options options = TSSA_RUN_OPTIONS_INIT;
    try {
      binary.program->runOn(inputs.values, options, results);
    } catch (const RuntimeError &error) {
      if (!isGuard(error))
        throw;
      continue;
    }
    std::vector<nb::object> made, roots;
    for (tssa_value &value : results.values)
      made.push_back(exchange.wrap(value));
    for (int64_t root : binary.roots)
      roots.push_back(root >= 0 ? made.at(size_t(root)) : inputs.kept.at(size_t(-1 - root)));
    return finish(recording, parts, args, kwargs, roots);
  }
  return getMiss();
}

nb::object CachedCall::finish(nb::handle recording, const Parts &parts, nb::tuple args,
                              nb::dict kwargs, const std::vector<nb::object> &roots) const {
  if (!isSimple)
    return recording.attr("finish")(nb::make_tuple(args, kwargs), makeList(parts.values),
                                    findSymbols(parts), makeList(roots));
  std::vector<nb::object> results;
  for (const Leaf &leaf : leaves)
    results.push_back(leaf.make(leaf.kind == Leaf::Root    ? roots.at(leaf.place)
                                : leaf.kind == Leaf::Value ? parts.values.at(leaf.place)
                                                           : leaf.constant));
  if (resultType.is_none())
    return results.at(0);
  nb::list list = makeList(results);
  return resultType.is(&PyList_Type) ? nb::object(list) : nb::object(nb::tuple(list));
}

} // namespace

void tssa::python::registerCachedCall(nb::module_ &module) {
  module.attr("MISS") = getMiss();
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void *>(CachedCall::traverse)},
                                {Py_tp_clear, reinterpret_cast<void *>(CachedCall::clear)},
                                {0, nullptr}};
  nb::class_<CachedCall>(module, "CachedCall", "Calls like one that a recording has run",
                         nb::type_slots(slots))
      .def(nb::init<nb::object, nb::tuple, const std::vector<CachedCall::Given> &,
                    std::vector<CachedCall::Symbol>, bool>(),
           nb::arg("tensors"), nb::arg("literals"), nb::arg("sources"), nb::arg("symbols"),
           nb::arg("has_conditions"))
      .def("learn", &CachedCall::learn, nb::arg("arguments"), nb::arg("fixed"))
      .def("learn_result", &CachedCall::learnResult, nb::arg("type").none(), nb::arg("leaves"))
      .def("set_binaries", &CachedCall::setBinaries, nb::arg("binaries"))
      .def("run", &CachedCall::run, nb::arg("recording"), nb::arg("args"), nb::arg("kwargs"),
           nb::arg("checks_gradients"));
}
