//===- KernelMemory.cpp - the buffers of one launch -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/KernelMemory.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cstring>

using namespace tssa;
using namespace tssa::reference;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Expected<GuardedBuffer> GuardedBuffer::create(size_t size, const void *contents) {
  size_t footprint = getFootprint(size);
  auto *bytes =
      footprint < size ? nullptr : static_cast<uint8_t *>(std::aligned_alloc(64, footprint));
  if (!bytes)
    return llvm::createStringError(std::errc::not_enough_memory,
                                   "no memory for a buffer of %zu bytes", size);
  if (!contents) {
    std::memset(bytes, pattern, footprint);
  } else {
    std::memset(bytes, pattern, guard);
    std::memcpy(bytes + guard, contents, size);
    std::memset(bytes + guard + size, pattern, footprint - guard - size);
  }
  return GuardedBuffer(size, bytes);
}

bool GuardedBuffer::isIntact() const {
  for (size_t i = 0; i < guard; ++i)
    if (bytes.get()[i] != pattern || bytes.get()[guard + size + i] != pattern)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Appends the slots of a flat memref: both pointers, offset, size and stride.
static void addMemRef(llvm::SmallVectorImpl<uint64_t> &slots, const void *data, int64_t count) {
  auto address = reinterpret_cast<uintptr_t>(data);
  slots.append({address, address, 0, static_cast<uint64_t>(count), 1});
}

/// Returns a slot whose low bytes hold `value`, in its form in memory.
static uint64_t makeSlot(mlir::Type type, Scalar value) {
  uint64_t slot = 0;
  if (type.isIndex())
    return static_cast<uint64_t>(value.i);
  storeElement(llvm::cantFail(getElementKind(type)), reinterpret_cast<uint8_t *>(&slot), 0, value);
  return slot;
}

Error KernelMemory::addInput(unsigned index, mlir::Type type, const HostValue &input,
                             const InputCopies &copies) {
  if (!input.tensor) {
    scalars.push_back(makeSlot(type, input.scalar));
    for (auto &arguments : slots)
      arguments.push_back(scalars.back());
    return Error::success();
  }
  size_t size = input.tensor->getNumBytes();
  Input &added = tensors.emplace_back();
  added.index = index;
  unsigned count = llvm::is_contained(copies.inputs, index) ? slots.size() : 1;
  for (unsigned i = 0; i < count; ++i) {
    Expected<GuardedBuffer> buffer = GuardedBuffer::create(size, input.tensor->getData());
    if (!buffer)
      return buffer.takeError();
    added.copies.push_back(std::move(*buffer));
  }
  for (auto [copy, arguments] : llvm::enumerate(slots))
    addMemRef(arguments, added.copies[count == 1 ? 0 : copy].get(),
              input.tensor->getNumElements());
  return Error::success();
}

Error KernelMemory::addResult(const HostTensor &like) {
  size_t size = like.getNumBytes();
  Expected<GuardedBuffer> buffer = GuardedBuffer::create(size);
  if (!buffer)
    return buffer.takeError();
  for (auto &arguments : slots)
    addMemRef(arguments, buffer->get(), like.getNumElements());
  results.push_back(
      {like.getKind(), llvm::SmallVector<int64_t>(like.getShape()), size, std::move(*buffer)});
  return Error::success();
}

Expected<KernelMemory> KernelMemory::create(llvm::ArrayRef<mlir::Type> types,
                                            llvm::ArrayRef<HostValue> inputs,
                                            llvm::ArrayRef<HostTensor> like,
                                            const InputCopies &copies) {
  KernelMemory memory;
  memory.slots.resize(std::max(copies.count, 1u));
  for (auto [index, type, input] : llvm::enumerate(types, inputs))
    if (Error error = memory.addInput(index, type, input, copies))
      return error;
  for (const HostTensor &result : like)
    if (Error error = memory.addResult(result))
      return error;
  for (auto &arguments : memory.slots) {
    addMemRef(arguments, memory.error.get(), 1);
    arguments.append({0, 0});
  }
  return memory;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Error KernelMemory::check(llvm::ArrayRef<HostValue> inputs) const {
  if (*error)
    return llvm::createStringError("an index is out of bounds");
  bool intact = llvm::all_of(results, [](auto &result) { return result.buffer.isIntact(); });
  for (const Input &input : tensors)
    intact &= llvm::all_of(input.copies, [](auto &copy) { return copy.isIntact(); });
  if (!intact)
    return llvm::createStringError("the kernel writes outside of its buffers");
  for (const Input &input : tensors) {
    const HostTensor &tensor = *inputs[input.index].tensor;
    if (size_t size = tensor.getNumBytes();
        size && std::memcmp(input.copies.front().get(), tensor.getData(), size) != 0)
      return llvm::createStringError("the kernel writes to an input");
  }
  return Error::success();
}

Expected<std::vector<HostTensor>> KernelMemory::borrowResults() const {
  std::vector<HostTensor> tensors;
  for (const Result &result : results) {
    Expected<HostTensor> tensor =
        HostTensor::borrow(result.kind, result.shape, result.buffer.get());
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

void KernelMemory::clearResults() {
  for (Result &result : results)
    std::memset(result.buffer.get(), 0xFF, result.size);
}
