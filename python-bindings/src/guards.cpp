//===- guards.cpp -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "guards.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;

namespace {

/// The number that CPython gives a dict at each change of it (PEP 509); from 3.12 on it
/// is not to be relied on, and 0 stands for a dict that may have changed.
uint64_t getVersion(nb::handle dict) {
#if PY_VERSION_HEX < 0x030C0000
  return reinterpret_cast<PyDictObject *>(dict.ptr())->ma_version_tag;
#else
  return 0;
#endif
}

/// Dicts, and the versions at which they were looked at.
class Dicts {
public:
  using Change = std::pair<size_t, uint64_t>;

  explicit Dicts(std::vector<nb::dict> given) : dicts(std::move(given)), versions(dicts.size()) {}

  /// The place and version of each dict that may differ from the one that was accepted.
  std::vector<Change> findChanges() const {
    std::vector<Change> changes;
    for (size_t i = 0; i < dicts.size(); ++i)
      if (uint64_t version = getVersion(dicts[i]); version == 0 || version != versions[i])
        changes.emplace_back(i, version);
    return changes;
  }

  /// The dict is as it should be at this version.
  void accept(const Change &change) { versions.at(change.first) = change.second; }

  /// For the garbage collector.
  static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self))
      for (const nb::dict &dict : nb::inst_ptr<Dicts>(self)->dicts)
        Py_VISIT(dict.ptr());
    return 0;
  }
  static int clear(PyObject *self) {
    std::vector<nb::dict> dropped = std::move(nb::inst_ptr<Dicts>(self)->dicts);
    return 0;
  }

private:
  std::vector<nb::dict> dicts;
  std::vector<uint64_t> versions;
};

/// Returns an attribute; throws what Python raises.
nb::object getAttribute(nb::handle owner, PyObject *name) {
  nb::object found = nb::steal(PyObject_GetAttr(owner.ptr(), name));
  if (!found.is_valid())
    throw nb::python_error();
  return found;
}

/// Whether the attributes of objects are the very values that they were. entries: (object, name,
/// value).
bool areSame(nb::list entries) {
  for (nb::handle entry : entries) {
    PyObject *tuple = entry.ptr();
    nb::object value = getAttribute(PyTuple_GetItem(tuple, 0), PyTuple_GetItem(tuple, 1));
    if (value.ptr() != PyTuple_GetItem(tuple, 2))
      return false;
  }
  return true;
}

/// The contents of tensors: how often each was written and where it is, and some words of the
/// memory, which are read by address: whoever asks knows that it is still there.
class Contents {
public:
  Contents(nb::list tensors, const std::vector<uint64_t> &addresses,
           std::vector<uint64_t> neededSoon)
      : soon(std::move(neededSoon)) {
    for (uint64_t address : addresses)
      words.emplace_back(address, read(address));
    for (nb::handle tensor : tensors)
      places.push_back(locate(tensor));
  }

  /// Whether all are what they were. The cache lines are loaded first: one after the other, each
  /// would be waited for.
  bool hold(nb::list tensors) const {
    for (uint64_t address : soon)
      __builtin_prefetch(reinterpret_cast<const void *>(address));
    size_t i = 0;
    for (nb::handle tensor : tensors)
      if (locate(tensor) != places.at(i++))
        return false;
    for (auto [address, value] : words)
      if (read(address) != value)
        return false;
    return true;
  }

private:
  static uint64_t read(uint64_t address) {
    uint64_t value;
    std::memcpy(&value, reinterpret_cast<const void *>(address), sizeof(value));
    return value;
  }

  /// The number of writes to a tensor that PyTorch has counted, and its address.
  static std::pair<uint64_t, uint64_t> locate(nb::handle tensor) {
    static PyObject *version = PyUnicode_InternFromString("_version");
    static PyObject *address = PyUnicode_InternFromString("data_ptr");
    nb::object data = nb::steal(PyObject_CallMethodObjArgs(tensor.ptr(), address, nullptr));
    if (!data.is_valid())
      throw nb::python_error();
    return {nb::cast<uint64_t>(getAttribute(tensor, version)), nb::cast<uint64_t>(data)};
  }

  std::vector<std::pair<uint64_t, uint64_t>> words, places;
  std::vector<uint64_t> soon;
};

} // namespace

void tssa::python::registerGuards(nb::module_ &module) {
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void *>(Dicts::traverse)},
                                {Py_tp_clear, reinterpret_cast<void *>(Dicts::clear)},
                                {0, nullptr}};
  nb::class_<Dicts>(module, "Dicts", "Dicts whose changes are detected", nb::type_slots(slots))
      .def(nb::init<std::vector<nb::dict>>(), nb::arg("dicts"))
      .def("find_changes", &Dicts::findChanges)
      .def("accept", &Dicts::accept, nb::arg("change"));
  module.def("are_same", areSame, nb::arg("entries"));
  nb::class_<Contents>(module, "Contents", "Contents of tensors whose changes are detected")
      .def(nb::init<nb::list, const std::vector<uint64_t> &, std::vector<uint64_t>>(),
           nb::arg("tensors"), nb::arg("addresses"), nb::arg("needed_soon"))
      .def("hold", &Contents::hold, nb::arg("tensors"));
}
