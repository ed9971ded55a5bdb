//===- CAPI.cpp - implements tssa.h by the C++ runtime -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CAPI.h"

#include "tssa/Runtime/DeviceCheck.h"

#include <algorithm>
#include <new>

using namespace tssa::runtime;
using namespace tssa::runtime::capi;

/// The status to return if there is no memory for a new one.
static tssa_status outOfMemory{makeError(TSSA_OUT_OF_MEMORY, "out of memory")};

tssa_status *capi::give(Status status) {
  if (status.ok())
    return nullptr;
  tssa_status *given = new (std::nothrow) tssa_status;
  if (!given)
    return &outOfMemory;
  given->status = std::move(status);
  return given;
}

tssa_status *capi::giveOutOfMemory() { return &outOfMemory; }

struct tssa_cancel {
  std::atomic<bool> requested{false};
};

tssa_code tssa_status_code(const tssa_status *status) {
  return status ? status->status.code : TSSA_OK;
}

const char *tssa_status_message(const tssa_status *status) {
  return status ? status->status.message.c_str() : "";
}

const char *tssa_status_node(const tssa_status *status) {
  return status ? status->status.node.c_str() : "";
}

void tssa_status_free(tssa_status *status) {
  if (status != &outOfMemory)
    delete status;
}

const char *tssa_version(void) { return TSSA_VERSION; }

static std::vector<PortView> viewPorts(const std::vector<Port> &ports) {
  std::vector<PortView> views;
  for (const Port &port : ports) {
    PortView view;
    for (const Dim &dim : port.dims) {
      view.dims.push_back(dim.kind == Dim::Static ? dim.value : -1);
      view.symbols.push_back(dim.kind == Dim::Symbol ? int32_t(dim.value) : -1);
    }
    views.push_back(std::move(view));
  }
  return views;
}

tssa_status *tssa_session_load(const char *path, const tssa_session_options *given,
                               tssa_session **session) {
  return guard([&] {
    if (!path || !session)
      return invalid("path or session is null");
    tssa_session_options read;
    if (Status status = readOptions(given, read); !status.ok())
      return status;
    if (read.verify_weights < 0 || read.verify_weights > TSSA_VERIFY_NEVER)
      return invalid("options: verify_weights is not a tssa_verify");
    SessionOptions options;
    options.threads = read.threads;
    options.pinThreads = read.pin_threads != 0;
    options.memoryLimit = read.memory_limit;
    options.verifyWeights =
        read.verify_weights == TSSA_VERIFY_NEVER ? VerifyWeights::Never : VerifyWeights::Always;
    options.parallelFor = read.parallel_for;
    options.parallelForUser = read.parallel_for_user;
    if (read.device)
      options.device = read.device;
    if (read.has_seed)
      options.seed = read.seed;
    auto made = std::make_unique<tssa_session>();
    if (Status status = Session::load(path, options, made->session); !status.ok())
      return status;
    made->inputs = viewPorts(made->session->getManifest().inputs);
    made->outputs = viewPorts(made->session->getManifest().outputs);
    *session = made.release();
    return Status::success();
  });
}

void tssa_session_close(tssa_session *session) {
  if (session)
    session->session->close();
}

void tssa_session_free(tssa_session *session) { delete session; }

const char *tssa_session_device(const tssa_session *session) {
  return session->session->getDeviceName().c_str();
}

tssa_status *tssa_artifact_check(const char *path) {
  return guard([&] {
    if (!path)
      return invalid("path is null");
    std::unique_ptr<Artifact> artifact;
    if (Status status = Artifact::open(path, artifact); !status.ok())
      return status;
    const Manifest &manifest = artifact->getManifest();
    for (size_t i = 0; i < manifest.variants.size(); ++i)
      if (Status status = artifact->mapWeights(i, VerifyWeights::Always); !status.ok())
        return status;
    std::string device;
    return checkMachine(manifest, "auto", device);
  });
}

size_t tssa_session_num_inputs(const tssa_session *session) { return session->inputs.size(); }

size_t tssa_session_num_outputs(const tssa_session *session) { return session->outputs.size(); }

size_t tssa_session_num_symbols(const tssa_session *session) {
  return session->session->getManifest().symbols.size();
}

static Status fillPort(const std::vector<Port> &ports, const std::vector<PortView> &views,
                       size_t index, tssa_port *target) {
  if (Status status = checkIndex(index, ports.size()); !status.ok())
    return status;
  const Port &port = ports[index];
  tssa_port view{};
  view.name = port.name.c_str();
  view.dtype = toABI(port.dtype);
  view.kind = port.kind;
  view.ndim = int32_t(port.dims.size());
  view.dims = views[index].dims.data();
  view.symbols = views[index].symbols.data();
  view.alias_of = port.kind == Port::Alias ? port.aliasOf : -1;
  return fill(target, view);
}

tssa_status *tssa_session_input(const tssa_session *session, size_t index, tssa_port *port) {
  return guard([&] {
    return fillPort(session->session->getManifest().inputs, session->inputs, index, port);
  });
}

tssa_status *tssa_session_output(const tssa_session *session, size_t index, tssa_port *port) {
  return guard([&] {
    return fillPort(session->session->getManifest().outputs, session->outputs, index, port);
  });
}

tssa_status *tssa_session_symbol(const tssa_session *session, size_t index, tssa_symbol *target) {
  return guard([&] {
    const std::vector<Symbol> &symbols = session->session->getManifest().symbols;
    if (Status status = checkIndex(index, symbols.size()); !status.ok())
      return status;
    tssa_symbol view{};
    view.name = symbols[index].name.c_str();
    view.min = symbols[index].min;
    view.max = symbols[index].max;
    return fill(target, view);
  });
}

tssa_status *tssa_session_output_labels(const tssa_session *session, size_t output,
                                        tssa_labels *target) {
  return guard([&] {
    const std::vector<Port> &outputs = session->session->getManifest().outputs;
    if (Status status = checkIndex(output, outputs.size()); !status.ok())
      return status;
    tssa_labels view{};
    view.kind = outputs[output].labels.kind;
    view.count = outputs[output].labels.size();
    return fill(target, view);
  });
}

tssa_status *tssa_session_output_label(const tssa_session *session, size_t output, size_t index,
                                       tssa_label *target) {
  return guard([&] {
    const std::vector<Port> &outputs = session->session->getManifest().outputs;
    if (Status status = checkIndex(output, outputs.size()); !status.ok())
      return status;
    const Labels &labels = outputs[output].labels;
    if (Status status = checkIndex(index, labels.size()); !status.ok())
      return status;
    tssa_label view{};
    view.text = "";
    if (labels.kind == Labels::IntKeys) {
      view.number = labels.ints[index];
    } else {
      view.text = labels.strings[index].c_str();
      view.size = labels.strings[index].size();
    }
    return fill(target, view);
  });
}

size_t tssa_session_num_launches(const tssa_session *session) {
  return session->session->getVariant().launches.size();
}

tssa_status *tssa_session_launch(const tssa_session *session, size_t index, tssa_launch *target) {
  return guard([&] {
    const std::vector<Launch> &launches = session->session->getVariant().launches;
    if (Status status = checkIndex(index, launches.size()); !status.ok())
      return status;
    tssa_launch view{};
    view.kernel = launches[index].kernel.c_str();
    view.num_nodes = launches[index].nodes.size();
    view.nodes = launches[index].nodes.data();
    return fill(target, view);
  });
}

tssa_status *tssa_session_node(const tssa_session *session, size_t index, tssa_node *target) {
  return guard([&] {
    const std::vector<ModelNode> &nodes = session->session->getManifest().nodes;
    if (Status status = checkIndex(index, nodes.size()); !status.ok())
      return status;
    tssa_node view{};
    view.name = nodes[index].name.c_str();
    view.op = nodes[index].op.c_str();
    return fill(target, view);
  });
}

void tssa_value_release(tssa_value *value) {
  if (!value || !value->owner)
    return;
  delete static_cast<Tensor *>(value->owner);
  value->owner = nullptr;
  value->tensor.data = nullptr;
  value->tensor.shape = nullptr;
}

tssa_status *tssa_cancel_create(tssa_cancel **cancel) {
  return guard([&] {
    if (!cancel)
      return invalid("cancel is null");
    *cancel = new tssa_cancel;
    return Status::success();
  });
}

void tssa_cancel_request(tssa_cancel *cancel) { cancel->requested = true; }
void tssa_cancel_reset(tssa_cancel *cancel) { cancel->requested = false; }
void tssa_cancel_free(tssa_cancel *cancel) { delete cancel; }

static Status readInputs(const tssa_value *values, size_t count, std::vector<NamedTensor> &inputs) {
  if (count && !values)
    return invalid("inputs is null");
  for (size_t i = 0; i < count; ++i) {
    if (!values[i].name)
      return invalid("the name of an input is null");
    inputs.push_back({values[i].name, values[i].tensor});
  }
  return Status::success();
}

/// After a run that succeeded, moves the results to the caller's outputs.
static void deliver(std::vector<Tensor> &results, tssa_value *outputs,
                    std::vector<std::unique_ptr<Tensor>> &owners) {
  for (size_t i = 0; i < owners.size(); ++i) {
    tssa_value &output = outputs[i];
    if (!owners[i]) {
      std::copy(results[i].shape.begin(), results[i].shape.end(), output.tensor.shape);
      continue;
    }
    *owners[i] = std::move(results[i]);
    output.tensor = owners[i]->asABI();
    output.owner = owners[i].release();
  }
}

static void deliverTimes(const std::vector<LaunchTime> &times, const tssa_run_options &options) {
  for (size_t i = 0; i < std::min(times.size(), options.num_launch_times); ++i)
    options.launch_times[i] = {times[i].calls, times[i].seconds, times[i].flops};
}

tssa_status *tssa_session_run(tssa_session *session, const tssa_run_options *given,
                              const tssa_value *values, size_t numInputs, tssa_value *outputs,
                              size_t numOutputs) {
  return guard([&] {
    if (!session || (numOutputs && !outputs))
      return invalid("session or outputs is null");
    tssa_run_options read;
    if (Status status = readOptions(given, read); !status.ok())
      return status;
    RunOptions options;
    options.cancel = read.cancel ? &read.cancel->requested : nullptr;
    options.timeoutSeconds = read.timeout_seconds;
    options.trace = read.trace ? &read.trace->trace : nullptr;
    std::vector<LaunchTime> times;
    if (read.launch_times) {
      if (read.num_launch_times != tssa_session_num_launches(session))
        return invalid("options: num_launch_times is not the number of launches");
      options.profile = &times;
    }
    std::vector<NamedTensor> inputs;
    if (Status status = readInputs(values, numInputs, inputs); !status.ok())
      return status;
    std::vector<OutputRequest> requests;
    std::vector<std::unique_ptr<Tensor>> owners;
    for (size_t i = 0; i < numOutputs; ++i) {
      if (!outputs[i].name)
        return invalid("the name of an output is null");
      if (outputs[i].owner)
        return invalid("an output still holds a result: release it first");
      bool owned = outputs[i].tensor.data == nullptr;
      requests.push_back({outputs[i].name, {}});
      if (!owned)
        requests.back().into = outputs[i].tensor;
      owners.push_back(owned ? std::make_unique<Tensor>() : nullptr);
    }
    std::vector<Tensor> results;
    if (Status status = session->session->run(inputs, requests, options, results); !status.ok())
      return status;
    deliver(results, outputs, owners);
    deliverTimes(times, read);
    return Status::success();
  });
}

tssa_status *tssa_session_plan(tssa_session *session, const tssa_value *values, size_t numInputs,
                               int64_t *bytes) {
  return guard([&] {
    if (!session || !bytes)
      return invalid("session or bytes is null");
    std::vector<NamedTensor> inputs;
    if (Status status = readInputs(values, numInputs, inputs); !status.ok())
      return status;
    return session->session->planMemory(inputs, *bytes);
  });
}
