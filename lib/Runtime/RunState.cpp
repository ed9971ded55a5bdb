//===- RunState.cpp ------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunState.h"

#include "tssa/Runtime/NearName.h"
#include "tssa/Support/CheckedSize.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

using namespace tssa::runtime;
using Clock = std::chrono::steady_clock;

RunState::RunState(const RunContext &context, const BoundInputs &inputs,
                   const std::vector<BoundOutput> &outputs)
    : context(context), inputs(inputs), outputs(outputs), args(inputs.args),
      randomKeys(context.seed, context.runNumber) {
  if (context.run.timeoutSeconds > 0) {
    // A limit of more than a century would overflow the clock and is no limit in practice.
    double seconds = std::min(context.run.timeoutSeconds, 3.2e9);
    deadline = Clock::now() +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  if (context.program)
    device = std::make_unique<DeviceRun>(*context.program, context.manifest, context.variant);
  prepareResults();
  installCallbacks();
}

Status RunState::start() {
  if (shouldStop())
    return judge(TSSA_CANCELLED);
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

void RunState::setScratch(void *memory, uint64_t bytes) {
  scratch = std::make_unique<ScratchParts>(memory, context.threads, bytes);
}

/// Returns whether the parts have at least `bytes` bytes now.
bool RunState::reserveScratch(uint64_t bytes) {
  if (scratch && scratch->getBytes() >= bytes)
    return true;
  tssa::CheckedSize part =
      tssa::CheckedSize(std::max(bytes, ScratchParts::alignment)).alignTo(ScratchParts::alignment);
  std::optional<int64_t> all = (part * tssa::CheckedSize(context.threads)).get();
  if (grownScratch)
    releaseOnHost(std::exchange(grownScratch, nullptr));
  scratch = nullptr;
  grownScratch = all ? allocateOnHost(uint64_t(*all)) : nullptr;
  if (grownScratch)
    setScratch(grownScratch, uint64_t(*part.get()));
  return grownScratch;
}

void RunState::installScratchCallbacks() {
  host.acquire_scratch = [](const tssa_host *host) {
    return static_cast<RunState *>(host->user)->scratch->acquire();
  };
  host.release_scratch = [](const tssa_host *host, void *part) {
    static_cast<RunState *>(host->user)->scratch->release(part);
  };
  host.reserve_scratch = [](const tssa_host *host, uint64_t bytes) {
    return guard(host, int32_t(TSSA_OUT_OF_MEMORY), [&](RunState &state) {
      return int32_t(state.reserveScratch(bytes) ? TSSA_OK : TSSA_OUT_OF_MEMORY);
    });
  };
}

/// Calls `work` and converts exceptions to failures: compiled code cannot be unwound.
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

void RunState::runLoop(int64_t n, int64_t grain, tssa_body body, void *data) {
  if (context.session.parallelFor)
    context.session.parallelFor(context.session.parallelForUser, n, grain, body, data);
  else
    context.pool->parallelFor(n, grain, body, data);
}

void RunState::installCallbacks() {
  host.version = TSSA_ABI_VERSION;
  host.struct_size = sizeof(tssa_host);
  host.user = this;
  host.weights = context.weights;
  host.parallel_for = [](const tssa_host *host, int64_t n, int64_t grain, tssa_body body,
                         void *data) {
    static_cast<RunState *>(host->user)->runLoop(n, grain, body, data);
  };
  host.grow = [](const tssa_host *host, uint64_t bytes) {
    return guard(host, static_cast<void *>(nullptr),
                 [&](RunState &state) { return state.allocateOnHost(bytes); });
  };
  host.release = [](const tssa_host *host, void *memory) {
    static_cast<RunState *>(host->user)->releaseOnHost(memory);
  };
  host.result = [](const tssa_host *host, tssa_tensor *view, int32_t index, int32_t rank,
                   const int64_t *shape) {
    return guard(host, static_cast<void *>(nullptr),
                 [&](RunState &state) { return state.result(view, index, rank, shape); });
  };
  host.fail = [](const tssa_host *host, int32_t code, int32_t node, const char *text) {
    return guard(host, int32_t(TSSA_OUT_OF_MEMORY),
                 [&](RunState &state) { return state.fail(code, node, text ? text : ""); });
  };
  host.poll_cancel = [](const tssa_host *host) {
    return int32_t(static_cast<RunState *>(host->user)->shouldStop());
  };
  installWatchingCallbacks();
  host.math = evaluateMath;
  host.launch = [](const tssa_host *host, int32_t launch, int64_t blocks, void **params) {
    return guard(host, int32_t(TSSA_OUT_OF_MEMORY),
                 [&](RunState &state) { return state.launch(launch, blocks, params); });
  };
  host.copy = [](const tssa_host *host, void *to, const void *from, uint64_t bytes, int32_t kind) {
    return guard(host, int32_t(TSSA_OUT_OF_MEMORY),
                 [&](RunState &state) { return state.copy(to, from, bytes, kind); });
  };
  host.random_key = [](const tssa_host *host, uint64_t stream, const uint64_t *seed) {
    return guard(host, uint64_t(0),
                 [&](RunState &state) { return state.randomKeys.next(stream, seed); });
  };
  installScratchCallbacks();
  host.on_host = &host;
  if (device)
    installDeviceCallbacks();
}

void RunState::installDeviceCallbacks() {
  onHost = host;
  onHost.on_host = &onHost;
  host.on_host = &onHost;
  host.grow = [](const tssa_host *host, uint64_t bytes) {
    return guard(host, static_cast<void *>(nullptr),
                 [&](RunState &state) { return state.allocateOnDevice(bytes); });
  };
  host.release = [](const tssa_host *host, void *memory) {
    static_cast<RunState *>(host->user)->releaseOnDevice(memory);
  };
}

int32_t RunState::fail(int32_t code, int32_t node, std::string text) {
  if (code <= TSSA_OK || code > TSSA_INTERNAL)
    code = TSSA_INTERNAL;
  std::lock_guard<std::mutex> lock(failureMutex);
  if (failed.load(std::memory_order_relaxed))
    return code;
  // The program knows that it had to stop, but not why.
  failure = code == TSSA_CANCELLED ? whyStopped() : makeError(tssa_code(code), std::move(text));
  if (node >= 0 && uint64_t(node) < context.manifest.nodes.size()) {
    const ModelNode &named = context.manifest.nodes[node];
    failure.node = named.name;
    failure.message =
        "node '" + printable(named.name) + "' (" + printable(named.op) + "): " + failure.message;
  }
  failed.store(true, std::memory_order_release);
  return code;
}

int32_t RunState::report(RunFault fault) {
  return fault.ok() ? int32_t(TSSA_OK) : fail(fault.code, fault.node, std::move(fault.text));
}

int32_t RunState::launch(int32_t launch, int64_t blocks, void **params) {
  if (!device)
    return fail(TSSA_INTERNAL, -1, "the program for the CPU launches a kernel on a device");
  if (shouldStop())
    return fail(TSSA_CANCELLED, -1, "");
  LaunchCounters *counters = nullptr;
  if (watchesLaunches())
    recordLaunch(launch, 0);
  if (context.run.profile && launch >= 0 && uint64_t(launch) < context.run.profile->size())
    counters = &(*context.run.profile)[launch].counters;
  RunFault fault =
      device->launch(launch, blocks, params, [this] { return shouldStop(); }, counters);
  if (fault.ok() && watchesLaunches()) {
    fault = device->wait(); // without this, only the start of the launch would be measured
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

/// Returns the status for the code that the program returned.
Status RunState::judge(int32_t code) {
  std::lock_guard<std::mutex> lock(failureMutex);
  if (failed.load(std::memory_order_relaxed))
    return failure;
  if (outOfMemory.load() || code == TSSA_CANCELLED)
    return whyStopped();
  if (code != TSSA_OK)
    return makeError(code > 0 && code <= TSSA_INTERNAL ? tssa_code(code) : TSSA_INTERNAL,
                     "the program failed with code " + std::to_string(code) + " and no message");
  return Status::success();
}
