//===- RunResults.cpp - the results of a run ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunState.h"

#include "Checked.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace tssa::runtime;

void RunState::prepareResults() {
  const Manifest &manifest = context.manifest;
  results.resize(outputs.size());
  produced.resize(outputs.size());
  resultViews.resize(outputs.size());
  destinations.resize(outputs.size());
  shadows.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Port &port = manifest.outputs[i];
    results[i].dtype = port.dtype;
    for (const Dim &dim : port.dims)
      results[i].shape.push_back(dim.kind == Dim::Symbol ? inputs.sizes[dim.value] : dim.value);
    if (port.kind == Port::Alias) {
      const tssa_tensor &arg = inputs.args[port.aliasOf];
      results[i].shape.assign(arg.shape, arg.shape + arg.ndim);
      results[i].data = arg.data;
      produced[i] = true;
    }
    resultViews[i] = results[i].asABI();
  }
}

/// Returns what is wrong with the shape that the program computed for a result; nothing if it is
/// right.
std::optional<std::string> RunState::checkShape(int32_t index, int32_t rank,
                                                const int64_t *shape) const {
  const Manifest &manifest = context.manifest;
  if (index < 0 || uint64_t(index) >= outputs.size())
    return "there is no result " + std::to_string(index);
  const Port &port = manifest.outputs[index];
  bool matches = rank >= 0 && uint64_t(rank) == port.dims.size();
  for (size_t d = 0; matches && d < port.dims.size(); ++d) {
    const Dim &dim = port.dims[d];
    matches = shape[d] >= 0 &&
              (dim.kind == Dim::Derived ||
               shape[d] == (dim.kind == Dim::Symbol ? inputs.sizes[dim.value] : dim.value));
  }
  if (matches)
    return std::nullopt;
  tssa_tensor found{};
  found.dtype = toABI(port.dtype);
  found.ndim = std::max(rank, 0);
  found.shape = const_cast<int64_t *>(shape);
  return nameOf(port) + ": expected " + describe(manifest, port) + ", the program made " +
         describe(found);
}

/// Allocates host memory for the result of `port`, and counts it. Returns false after reporting an
/// error.
bool RunState::allocateResult(uint64_t bytes, const Port &port, Buffer &buffer) {
  Buffer made;
  // Idle memory counts until it is taken, so it is taken first.
  bool taken = context.results.take(bytes, made);
  if (!chargeOrFail(bytes, &port))
    return false;
  if (!taken && !context.results.allocate(bytes, made)) {
    fail(TSSA_OUT_OF_MEMORY, -1,
         "cannot allocate " + std::to_string(bytes) + " bytes for " + nameOf(port));
    return false;
  }
  buffer = std::move(made);
  return true;
}

/// Provides the host memory of result `index`: the caller's or new memory. Returns false after
/// reporting an error.
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
  // If the program requests the result again, it gets new memory and the old memory is freed.
  refund(std::exchange(tensor.storage, Buffer()).getSize());
  if (!allocateResult(bytes, port, tensor.storage))
    return false;
  tensor.data = tensor.storage.getData();
  return true;
}

/// For a result that is copied to its final memory after the run, returns the memory to which the
/// program writes it. Returns null after reporting an error.
void *RunState::makeDestination(int32_t index, uint64_t bytes) {
  const Port &port = context.manifest.outputs[index];
  if (device) {
    if (destinations[index])
      refund(device->release(destinations[index]));
    destinations[index] = nullptr;
    if (chargeOrFail(bytes, &port))
      report(device->allocate(bytes, destinations[index]));
    return destinations[index];
  }
  refund(std::exchange(shadows[index], Buffer()).getSize());
  if (!allocateResult(bytes, port, shadows[index]))
    return nullptr;
  return destinations[index] = shadows[index].getData();
}

bool RunState::isOverwritten(size_t input) const {
  return context.manifest.inputs[input].kind == Port::InOut;
}

void *RunState::result(tssa_tensor *view, int32_t index, int32_t rank, const int64_t *shape) {
  if (std::optional<std::string> wrong = checkShape(index, rank, shape)) {
    fail(TSSA_INTERNAL, -1, *wrong);
    return nullptr;
  }
  const Port &port = context.manifest.outputs[index];
  std::copy(shape, shape + rank, results[index].shape.begin());
  std::optional<int64_t> bytes = checkedBytes(shape, rank, getByteSize(port.dtype));
  if (!bytes) {
    fail(TSSA_OUT_OF_MEMORY, -1, nameOf(port) + " has an impossible size");
    return nullptr;
  }
  void *destination = nullptr;
  if (port.kind == Port::Alias)
    destination = isOverwritten(port.aliasOf) ? makeDestination(index, uint64_t(*bytes))
                                              : args[port.aliasOf].data;
  else if (prepareStorage(index, uint64_t(*bytes)))
    destination = device ? makeDestination(index, uint64_t(*bytes)) : results[index].data;
  if (!destination)
    return nullptr;
  produced[index] = true;
  *view = results[index].asABI();
  view->data = destination;
  if (device)
    view->device = context.program->getDevice().getDevice();
  return destination;
}

/// Copies results and overwritten arguments to host memory, and waits.
RunFault RunState::fetch() {
  auto copy = [&](void *to, const void *from, uint64_t bytes) {
    if (device)
      return device->copy(to, from, bytes, TSSA_COPY_TO_HOST);
    std::memcpy(to, from, bytes);
    return RunFault();
  };
  // A run that has failed must not change the arguments.
  const std::vector<Port> &ports = context.manifest.inputs;
  bool overwrites = std::any_of(ports.begin(), ports.end(),
                                [](const Port &port) { return port.kind == Port::InOut; });
  if (device && overwrites)
    if (RunFault fault = device->wait(); !fault.ok())
      return fault;
  std::vector<bool> written(args.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const Port &port = context.manifest.outputs[i];
    if (!destinations[i] || (port.kind == Port::Out && !outputs[i].request))
      continue;
    // For a result that is the storage of an argument, the target is the argument's memory.
    if (RunFault fault = copy(results[i].data, destinations[i], uint64_t(results[i].getByteSize()));
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

/// Copies overwritten arguments, and results that are arguments, to the caller's tensors.
Status RunState::deliver() {
  if (RunFault fault = fetch(); !fault.ok()) {
    report(std::move(fault));
    return failure;
  }
  for (size_t i = 0; i < args.size(); ++i)
    if (isOverwritten(i) && inputs.isCopied(i))
      inputs.copyBack(i);
  // The copy of an argument is freed with this run, so a result that refers to it is copied.
  for (size_t i = 0; i < results.size(); ++i) {
    const Port &port = context.manifest.outputs[i];
    if (port.kind != Port::Alias || !outputs[i].request || !inputs.isCopied(port.aliasOf))
      continue;
    uint64_t bytes = uint64_t(results[i].getByteSize());
    if (!results[i].storage.allocate(bytes))
      return makeError(TSSA_OUT_OF_MEMORY,
                       "cannot allocate " + std::to_string(bytes) + " bytes for " + nameOf(port));
    std::memcpy(results[i].storage.getData(), results[i].data, bytes);
    results[i].data = results[i].storage.getData();
  }
  return Status::success();
}

Status RunState::finish(int32_t code) {
  if (Status status = judge(code); !status.ok())
    return status;
  for (size_t i = 0; i < produced.size(); ++i)
    if (!produced[i])
      return makeError(TSSA_INTERNAL, nameOf(context.manifest.outputs[i]) + " was not produced");
  return deliver();
}

void RunState::takeResults(std::vector<Tensor> &tensors) {
  size_t count = 0;
  for (const BoundOutput &output : outputs)
    count += output.request.has_value();
  uint64_t bytes = 0;
  for (size_t i = 0; i < outputs.size(); ++i)
    bytes += results[i].storage.getSize() + shadows[i].getSize();
  context.results.keep(bytes);
  tensors.clear();
  tensors.resize(count);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].request)
      tensors[*outputs[i].request] = std::move(results[i]);
}
