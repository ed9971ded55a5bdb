//===- BodyProgram.cpp - runs compiled bodies -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyProgram.h"
#include "llvm/Support/MathExtras.h"

namespace reference = ::tssa::reference;
using namespace ::tssa::reference;

/// Stores in `offset` the position of the element for `access`, whose guard holds. Returns false if
/// an index is out of bounds.
static bool locate(const ElementRead &access, const Scalar *registers, int64_t &offset) {
  offset = 0;
  if (access.offset) {
    offset = access.offset->evaluate(registers);
    return true;
  }
  for (auto [index, size] : llvm::zip_equal(access.indices, access.tensor.getShape())) {
    int64_t position = index.evaluate(registers);
    if (position < 0 || position >= size)
      return false;
    offset = offset * size + position;
  }
  return true;
}

static std::string describeOutOfBounds(const ElementRead &access, const Scalar *registers) {
  for (unsigned dim = 0; dim < access.indices.size(); ++dim) {
    int64_t position = access.indices[dim].evaluate(registers);
    int64_t size = access.tensor.getShape()[dim];
    if (position >= 0 && position < size)
      continue;
    std::string text = "index " + std::to_string(position) + " is out of bounds for dim " +
                       std::to_string(dim) + " of size " + std::to_string(size);
    return access.opaque ? text : text + ", though it does not depend on data";
  }
  llvm_unreachable("some index is out of bounds");
}

/// Loads the element for instruction `in` of `program`, or its pad if the guard does not hold.
static llvm::Error read(const BodyProgram &program, const Instruction &in, const Scalar *registers,
                        Scalar &result) {
  const ElementRead &access = program.accesses[in.payload];
  int64_t offset;
  if (access.guard && !access.guard->holds(registers)) {
    result = access.pad;
  } else if (!locate(access, registers, offset)) {
    return makeError(program.locations[&in - program.instructions.data()],
                     describeOutOfBounds(access, registers));
  } else if (access.source) {
    llvm::Expected<Scalar> element = access.source->get(offset);
    if (!element)
      return element.takeError();
    result = *element;
  } else {
    result = loadElement(access.tensor.getKind(), access.tensor.getData(), offset);
  }
  return llvm::Error::success();
}

/// Returns why a division is undefined, or null if it is defined.
static const char *checkDivision(Opcode opcode, Scalar lhs, Scalar rhs, Width width) {
  if (rhs.i == 0)
    return "division by zero";
  auto top = static_cast<int64_t>(uint64_t(1) << (width.from - 1));
  bool least = lhs.i == signExtend(top, width.from);
  if (opcode == Opcode::DivideSigned && rhs.i == -1 && least)
    return "division of the least integer by -1";
  return nullptr;
}

static int64_t divideIndex(Opcode opcode, int64_t lhs, int64_t rhs) {
  if (opcode == Opcode::FloorDiv)
    return llvm::divideFloorSigned(lhs, rhs);
  if (opcode == Opcode::CeilDiv)
    return llvm::divideCeilSigned(lhs, rhs);
  return llvm::mod(lhs, rhs);
}

/// Rounds the result of an instruction to `kind`. Results that are not floats have kind F64.
static Scalar round(Scalar value, ElementKind kind) {
  if (kind == ElementKind::F32)
    value.f = static_cast<float>(value.f);
  else if (kind != ElementKind::F64)
    value.f = roundTo(kind, value.f);
  return value;
}

llvm::Error RegisterFile::run(const BodyProgram &program) {
  Scalar *r = registers.data();
  for (const Instruction &in : program.instructions) {
    auto here = [&] { return program.locations[&in - program.instructions.data()]; };
    Scalar value;
    switch (in.opcode) {
    case Opcode::Move:
      value = r[in.a];
      break;
    case Opcode::AddF:
      value.f = r[in.a].f + r[in.b].f;
      break;
    case Opcode::SubF:
      value.f = r[in.a].f - r[in.b].f;
      break;
    case Opcode::MulF:
      value.f = r[in.a].f * r[in.b].f;
      break;
    case Opcode::DivF:
      value.f = r[in.a].f / r[in.b].f;
      break;
    case Opcode::Unary:
      value = in.unary(r[in.a], in.width);
      break;
    case Opcode::DivideSigned:
    case Opcode::DivideUnsigned:
      if (const char *text = checkDivision(in.opcode, r[in.a], r[in.b], in.width))
        return makeError(here(), text);
      [[fallthrough]];
    case Opcode::Binary:
      value = in.binary(r[in.a], r[in.b], in.width);
      break;
    case Opcode::Ternary:
      value = in.ternary(r[in.a], r[in.b], r[in.c], in.width);
      break;
    case Opcode::Select:
      value = r[in.a].i ? r[in.b] : r[in.c];
      break;
    case Opcode::Linear:
      value.i = program.linears[in.payload].evaluate(r);
      break;
    case Opcode::FloorDiv:
    case Opcode::CeilDiv:
    case Opcode::Mod:
      if (r[in.b].i <= 0)
        return makeError(here(), "division of an index by " + llvm::Twine(r[in.b].i));
      value.i = divideIndex(in.opcode, r[in.a].i, r[in.b].i);
      break;
    case Opcode::Inside:
      value.i = program.conditions[in.payload].holds(r) ? -1 : 0;
      break;
    case Opcode::Read:
      if (llvm::Error error = read(program, in, r, value))
        return error;
      break;
    }
    r[in.result] = round(value, in.rounding);
  }
  return llvm::Error::success();
}
