//===- BodyCompiler.cpp - from a body to instructions ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyCompiler.h"
#include "Numeric.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace reference = ::tssa::reference;
using namespace ::tssa::reference;
using namespace mlir::tssa::te;
using llvm::Error;
using llvm::Expected;

BodyCompiler::BodyCompiler(RegisterFile &machine, Environment environment, ArrayRef<int64_t> sizes)
    : machine(machine), environment(environment), sizes(sizes) {
  machine.registers.assign(sizes.size(), makeInt(0));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Register BodyCompiler::define(Value value) {
  Register reg = machine.add(makeInt(0));
  registers[value] = reg;
  return reg;
}

Expected<Register> BodyCompiler::getRegister(Value value, Location location) {
  auto it = registers.find(value);
  if (it != registers.end())
    return it->second;
  const HostValue *outer = environment(value);
  if (!outer || outer->tensor)
    return makeError(location,
                     "a body uses a value that is not a scalar known before the body runs");
  Register reg = machine.add(outer->scalar);
  registers[value] = reg;
  return reg;
}

Expected<LinearSum> BodyCompiler::getIndex(Value value, Location location) {
  LinearSum linear;
  if (!registers.count(value))
    if (const HostValue *outer = environment(value); outer && !outer->tensor) {
      linear.constant = outer->scalar.i;
      return linear;
    }
  Expected<Register> reg = getRegister(value, location);
  if (!reg)
    return reg.takeError();
  linear.terms.push_back({*reg, 1});
  return linear;
}

Expected<SmallVector<LinearSum>> BodyCompiler::getIndices(ValueRange values, Location location) {
  SmallVector<LinearSum> indices;
  for (Value value : values) {
    Expected<LinearSum> index = getIndex(value, location);
    if (!index)
      return index.takeError();
    indices.push_back(*index);
  }
  return indices;
}

Register BodyCompiler::emit(BodyProgram &program, Instruction instruction, Location location) {
  program.instructions.push_back(instruction);
  program.locations.push_back(location);
  return instruction.result;
}

Register BodyCompiler::materialize(const LinearSum &linear, BodyProgram &program,
                                   Location location) {
  if (linear.constant == 0 && linear.terms.size() == 1 && linear.terms[0].second == 1)
    return linear.terms[0].first;
  if (linear.isConstant())
    return machine.add(makeInt(linear.constant));
  Instruction in;
  in.opcode = Opcode::Linear;
  in.result = machine.add(makeInt(0));
  in.payload = program.linears.size();
  program.linears.push_back(linear);
  return emit(program, in, location);
}

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

static int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
static int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

static LinearSum add(LinearSum lhs, const LinearSum &rhs) {
  lhs.constant = wrapAdd(lhs.constant, rhs.constant);
  for (auto [reg, coefficient] : rhs.terms) {
    auto *it = llvm::find_if(lhs.terms, [reg = reg](auto term) { return term.first == reg; });
    if (it == lhs.terms.end())
      lhs.terms.push_back({reg, coefficient});
    else
      it->second = wrapAdd(it->second, coefficient);
  }
  llvm::erase_if(lhs.terms, [](auto term) { return term.second == 0; });
  return lhs;
}

static LinearSum scale(LinearSum linear, int64_t factor) {
  if (factor == 0)
    return {};
  linear.constant = wrapMul(linear.constant, factor);
  for (auto &term : linear.terms)
    term.second = wrapMul(term.second, factor);
  return linear;
}

LinearSum BodyCompiler::compileBinary(AffineBinaryOpExpr expr, ArrayRef<LinearSum> symbols,
                                      BodyProgram &program, Location location) {
  LinearSum lhs = compile(expr.getLHS(), symbols, program, location);
  LinearSum rhs = compile(expr.getRHS(), symbols, program, location);
  if (expr.getKind() == AffineExprKind::Add)
    return add(lhs, rhs);
  Instruction in;
  if (expr.getKind() == AffineExprKind::Mul) {
    if (rhs.isConstant())
      return scale(lhs, rhs.constant);
    if (lhs.isConstant())
      return scale(rhs, lhs.constant);
    in.opcode = Opcode::Binary;
    in.binary = [](Scalar a, Scalar b, Width) { return makeInt(wrapMul(a.i, b.i)); };
  } else {
    in.opcode = expr.getKind() == AffineExprKind::FloorDiv  ? Opcode::FloorDiv
                : expr.getKind() == AffineExprKind::CeilDiv ? Opcode::CeilDiv
                                                            : Opcode::Mod;
  }
  in.a = materialize(lhs, program, location);
  in.b = materialize(rhs, program, location);
  in.result = machine.add(makeInt(0));
  LinearSum result;
  result.terms.push_back({emit(program, in, location), 1});
  return result;
}

LinearSum BodyCompiler::compile(AffineExpr expr, ArrayRef<LinearSum> symbols, BodyProgram &program,
                                Location location) {
  LinearSum linear;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    linear.constant = constant.getValue();
  else if (auto dim = dyn_cast<AffineDimExpr>(expr))
    linear.terms.push_back({dim.getPosition(), 1});
  else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    linear = symbols[symbol.getPosition()];
  else
    linear = compileBinary(cast<AffineBinaryOpExpr>(expr), symbols, program, location);
  return linear;
}

Condition BodyCompiler::compile(IntegerSet set, ArrayRef<LinearSum> symbols, BodyProgram &program,
                                Location location) {
  Condition condition;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i)
    condition.constraints.push_back(
        {compile(set.getConstraint(i), symbols, program, location), set.isEq(i)});
  return condition;
}

/// Whether 0 <= `linear` < `size` at each point of the domain. Only the corners of the domain are
/// tested.
bool BodyCompiler::staysBelow(const LinearSum &linear, int64_t size) const {
  int64_t low = linear.constant, high = linear.constant;
  for (auto [reg, coefficient] : linear.terms) {
    int64_t reach;
    if (reg >= sizes.size() || sizes[reg] < 1 ||
        llvm::MulOverflow(coefficient, sizes[reg] - 1, reach) ||
        llvm::AddOverflow(coefficient < 0 ? low : high, reach, coefficient < 0 ? low : high))
      return false;
  }
  return low >= 0 && high < size;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Error BodyCompiler::compileRead(ReadOp read, BodyProgram &program) {
  const HostValue *source = environment(read.getSource());
  if (!source || !source->tensor)
    return makeError(read.getLoc(), "a read of a tensor that is not known");
  Expected<SmallVector<LinearSum>> symbols = getIndices(read.getSymbols(), read.getLoc());
  if (!symbols)
    return symbols.takeError();
  ElementRead access;
  access.tensor = *source->tensor;
  access.source = source->elements;
  access.opaque = hasOpaqueIndex(read);
  if (read.getGuard()) {
    access.guard = compile(*read.getGuard(), *symbols, program, read.getLoc());
    std::optional<Scalar> pad = getScalar(read.getPadAttr());
    if (!pad)
      return makeError(read.getLoc(), "'else' is not a number");
    access.pad = *pad;
  }
  bool inBounds = true;
  LinearSum offset;
  for (auto [expr, size] : llvm::zip_equal(read.getMap().getResults(), access.tensor.getShape())) {
    LinearSum index = compile(expr, *symbols, program, read.getLoc());
    inBounds &= staysBelow(index, size);
    offset = add(scale(offset, size), index);
    access.indices.push_back(index);
  }
  if (inBounds)
    access.offset = offset;
  Instruction in;
  in.opcode = Opcode::Read;
  in.payload = program.accesses.size();
  in.result = define(read.getResult());
  program.accesses.push_back(std::move(access));
  emit(program, in, read.getLoc());
  return Error::success();
}

Error BodyCompiler::compileScalar(Operation &op, BodyProgram &program, bool wide) {
  std::optional<Instruction> in = getScalarInstruction(&op);
  if (!in)
    return makeError(op.getLoc(),
                     "cannot evaluate '" + op.getName().getStringRef() + "' in a body");
  Register *operands[] = {&in->a, &in->b, &in->c};
  for (auto [operand, value] : llvm::zip(operands, op.getOperands())) {
    Expected<Register> reg = getRegister(value, op.getLoc());
    if (!reg)
      return reg.takeError();
    *operand = *reg;
  }
  // An explicit truncation rounds even if sums are kept wide.
  if (wide && !isa<arith::TruncFOp>(op))
    in->rounding = ElementKind::F64;
  in->result = define(op.getResult(0));
  emit(program, *in, op.getLoc());
  return Error::success();
}

Error BodyCompiler::compileIndex(Value result, AffineExpr expr, ValueRange symbolValues,
                                 BodyProgram &program) {
  Location location = result.getLoc();
  Expected<SmallVector<LinearSum>> symbols = getIndices(symbolValues, location);
  if (!symbols)
    return symbols.takeError();
  LinearSum linear = compile(expr, *symbols, program, location);
  Instruction in;
  in.opcode = Opcode::Linear;
  in.payload = program.linears.size();
  in.result = define(result);
  program.linears.push_back(linear);
  emit(program, in, location);
  return Error::success();
}

Error BodyCompiler::compileInside(InsideOp inside, BodyProgram &program) {
  Expected<SmallVector<LinearSum>> symbols = getIndices(inside.getSymbols(), inside.getLoc());
  if (!symbols)
    return symbols.takeError();
  Condition condition = compile(inside.getSet(), *symbols, program, inside.getLoc());
  Instruction in;
  in.opcode = Opcode::Inside;
  in.payload = program.conditions.size();
  in.result = define(inside.getResult());
  program.conditions.push_back(condition);
  emit(program, in, inside.getLoc());
  return Error::success();
}

/// Returns the expression of an affine.apply. The dims of `map` become symbols, which precede its
/// own symbols.
static AffineExpr dimsAsSymbols(AffineMap map) {
  SmallVector<AffineExpr> dims, symbols;
  for (unsigned i = 0; i < map.getNumDims(); ++i)
    dims.push_back(getAffineSymbolExpr(i, map.getContext()));
  for (unsigned i = 0; i < map.getNumSymbols(); ++i)
    symbols.push_back(getAffineSymbolExpr(map.getNumDims() + i, map.getContext()));
  return map.getResult(0).replaceDimsAndSymbols(dims, symbols);
}

Error BodyCompiler::compileOp(Operation &op, BodyProgram &program, bool wide) {
  if (auto read = dyn_cast<ReadOp>(op))
    return compileRead(read, program);
  if (auto index = dyn_cast<IndexOp>(op))
    return compileIndex(index, index.getMap().getResult(0), index.getSymbols(), program);
  if (auto inside = dyn_cast<InsideOp>(op))
    return compileInside(inside, program);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return compileIndex(apply, dimsAsSymbols(apply.getAffineMap()), apply.getMapOperands(),
                        program);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::optional<Scalar> value = getScalar(constant.getValue());
    if (!value)
      return makeError(op.getLoc(), "a body uses a constant that is not a scalar");
    registers[constant] = machine.add(*value);
    return Error::success();
  }
  return compileScalar(op, program, wide);
}

Expected<SmallVector<Register>> BodyCompiler::compile(Block &block, BodyProgram &program,
                                                      ArrayRef<Register> arguments, bool wide) {
  for (auto [argument, reg] : llvm::zip_equal(block.getArguments(), arguments))
    registers[argument] = reg;
  for (Operation &op : block.without_terminator())
    if (Error error = compileOp(op, program, wide))
      return error;
  SmallVector<Register> yielded;
  for (Value value : block.getTerminator()->getOperands()) {
    Expected<Register> reg = getRegister(value, block.getTerminator()->getLoc());
    if (!reg)
      return reg.takeError();
    yielded.push_back(*reg);
  }
  return yielded;
}

Expected<Register> BodyCompiler::compileScalarOp(Operation &op, BodyProgram &program) {
  if (Error error = compileOp(op, program, /*wide=*/false))
    return error;
  return getRegister(op.getResult(0), op.getLoc());
}
