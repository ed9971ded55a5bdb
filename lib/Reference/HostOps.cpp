//===- HostOps.cpp - evaluate scf, tensor and arith of the host program ---===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "Numeric.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace reference = ::tssa::reference;
using namespace ::tssa::reference;
using namespace mlir::tssa;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// For each op of `block`, returns the tensors defined in the block that no later op uses.
static DenseMap<Operation *, SmallVector<Value, 2>> findLastUses(Block &block) {
  DenseMap<Operation *, SmallVector<Value, 2>> lastUses;
  for (Operation &op : block)
    for (Value result : op.getResults()) {
      if (!isa<TensorType>(result.getType()))
        continue;
      Operation *last = &op;
      for (Operation *user : result.getUsers()) {
        Operation *here = block.findAncestorOpInBlock(*user);
        if (last->isBeforeInBlock(here))
          last = here;
      }
      lastUses[last].push_back(result);
    }
  return lastUses;
}

void Interpreter::releaseAfter(Operation &op) {
  auto [it, isNew] = lastUses.try_emplace(op.getBlock());
  if (isNew)
    it->second = findLastUses(*op.getBlock());
  auto dying = it->second.find(&op);
  if (dying == it->second.end())
    return;
  for (Value value : dying->second)
    frames.back().erase(value);
}

void Interpreter::reportTensors(Operation &op) {
  SmallVector<HostTensor> tensors;
  for (Value result : op.getResults())
    if (const HostValue *value = lookup(result); value && value->tensor)
      tensors.push_back(*value->tensor);
  if (!tensors.empty())
    options.onTensors(&op, tensors);
}

Error Interpreter::runBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (Error error = evaluate(op))
      return error;
    if (options.onTensors && !isa<te::KernelOp>(block.getParentOp()))
      reportTensors(op);
    releaseAfter(op);
  }
  return Error::success();
}

Error Interpreter::evaluate(Operation &op) {
  return llvm::TypeSwitch<Operation *, Error>(&op)
      .Case<te::ExpressionOpInterface, te::ConstantOp, te::ExternOp, te::CheckOp, te::RandomKeyOp,
            te::ResultOp, te::LaunchOp, te::JoinOp, func::CallOp, scf::IfOp, scf::ForOp,
            scf::WhileOp, arith::ConstantOp, arith::SelectOp, tensor::DimOp, tensor::ExtractOp,
            tensor::FromElementsOp, tensor::CastOp, tensor::EmptyOp, memref::AllocOp,
            memref::DeallocOp, memref::ViewOp, memref::CastOp, memref::DimOp, memref::LoadOp,
            memref::StoreOp, memref::CopyOp, refs::AllocOp, refs::ViewOp, refs::DimOp, refs::ReadOp,
            refs::WriteOp, refs::AccessOp, refs::AssignOp>(
          [&](auto typed) { return evaluate(typed); })
      .Default([&](Operation *other) { return evaluateScalar(*other); });
}

//===----------------------------------------------------------------------===//
// scf
//===----------------------------------------------------------------------===//

Error Interpreter::evaluate(scf::IfOp op) {
  Region &region = get(op.getCondition()).scalar.i ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return Error::success();
  if (Error error = runBlock(region.front()))
    return error;
  SmallVector<HostValue> yielded = getAll(region.front().getTerminator()->getOperands());
  for (auto [value, result] : llvm::zip_equal(op.getResults(), yielded))
    set(value, std::move(result));
  return Error::success();
}

Error Interpreter::evaluate(scf::ForOp op) {
  int64_t lower = get(op.getLowerBound()).scalar.i, upper = get(op.getUpperBound()).scalar.i;
  int64_t step = get(op.getStep()).scalar.i;
  if (step <= 0)
    return makeError(op.getLoc(), "expected a step of at least 1, got " + llvm::Twine(step));
  SmallVector<HostValue> carried = getAll(op.getInitArgs());
  Block &body = *op.getBody();
  for (int64_t i = lower; i < upper; i += step) {
    set(op.getInductionVar(), makeInt(i));
    for (auto [argument, value] : llvm::zip_equal(op.getRegionIterArgs(), carried))
      set(argument, std::move(value));
    if (Error error = runBlock(body))
      return error;
    carried = getAll(body.getTerminator()->getOperands());
    if (upper - i <= step)
      break;
  }
  for (auto [value, result] : llvm::zip_equal(op.getResults(), carried))
    set(value, std::move(result));
  return Error::success();
}

Error Interpreter::evaluate(scf::WhileOp op) {
  SmallVector<HostValue> carried = getAll(op.getInits());
  while (true) {
    for (auto [argument, value] : llvm::zip_equal(op.getBeforeArguments(), carried))
      set(argument, std::move(value));
    if (Error error = runBlock(*op.getBeforeBody()))
      return error;
    scf::ConditionOp condition = op.getConditionOp();
    carried = getAll(condition.getArgs());
    if (!get(condition.getCondition()).scalar.i)
      break;
    for (auto [argument, value] : llvm::zip_equal(op.getAfterArguments(), carried))
      set(argument, std::move(value));
    if (Error error = runBlock(*op.getAfterBody()))
      return error;
    carried = getAll(op.getYieldOp()->getOperands());
  }
  for (auto [value, result] : llvm::zip_equal(op.getResults(), carried))
    set(value, std::move(result));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// tensor
//===----------------------------------------------------------------------===//

Error Interpreter::evaluate(tensor::DimOp op) {
  const HostTensor &tensor = *get(op.getSource()).tensor;
  int64_t dim = get(op.getIndex()).scalar.i;
  if (dim < 0 || dim >= tensor.getRank())
    return makeError(op.getLoc(), "expected a dim below " + llvm::Twine(tensor.getRank()) +
                                      ", got " + llvm::Twine(dim));
  set(op.getResult(), makeInt(tensor.getShape()[dim]));
  return Error::success();
}

Error Interpreter::evaluate(tensor::ExtractOp op) {
  const HostTensor &tensor = *get(op.getTensor()).tensor;
  int64_t offset = 0;
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    int64_t position = get(index).scalar.i, size = tensor.getShape()[dim];
    if (position < 0 || position >= size)
      return makeError(op.getLoc(), "index " + llvm::Twine(position) +
                                        " is out of bounds for dim " + llvm::Twine(dim) +
                                        " of size " + llvm::Twine(size));
    offset = offset * size + position;
  }
  set(op.getResult(), tensor.get(offset));
  return Error::success();
}

Error Interpreter::evaluate(tensor::FromElementsOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Expected<ElementKind> kind = getElementKind(type.getElementType());
  if (!kind)
    return makeError(op.getLoc(), toString(kind.takeError()));
  Expected<HostTensor> tensor = HostTensor::create(*kind, type.getShape());
  if (!tensor)
    return makeError(op.getLoc(), toString(tensor.takeError()));
  for (auto [index, element] : llvm::enumerate(op.getElements()))
    tensor->set(index, get(element).scalar);
  set(op.getResult(), std::move(*tensor));
  return Error::success();
}

Error Interpreter::evaluate(tensor::CastOp op) {
  const HostTensor &tensor = *get(op.getSource()).tensor;
  auto type = dyn_cast<RankedTensorType>(op.getType());
  for (auto [dim, size] : llvm::enumerate(type ? type.getShape() : ArrayRef<int64_t>()))
    if (!ShapedType::isDynamic(size) && size != tensor.getShape()[dim])
      return makeError(op.getLoc(), "expected size " + llvm::Twine(size) + " in dim " +
                                        llvm::Twine(dim) + ", got " + tensor.describeType());
  set(op.getResult(), HostValue(HostTensor(tensor)));
  return Error::success();
}

Error Interpreter::evaluate(tensor::EmptyOp op) {
  Expected<ElementKind> kind = getElementKind(op.getType().getElementType());
  if (!kind)
    return makeError(op.getLoc(), toString(kind.takeError()));
  Expected<SmallVector<int64_t>> sizes =
      getSizes(op, op.getMixedSizes(), [&](Value value) { return lookup(value); });
  if (!sizes)
    return sizes.takeError();
  Expected<HostTensor> tensor = HostTensor::create(*kind, *sizes);
  if (!tensor)
    return makeError(op.getLoc(), toString(tensor.takeError()));
  set(op.getResult(), std::move(*tensor));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// arith, math, affine
//===----------------------------------------------------------------------===//

Error Interpreter::evaluate(arith::ConstantOp op) {
  if (auto elements = dyn_cast<ElementsAttr>(op.getValue())) {
    Expected<HostTensor> tensor = getConstantTensor(elements);
    if (!tensor)
      return makeError(op.getLoc(), toString(tensor.takeError()));
    set(op.getResult(), std::move(*tensor));
    return Error::success();
  }
  std::optional<Scalar> value = getScalar(op.getValue());
  if (!value)
    return makeError(op.getLoc(), "cannot evaluate a constant of this type");
  set(op.getResult(), *value);
  return Error::success();
}

Error Interpreter::evaluate(arith::SelectOp op) {
  if (isa<TensorType>(op.getCondition().getType()))
    return makeError(op.getLoc(), "cannot evaluate 'arith.select' by a tensor");
  Value chosen = get(op.getCondition()).scalar.i ? op.getTrueValue() : op.getFalseValue();
  set(op.getResult(), HostValue(get(chosen)));
  return Error::success();
}

Error Interpreter::evaluateScalar(Operation &op) {
  bool isScalarOp = isa<arith::ArithDialect, affine::AffineDialect>(op.getDialect()) ||
                    (op.getDialect() && op.getDialect()->getNamespace() == "math");
  for (Value operand : op.getOperands())
    isScalarOp &= !isa<TensorType>(operand.getType());
  if (!isScalarOp || op.getNumResults() != 1)
    return makeError(op.getLoc(), "cannot evaluate '" + op.getName().getStringRef() + "'");
  RegisterFile machine;
  auto environment = [&](Value value) { return lookup(value); };
  BodyCompiler compiler(machine, environment, {});
  BodyProgram program;
  Expected<Register> result = compiler.compileScalarOp(op, program);
  if (!result)
    return result.takeError();
  if (Error error = machine.run(program))
    return error;
  set(op.getResult(0), machine.registers[*result]);
  return Error::success();
}
