//===- cached_call.cpp -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cached_call.h"

#include "call_signature.h"
#include "program.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;
using namespace tssa::python;

namespace {

constexpr tssa_dtype int64 = {0, 64, 1}, float64 = {2, 64, 1};

/// What a call returns that is not like the known one.
nb::object &getMiss() {
  static nb::object *miss = new nb::object(nb::module_::import_("builtins").attr("object")());
  return *miss;
}

bool isGuard(const RuntimeError &error) {
  return error.message.find("guard: ") != std::string::npos;
}

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
  static PyObject *getOffset = PyUnicode_InternFromString("storage_offset");
  static PyObject *asStrided = PyUnicode_InternFromString("as_strided");
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

class CachedCall {
public:
  using Given = std::pair<int64_t, std::optional<std::vector<size_t>>>;
  /// Its name, the value of the call that has it, the dim of that; -1 if it is the value.
  using Symbol = std::tuple<nb::str, size_t, int64_t, int64_t>;

  CachedCall(nb::object tensors, nb::tuple literalTypes, const std::vector<Given> &given,
             std::vector<Symbol> symbols, bool hasConditions)
      : signature(std::move(tensors), std::move(literalTypes)), symbols(std::move(symbols)),
        hasConditions(hasConditions) {
    for (const auto &[place, order] : given) {
      sources.push_back({place, order.value_or(std::vector<size_t>())});
      hasOwned |= place < 0;
    }
  }

  bool learn(nb::tuple arguments, nb::list fixed) { return signature.learn(arguments, fixed); }
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
    for (const Node &node : call->signature.getNodes())
      Py_VISIT(node.expected.ptr());
    for (const Leaf &leaf : call->leaves)
      Py_VISIT(leaf.constant.ptr());
    return 0;
  }
  static int clear(PyObject *self) {
    CachedCall *call = nb::inst_ptr<CachedCall>(self);
    call->signature.clear();
    std::vector<Leaf> leaves = std::move(call->leaves);
    return 0;
  }

private:
  nb::dict findSymbols(const Parts &parts) const;
  bool holds(nb::handle recording, const Parts &parts) const;
  bool addInputs(nb::handle recording, const Parts &parts, bool checksGradients,
                 Inputs &inputs) const;
  nb::object finish(nb::handle recording, const Parts &parts, nb::tuple args, nb::dict kwargs,
                    const std::vector<nb::object> &roots) const;

  CallSignature signature;
  std::vector<Source> sources;
  std::vector<Symbol> symbols;
  bool hasConditions, hasOwned = false, isSimple = false;
  nb::object resultType;
  std::vector<Leaf> leaves;
  std::shared_ptr<const Binaries> binaries;
};

nb::list makeList(const std::vector<nb::object> &values) {
  nb::list made;
  for (const nb::object &value : values)
    made.append(value);
  return made;
}

/// The sizes and numbers of a call that are open, by name.
nb::dict CachedCall::findSymbols(const Parts &parts) const {
  nb::dict found;
  for (const auto &[name, place, dim, divisor] : symbols)
    found[name] =
        dim < 0 ? parts.values[place]
                : nb::steal(PyLong_FromLongLong(parts.memory[place]->tensor.shape[dim] / divisor));
  return found;
}

bool CachedCall::holds(nb::handle recording, const Parts &parts) const {
  static PyObject *holdsState = PyUnicode_InternFromString("holds_state");
  static PyObject *holdsFor = PyUnicode_InternFromString("holds_for");
  nb::object held = nb::steal(PyObject_CallMethodObjArgs(recording.ptr(), holdsState, nullptr));
  if (held.is_valid() && held.is(Py_True) && hasConditions)
    held = nb::steal(
        PyObject_CallMethodObjArgs(recording.ptr(), holdsFor, findSymbols(parts).ptr(), nullptr));
  if (!held.is_valid())
    throw nb::python_error();
  return held.is(Py_True);
}

// The run.

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
  static PyObject *name = PyUnicode_InternFromString("requires_grad");
  nb::object found = nb::steal(PyObject_GetAttr(tensor.ptr(), name));
  if (!found.is_valid())
    throw nb::python_error();
  return !found.is(Py_False);
}

/// Adds what the artifacts get. Returns whether all of it is on the CPU and needs no gradients.
bool CachedCall::addInputs(nb::handle recording, const Parts &parts, bool checksGradients,
                           Inputs &inputs) const {
  inputs.numbers.resize(sources.size());
  nb::list owned;
  if (hasOwned)
    owned = nb::cast<nb::list>(recording.attr("find_owned")());
  for (const Source &source : sources) {
    bool isOwned = source.place < 0;
    size_t place = size_t(isOwned ? -1 - source.place : source.place);
    nb::object value = isOwned ? nb::borrow(owned[place]) : parts.values[place];
    inputs.kept.push_back(value);
    if (!isOwned && !parts.memory[place]) {
      if (!inputs.addNumber(value))
        return false;
      continue;
    }
    if (checksGradients && requiresGradient(value))
      return false;
    if (isOwned)
      inputs.owned.push_back(signature.getExchange().take(value));
    const ManagedPointer &memory = isOwned ? inputs.owned.back() : parts.memory[place];
    if (!memory || !inputs.addTensor(memory->tensor, source.order))
      return false;
  }
  return true;
}

nb::object CachedCall::run(nb::handle recording, nb::tuple args, nb::dict kwargs,
                           bool checksGradients) const {
  Parts parts;
  Inputs inputs;
  if (!signature.match(args, kwargs, parts) || !holds(recording, parts) ||
      !addInputs(recording, parts, checksGradients, inputs))
    return getMiss();
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
      made.push_back(signature.getExchange().wrap(value));
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
