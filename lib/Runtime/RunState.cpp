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
#include <new>
#include <utility>

using namespace tssa::runtime;
using Clock = std::chrono::steady_clock;

RunState::RunState(const RunContext &context, const BoundInputs &inputs,
                   const std::vector<BoundOutput> &outputs)
    : context(context), inputs(inputs), outputs(outputs) {
  if (context.run.timeoutSeconds > 0) {
    // Longer than a century is no limit, and would overflow the clock.
    double seconds = std::min(context.run.timeoutSeconds, 3.2e9);
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(seconds));
  }
  prepareResults();
  installCallbacks();
}

void RunState::prepareResults() {
  const Manifest &manifest = context.manifest;
  results.resize(outputs.size());
  produced.resize(outputs.size());
  resultViews.resize(outputs.size());
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
                 [&](RunState &state) { return state.grow(bytes); });
  };
  host.release = [](const tssa_host *host, void *memory) {
    static_cast<RunState *>(host->user)->release(memory);
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
}

bool RunState::charge(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  std::optional<uint64_t> sum = checkedAdd(held, bytes);
  uint64_t limit = context.session.memoryLimit;
  if (!sum || (limit && *sum > limit))
    return false;
  held = *sum;
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

void *RunState::grow(uint64_t bytes) {
  // An empty request gets memory too: every pointer given is released once.
  bytes = std::max<uint64_t>(bytes, 1);
  if (!charge(bytes)) {
    fail(TSSA_OUT_OF_MEMORY, -1,
         std::to_string(bytes) + " more bytes pass the limit of " +
             std::to_string(context.session.memoryLimit) +
             " bytes for one run");
    return nullptr;
  }
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

void RunState::release(void *memory) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto entry = grown.find(memory);
  if (entry == grown.end())
    return;
  held -= entry->second.getSize();
  grown.erase(entry);
}

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
  return "output '" + printable(port.name) + "': expected " +
         describe(manifest, port) + ", the program made " + describe(found);
}

void *RunState::result(tssa_tensor *view, int32_t index, int32_t rank,
                       const int64_t *shape) {
  if (std::optional<std::string> wrong = checkShape(index, rank, shape)) {
    fail(TSSA_INTERNAL, -1, *wrong);
    return nullptr;
  }
  const Port &port = context.manifest.outputs[index];
  Tensor &tensor = results[index];
  std::copy(shape, shape + rank, tensor.shape.begin());
  std::optional<int64_t> bytes =
      checkedBytes(shape, rank, getByteSize(port.dtype));
  if (!bytes) {
    fail(TSSA_OUT_OF_MEMORY, -1,
         "output '" + printable(port.name) + "' has an impossible size");
    return nullptr;
  }
  const std::optional<tssa_tensor> &into = outputs[index].into;
  if (port.kind == Port::Alias) {
    // Its storage is the argument's, as prepared.
  } else if (into) {
    for (int32_t d = 0; d < rank; ++d)
      if (shape[d] > into->shape[d]) {
        fail(TSSA_INVALID_ARGUMENT, -1,
             "output '" + printable(port.name) + "': dimension " +
                 std::to_string(d) + " is " + std::to_string(shape[d]) +
                 ", the buffer given has " + std::to_string(into->shape[d]));
        return nullptr;
      }
    tensor.data = into->data;
  } else {
    // Asked for again, the program gets new memory and gives up the old.
    refund(std::exchange(tensor.storage, Buffer()).getSize());
    if (!charge(uint64_t(*bytes))) {
      fail(TSSA_OUT_OF_MEMORY, -1,
           "output '" + printable(port.name) + "' of " +
               std::to_string(*bytes) + " bytes passes the limit of " +
               std::to_string(context.session.memoryLimit) +
               " bytes for one run");
      return nullptr;
    }
    if (!tensor.storage.allocate(uint64_t(*bytes))) {
      fail(TSSA_OUT_OF_MEMORY, -1,
           "cannot allocate " + std::to_string(*bytes) + " bytes for output '" +
               printable(port.name) + "'");
      return nullptr;
    }
    tensor.data = tensor.storage.getData();
  }
  produced[index] = true;
  *view = tensor.asABI();
  return tensor.data;
}

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

Status RunState::finish(int32_t code) {
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
  for (size_t i = 0; i < produced.size(); ++i)
    if (!produced[i])
      return makeError(TSSA_INTERNAL,
                       "output '" +
                           printable(context.manifest.outputs[i].name) +
                           "' was not produced");
  return Status::success();
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
