//===- Memory.cpp - evaluate programs whose buffers are planned -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates programs after te-plan-buffers. Kernels are still tensor expressions, but the host
/// program determines the address of each value. Here it runs on real memory, which holds garbage
/// until it is written. This reveals a value that is overwritten too early, memory that is used
/// after its release, and a view that exceeds its base.
///
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "dialects/te/Analysis/Signature.h"
#include "dialects/te/Analysis/UpdateTarget.h"
#include "dialects/te/IR/Program.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tssa/Reference/Window.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace ::tssa::reference;
using namespace mlir::tssa;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Expected<HostMemory> allocate(Operation *op, MemRefType type, ArrayRef<int64_t> shape) {
  Expected<ElementKind> kind = getElementKind(type.getElementType());
  if (!kind)
    return makeError(op->getLoc(), toString(kind.takeError()));
  std::optional<int64_t> count = countElements(shape);
  int64_t numBytes = 0;
  if (!count || llvm::MulOverflow<int64_t>(*count, getByteSize(*kind), numBytes))
    return makeError(op->getLoc(), "the bytes of an allocation cannot be counted");
  HostMemory memory;
  memory.storage = std::make_shared<HostMemory::Storage>();
  memory.storage->bytes.assign(numBytes, garbage);
  memory.kind = *kind;
  memory.shape.assign(shape.begin(), shape.end());
  return memory;
}

/// Fails if the memory was released.
static Error checkLive(Operation *op, const HostMemory &memory) {
  return memory.storage->released ? makeError(op->getLoc(), "memory is used after its release")
                                  : Error::success();
}

static Expected<HostTensor> loadTensor(Operation *op, const HostMemory &memory) {
  if (Error error = checkLive(op, memory))
    return error;
  Expected<HostTensor> tensor = HostTensor::create(memory.kind, memory.shape);
  if (tensor && tensor->getNumBytes())
    std::memcpy(tensor->getMutableData(), memory.getData(), tensor->getNumBytes());
  return tensor;
}

static Error storeTensor(Operation *op, const HostTensor &tensor, const HostMemory &memory) {
  if (Error error = checkLive(op, memory))
    return error;
  if (tensor.getShape() != ArrayRef(memory.shape) || tensor.getKind() != memory.kind)
    return makeError(op->getLoc(), "expected a buffer of " + tensor.describeType());
  if (tensor.getNumBytes())
    std::memcpy(memory.getData(), tensor.getData(), tensor.getNumBytes());
  return Error::success();
}

Expected<SmallVector<int64_t>> Interpreter::getShape(MemRefType type, ValueRange dynamicSizes) {
  SmallVector<int64_t> shape(type.getShape());
  auto next = dynamicSizes.begin();
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = get(*next++).scalar.i;
  return shape;
}

Error Interpreter::makeBuffer(TypedValue<MemRefType> buffer, ValueRange dynamicSizes) {
  Expected<SmallVector<int64_t>> shape = getShape(buffer.getType(), dynamicSizes);
  if (!shape)
    return shape.takeError();
  Expected<HostMemory> memory = allocate(buffer.getDefiningOp(), buffer.getType(), *shape);
  if (!memory)
    return memory.takeError();
  set(buffer, HostValue(std::move(*memory)));
  return Error::success();
}

Error Interpreter::evaluate(memref::AllocOp op) {
  return makeBuffer(op.getMemref(), op.getDynamicSizes());
}

Error Interpreter::evaluate(te::ResultOp op) { return makeBuffer(op.getBuffer(), op.getSizes()); }

Error Interpreter::evaluate(memref::DeallocOp op) {
  HostMemory &memory = *get(op.getMemref()).memory;
  if (Error error = checkLive(op, memory))
    return error;
  memory.storage->released = true;
  return Error::success();
}

Error Interpreter::evaluate(memref::ViewOp op) {
  HostMemory view = *get(op.getSource()).memory;
  Expected<SmallVector<int64_t>> shape = getShape(op.getType(), op.getSizes());
  Expected<ElementKind> kind = getElementKind(op.getType().getElementType());
  if (!shape || !kind)
    return joinErrors(shape.takeError(), kind.takeError());
  std::optional<int64_t> count = countElements(*shape);
  int64_t shift = get(op.getByteShift()).scalar.i;
  int64_t available = view.storage->bytes.size() - view.offset, numBytes = 0;
  if (!count || llvm::MulOverflow<int64_t>(*count, getByteSize(*kind), numBytes) || shift < 0 ||
      shift > available || numBytes > available - shift)
    return makeError(op.getLoc(), "a view of " + llvm::Twine(numBytes) + " bytes at " +
                                      llvm::Twine(shift) + " leaves its base of " +
                                      llvm::Twine(available));
  view.offset += shift;
  view.kind = *kind;
  view.shape = *shape;
  set(op.getResult(), HostValue(std::move(view)));
  return Error::success();
}

Error Interpreter::evaluate(memref::CastOp op) {
  set(op.getResult(), HostValue(get(op.getSource())));
  return Error::success();
}

Error Interpreter::evaluate(memref::DimOp op) {
  set(op.getResult(), makeInt(get(op.getSource()).memory->shape[get(op.getIndex()).scalar.i]));
  return Error::success();
}

/// Returns the index in `memory` of the element at `indices`.
Expected<int64_t> Interpreter::locate(Operation *op, const HostMemory &memory, ValueRange indices) {
  if (Error error = checkLive(op, memory))
    return error;
  int64_t element = 0;
  for (auto [index, size] : llvm::zip_equal(indices, memory.shape)) {
    int64_t position = get(index).scalar.i;
    if (position < 0 || position >= size)
      return makeError(op->getLoc(), "index " + llvm::Twine(position) +
                                         " is out of bounds for a dim of size " +
                                         llvm::Twine(size));
    element = element * size + position;
  }
  return element;
}

Error Interpreter::evaluate(memref::LoadOp op) {
  const HostMemory &memory = *get(op.getMemref()).memory;
  Expected<int64_t> element = locate(op, memory, op.getIndices());
  if (!element)
    return element.takeError();
  set(op.getResult(), loadElement(memory.kind, memory.getData(), *element));
  return Error::success();
}

Error Interpreter::evaluate(memref::StoreOp op) {
  const HostMemory &memory = *get(op.getMemref()).memory;
  Expected<int64_t> element = locate(op, memory, op.getIndices());
  if (!element)
    return element.takeError();
  storeElement(memory.kind, memory.getData(), *element, get(op.getValue()).scalar);
  return Error::success();
}

Error Interpreter::evaluate(memref::CopyOp op) {
  Expected<HostTensor> source = loadTensor(op, *get(op.getSource()).memory);
  if (!source)
    return source.takeError();
  return storeTensor(op, *source, *get(op.getTarget()).memory);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Returns `values` with tensors instead of memory, for the evaluation of kernels and routines.
Expected<SmallVector<HostValue>> Interpreter::loadAll(Operation *op, ValueRange values) {
  SmallVector<HostValue> loaded;
  for (Value value : values) {
    HostValue &held = get(value);
    if (!held.memory) {
      loaded.push_back(held);
      continue;
    }
    Expected<HostTensor> tensor = loadTensor(op, *held.memory);
    if (!tensor)
      return tensor.takeError();
    loaded.push_back(std::move(*tensor));
  }
  return loaded;
}

/// Returns the sizes of a tensor of type `type` that lies in memory of sizes `whole`.
static SmallVector<int64_t> getPartShape(Type type, ArrayRef<int64_t> whole) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
  for (auto [size, outer] : llvm::zip_equal(shape, whole))
    size = ShapedType::isDynamic(size) ? outer : size;
  return shape;
}

/// Replaces the memory of each parameter in a window by the tensor there.
static Error takeFromWindows(te::KernelOp kernel, MutableArrayRef<HostValue> inputs) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    te::WindowAttr window = kernel.getArgumentWindow(i);
    if (!window)
      continue;
    Expected<HostTensor> part = takeFromWindow(
        *input.tensor, getPartShape(kernel.getArgumentTypes()[i], input.tensor->getShape()),
        window);
    if (!part)
      return part.takeError();
    input = HostValue(std::move(*part));
  }
  return Error::success();
}

/// Stores a result of a kernel, in its window if it has one.
static Error storeResult(te::LaunchOp op, te::WindowAttr window, const HostTensor &result,
                         const HostMemory &memory) {
  if (!window)
    return storeTensor(op, result, memory);
  Expected<HostTensor> whole = loadTensor(op, memory);
  if (!whole)
    return whole.takeError();
  if (getWholeShape(result.getShape(), window) != whole->getShape())
    return makeError(op.getLoc(),
                     "expected a buffer that a window of " + result.describeType() + " fits into");
  putInto(result, window.getAt(), *whole);
  return storeTensor(op, *whole, memory);
}

/// The memory of a tensor that a kernel uses.
struct KernelBuffer {
  const HostMemory &memory;
  Type type;
  te::WindowAttr window; ///< null if the tensor is all of the memory

  /// Returns the indexes at which the tensor begins and ends in dim `dim` of its memory.
  std::pair<int64_t, int64_t> getBounds(unsigned dim) const {
    int64_t begin = window ? window.getAt()[dim] : 0;
    return {begin, begin + getPartShape(type, memory.shape)[dim]};
  }
};

static bool isSameMemory(const HostMemory &a, const HostMemory &b) {
  return a.storage == b.storage && a.offset == b.offset && a.shape == b.shape;
}

static bool overlap(const KernelBuffer &a, const KernelBuffer &b) {
  const HostMemory &first = a.memory, &second = b.memory;
  if (first.storage != second.storage || first.offset >= second.offset + second.getNumBytes() ||
      second.offset >= first.offset + first.getNumBytes())
    return false;
  if (!isSameMemory(first, second))
    return true;
  for (unsigned dim = 0; dim < first.shape.size(); ++dim) {
    auto [begin, end] = a.getBounds(dim);
    auto [otherBegin, otherEnd] = b.getBounds(dim);
    if (begin >= otherEnd || otherBegin >= end)
      return false;
  }
  return true;
}

/// Whether a kernel may write a result to the memory of its parameter `index`. It may if the
/// parameter is the base of an update that reads from it only the elements that it writes. It also
/// may if each element of the parameter is read only to compute the element at the same position.
static bool mayOverwrite(te::KernelOp kernel, unsigned index) {
  BlockArgument parameter = kernel.getArgument(index);
  return llvm::any_of(parameter.getUsers(),
                      [&](Operation *user) {
                        auto update = dyn_cast<te::UpdateOp>(user);
                        return update && te::readsOnlyTarget(update, parameter);
                      }) ||
         llvm::all_of(parameter.getUsers(), [](Operation *user) {
           auto read = dyn_cast<te::ReadOp>(user);
           return read && read.getMap().isIdentity();
         });
}

Error Interpreter::checkOverwrites(te::LaunchOp op, te::KernelOp kernel) {
  auto getOut = [&](unsigned i) {
    return KernelBuffer{*get(op.getOuts()[i]).memory, kernel.getResultTypes()[i],
                        kernel.getResultWindow(i)};
  };
  for (unsigned number = 0; number < op.getOuts().size(); ++number) {
    KernelBuffer written = getOut(number);
    for (unsigned other = number + 1; other < op.getOuts().size(); ++other)
      if (overlap(written, getOut(other)))
        return makeError(op.getLoc(),
                         "two results of kernel '" + op.getKernel() + "' share memory");
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      const HostValue &value = get(input);
      if (!value.memory)
        continue;
      KernelBuffer read{*value.memory, kernel.getArgumentTypes()[index],
                        kernel.getArgumentWindow(index)};
      if (!overlap(written, read))
        continue;
      bool same = value.memory->offset == written.memory.offset &&
                  value.memory->getNumBytes() == written.memory.getNumBytes() &&
                  read.window == written.window;
      if (!same || !mayOverwrite(kernel, index))
        return makeError(op.getLoc(), "kernel '" + op.getKernel() + "' writes result " +
                                          llvm::Twine(number) + " over parameter " +
                                          llvm::Twine(index) + ", which it still reads");
    }
  }
  return Error::success();
}

Error Interpreter::evaluateOnMemory(te::LaunchOp op, te::KernelOp kernel) {
  if (Error error = checkOverwrites(op, kernel))
    return error;
  Expected<SmallVector<HostValue>> inputs = loadAll(op, op.getInputs());
  if (!inputs)
    return inputs.takeError();
  if (Error error = takeFromWindows(kernel, *inputs))
    return error;
  sumMagnitude = 0;
  Expected<SmallVector<HostTensor>> results = runKernel(kernel, *inputs);
  if (!results)
    return results.takeError();
  for (auto [i, result] : llvm::enumerate(*results))
    if (Error error =
            storeResult(op, kernel.getResultWindow(i), result, *get(op.getOuts()[i]).memory))
      return error;
  if (options.onLaunch)
    return options.onLaunch({op, kernel, *inputs, *results, sumMagnitude});
  return Error::success();
}

/// Results whose size is known before the call go to the buffers `outs`; the others get new memory.
Error Interpreter::evaluateOnMemory(te::ExternOp op) {
  unsigned numOuts = op.getOuts().size();
  Expected<SmallVector<HostValue>> inputs = loadAll(op, op.getInputs());
  if (!inputs)
    return inputs.takeError();
  Expected<SmallVector<HostTensor>> results = evaluateExtern(op, *inputs);
  if (!results)
    return results.takeError();
  auto out = op.getOuts().begin();
  auto returned = op.getResults().begin();
  unsigned numResults = numOuts + op.getNumResults();
  for (auto [index, result] : llvm::enumerate(ArrayRef(*results).take_front(numResults))) {
    if (isSizeKnownBefore(op, index, numOuts, numResults)) {
      if (Error error = storeTensor(op, result, *get(*out++).memory))
        return error;
      continue;
    }
    auto type = cast<MemRefType>((*returned).getType());
    Expected<HostMemory> memory = allocate(op, type, result.getShape());
    if (!memory)
      return memory.takeError();
    if (Error error = storeTensor(op, result, *memory))
      return error;
    set(*returned++, HostValue(std::move(*memory)));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static HostMemory makeMemory(ArrayRef<uint8_t> bytes, ElementKind kind, ArrayRef<int64_t> shape) {
  HostMemory memory;
  memory.storage = std::make_shared<HostMemory::Storage>();
  memory.storage->bytes.assign(bytes.begin(), bytes.end());
  memory.kind = kind;
  memory.shape.assign(shape.begin(), shape.end());
  return memory;
}

/// Returns the constants of a module, each at its offset.
static Expected<HostMemory> makeWeights(ModuleOp module) {
  std::vector<uint8_t> bytes;
  for (te::WeightAttr weight : te::getTable<te::WeightAttr>(module)) {
    Expected<HostTensor> tensor = getConstantTensor(weight.getValue());
    if (!tensor)
      return tensor.takeError();
    size_t offset = weight.getOffset();
    bytes.resize(std::max<size_t>(bytes.size(), offset + tensor->getNumBytes() + 64));
    if (tensor->getNumBytes())
      std::memcpy(bytes.data() + offset, tensor->getData(), tensor->getNumBytes());
  }
  int64_t size = bytes.size();
  return makeMemory(bytes, ElementKind::I8, size);
}

/// Allocates the memory that the program's plan requests for the sizes of the inputs.
Expected<HostMemory> Interpreter::makeArena(ModuleOp module, func::FuncOp function,
                                            ArrayRef<HostTensor> inputs) {
  auto plan = module.lookupSymbol<func::FuncOp>("plan");
  if (!plan)
    return makeError(function.getLoc(), "the module has no '@plan'");
  SmallVector<HostValue> sizes;
  te::EntrySymbols symbols(function);
  for (const te::EntrySymbol &symbol : symbols.get())
    if (symbol.argument < inputs.size()) // the plan has no symbols of weights and arena
      sizes.push_back(makeInt(inputs[symbol.argument].getShape()[symbol.dim]));
  Expected<SmallVector<HostValue>> planned = runFunction(plan, sizes);
  if (!planned)
    return planned.takeError();
  int64_t size = (*planned)[0].scalar.i;
  if (size < 0)
    return makeError(function.getLoc(), "the arena has " + llvm::Twine(size) + " bytes");
  return makeMemory(std::vector<uint8_t>(size, garbage), ElementKind::I8, size);
}

Expected<std::vector<HostTensor>> Interpreter::runOnMemory(ModuleOp module, func::FuncOp function,
                                                           ArrayRef<HostTensor> inputs) {
  SmallVector<HostValue> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (te::isWeights(function, i) || te::isArena(function, i)) {
      Expected<HostMemory> memory =
          te::isWeights(function, i) ? makeWeights(module) : makeArena(module, function, inputs);
      if (!memory)
        return memory.takeError();
      arguments.push_back(std::move(*memory));
      continue;
    }
    if (i >= inputs.size())
      return makeError(function.getLoc(),
                       "expected more than " + llvm::Twine(inputs.size()) + " inputs");
    const HostTensor &input = inputs[i];
    ArrayRef<uint8_t> bytes(input.getData(), input.getNumBytes());
    arguments.push_back(makeMemory(bytes, input.getKind(), input.getShape()));
  }
  Expected<SmallVector<HostValue>> results = runFunction(function, arguments);
  if (!results)
    return results.takeError();
  std::vector<HostTensor> tensors;
  for (HostValue &result : *results) {
    Expected<HostTensor> tensor = loadTensor(function, *result.memory);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}
