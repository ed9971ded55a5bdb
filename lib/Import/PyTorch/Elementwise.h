//===- Elementwise.h - operators that are one scalar function -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A row has the operands that decide the type, the rule that decides it, and the function
/// of one element; arguments behind the operands, such as alpha, come to the function in the
/// type of the computation.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_ELEMENTWISE_H
#define TSSA_LIB_IMPORT_PYTORCH_ELEMENTWISE_H

#include "tssa/Builder/Scalar.h"

namespace tssa::pytorch {

using operators::Scalar;
using Scalars = llvm::ArrayRef<Scalar>;

enum class Rule {
  Promote,   ///< computed and given in the common type
  Divide,    ///< the same, integers are not divided by 0
  NoBool,    ///< the same, bools are refused
  Bits,      ///< the same, floats are refused
  Integer,   ///< the same, floats and bools are refused
  ToFloat,   ///< the same, integers as f32
  FloatOnly, ///< the same, integers are refused
  WideFloat, ///< the same, floats of less than 32 bits too
  Compare,   ///< computed in the common type, gives bool
  Logical    ///< operands as bool, gives bool
};

struct Row {
  const char *name, *overloads;
  Rule rule;
  unsigned numOperands; ///< arguments that decide the type
  unsigned numScalars;  ///< arguments behind them
  Scalar (*element)(Scalars);
  /// Numbers are not rounded to a half type first, as ATen's arithmetic on the CPU has it.
  bool hasExactNumbers = false;
};

/// Arithmetic, comparisons and bits; functions of real numbers.
llvm::ArrayRef<Row> getArithmetic();
llvm::ArrayRef<Row> getFunctions();

/// Rounds towards minus infinity.
Scalar floorDivide(Scalars x);
Scalar truncDivide(Scalars x);
/// Integers by multiplication, which wraps; to a negative power only 1 and -1 are not 0.
Scalar powerOf(Scalars x);

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_ELEMENTWISE_H
