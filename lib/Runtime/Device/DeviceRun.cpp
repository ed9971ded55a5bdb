//===- DeviceRun.cpp ------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DeviceRun.h"

#include <algorithm>

using namespace tssa::runtime;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Status DeviceProgram::create(const Variant &variant, std::unique_ptr<Device> device,
                             const void *weights, std::unique_ptr<DeviceProgram> &result) {
  std::unique_ptr<DeviceProgram> program(new DeviceProgram(std::move(device)));
  for (const Launch &launch : variant.launches) {
    auto kernel = std::find_if(variant.kernels.begin(), variant.kernels.end(),
                               [&](const Kernel &kernel) { return kernel.name == launch.kernel; });
    if (kernel == variant.kernels.end())
      return makeError(TSSA_CORRUPT, "variant '" + variant.target + "' launches '" + launch.kernel +
                                         "', which is not one of its kernels");
    program->kernels.push_back(size_t(kernel - variant.kernels.begin()));
  }
  if (Status status = program->upload(weights, variant.weights.size); !status.ok())
    return status;
  result = std::move(program);
  return Status::success();
}

Status DeviceProgram::upload(const void *from, uint64_t bytes) {
  constexpr uint64_t least = 256; // so that the weights have an address even if there are none
  if (Status status = device->allocate(std::max(bytes, least), weights); !status.ok()) {
    status.message =
        "no memory for " + std::to_string(bytes) + " bytes of weights: " + status.message;
    return status;
  }
  std::unique_ptr<Stream> stream;
  if (Status status = device->makeStream(stream); !status.ok())
    return status;
  if (Status status = stream->copy(weights, from, bytes, TSSA_COPY_TO_DEVICE); !status.ok())
    return status;
  return stream->wait();
}

DeviceProgram::~DeviceProgram() {
  if (weights)
    device->free(weights);
}

std::optional<size_t> DeviceProgram::getKernel(int32_t launch) const {
  if (launch < 0 || uint64_t(launch) >= kernels.size())
    return std::nullopt;
  return kernels[launch];
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

DeviceRun::~DeviceRun() { stream.reset(); }

RunFault DeviceRun::toFault(Status status, int32_t node) const {
  return {status.code, node, std::move(status.message)};
}

int32_t DeviceRun::getNode(int32_t launch) const {
  const std::vector<int32_t> &nodes = variant.launches[launch].nodes;
  return nodes.empty() ? -1 : nodes.front();
}

RunFault DeviceRun::start() {
  if (Status status = program.getDevice().makeStream(stream); !status.ok())
    return toFault(std::move(status));
  errorWords.resize(variant.launches.size());
  uint64_t bytes = errorWords.size() * sizeof(int32_t);
  void *words = nullptr;
  if (RunFault fault = allocate(bytes, words); !fault.ok())
    return fault;
  errors = static_cast<int32_t *>(words);
  return toFault(stream->clear(errors, bytes));
}

RunFault DeviceRun::allocate(uint64_t bytes, void *&pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  Status status = memory.allocate(bytes, pointer);
  // Drivers report a kernel's fault in the next call, whatever that call does.
  if (!status.ok() && status.code != TSSA_OUT_OF_MEMORY)
    status.message += stream->describePending();
  return toFault(std::move(status));
}

uint64_t DeviceRun::release(void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  return memory.release(pointer);
}

RunFault DeviceRun::upload(const void *from, uint64_t bytes, void *&pointer) {
  if (RunFault fault = allocate(bytes, pointer); !fault.ok())
    return fault;
  return toFault(stream->copy(pointer, from, bytes, TSSA_COPY_TO_DEVICE));
}

RunFault DeviceRun::copy(void *to, const void *from, uint64_t bytes, tssa_copy_kind kind) {
  return to == from ? RunFault() : toFault(stream->copy(to, from, bytes, kind));
}

RunFault DeviceRun::launch(int32_t number, int64_t blocks, void **params,
                           std::function<bool()> shouldStop, LaunchCounters *counters) {
  std::optional<size_t> kernel = program.getKernel(number);
  if (!kernel)
    return {TSSA_INTERNAL, -1, "there is no launch " + std::to_string(number)};
  int32_t node = getNode(number);
  void *word = errors + number;
  int64_t wordBytes = sizeof(int32_t);
  int32_t count = variant.kernels[*kernel].parameters;
  params[count - 1] = &word;
  params[2 * count - 1] = &wordBytes;
  KernelLaunch launch;
  launch.kernel = *kernel;
  launch.node = node < 0 ? "" : manifest.nodes[node].name;
  launch.blocks = blocks;
  launch.params = params;
  launch.shouldStop = std::move(shouldStop);
  launch.counters = counters;
  return toFault(stream->launch(launch), node);
}

RunFault DeviceRun::wait() {
  uint64_t bytes = errorWords.size() * sizeof(int32_t);
  if (Status status = stream->copy(errorWords.data(), errors, bytes, TSSA_COPY_TO_HOST);
      !status.ok())
    return toFault(std::move(status));
  if (Status status = stream->wait(); !status.ok())
    return toFault(std::move(status));
  auto set = std::find_if(errorWords.begin(), errorWords.end(), [](int32_t word) { return word; });
  if (set == errorWords.end())
    return {};
  return {TSSA_OUT_OF_RANGE, getNode(int32_t(set - errorWords.begin())),
          "an index in the data is out of bounds"};
}
