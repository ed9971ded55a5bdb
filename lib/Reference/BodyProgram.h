//===- BodyProgram.h - a body as a flat list of instructions -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The form into which the body of a te op is compiled before it runs at millions of points: a list
/// of instructions over registers. The first registers hold the dims of the point. Registers of
/// constants and of values from outside of the body are set once. An index expression is a sum of
/// multiples of registers; an instruction computes any other part of it (floordiv, mod) into a
/// register.
///
//===----------------------------------------------------------------------===//
#ifndef LIB_REFERENCE_BODYPROGRAM_H
#define LIB_REFERENCE_BODYPROGRAM_H

#include "mlir/IR/Location.h"
#include "tssa/Reference/HostValue.h"

#include <optional>
#include <vector>

namespace tssa::reference {

using Register = uint32_t;

/// constant + sum of coefficient * register.
struct LinearSum {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<Register, int64_t>, 4> terms;

  int64_t evaluate(const Scalar *registers) const {
    auto sum = static_cast<uint64_t>(constant);
    for (auto [reg, coefficient] : terms)
      sum += static_cast<uint64_t>(coefficient) * static_cast<uint64_t>(registers[reg].i);
    return static_cast<int64_t>(sum);
  }
  bool isConstant() const { return terms.empty(); }
};

/// A conjunction of `expr >= 0` and `expr == 0`.
struct Condition {
  struct Constraint {
    LinearSum expr;
    bool equality;
  };
  llvm::SmallVector<Constraint, 4> constraints;

  bool holds(const Scalar *registers) const {
    for (const Constraint &constraint : constraints) {
      int64_t value = constraint.expr.evaluate(registers);
      if (constraint.equality ? value != 0 : value < 0)
        return false;
    }
    return true;
  }
};

/// What a te.read needs to find its element.
struct ElementRead {
  HostTensor tensor;
  /// If set, computes the elements of `tensor`, which has no bytes.
  std::shared_ptr<ElementSource> source;
  std::optional<Condition> guard;
  Scalar pad;
  /// Position of the element in the tensor; set if every index is in bounds at all points.
  std::optional<LinearSum> offset;
  /// The index in each dim; used if `offset` is not set. Each read checks these indices.
  llvm::SmallVector<LinearSum, 4> indices;
  /// Whether an index depends on data. If so, the input of the program is to blame for an error.
  bool opaque = false;
};

/// The widths that the numeric functions get in addition to their operands.
struct Width {
  uint8_t from = 64; ///< bits of an integer operand
  uint8_t to = 64;   ///< bits of an integer result
};

using Unary = Scalar (*)(Scalar, Width);
using Binary = Scalar (*)(Scalar, Scalar, Width);
using Ternary = Scalar (*)(Scalar, Scalar, Scalar, Width);

enum class Opcode : uint8_t {
  Move,
  AddF,
  SubF,
  MulF,
  DivF,
  Unary,
  Binary,
  DivideSigned,
  DivideUnsigned,
  Ternary,
  Select,
  Linear,
  FloorDiv,
  CeilDiv,
  Mod,
  Inside,
  Read
};

struct Instruction {
  Opcode opcode;
  /// The kind to which a float result is rounded; F64 means that it is not rounded.
  ElementKind rounding = ElementKind::F64;
  Width width;
  Register result = 0, a = 0, b = 0, c = 0;
  /// For Linear, Inside and Read: an index into a table of the program.
  uint32_t payload = 0;
  union {
    Unary unary;
    Binary binary;
    Ternary ternary = nullptr;
  };
};

/// Instructions, and the tables to which they refer.
struct BodyProgram {
  std::vector<Instruction> instructions;
  std::vector<mlir::Location> locations;
  std::vector<LinearSum> linears;
  std::vector<Condition> conditions;
  std::vector<ElementRead> accesses;
};

/// The registers of an execution.
struct RegisterFile {
  std::vector<Scalar> registers;

  Register add(Scalar value) {
    registers.push_back(value);
    return registers.size() - 1;
  }
  /// Executes all instructions of `program`. Fails on undefined operations and on indices that are
  /// out of bounds.
  llvm::Error run(const BodyProgram &program);
};

/// Returns the error `location: text`. The location is described as the names of nodes, or as
/// file:line:column.
llvm::Error makeError(mlir::Location location, const llvm::Twine &text);

} // namespace tssa::reference

#endif // LIB_REFERENCE_BODYPROGRAM_H
