//===- ComputeEvaluator.cpp - evaluate te.compute -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeEvaluator.h"
#include "Numeric.h"
#include "Odometer.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace mlir;
using namespace ::tssa::reference;
using namespace mlir::tssa::te;
using llvm::Error;
using llvm::Expected;

ComputeEvaluator::ComputeEvaluator(ComputeOp op, Environment environment, ArrayRef<int64_t> sizes,
                                   bool wideSums, double *sumMagnitude)
    : op(op), compiler(machine, environment, sizes),
      parallelSizes(sizes.take_front(op.getNumParallel())),
      reductionSizes(sizes.drop_front(op.getNumParallel())), wideSums(wideSums),
      sumMagnitude(sumMagnitude) {}

static void appendMove(BodyProgram &program, Register from, Register to, Location location) {
  Instruction in;
  in.opcode = Opcode::Move;
  in.a = from;
  in.result = to;
  program.instructions.push_back(in);
  program.locations.push_back(location);
}

/// total += |value|
static void appendMagnitude(BodyProgram &program, Register value, Register total,
                            Location location) {
  Instruction in;
  in.opcode = Opcode::Binary;
  in.binary = [](Scalar sum, Scalar term, Width) {
    return std::isfinite(term.f) ? makeFloat(sum.f + std::fabs(term.f)) : sum;
  };
  in.a = total;
  in.b = value;
  in.result = total;
  program.instructions.push_back(in);
  program.locations.push_back(location);
}

/// Appends the combiner to the body. Its left operands are the accumulators, in which its results
/// are stored.
Error ComputeEvaluator::compileCombiner(Piece &piece) {
  if (sumMagnitude)
    appendMagnitude(piece.body, piece.yielded.front(), magnitude, op.getLoc());
  SmallVector<Register> arguments(accumulators);
  arguments.append(piece.yielded);
  Expected<SmallVector<Register>> combined =
      compiler.compile(op.getCombiner().front(), piece.body, arguments, wideSums);
  if (!combined)
    return combined.takeError();
  std::vector<Instruction> &instructions = piece.body.instructions;
  if (combined->size() == 1 && !instructions.empty() &&
      instructions.back().result == combined->front()) {
    instructions.back().result = accumulators.front();
    return Error::success();
  }
  // Moves in two steps, because a result may be the old value of another accumulator.
  SmallVector<Register> held;
  for (Register reg : *combined) {
    held.push_back(machine.add(makeInt(0)));
    appendMove(piece.body, reg, held.back(), op.getLoc());
  }
  for (auto [from, accumulator] : llvm::zip_equal(held, accumulators))
    appendMove(piece.body, from, accumulator, op.getLoc());
  return Error::success();
}

Error ComputeEvaluator::compile() {
  for (Type type : op.getAccumulatorTypes()) {
    Expected<ElementKind> kind = getElementKind(type);
    if (!kind)
      return makeError(op.getLoc(), toString(kind.takeError()));
    accumulatorKinds.push_back(*kind);
    accumulators.push_back(machine.add(makeInt(0)));
  }
  if (accumulatorKinds.empty() || !isFloat(accumulatorKinds.front()))
    sumMagnitude = nullptr;
  magnitude = machine.add(makeFloat(0));
  if (op.getInitAttr())
    for (Attribute value : op.getInitAttr())
      init.push_back(getScalar(value).value_or(makeInt(0)));
  Expected<SmallVector<LinearSum>> symbols = compiler.getIndices(op.getSymbols(), op.getLoc());
  if (!symbols)
    return symbols.takeError();
  for (unsigned index = 0; index < op.getPieces().size(); ++index) {
    Piece &piece = pieces.emplace_back();
    if (IntegerSet set = op.getPieceSet(index))
      piece.where = compiler.compile(set, *symbols, piece.membership, op.getLoc());
    Expected<SmallVector<Register>> yielded =
        compiler.compile(*op.getPieceBlock(index), piece.body);
    if (!yielded)
      return yielded.takeError();
    piece.yielded = *yielded;
    if (op.hasReduction())
      if (Error error = compileCombiner(piece))
        return error;
  }
  if (!op.hasEpilogue())
    return Error::success();
  Expected<SmallVector<Register>> results =
      compiler.compile(op.getEpilogue().front(), epilogue, accumulators);
  if (!results)
    return results.takeError();
  epilogueResults = *results;
  return Error::success();
}

std::string ComputeEvaluator::describePoint() const {
  std::string text = "(";
  for (unsigned dim = 0; dim < parallelSizes.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(machine.registers[dim].i);
  return text + ")";
}

Expected<ComputeEvaluator::Piece *> ComputeEvaluator::findPiece() {
  if (pieces.size() == 1 && !op.getWhereAttr())
    return &pieces.front();
  Piece *found = nullptr;
  for (Piece &piece : pieces) {
    if (Error error = machine.run(piece.membership))
      return error;
    if (!piece.where.holds(machine.registers.data()))
      continue;
    if (found)
      return makeError(op.getLoc(), "point " + describePoint() + " lies in two pieces");
    found = &piece;
  }
  if (!found)
    return makeError(op.getLoc(), "point " + describePoint() + " lies in no piece");
  return found;
}

Expected<ArrayRef<Register>> ComputeEvaluator::evaluatePoint() {
  Expected<Piece *> piece = findPiece();
  if (!piece)
    return piece.takeError();
  if (!op.hasReduction()) {
    if (Error error = machine.run((*piece)->body))
      return error;
    return (*piece)->yielded;
  }
  for (auto [accumulator, value] : llvm::zip_equal(accumulators, init))
    machine.registers[accumulator] = value;
  machine.registers[magnitude].f = 0;
  Odometer reduction(reductionSizes, parallelSizes.size());
  for (bool more = reduction.start(machine); more; more = reduction.next(machine))
    if (Error error = machine.run((*piece)->body))
      return error;
  if (sumMagnitude)
    *sumMagnitude = std::max(*sumMagnitude, machine.registers[magnitude].f);
  for (auto [accumulator, kind] : llvm::zip_equal(accumulators, accumulatorKinds))
    if (isFloat(kind))
      machine.registers[accumulator].f = roundTo(kind, machine.registers[accumulator].f);
  if (!op.hasEpilogue())
    return accumulators;
  if (Error error = machine.run(epilogue))
    return error;
  return epilogueResults;
}

Expected<SmallVector<HostTensor>> ComputeEvaluator::makeResults() const {
  ComputeOp compute = op;
  SmallVector<HostTensor> results;
  for (Type type : compute.getResultTypes()) {
    Expected<ElementKind> kind = getElementKind(cast<RankedTensorType>(type).getElementType());
    if (!kind)
      return makeError(compute.getLoc(), toString(kind.takeError()));
    Expected<HostTensor> tensor = HostTensor::create(*kind, parallelSizes);
    if (!tensor)
      return makeError(compute.getLoc(), toString(tensor.takeError()));
    results.push_back(std::move(*tensor));
  }
  return results;
}

Expected<SmallVector<HostTensor>> ComputeEvaluator::run() {
  Expected<SmallVector<HostTensor>> results = makeResults();
  if (!results)
    return results.takeError();
  SmallVector<uint8_t *> data;
  for (HostTensor &result : *results)
    data.push_back(result.getMutableData());
  Odometer points(parallelSizes, 0);
  int64_t element = 0;
  for (bool more = points.start(machine); more; more = points.next(machine), ++element) {
    Expected<ArrayRef<Register>> values = evaluatePoint();
    if (!values)
      return values.takeError();
    for (auto [result, bytes, reg] : llvm::zip_equal(*results, data, *values))
      storeElement(result.getKind(), bytes, element, machine.registers[reg]);
  }
  return results;
}

Expected<SmallVector<Scalar>> ComputeEvaluator::runAt(int64_t element) {
  for (unsigned dim = parallelSizes.size(); dim-- > 0; element /= parallelSizes[dim])
    machine.registers[dim].i = element % parallelSizes[dim];
  Expected<ArrayRef<Register>> values = evaluatePoint();
  if (!values)
    return values.takeError();
  return llvm::map_to_vector(*values, [&](Register reg) { return machine.registers[reg]; });
}
