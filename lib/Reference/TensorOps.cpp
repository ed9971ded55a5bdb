//===- TensorOps.cpp - evaluate te ops ------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorOps.h"
#include "Numeric.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

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

namespace {
/// Enumerates the points of a box in row-major order. The registers from `first` on hold the
/// current point.
class Odometer {
public:
  Odometer(ArrayRef<int64_t> sizes, unsigned first) : sizes(sizes), first(first) {}

  /// Goes to the first point. Returns false if the box is empty.
  bool start(RegisterFile &machine) const {
    for (unsigned i = 0; i < sizes.size(); ++i)
      machine.registers[first + i].i = 0;
    return !llvm::is_contained(sizes, 0);
  }

  /// Goes to the next point. Returns false after the last one.
  bool next(RegisterFile &machine) const {
    for (unsigned i = sizes.size(); i-- > 0;) {
      int64_t &position = machine.registers[first + i].i;
      if (++position < sizes[i])
        return true;
      position = 0;
    }
    return false;
  }

private:
  ArrayRef<int64_t> sizes;
  unsigned first;
};

/// Evaluates one te.compute.
class ComputeEvaluator {
public:
  ComputeEvaluator(ComputeOp op, Environment environment, ArrayRef<int64_t> sizes, bool wideSums,
                   double *sumMagnitude)
      : op(op), compiler(machine, environment, sizes),
        parallelSizes(sizes.take_front(op.getNumParallel())),
        reductionSizes(sizes.drop_front(op.getNumParallel())), wideSums(wideSums),
        sumMagnitude(sumMagnitude) {}

  Expected<SmallVector<HostTensor>> run();

private:
  struct Piece {
    BodyProgram membership;
    Condition where;
    BodyProgram body;
    SmallVector<Register> yielded;
  };

  Error compileAll();
  Error compileCombiner(Piece &piece);
  /// Evaluates the current point and returns the registers of its values.
  Expected<ArrayRef<Register>> evaluatePoint();
  Expected<Piece *> findPiece();
  std::string describePoint() const;

  ComputeOp op;
  RegisterFile machine;
  BodyCompiler compiler;
  ArrayRef<int64_t> parallelSizes, reductionSizes;
  bool wideSums;
  /// Receives the largest sum of magnitudes; may be null.
  double *sumMagnitude;
  Register magnitude = 0;
  SmallVector<Piece, 1> pieces;
  BodyProgram epilogue;
  SmallVector<Register> accumulators;
  SmallVector<Scalar> init;
  SmallVector<ElementKind> accumulatorKinds;
  SmallVector<Register> epilogueResults;
};
} // namespace

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

Error ComputeEvaluator::compileAll() {
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
  for (unsigned index = 0; index < op.getPieces().size(); ++index) {
    Piece &piece = pieces.emplace_back();
    if (IntegerSet set = op.getPieceSet(index))
      piece.where = compiler.compile(set, {}, piece.membership, op.getLoc());
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

Expected<SmallVector<HostTensor>> ComputeEvaluator::run() {
  SmallVector<HostTensor> results;
  SmallVector<uint8_t *> data;
  for (Type type : op.getResultTypes()) {
    Expected<ElementKind> kind = getElementKind(cast<RankedTensorType>(type).getElementType());
    if (!kind)
      return makeError(op.getLoc(), toString(kind.takeError()));
    Expected<HostTensor> tensor = HostTensor::create(*kind, parallelSizes);
    if (!tensor)
      return makeError(op.getLoc(), toString(tensor.takeError()));
    results.push_back(std::move(*tensor));
  }
  for (HostTensor &result : results)
    data.push_back(result.getMutableData());
  if (Error error = compileAll())
    return error;
  Odometer points(parallelSizes, 0);
  int64_t element = 0;
  for (bool more = points.start(machine); more; more = points.next(machine), ++element) {
    Expected<ArrayRef<Register>> values = evaluatePoint();
    if (!values)
      return values.takeError();
    for (auto [result, bytes, reg] : llvm::zip_equal(results, data, *values))
      storeElement(result.getKind(), bytes, element, machine.registers[reg]);
  }
  return results;
}

static Expected<SmallVector<HostTensor>> evaluateCompute(ComputeOp op, Environment environment,
                                                         bool wideSums, double *sumMagnitude) {
  Expected<SmallVector<int64_t>> sizes = getSizes(op, op.getIterationDomain(), environment);
  if (!sizes)
    return sizes.takeError();
  return ComputeEvaluator(op, environment, *sizes, wideSums, sumMagnitude).run();
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
