//===- program.h - a loaded artifact for Python -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_PYTHON_PROGRAM_H
#define TSSA_PYTHON_PROGRAM_H

#include "tssa/tssa.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tssa::python {

/// A text from the runtime. Names in it are those of a model, whose bytes nobody has checked: what
/// is no UTF-8 becomes \\xNN in Python.
struct Text : std::string {
  using std::string::string;
  Text(std::string text) : std::string(std::move(text)) {}
};

/// A status on its way to Python, where it becomes tssa.Error.
struct RuntimeError {
  int code;
  Text message, node;
};

/// Throws what a status tells of, and frees it.
void check(tssa_status *status);

using Input = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;

/// Memory for a result of its size, or nothing.
using Target = std::optional<nanobind::ndarray<nanobind::device::cpu>>;

/// Name, type code, bits, sizes (-1: free), kind, the input that an output is, the name of each
/// free size ("" if it has none).
using Port = std::tuple<Text, int, int, std::vector<int64_t>, int, int, std::vector<Text>>;

/// Of an output: a tssa_labels_kind, and its strings or its integers.
using OutputLabels = std::tuple<int, std::vector<Text>, std::vector<int64_t>>;

/// Values of a run, which are released with it.
struct Results {
  std::vector<tssa_value> values;
  ~Results() {
    for (tssa_value &value : values)
      tssa_value_release(&value);
  }
};

/// A flag that stops runs.
class Cancel {
public:
  Cancel() { check(tssa_cancel_create(&cancel)); }
  ~Cancel() { tssa_cancel_free(cancel); }
  Cancel(const Cancel &) = delete;
  void request() { tssa_cancel_request(cancel); }
  void reset() { tssa_cancel_reset(cancel); }
  const tssa_cancel *get() const { return cancel; }

private:
  tssa_cancel *cancel = nullptr;
};

/// What happened in runs, and when.
class Trace {
public:
  explicit Trace(size_t maxEvents) { check(tssa_trace_create(maxEvents, &trace)); }
  ~Trace() { tssa_trace_free(trace); }
  Trace(const Trace &) = delete;
  tssa_trace *get() const { return trace; }

private:
  tssa_trace *trace = nullptr;
};

class Program {
public:
  Program(const std::string &path, const std::string &device, uint32_t threads,
          std::optional<uint64_t> seed, bool verify);
  ~Program() { tssa_session_free(session); }
  Program(const Program &) = delete;

  const std::vector<Port> &getInputs() const { return inputs; }
  const std::vector<Port> &getOutputs() const { return outputs; }
  /// The labels of each output.
  std::vector<OutputLabels> getLabels() const;
  std::string getDevice() const { return tssa_session_device(session); }

  /// The results that are tensors of their own, in order, for any framework or numpy. A result with
  /// a target is written there, and its sizes are returned as a tuple. `targets` is empty or has an
  /// element for each result. The events of the run go to `trace`, if there is one.
  nanobind::list run(const std::vector<Input> &arguments, bool asNumpy, double timeout,
                     const Cancel *cancel, const std::vector<Target> &targets, const Trace *trace);
  /// Returns the events of runs of this program as JSON, under ONNX Runtime's names. Times are
  /// microseconds since `origin`, in nanoseconds of time.perf_counter_ns(). No run may write
  /// `trace`.
  std::string writeTrace(const Trace &trace, int64_t origin) const;
  /// The same for inputs as the runtime has them, in order. Their names are set here. `given` is
  /// empty or has the memory of each result, null where it has none.
  void runOn(std::vector<tssa_value> &values, const tssa_run_options &options, Results &results,
             const std::vector<tssa_tensor> &given = {}) const;

private:
  using DescribeFn = tssa_status *(*)(const tssa_session *, size_t, tssa_port *);
  std::vector<Port> describe(size_t count, DescribeFn get) const;
  Text getSymbolName(int32_t index) const;
  std::vector<tssa_value> makeInputs(const std::vector<Input> &arguments, bool asNumpy,
                                     std::vector<std::vector<int64_t>> &extents) const;
  std::vector<tssa_tensor> makeTargets(const std::vector<Target> &targets, bool asNumpy,
                                       std::vector<std::vector<int64_t>> &extents) const;

  tssa_session *session = nullptr;
  std::vector<Port> inputs, outputs;
};

} // namespace tssa::python

template <> struct nanobind::detail::type_caster<tssa::python::Text> {
  NB_TYPE_CASTER(tssa::python::Text, const_name("str"))
  bool from_python(handle, uint8_t, cleanup_list *) noexcept { return false; }
  static handle from_cpp(const tssa::python::Text &text, rv_policy, cleanup_list *) noexcept {
    return PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "backslashreplace");
  }
};

#endif // TSSA_PYTHON_PROGRAM_H
