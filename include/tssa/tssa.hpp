//===- tssa.hpp - tssa.h with RAII and exceptions ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A header-only C++17 wrapper of the C interface.
///
///     tssa::Session session("model.so");
///     std::vector<float> x(6);
///     auto results = session.run({tssa::Value("x", x.data(), {2, 3})});
///     for (float y : results[0].span<float>()) ...
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TSSA_HPP
#define TSSA_TSSA_HPP

#include "tssa/tssa.h"

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tssa {

/// The exception for a status other than success.
class Error : public std::runtime_error {
public:
  Error(tssa_code code, const std::string &message, std::string node)
      : std::runtime_error(message), code(code), node(std::move(node)) {}
  tssa_code code;
  std::string node; ///< the model's node that failed, or ""
};

/// Throws an Error unless `status` is success, and releases `status`.
inline void check(tssa_status *status) {
  if (!status)
    return;
  std::unique_ptr<tssa_status, void (*)(tssa_status *)> owner(status,
                                                              tssa_status_free);
  throw Error(tssa_status_code(status), tssa_status_message(status),
              tssa_status_node(status));
}

/// Returns the element type of the C++ number type `T`.
template <typename T> constexpr tssa_dtype dtypeOf() {
  static_assert(std::is_arithmetic_v<T>, "give f16 and bf16 as tssa_dtype");
  uint8_t code = std::is_same_v<T, bool>        ? 6
                 : std::is_floating_point_v<T>  ? 2
                 : std::is_signed_v<T>          ? 0
                                                : 1;
  return {code, sizeof(T) * 8, 1};
}

/// A named tensor in the caller's memory: an input, or memory for an output.
class Value {
public:
  template <typename T>
  Value(std::string name, T *data, std::vector<int64_t> shape)
      : Value(std::move(name), const_cast<std::remove_const_t<T> *>(data),
              dtypeOf<std::remove_const_t<T>>(), std::move(shape)) {}

  /// `strides` are in elements; empty means contiguous.
  Value(std::string name, void *data, tssa_dtype dtype,
        std::vector<int64_t> shape, std::vector<int64_t> strides = {})
      : name(std::move(name)), data(data), dtype(dtype),
        shape(std::move(shape)), strides(std::move(strides)) {}

  /// Returns a value that refers to this object.
  tssa_value get() const {
    return {name.c_str(),
            {data,
             {1, 0},
             int32_t(shape.size()),
             dtype,
             const_cast<int64_t *>(shape.data()),
             strides.empty() ? nullptr : const_cast<int64_t *>(strides.data()),
             0},
            nullptr};
  }

private:
  std::string name;
  void *data;
  tssa_dtype dtype;
  std::vector<int64_t> shape, strides;
};

/// A result in the runtime's memory.
class Result {
public:
  explicit Result(std::string name) : name(std::move(name)) {}
  Result(Result &&other) noexcept
      : name(std::move(other.name)), value(other.value) {
    other.value = {};
  }
  Result &operator=(Result &&other) noexcept {
    std::swap(name, other.name);
    std::swap(value, other.value);
    return *this;
  }
  ~Result() { tssa_value_release(&value); }

  const std::string &getName() const { return name; }
  const tssa_tensor &getTensor() const { return value.tensor; }
  std::vector<int64_t> getShape() const {
    return {value.tensor.shape, value.tensor.shape + value.tensor.ndim};
  }
  size_t getCount() const {
    size_t count = 1;
    for (int32_t i = 0; i < value.tensor.ndim; ++i)
      count *= size_t(value.tensor.shape[i]);
    return count;
  }

  /// The elements in row-major order, for range-based loops.
  template <typename T> struct Span {
    T *first;
    size_t count;
    T *begin() const { return first; }
    T *end() const { return first + count; }
    size_t size() const { return count; }
    T &operator[](size_t i) const { return first[i]; }
  };
  /// Returns the elements; throws an Error if their type is not `T`.
  template <typename T> Span<T> span() const {
    constexpr tssa_dtype wanted = dtypeOf<T>();
    const tssa_dtype &type = value.tensor.dtype;
    if (type.code != wanted.code || type.bits != wanted.bits)
      throw Error(TSSA_INVALID_ARGUMENT,
                  "output '" + name + "' has another element type", "");
    return {static_cast<T *>(value.tensor.data), getCount()};
  }

private:
  friend class Session;
  std::string name;
  tssa_value value{};
};

/// A flag with which another thread stops runs.
class Cancel {
public:
  Cancel() {
    tssa_cancel *made;
    check(tssa_cancel_create(&made));
    cancel.reset(made);
  }
  void request() { tssa_cancel_request(cancel.get()); }
  void reset() { tssa_cancel_reset(cancel.get()); }
  const tssa_cancel *get() const { return cancel.get(); }

private:
  struct Free {
    void operator()(tssa_cancel *cancel) const { tssa_cancel_free(cancel); }
  };
  std::unique_ptr<tssa_cancel, Free> cancel;
};

/// What happened in the runs that got `get()` as `trace` of their options.
class Trace {
public:
  explicit Trace(size_t maxEvents) {
    tssa_trace *made;
    check(tssa_trace_create(maxEvents, &made));
    trace.reset(made);
  }
  void clear() { tssa_trace_clear(get()); }
  std::vector<tssa_event> getEvents() const {
    std::vector<tssa_event> events(tssa_trace_num_events(get()));
    for (size_t i = 0; i < events.size(); ++i) {
      events[i].struct_size = sizeof(tssa_event);
      check(tssa_trace_event(get(), i, &events[i]));
    }
    return events;
  }
  /// Returns whether an event was left out.
  bool isCut() const { return tssa_trace_is_cut(get()) != 0; }
  tssa_trace *get() const { return trace.get(); }

private:
  struct Free {
    void operator()(tssa_trace *trace) const { tssa_trace_free(trace); }
  };
  std::unique_ptr<tssa_trace, Free> trace;
};

/// A loaded model. `run` may be called from any number of threads.
class Session {
public:
  explicit Session(const std::string &path,
                   tssa_session_options options = TSSA_SESSION_OPTIONS_INIT) {
    tssa_session *loaded;
    check(tssa_session_load(path.c_str(), &options, &loaded));
    session.reset(loaded);
  }

  /// Returns "cpu", "cuda:0 (NVIDIA H200, sm_90)" or "cuda-emu".
  std::string getDevice() const { return tssa_session_device(get()); }

  std::vector<std::string> getInputNames() const {
    return names(tssa_session_num_inputs(get()), tssa_session_input);
  }
  std::vector<std::string> getOutputNames() const {
    return names(tssa_session_num_outputs(get()), tssa_session_output);
  }
  tssa_port getInput(size_t index) const {
    return port(index, tssa_session_input);
  }
  tssa_port getOutput(size_t index) const {
    return port(index, tssa_session_output);
  }
  /// Returns the number of labels of an output, and their kind.
  tssa_labels getLabels(size_t output) const {
    tssa_labels labels{};
    labels.struct_size = sizeof(labels);
    check(tssa_session_output_labels(get(), output, &labels));
    return labels;
  }
  /// Returns a label of an output: what an element stands for, or the key of a
  /// column. Throws if there is no such label.
  tssa_label getLabel(size_t output, size_t index) const {
    tssa_label label{};
    label.struct_size = sizeof(label);
    check(tssa_session_output_label(get(), output, index, &label));
    return label;
  }

  /// Runs the model and returns all outputs, in the model's order.
  std::vector<Result> run(const std::vector<Value> &inputs,
                          tssa_run_options options = TSSA_RUN_OPTIONS_INIT) {
    std::vector<Result> results;
    std::vector<tssa_value> outputs;
    for (std::string &name : getOutputNames())
      results.emplace_back(std::move(name));
    for (Result &result : results)
      outputs.push_back({result.name.c_str(), {}, nullptr});
    runInto(inputs, outputs, options);
    for (size_t i = 0; i < results.size(); ++i)
      results[i].value = outputs[i];
    return results;
  }

  /// Runs the model and writes the outputs named in `into` to the caller's memory.
  void run(const std::vector<Value> &inputs, const std::vector<Value> &into,
           tssa_run_options options = TSSA_RUN_OPTIONS_INIT) {
    std::vector<tssa_value> outputs;
    for (const Value &value : into)
      outputs.push_back(value.get());
    runInto(inputs, outputs, options);
  }

  /// Returns the events of runs of this session as JSON.
  std::string writeTrace(Trace &trace, tssa_trace_options options = TSSA_TRACE_OPTIONS_INIT) const {
    const char *text;
    check(tssa_trace_json(trace.get(), get(), &options, &text));
    return text;
  }

  /// Waits for runs in progress and releases code, weights and memory; later runs throw.
  void close() { tssa_session_close(get()); }

  tssa_session *get() const { return session.get(); }

private:
  struct Free {
    void operator()(tssa_session *session) const { tssa_session_free(session); }
  };
  std::unique_ptr<tssa_session, Free> session;

  using PortGetter = tssa_status *(*)(const tssa_session *, size_t,
                                      tssa_port *);
  tssa_port port(size_t index, PortGetter getter) const {
    tssa_port port{};
    port.struct_size = sizeof(port);
    check(getter(get(), index, &port));
    return port;
  }
  std::vector<std::string> names(size_t count, PortGetter getter) const {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i)
      names.push_back(port(i, getter).name);
    return names;
  }
  void runInto(const std::vector<Value> &inputs,
               std::vector<tssa_value> &outputs,
               const tssa_run_options &options) {
    std::vector<tssa_value> values;
    for (const Value &input : inputs)
      values.push_back(input.get());
    check(tssa_session_run(get(), &options, values.data(), values.size(),
                           outputs.data(), outputs.size()));
  }
};

} // namespace tssa

#endif // TSSA_TSSA_HPP
