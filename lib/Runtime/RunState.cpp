//===- RunState.cpp ------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunState.h"

#include "Checked.h"

#include "tssa/Runtime/NearName.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

using namespace tssa::runtime;
using Clock = std::chrono::steady_clock;

RunState::RunState(const RunContext &context, const BoundInputs &inputs,
                   const std::vector<BoundOutput> &outputs)
    : context(context), inputs(inputs), outputs(outputs), args(inputs.args) {
  if (context.run.timeoutSeconds > 0) {
    // Longer than a century is no limit, and would overflow the clock.
    double seconds = std::min(context.run.timeoutSeconds, 3.2e9);
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(seconds));
  }
  if (context.program)
    device = std::make_unique<DeviceRun>(*context.program, context.manifest,
                                         context.variant);
  prepareResults();
  installCallbacks();
}

Status RunState::start() {
  if (!device)
    return Status::success();
  if (int32_t code = report(device->start()))
    return judge(code);
  for (size_t i = 0; i < args.size(); ++i) {
    uint64_t bytes = uint64_t(inputs.bytes[i]);
    const Port &port = context.manifest.inputs[i];
    if (!chargeOrFail(bytes, &port))
      return judge(TSSA_OUT_OF_MEMORY);
    RunFault fault = device->upload(inputs.args[i].data, bytes, args[i].data);
    if (!fault.ok())
      fault.text = nameOf(port) + ": " + fault.text;
    if (int32_t code = report(std::move(fault)))
      return judge(code);
    args[i].device = context.program->getDevice().getDevice();
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (const Port &port = context.manifest.outputs[i]; port.kind == Port::Alias)
      resultViews[i].data = args[port.aliasOf].data;
  return Status::success();
}

Status RunState::allocateArena(uint64_t bytes, void *&arena) {
  return judge(report(device->allocate(bytes, arena)));
}

void RunState::prepareResults() {
  const Manifest &manifest = context.manifest;
  results.resize(outputs.size());
  produced.resize(outputs.size());
  resultViews.resize(outputs.size());
  places.resize(outputs.size());
  shadows.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Port &port = manifest.outputs[i];
    results[i].dtype = port.dtype;
    for (const Dim &dim : port.dims)
      results[i].shape.push_back(
          dim.kind == Dim::Symbol ? inputs.sizes[dim.value] : dim.value);
    if (port.kind == Port::Alias) {
      const tssa_tensor &arg = inputs.args[port.aliasOf];
      results[i].shape.assign(arg.shape, arg.shape + arg.ndim);
      results[i].data = arg.data;
      produced[i] = true;
    }
    resultViews[i] = results[i].asABI();
  }
}

/// No exception passes through compiled code: it cannot be unwound.
template <typename T, typename Work>
T RunState::guard(const tssa_host *host, T onFailure, Work work) {
  RunState &state = *static_cast<RunState *>(host->user);
  try {
    return work(state);
  } catch (const std::bad_alloc &) {
    state.outOfMemory.store(true, std::memory_order_relaxed);
    return onFailure;
  }
}

void RunState::installCallbacks() {
  host.version = TSSA_ABI_VERSION;
  host.struct_size = sizeof(tssa_host);
  host.user = this;
  host.weights = context.weights;
  host.parallel_for = [](const tssa_host *host, int64_t n, int64_t grain,
                         tssa_body body, void *data) {
    const RunContext &context = static_cast<RunState *>(host->user)->context;
    if (context.session.parallelFor)
      context.session.parallelFor(context.session.parallelForUser, n, grain,
                                  body, data);
    else
      context.pool->parallelFor(n, grain, body, data);
  };
  host.grow = [](const tssa_host *host, uint64_t bytes) {
    return guard(host, static_cast<void *>(nullptr),
                 [&](RunState &state) { return state.growOnHost(bytes); });
  };
  host.release = [](const tssa_host *host, void *memory) {
    static_cast<RunState *>(host->user)->releaseOnHost(memory);
  };
  host.result = [](const tssa_host *host, tssa_tensor *view, int32_t index,
                   int32_t rank, const int64_t *shape) {
    return guard(host, static_cast<void *>(nullptr), [&](RunState &state) {
      return state.result(view, index, rank, shape);
    });
  };
  host.fail = [](const tssa_host *host, int32_t code, int32_t node,
                 const char *text) {
    return guard(host, int32_t(TSSA_OUT_OF_MEMORY), [&](RunState &state) {
      return state.fail(code, node, text ? text : "");
    });
  };
  host.poll_cancel = [](const tssa_host *host) {
    return int32_t(static_cast<RunState *>(host->user)->shouldStop());
  };
  if (context.run.profile)
    host.profile = [](const tssa_host *host, int32_t launch, int32_t phase) {
      static_cast<RunState *>(host->user)->recordLaunch(launch, phase);
    };
  host.math = evaluateMath;
  host.launch = [](const tssa_host *host, int32_t launch, int64_t blocks,
                   void **params) {
    return guard(host, int32_t(TSSA_OUT_OF_MEMORY), [&](RunState &state) {
      return state.launch(launch, blocks, params);
    });
  };
  host.copy = [](const tssa_host *host, void *to, const void *from,
                 uint64_t bytes, int32_t kind) {
    return guard(host, int32_t(TSSA_OUT_OF_MEMORY), [&](RunState &state) {
      return state.copy(to, from, bytes, kind);
    });
  };
  host.on_host = &host;
  if (!device)
    return;
  onHost = host;
  onHost.on_host = &onHost;
  host.on_host = &onHost;
  host.grow = [](const tssa_host *host, uint64_t bytes) {
    return guard(host, static_cast<void *>(nullptr),
                 [&](RunState &state) { return state.growOnDevice(bytes); });
  };
  host.release = [](const tssa_host *host, void *memory) {
    static_cast<RunState *>(host->user)->releaseOnDevice(memory);
  };
}

bool RunState::charge(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  std::optional<int64_t> sum = (tssa::CheckedSize(held) + tssa::CheckedSize(bytes)).get();
  uint64_t limit = context.session.memoryLimit;
  if (!sum || (limit && uint64_t(*sum) > limit))
    return false;
  held = uint64_t(*sum);
  return true;
}

int32_t RunState::fail(int32_t code, int32_t node, std::string text) {
  if (code <= TSSA_OK || code > TSSA_INTERNAL)
    code = TSSA_INTERNAL;
  std::lock_guard<std::mutex> lock(failureMutex);
  if (failed.load(std::memory_order_relaxed))
    return code;
  // The program knows that it had to stop, not why.
  failure = code == TSSA_CANCELLED ? whyStopped()
                                   : makeError(tssa_code(code), std::move(text));
  if (node >= 0 && uint64_t(node) < context.manifest.nodes.size()) {
    const Node &named = context.manifest.nodes[node];
    failure.node = named.name;
    failure.message = "node #" + std::to_string(node) + " '" +
                      printable(named.name) + "' (" + printable(named.op) +
                      "): " + failure.message;
  }
  failed.store(true, std::memory_order_release);
  return code;
}

int32_t RunState::report(RunFault fault) {
  return fault.ok() ? int32_t(TSSA_OK)
                    : fail(fault.code, fault.node, std::move(fault.text));
}

/// `port` takes the memory; null for memory that the program asks for.
bool RunState::chargeOrFail(uint64_t bytes, const Port *port) {
  if (charge(bytes))
    return true;
  std::string text = std::to_string(bytes);
  fail(TSSA_OUT_OF_MEMORY, -1,
       (port ? nameOf(*port) + " of " + text + " bytes passes" : text + " more bytes pass") +
           " the limit of " + std::to_string(context.session.memoryLimit) +
           " bytes for one run");
  return false;
}

void *RunState::growOnHost(uint64_t bytes) {
  // An empty request gets memory too: every pointer given is released once.
  bytes = std::max<uint64_t>(bytes, 1);
  if (!chargeOrFail(bytes, nullptr))
    return nullptr;
  Buffer buffer;
  if (buffer.allocate(bytes)) {
    void *memory = buffer.getData();
    std::lock_guard<std::mutex> lock(memoryMutex);
    grown.emplace(memory, std::move(buffer));
    return memory;
  }
  fail(TSSA_OUT_OF_MEMORY, -1,
       "cannot allocate " + std::to_string(bytes) + " bytes");
  return nullptr;
}

void RunState::releaseOnHost(void *memory) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto entry = grown.find(memory);
  if (entry == grown.end())
    return;
  held -= entry->second.getSize();
  grown.erase(entry);
}

void *RunState::growOnDevice(uint64_t bytes) {
  bytes = std::max<uint64_t>(bytes, 1);
  void *memory = nullptr;
  if (!chargeOrFail(bytes, nullptr) || report(device->allocate(bytes, memory)))
    return nullptr;
  return memory;
}

void RunState::releaseOnDevice(void *memory) { refund(device->release(memory)); }

void RunState::refund(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  held -= bytes;
}

/// What is wrong with the shape the program found for a result.
std::optional<std::string>
RunState::checkShape(int32_t index, int32_t rank, const int64_t *shape) const {
  const Manifest &manifest = context.manifest;
  if (index < 0 || uint64_t(index) >= outputs.size())
    return "there is no result " + std::to_string(index);
  const Port &port = manifest.outputs[index];
  bool matches = rank >= 0 && uint64_t(rank) == port.dims.size();
  for (size_t d = 0; matches && d < port.dims.size(); ++d) {
    const Dim &dim = port.dims[d];
    matches = shape[d] >= 0 &&
              (dim.kind == Dim::Derived ||
               shape[d] == (dim.kind == Dim::Symbol ? inputs.sizes[dim.value]
                                                    : dim.value));
  }
  if (matches)
    return std::nullopt;
  tssa_tensor found{};
  found.dtype = toABI(port.dtype);
  found.ndim = std::max(rank, 0);
  found.shape = const_cast<int64_t *>(shape);
  return nameOf(port) + ": expected " +
         describe(manifest, port) + ", the program made " + describe(found);
}

/// Gives result `index` its memory on the host: the caller's or new.
bool RunState::prepareStorage(int32_t index, uint64_t bytes) {
  Tensor &tensor = results[index];
  const Port &port = context.manifest.outputs[index];
  if (const std::optional<tssa_tensor> &into = outputs[index].into) {
    for (size_t d = 0; d < tensor.shape.size(); ++d)
      if (tensor.shape[d] > into->shape[d]) {
        fail(TSSA_INVALID_ARGUMENT, -1,
             nameOf(port) + ": dimension " + std::to_string(d) + " is " +
                 std::to_string(tensor.shape[d]) + ", the buffer given has " +
                 std::to_string(into->shape[d]));
        return false;
      }
    tensor.data = into->data;
    return true;
  }
  // Asked for again, the program gets new memory and gives up the old.
  refund(std::exchange(tensor.storage, Buffer()).getSize());
  if (!chargeOrFail(bytes, &port))
    return false;
  if (!tensor.storage.allocate(bytes)) {
    fail(TSSA_OUT_OF_MEMORY, -1,
         "cannot allocate " + std::to_string(bytes) + " bytes for " + nameOf(port));
    return false;
  }
  tensor.data = tensor.storage.getData();
  return true;
}

/// Where the program writes a result that is not written where the caller gets it.
void *RunState::makePlace(int32_t index, uint64_t bytes) {
  const Port &port = context.manifest.outputs[index];
  if (device) {
    if (places[index])
      refund(device->release(places[index]));
    places[index] = nullptr;
    if (chargeOrFail(bytes, &port))
      report(device->allocate(bytes, places[index]));
    return places[index];
  }
  refund(std::exchange(shadows[index], Buffer()).getSize());
  if (!chargeOrFail(bytes, &port))
    return nullptr;
  if (!shadows[index].allocate(bytes)) {
    fail(TSSA_OUT_OF_MEMORY, -1,
         "cannot allocate " + std::to_string(bytes) + " bytes for " + nameOf(port));
    return nullptr;
  }
  return places[index] = shadows[index].getData();
}

bool RunState::isOverwritten(size_t input) const {
  return context.manifest.inputs[input].kind == Port::InOut;
}

void *RunState::result(tssa_tensor *view, int32_t index, int32_t rank,
                       const int64_t *shape) {
  if (std::optional<std::string> wrong = checkShape(index, rank, shape)) {
    fail(TSSA_INTERNAL, -1, *wrong);
    return nullptr;
  }
  const Port &port = context.manifest.outputs[index];
  std::copy(shape, shape + rank, results[index].shape.begin());
  std::optional<int64_t> bytes =
      checkedBytes(shape, rank, getByteSize(port.dtype));
  if (!bytes) {
    fail(TSSA_OUT_OF_MEMORY, -1,
         nameOf(port) + " has an impossible size");
    return nullptr;
  }
  void *place = nullptr;
  if (port.kind == Port::Alias)
    place = isOverwritten(port.aliasOf) ? makePlace(index, uint64_t(*bytes))
                                        : args[port.aliasOf].data;
  else if (prepareStorage(index, uint64_t(*bytes)))
    place = device ? makePlace(index, uint64_t(*bytes)) : results[index].data;
  if (!place)
    return nullptr;
  produced[index] = true;
  *view = results[index].asABI();
  view->data = place;
  if (device)
    view->device = context.program->getDevice().getDevice();
  return place;
}

int32_t RunState::launch(int32_t launch, int64_t blocks, void **params) {
  if (!device)
    return fail(TSSA_INTERNAL, -1, "the program for the CPU launches a kernel on a device");
  if (shouldStop())
    return fail(TSSA_CANCELLED, -1, "");
  LaunchCounters *counters = nullptr;
  if (context.run.profile) {
    recordLaunch(launch, 0);
    if (launch >= 0 && uint64_t(launch) < context.run.profile->size())
      counters = &(*context.run.profile)[launch].counters;
  }
  RunFault fault = device->launch(
      launch, blocks, params, [this] { return shouldStop(); }, counters);
  if (fault.ok() && context.run.profile) {
    fault = device->wait(); // or the time would be that of asking for it
    recordLaunch(launch, 1);
  }
  return report(std::move(fault));
}

int32_t RunState::copy(void *to, const void *from, uint64_t bytes, int32_t kind) {
  if (kind < TSSA_COPY_TO_HOST || kind > TSSA_COPY_ON_DEVICE)
    return fail(TSSA_INTERNAL, -1, "a copy of unknown kind " + std::to_string(kind));
  if (!device) {
    std::memmove(to, from, bytes);
    return TSSA_OK;
  }
  RunFault fault = device->copy(to, from, bytes, tssa_copy_kind(kind));
  if (fault.ok() && kind == TSSA_COPY_TO_HOST)
    fault = device->wait();
  return report(std::move(fault));
}

//===----------------------------------------------------------------------===//
// Clock and end
//===----------------------------------------------------------------------===//

bool RunState::shouldStop() {
  if (failed.load(std::memory_order_relaxed) ||
      outOfMemory.load(std::memory_order_relaxed))
    return true;
  if (context.run.cancel && context.run.cancel->load(std::memory_order_relaxed))
    return true;
  if (context.run.timeoutSeconds > 0 && Clock::now() >= deadline)
    timedOut.store(true, std::memory_order_relaxed);
  return timedOut.load(std::memory_order_relaxed);
}

void RunState::recordLaunch(int32_t launch, int32_t phase) {
  std::vector<LaunchTime> &times = *context.run.profile;
  if (launch < 0 || uint64_t(launch) >= times.size())
    return;
  Clock::time_point now = Clock::now();
  if (phase == 0) {
    launchStart = now;
    return;
  }
  ++times[launch].calls;
  times[launch].seconds +=
      std::chrono::duration<double>(now - launchStart).count();
}

Status RunState::whyStopped() const {
  if (outOfMemory.load())
    return makeError(TSSA_OUT_OF_MEMORY, "out of memory");
  if (timedOut.load())
    return makeError(TSSA_CANCELLED, "stopped: the run took longer than " +
                                         std::to_string(
                                             context.run.timeoutSeconds) +
                                         " s");
  return makeError(TSSA_CANCELLED, "cancelled");
}

/// Copies what the run made to the memory of the host, and waits.
RunFault RunState::fetch() {
  auto copy = [&](void *to, const void *from, uint64_t bytes) {
    if (device)
      return device->copy(to, from, bytes, TSSA_COPY_TO_HOST);
    std::memcpy(to, from, bytes);
    return RunFault();
  };
  // A run that turns out to have failed leaves the arguments as they were.
  const std::vector<Port> &ports = context.manifest.inputs;
  bool overwrites = std::any_of(ports.begin(), ports.end(), [](const Port &port) {
    return port.kind == Port::InOut;
  });
  if (device && overwrites)
    if (RunFault fault = device->wait(); !fault.ok())
      return fault;
  std::vector<bool> written(args.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const Port &port = context.manifest.outputs[i];
    if (!places[i] || (port.kind == Port::Out && !outputs[i].request))
      continue;
    // Of a result that is an argument's storage this is the argument's memory.
    if (RunFault fault = copy(results[i].data, places[i], uint64_t(results[i].getByteSize()));
        !fault.ok())
      return fault;
    if (port.kind == Port::Alias)
      written[port.aliasOf] = true;
  }
  for (size_t i = 0; device && i < args.size(); ++i)
    if (isOverwritten(i) && !written[i])
      if (RunFault fault = copy(inputs.args[i].data, args[i].data, uint64_t(inputs.bytes[i]));
          !fault.ok())
        return fault;
  return device ? device->wait() : RunFault();
}

/// Brings results and overwritten arguments to the caller.
Status RunState::deliver() {
  if (RunFault fault = fetch(); !fault.ok()) {
    report(std::move(fault));
    return failure;
  }
  for (size_t i = 0; i < args.size(); ++i)
    if (isOverwritten(i) && inputs.isCopied(i))
      inputs.copyBack(i);
  // The copy of an argument goes with this run, a result that is one stays.
  for (size_t i = 0; i < results.size(); ++i) {
    const Port &port = context.manifest.outputs[i];
    if (port.kind != Port::Alias || !outputs[i].request || !inputs.isCopied(port.aliasOf))
      continue;
    uint64_t bytes = uint64_t(results[i].getByteSize());
    if (!results[i].storage.allocate(bytes))
      return makeError(TSSA_OUT_OF_MEMORY, "cannot allocate " + std::to_string(bytes) +
                                               " bytes for " + nameOf(port));
    std::memcpy(results[i].storage.getData(), results[i].data, bytes);
    results[i].data = results[i].storage.getData();
  }
  return Status::success();
}

/// What the program said, or that it said nothing wrong.
Status RunState::judge(int32_t code) {
  std::lock_guard<std::mutex> lock(failureMutex);
  if (failed.load(std::memory_order_relaxed))
    return failure;
  if (outOfMemory.load() || code == TSSA_CANCELLED)
    return whyStopped();
  if (code != TSSA_OK)
    return makeError(code > 0 && code <= TSSA_INTERNAL ? tssa_code(code)
                                                       : TSSA_INTERNAL,
                     "the program failed with code " + std::to_string(code) +
                         " and no message");
  return Status::success();
}

Status RunState::finish(int32_t code) {
  if (Status status = judge(code); !status.ok())
    return status;
  for (size_t i = 0; i < produced.size(); ++i)
    if (!produced[i])
      return makeError(TSSA_INTERNAL,
                       nameOf(context.manifest.outputs[i]) + " was not produced");
  return deliver();
}

void RunState::takeResults(std::vector<Tensor> &tensors) {
  size_t count = 0;
  for (const BoundOutput &output : outputs)
    count += output.request.has_value();
  tensors.clear();
  tensors.resize(count);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].request)
      tensors[*outputs[i].request] = std::move(results[i]);
}
