//===- runtime.cpp - libtssart for Python -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `Program` is a loaded artifact. Tensors go in and out by DLPack or numpy's buffers,
/// without copies; written arguments are written where they are.
///
//===----------------------------------------------------------------------===//

#include "cached_call.h"
#include "guards.h"
#include "program.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

namespace nb = nanobind;
using namespace tssa::python;

void tssa::python::check(tssa_status *status) {
  if (!status)
    return;
  RuntimeError error{tssa_status_code(status), tssa_status_message(status),
                     tssa_status_node(status)};
  tssa_status_free(status);
  throw error;
}

namespace {

/// DLPack's codes of the elements that numpy has.
enum ElementCode : uint8_t { Int = 0, UInt = 1, Float = 2, Bool = 6 };

/// Returns whether numpy has no type of its own for these elements.
bool isForeignType(int code, int bits) {
  bool isNumber = code == Int || code == UInt || code == Float;
  return code != Bool && (!isNumber || bits < 8);
}

/// The runtime's view of an array that is passed for `port`. `numbers` gets its sizes and strides.
template <typename Array>
tssa_tensor makeTensor(const Array &array, const Port &port, bool asNumpy,
                       std::vector<int64_t> &numbers) {
  size_t rank = array.ndim();
  for (size_t dim = 0; dim < rank; ++dim)
    numbers.push_back(static_cast<int64_t>(array.shape(dim)));
  for (size_t dim = 0; dim < rank; ++dim)
    numbers.push_back(array.stride(dim));
  tssa_tensor tensor = {};
  tensor.data = const_cast<void *>(static_cast<const void *>(array.data()));
  tensor.device = {1, 0};
  tensor.ndim = static_cast<int32_t>(rank);
  tensor.dtype = {array.dtype().code, array.dtype().bits, array.dtype().lanes};
  // Arrays of numpy that hold other elements than numpy's come as unsigned integers.
  int code = std::get<1>(port), bits = std::get<2>(port);
  bool isByte = array.dtype().bits == 8 && bits < 8;
  if (asNumpy && isForeignType(code, bits) && array.dtype().code == UInt &&
      (isByte || array.dtype().bits == bits))
    tensor.dtype = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
  tensor.shape = numbers.data();
  tensor.strides = numbers.data() + rank;
  return tensor;
}

} // namespace

Program::Program(const std::string &path, const std::string &device, uint32_t threads,
                 std::optional<uint64_t> seed, bool verify) {
  tssa_session_options options = TSSA_SESSION_OPTIONS_INIT;
  options.verify_weights = verify ? TSSA_VERIFY_ALWAYS : TSSA_VERIFY_NEVER;
  options.threads = threads;
  options.device = device.c_str();
  options.has_seed = seed.has_value();
  options.seed = seed.value_or(0);
  check(tssa_session_load(path.c_str(), &options, &session));
  inputs = describe(tssa_session_num_inputs(session), tssa_session_input);
  outputs = describe(tssa_session_num_outputs(session), tssa_session_output);
}

std::vector<Port> Program::describe(size_t count, DescribeFn get) const {
  std::vector<Port> ports;
  for (size_t i = 0; i < count; ++i) {
    tssa_port port = {};
    port.struct_size = sizeof(port);
    check(get(session, i, &port));
    std::vector<Text> names;
    for (int32_t dim = 0; dim < port.ndim; ++dim)
      names.push_back(getSymbolName(port.symbols[dim]));
    ports.emplace_back(port.name, port.dtype.code, port.dtype.bits,
                       std::vector<int64_t>(port.dims, port.dims + port.ndim), port.kind,
                       port.alias_of, std::move(names));
  }
  return ports;
}

std::vector<OutputLabels> Program::getLabels() const {
  std::vector<OutputLabels> all;
  for (size_t i = 0; i < outputs.size(); ++i) {
    tssa_labels labels = {};
    labels.struct_size = sizeof(labels);
    check(tssa_session_output_labels(session, i, &labels));
    std::vector<Text> strings;
    std::vector<int64_t> ints;
    for (size_t number = 0; number < labels.count; ++number) {
      tssa_label label = {};
      label.struct_size = sizeof(label);
      check(tssa_session_output_label(session, i, number, &label));
      if (labels.kind == TSSA_LABELS_INT_KEYS)
        ints.push_back(label.number);
      else
        strings.push_back(std::string(label.text, label.size));
    }
    all.emplace_back(labels.kind, std::move(strings), std::move(ints));
  }
  return all;
}

Text Program::getSymbolName(int32_t index) const {
  if (index < 0)
    return "";
  tssa_symbol symbol = {};
  symbol.struct_size = sizeof(symbol);
  check(tssa_session_symbol(session, index, &symbol));
  return symbol.name;
}

std::vector<tssa_value> Program::makeInputs(const std::vector<Input> &arguments, bool asNumpy,
                                            std::vector<std::vector<int64_t>> &extents) const {
  if (arguments.size() != inputs.size())
    throw RuntimeError{TSSA_INVALID_ARGUMENT,
                       "expected " + std::to_string(inputs.size()) + " tensors, got " +
                           std::to_string(arguments.size()),
                       ""};
  std::vector<tssa_value> values;
  extents.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    tssa_value value = {};
    value.tensor = makeTensor(arguments[i], inputs[i], asNumpy, extents[i]);
    values.push_back(value);
  }
  return values;
}

std::vector<tssa_tensor> Program::makeTargets(const std::vector<Target> &targets, bool asNumpy,
                                              std::vector<std::vector<int64_t>> &extents) const {
  std::vector<tssa_tensor> given;
  if (targets.empty())
    return given;
  extents.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (std::get<4>(outputs[i]) != TSSA_PORT_OUT)
      continue;
    size_t number = given.size();
    given.push_back({});
    if (number < targets.size() && targets[number])
      given.back() = makeTensor(*targets[number], outputs[i], asNumpy, extents[i]);
  }
  if (given.size() != targets.size())
    throw RuntimeError{TSSA_INVALID_ARGUMENT,
                       "expected memory or None for each of " + std::to_string(given.size()) +
                           " results, got " + std::to_string(targets.size()),
                       ""};
  return given;
}

namespace {

/// An array over a result, which lives as long as the array. Elements that numpy does not have are
/// unsigned integers there.
nb::object wrap(tssa_value &value, bool asNumpy) {
  auto owned = std::make_unique<tssa_value>(value);
  value = {};
  const tssa_tensor &tensor = owned->tensor;
  std::vector<size_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  nb::dlpack::dtype dtype = {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes};
  if (asNumpy && isForeignType(dtype.code, dtype.bits))
    dtype = {UInt, static_cast<uint8_t>(dtype.bits < 8 ? 8 : dtype.bits), 1};
  void *data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  nb::capsule owner(owned.get(), [](void *pointer) noexcept {
    std::unique_ptr<tssa_value> released(static_cast<tssa_value *>(pointer));
    tssa_value_release(released.get());
  });
  owned.release();
  if (asNumpy)
    return nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, nullptr, dtype),
                    nb::rv_policy::reference);
  return nb::cast(nb::ndarray<>(data, shape.size(), shape.data(), owner, nullptr, dtype),
                  nb::rv_policy::reference);
}

} // namespace

std::string Program::writeTrace(const Trace &trace, int64_t origin) const {
  tssa_trace_options options = TSSA_TRACE_OPTIONS_INIT;
  options.style = TSSA_TRACE_ONNXRUNTIME;
  options.has_origin = 1;
  options.origin_ns = origin;
  const char *text = nullptr;
  check(tssa_trace_json(trace.get(), session, &options, &text));
  return text;
}

nb::list Program::run(const std::vector<Input> &arguments, bool asNumpy, double timeout,
                      const Cancel *cancel, const std::vector<Target> &targets,
                      const Trace *trace) {
  std::vector<std::vector<int64_t>> extents, targetExtents;
  std::vector<tssa_value> values = makeInputs(arguments, asNumpy, extents);
  std::vector<tssa_tensor> given = makeTargets(targets, asNumpy, targetExtents);
  tssa_run_options options = TSSA_RUN_OPTIONS_INIT;
  options.timeout_seconds = timeout;
  options.cancel = cancel ? cancel->get() : nullptr;
  options.trace = trace ? trace->get() : nullptr;
  Results results;
  runOn(values, options, results, given);
  nb::list made;
  for (size_t i = 0; i < results.values.size(); ++i) {
    tssa_value &value = results.values[i];
    if (given.empty() || !given[i].data) {
      made.append(wrap(value, asNumpy));
      continue;
    }
    nb::list sizes;
    for (int32_t dim = 0; dim < value.tensor.ndim; ++dim)
      sizes.append(value.tensor.shape[dim]);
    made.append(nb::tuple(sizes));
  }
  return made;
}

void Program::runOn(std::vector<tssa_value> &values, const tssa_run_options &options,
                    Results &results, const std::vector<tssa_tensor> &given) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    values[i].name = std::get<0>(inputs[i]).c_str();
  for (const Port &port : outputs) {
    if (std::get<4>(port) != TSSA_PORT_OUT)
      continue;
    tssa_value value = {};
    value.name = std::get<0>(port).c_str();
    if (!given.empty())
      value.tensor = given[results.values.size()];
    results.values.push_back(value);
  }
  tssa_status *status;
  {
    nb::gil_scoped_release release;
    status = tssa_session_run(session, &options, values.data(), values.size(),
                              results.values.data(), results.values.size());
  }
  check(status);
}

NB_MODULE(_runtime, module) {
  module.doc() = "libtssart for Python";
  // A compiled function may live as long as the process.
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](const std::exception_ptr &pointer, void *) {
    try {
      std::rethrow_exception(pointer);
    } catch (const RuntimeError &error) {
      const char *name = error.code == TSSA_INVALID_ARGUMENT ? "InvalidArgument" : "Error";
      nb::object type = nb::module_::import_("tssa._errors").attr(name);
      nb::object made = type(error.message, error.code, error.node);
      PyErr_SetObject(type.ptr(), made.ptr());
    }
  });
  nb::class_<Program>(module, "Program", "A loaded artifact")
      .def(nb::init<const std::string &, const std::string &, uint32_t, std::optional<uint64_t>,
                    bool>(),
           nb::arg("path"), nb::arg("device") = "auto", nb::arg("threads") = 0,
           nb::arg("seed") = nb::none(), nb::arg("verify") = true)
      .def_prop_ro("inputs", &Program::getInputs)
      .def_prop_ro("outputs", &Program::getOutputs)
      .def("run", &Program::run, nb::arg("arguments"), nb::arg("as_numpy") = false,
           nb::arg("timeout") = 0.0, nb::arg("cancel") = nb::none(),
           nb::arg("targets") = std::vector<Target>(), nb::arg("trace") = nb::none())
      .def("write_trace", &Program::writeTrace, nb::arg("trace"), nb::arg("origin"))
      .def_prop_ro("labels", &Program::getLabels)
      .def_prop_ro("device", &Program::getDevice);
  nb::class_<Cancel>(module, "Cancel", "A flag that stops runs")
      .def(nb::init<>())
      .def("request", &Cancel::request)
      .def("reset", &Cancel::reset);
  nb::class_<Trace>(module, "Trace", "What happened in runs, and when")
      .def(nb::init<size_t>(), nb::arg("max_events"));
  registerCachedCall(module);
  registerGuards(module);
  module.def("version", [] { return std::string(tssa_version()); });
}
