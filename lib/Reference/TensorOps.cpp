//===- TensorOps.cpp - evaluate te ops ------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorOps.h"
#include "ComputeEvaluator.h"
#include "Numeric.h"
#include "Odometer.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace reference = ::tssa::reference;
using namespace ::tssa::reference;
using namespace mlir::tssa::te;
using llvm::Error;
using llvm::Expected;

Expected<SmallVector<int64_t>> reference::getSizes(Operation *op, ArrayRef<OpFoldResult> sizes,
                                                   Environment environment) {
  SmallVector<int64_t> numbers;
  for (OpFoldResult size : sizes) {
    if (auto attribute = dyn_cast<Attribute>(size)) {
      numbers.push_back(cast<IntegerAttr>(attribute).getInt());
      continue;
    }
    const HostValue *value = environment(cast<Value>(size));
    if (!value || value->tensor)
      return makeError(op->getLoc(), "a size is not known");
    if (value->scalar.i < 0)
      return makeError(op->getLoc(),
                       "expected sizes of at least 0, got " + llvm::Twine(value->scalar.i));
    numbers.push_back(value->scalar.i);
  }
  return numbers;
}

static Expected<SmallVector<HostTensor>> evaluateCompute(ComputeOp op, Environment environment,
                                                         bool wideSums, double *sumMagnitude) {
  Expected<SmallVector<int64_t>> sizes = getSizes(op, op.getIterationDomain(), environment);
  if (!sizes)
    return sizes.takeError();
  ComputeEvaluator evaluator(op, environment, *sizes, wideSums, sumMagnitude);
  if (Error error = evaluator.compile())
    return error;
  return evaluator.run();
}

//===----------------------------------------------------------------------===//
// update
//===----------------------------------------------------------------------===//

namespace {
/// The programs for one point of a te.update.
struct UpdateProgram {
  BodyProgram membership, body, target, combiner;
  std::optional<Condition> where;
  SmallVector<Register> yielded;
  SmallVector<LinearSum> indices;
  Register old = 0, combined = 0;
};
} // namespace

static Error compileUpdate(UpdateOp op, BodyCompiler &compiler, RegisterFile &machine,
                           UpdateProgram &program) {
  Expected<SmallVector<LinearSum>> symbols = compiler.getIndices(op.getSymbols(), op.getLoc());
  if (!symbols)
    return symbols.takeError();
  if (op.getGuard())
    program.where = compiler.compile(*op.getGuard(), *symbols, program.membership, op.getLoc());
  Expected<SmallVector<Register>> yielded = compiler.compile(op.getBody().front(), program.body);
  if (!yielded)
    return yielded.takeError();
  program.yielded = *yielded;
  for (Register reg : ArrayRef(*yielded).drop_front()) {
    LinearSum opaque;
    opaque.terms.push_back({reg, 1});
    symbols->push_back(opaque);
  }
  for (AffineExpr expr : op.getMap().getResults())
    program.indices.push_back(compiler.compile(expr, *symbols, program.target, op.getLoc()));
  program.old = machine.add(makeInt(0));
  program.combined = yielded->front();
  if (!op.hasCombiner())
    return Error::success();
  Expected<SmallVector<Register>> combined =
      compiler.compile(op.getCombiner().front(), program.combiner, {program.old, yielded->front()});
  if (!combined)
    return combined.takeError();
  program.combined = combined->front();
  return Error::success();
}

/// If no element may be written twice, `written` marks the elements that earlier points have
/// written. Otherwise `written` is empty.
static Error writePoint(UpdateOp op, RegisterFile &machine, const UpdateProgram &program,
                        HostTensor &result, llvm::BitVector &written) {
  if (Error error = machine.run(program.membership))
    return error;
  if (program.where && !program.where->holds(machine.registers.data()))
    return Error::success();
  if (Error error = machine.run(program.body))
    return error;
  if (Error error = machine.run(program.target))
    return error;
  int64_t offset = 0;
  for (auto [dim, index] : llvm::enumerate(program.indices)) {
    int64_t position = index.evaluate(machine.registers.data()), size = result.getShape()[dim];
    if (position < 0 || position >= size)
      return makeError(op.getLoc(), "index " + llvm::Twine(position) +
                                        " is out of bounds for dim " + llvm::Twine(dim) +
                                        " of size " + llvm::Twine(size));
    offset = offset * size + position;
  }
  if (!written.empty() && written.test(offset))
    return makeError(op.getLoc(),
                     "the update is marked as injective, but two points write element " +
                         llvm::Twine(offset));
  if (!written.empty())
    written.set(offset);
  machine.registers[program.old] = result.get(offset);
  if (Error error = machine.run(program.combiner))
    return error;
  result.set(offset, machine.registers[program.combined]);
  return Error::success();
}

static Expected<SmallVector<HostTensor>> evaluateUpdate(UpdateOp op, Environment environment) {
  Expected<SmallVector<int64_t>> sizes = getSizes(op, op.getIterationDomain(), environment);
  if (!sizes)
    return sizes.takeError();
  const HostValue *base = environment(op.getBase());
  if (!base || !base->tensor)
    return makeError(op.getLoc(), "the base is not known");
  HostTensor result = *base->tensor;
  RegisterFile machine;
  BodyCompiler compiler(machine, environment, *sizes);
  UpdateProgram program;
  if (Error error = compileUpdate(op, compiler, machine, program))
    return error;
  llvm::BitVector written(op.getInjective() ? result.getNumElements() : 0);
  Odometer points(*sizes, 0);
  for (bool more = points.start(machine); more; more = points.next(machine))
    if (Error error = writePoint(op, machine, program, result, written))
      return error;
  return SmallVector<HostTensor>{std::move(result)};
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

/// One line along the axis of a scan: `count` positions from `first` on, `step` apart.
struct ScanLine {
  int64_t first, step, count;
};

static Error scanLine(const ScanLine &line, ScanOp op, RegisterFile &machine,
                      const BodyProgram &program, ArrayRef<Register> registers, Scalar init,
                      const HostTensor &source, HostTensor &result) {
  Register accumulator = registers[0], value = registers[1], combined = registers[2];
  machine.registers[accumulator] = init;
  for (int64_t i = 0; i < line.count; ++i) {
    int64_t position = line.first + (op.getReverse() ? line.count - 1 - i : i) * line.step;
    if (op.getExclusive())
      result.set(position, machine.registers[accumulator]);
    machine.registers[value] = source.get(position);
    if (Error error = machine.run(program))
      return error;
    machine.registers[accumulator] = machine.registers[combined];
    if (!op.getExclusive())
      result.set(position, machine.registers[accumulator]);
  }
  return Error::success();
}

static Expected<SmallVector<HostTensor>> evaluateScan(ScanOp op, Environment environment,
                                                      bool wideSums) {
  const HostValue *value = environment(op.getSource());
  std::optional<Scalar> init = getScalar(op.getInitAttr());
  if (!value || !value->tensor || !init)
    return makeError(op.getLoc(), "the source or the initial value is not known");
  const HostTensor &source = *value->tensor;
  Expected<HostTensor> result = HostTensor::create(source.getKind(), source.getShape());
  if (!result)
    return makeError(op.getLoc(), toString(result.takeError()));
  RegisterFile machine;
  BodyCompiler compiler(machine, environment, {});
  BodyProgram program;
  SmallVector<Register> registers = {machine.add(*init), machine.add(*init)};
  Expected<SmallVector<Register>> combined =
      compiler.compile(op.getCombiner().front(), program, registers, wideSums);
  if (!combined)
    return combined.takeError();
  registers.push_back(combined->front());
  if (source.getNumElements() == 0)
    return SmallVector<HostTensor>{std::move(*result)};
  int64_t count = source.getShape()[op.getAxis()], inner = 1;
  for (int64_t size : source.getShape().drop_front(op.getAxis() + 1))
    inner *= size;
  for (int64_t outer = 0; outer < source.getNumElements(); outer += count * inner)
    for (int64_t i = 0; i < inner; ++i)
      if (Error error = scanLine({outer + i, inner, count}, op, machine, program, registers, *init,
                                 source, *result))
        return error;
  return SmallVector<HostTensor>{std::move(*result)};
}

Expected<SmallVector<HostTensor>> reference::evaluateExpression(ExpressionOpInterface expression,
                                                                Environment environment,
                                                                bool wideSums,
                                                                double *sumMagnitude) {
  return llvm::TypeSwitch<Operation *, Expected<SmallVector<HostTensor>>>(expression)
      .Case([&](ComputeOp op) { return evaluateCompute(op, environment, wideSums, sumMagnitude); })
      .Case([&](UpdateOp op) { return evaluateUpdate(op, environment); })
      .Case([&](ScanOp op) { return evaluateScan(op, environment, wideSums); });
}
