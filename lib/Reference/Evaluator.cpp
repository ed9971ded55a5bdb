//===- Evaluator.cpp - evaluate functions and kernels ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Reference/Evaluator.h"
#include "Interpreter.h"
#include "dialects/tssa/Analysis/Selections.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Reference/Window.h"
#include <cmath>

using namespace mlir;
namespace reference = ::tssa::reference;
using namespace ::tssa::reference;
using namespace mlir::tssa;
using llvm::Error;
using llvm::Expected;

/// The largest depth of nested calls.
static constexpr unsigned maxCallDepth = 100;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const HostValue *Interpreter::lookup(Value value) const {
  auto it = frames.back().find(value);
  return it == frames.back().end() ? nullptr : &it->second;
}

HostValue &Interpreter::get(Value value) {
  auto it = frames.back().find(value);
  assert(it != frames.back().end() && "operands are evaluated before their users");
  return it->second;
}

void Interpreter::set(Value value, HostValue result) { frames.back()[value] = std::move(result); }

void Interpreter::set(ResultRange values, ArrayRef<HostTensor> results) {
  for (auto [value, result] : llvm::zip_equal(values, results))
    set(value, HostValue(result));
}

SmallVector<HostValue> Interpreter::getAll(ValueRange values) {
  SmallVector<HostValue> result;
  for (Value value : values)
    result.push_back(get(value));
  return result;
}

//===----------------------------------------------------------------------===//
// te
//===----------------------------------------------------------------------===//

/// Checks that `tensor` has the static sizes of `type`.
static Error checkShape(Operation *op, Type type, const HostTensor &tensor) {
  auto ranked = cast<RankedTensorType>(type);
  bool fits = ranked.getRank() == tensor.getRank();
  for (int64_t dim = 0; fits && dim < ranked.getRank(); ++dim)
    fits = ranked.isDynamicDim(dim) || ranked.getDimSize(dim) == tensor.getShape()[dim];
  if (fits)
    return Error::success();
  std::string text;
  llvm::raw_string_ostream(text) << "expected a tensor of type " << type << ", got "
                                 << tensor.describeType();
  return makeError(op->getLoc(), text);
}

Error Interpreter::evaluate(te::ExpressionOpInterface op) {
  Expected<SmallVector<HostTensor>> results = evaluateExpression(
      op, [&](Value value) { return lookup(value); }, options.wideSums,
      options.onLaunch ? &sumMagnitude : nullptr);
  if (!results)
    return results.takeError();
  set(op->getResults(), *results);
  return Error::success();
}

Error Interpreter::evaluate(te::ConstantOp op) {
  auto [it, isNew] = constants.try_emplace(op.getValue());
  if (isNew) {
    Expected<HostTensor> tensor = getConstantTensor(op.getValue());
    if (!tensor)
      return makeError(op.getLoc(), toString(tensor.takeError()));
    it->second = std::move(*tensor);
  }
  set(op.getResult(), it->second);
  return Error::success();
}

Error Interpreter::evaluate(te::ExternOp op) {
  if (op.isOnMemory())
    return evaluateOnMemory(op);
  Expected<SmallVector<HostTensor>> results = evaluateExtern(op, getAll(op.getInputs()));
  if (!results)
    return results.takeError();
  if (results->size() < op.getNumResults())
    return makeError(op.getLoc(), "expected at most " + llvm::Twine(results->size()) + " results");
  results->truncate(op.getNumResults());
  unsigned position = 0;
  for (auto [type, tensor] : llvm::zip_equal(op.getResultTypes(), *results)) {
    if (Error error = checkShape(op, type, tensor))
      return error;
    auto ranked = cast<RankedTensorType>(type);
    for (int64_t dim = 0; dim < ranked.getRank(); ++dim) {
      if (!ranked.isDynamicDim(dim))
        continue;
      int64_t index = op.getSizeIndex()[position++];
      if (index < 0)
        continue;
      int64_t expected = get(op.getResultSizes()[index]).scalar.i;
      if (expected != tensor.getShape()[dim])
        return makeError(op.getLoc(), "expected a result of size " + llvm::Twine(expected) +
                                          " in dim " + llvm::Twine(dim) + ", got " +
                                          tensor.describeType());
    }
  }
  set(op.getResults(), *results);
  return Error::success();
}

Error Interpreter::evaluate(te::CheckOp op) {
  if (get(op.getCondition()).scalar.i == 0)
    return makeError(op.getLoc(), op.getMessage());
  return Error::success();
}

Error Interpreter::evaluate(te::RandomKeyOp op) {
  std::optional<uint64_t> seed = op.getSeed();
  set(op.getKey(), makeInt(randomKeys.next(op.getStream(), seed ? &*seed : nullptr)));
  return Error::success();
}

static bool isFinite(const HostTensor &tensor) {
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    if (!std::isfinite(tensor.get(i).f))
      return false;
  return true;
}

Error reference::checkKernelArguments(te::KernelOp kernel, ArrayRef<HostValue> inputs) {
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (!isa<RankedTensorType>(type))
      continue;
    if (Error error = checkShape(kernel, type, *inputs[index].tensor))
      return error;
    if (kernel.isFinite(index) && !isFinite(*inputs[index].tensor))
      return makeError(kernel.getLoc(), "parameter " + llvm::Twine(index) + " of kernel '" +
                                            kernel.getSymName() +
                                            "' is marked as finite, but has an infinity or a NaN");
    DenseI64ArrayAttr sizes = kernel.getSizesAttr(index);
    if (!sizes)
      continue;
    for (auto [dim, parameter] : llvm::enumerate(sizes.asArrayRef()))
      if (parameter >= 0 && inputs[parameter].scalar.i != inputs[index].tensor->getShape()[dim])
        return makeError(kernel.getLoc(),
                         "parameter " + llvm::Twine(index) + " of kernel '" + kernel.getSymName() +
                             "' is " + inputs[index].tensor->describeType() +
                             ", but the parameter that holds its dim " + llvm::Twine(dim) + " is " +
                             llvm::Twine(inputs[parameter].scalar.i));
  }
  return Error::success();
}

Expected<SmallVector<HostTensor>> Interpreter::runKernel(te::KernelOp kernel,
                                                         ArrayRef<HostValue> inputs) {
  if (Error error = checkKernelArguments(kernel, inputs))
    return error;
  frames.emplace_back();
  for (auto [argument, input] : llvm::zip_equal(kernel.getBody().getArguments(), inputs))
    set(argument, input);
  Error error = runBlock(kernel.getBodyBlock());
  SmallVector<HostTensor> results;
  if (!error)
    for (Value value : kernel.getBodyBlock().getTerminator()->getOperands())
      results.push_back(*get(value).tensor);
  frames.pop_back();
  if (error)
    return llvm::createStringError("kernel '" + kernel.getSymName() +
                                   "': " + toString(std::move(error)));
  return results;
}

Error Interpreter::evaluate(te::LaunchOp op) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<te::KernelOp>(op, op.getKernelAttr());
  if (!kernel)
    return makeError(op.getLoc(), "kernel '" + op.getKernel() + "' is not a te.kernel");
  if (!op.getOuts().empty())
    return evaluateOnMemory(op, kernel);
  SmallVector<HostValue> inputs = getAll(op.getInputs());
  sumMagnitude = 0;
  Expected<SmallVector<HostTensor>> results = runKernel(kernel, inputs);
  if (!results)
    return results.takeError();
  set(op.getResults(), *results);
  if (options.onLaunch)
    return options.onLaunch({op, kernel, inputs, *results, sumMagnitude});
  return Error::success();
}

Error Interpreter::evaluate(te::JoinOp op) {
  const HostTensor &first = *get(op.getParts().front()).tensor;
  SmallVector<int64_t> shape(first.getShape()), at(shape.size());
  shape[op.getAxis()] = op.getResult().getType().getDimSize(op.getAxis());
  Expected<HostTensor> whole = HostTensor::create(first.getKind(), shape);
  if (!whole)
    return whole.takeError();
  for (Value part : op.getParts()) {
    const HostTensor &tensor = *get(part).tensor;
    shape[op.getAxis()] = tensor.getShape()[op.getAxis()];
    if (tensor.getShape() != ArrayRef(shape))
      return makeError(op.getLoc(), "a part of " + tensor.describeType() + " does not fit into " +
                                        whole->describeType());
    putInto(tensor, at, *whole);
    at[op.getAxis()] += shape[op.getAxis()];
  }
  set(op.getResult(), HostValue(std::move(*whole)));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Returns, in order, the arguments that are storages and that the function may write.
static SmallVector<BlockArgument> findWrittenArguments(func::FuncOp function) {
  refs::Aliases aliases(function);
  refs::Selections selections(aliases);
  llvm::SmallDenseSet<Value> written;
  function.walk([&](refs::WriteOp op) {
    for (const refs::RootedPath &place : selections.getPlaces(op.getRef()))
      written.insert(place.root);
  });
  return llvm::filter_to_vector(function.getArguments(),
                                [&](Value argument) { return written.contains(argument); });
}

/// Replaces each ref among `values` by a tensor of its contents.
static Error readRefs(func::FuncOp function, MutableArrayRef<HostValue> values) {
  for (HostValue &value : values) {
    if (!value.ref)
      continue;
    Expected<HostTensor> tensor = value.ref->read();
    if (!tensor)
      return makeError(function.getLoc(), toString(tensor.takeError()));
    value = std::move(*tensor);
  }
  return Error::success();
}

Expected<SmallVector<HostValue>> Interpreter::runFunction(func::FuncOp function,
                                                          ArrayRef<HostValue> inputs) {
  if (function.isExternal())
    return makeError(function.getLoc(), "function '" + function.getSymName() + "' has no body");
  if (!function.getBody().hasOneBlock())
    return makeError(function.getLoc(), "cannot evaluate a function with several blocks");
  if (inputs.size() != function.getNumArguments())
    return makeError(function.getLoc(), "expected " + llvm::Twine(function.getNumArguments()) +
                                            " inputs, got " + llvm::Twine(inputs.size()));
  if (frames.size() > maxCallDepth)
    return makeError(function.getLoc(), "more than " + llvm::Twine(maxCallDepth) + " nested calls");
  for (auto [type, input] : llvm::zip_equal(function.getArgumentTypes(), inputs)) {
    auto ref = dyn_cast<refs::RefType>(type);
    if ((ref || isa<RankedTensorType>(type)) != input.tensor.has_value())
      return makeError(
          function.getLoc(),
          "expected a tensor for each tensor parameter, and a scalar for each other one");
    if (input.tensor)
      if (Error error = checkShape(function, ref ? ref.getTensorType() : type, *input.tensor))
        return error;
  }
  frames.emplace_back();
  for (auto [argument, input] : llvm::zip_equal(function.getArguments(), inputs))
    set(argument, isa<refs::RefType>(argument.getType())
                      ? HostValue(HostRef::makeStorage(*input.tensor))
                      : input);
  Block &block = function.getBody().front();
  Error error = runBlock(block);
  SmallVector<HostValue> results;
  if (!error) {
    results = getAll(block.getTerminator()->getOperands());
    for (BlockArgument argument : findWrittenArguments(function))
      results.push_back(get(argument));
    error = readRefs(function, results);
  }
  frames.pop_back();
  if (error)
    return error;
  return results;
}

Error Interpreter::evaluate(func::CallOp op) {
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!function)
    return makeError(op.getLoc(), "function '" + op.getCallee() + "' does not exist");
  Expected<SmallVector<HostValue>> results = runFunction(function, getAll(op.getOperands()));
  if (!results)
    return results.takeError();
  for (auto [value, result] : llvm::zip_equal(op.getResults(), *results))
    set(value, std::move(result));
  return Error::success();
}

Expected<std::vector<HostTensor>> reference::evaluate(ModuleOp module, StringRef function,
                                                      ArrayRef<HostTensor> inputs,
                                                      const EvaluatorOptions &options) {
  auto callee = module.lookupSymbol<func::FuncOp>(function);
  if (!callee)
    return llvm::createStringError("the module has no function '" + function.str() + "'");
  Interpreter interpreter(options);
  if (llvm::any_of(callee.getArgumentTypes(), [](Type type) { return isa<MemRefType>(type); }))
    return interpreter.runOnMemory(module, callee, inputs);
  Expected<SmallVector<HostValue>> results =
      interpreter.runFunction(callee, SmallVector<HostValue>(inputs.begin(), inputs.end()));
  if (!results)
    return results.takeError();
  std::vector<HostTensor> tensors;
  for (HostValue &result : *results) {
    if (!result.tensor)
      return makeError(callee.getLoc(), "expected results that are tensors");
    tensors.push_back(std::move(*result.tensor));
  }
  return tensors;
}

Expected<std::vector<HostTensor>> reference::evaluateKernel(te::KernelOp kernel,
                                                            ArrayRef<HostValue> inputs,
                                                            const EvaluatorOptions &options) {
  Interpreter interpreter(options);
  Expected<SmallVector<HostTensor>> results = interpreter.runKernel(kernel, inputs);
  if (!results)
    return results.takeError();
  return std::vector<HostTensor>(results->begin(), results->end());
}
