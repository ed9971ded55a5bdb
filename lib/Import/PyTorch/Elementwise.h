//===- Elementwise.h - operators that are one scalar function -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A row of a table describes an element-wise operator: the number of operands that determine the
/// type, the rule for the type, and the function that computes an element. Arguments after the
/// operands, such as alpha, are passed to the function in the type of the computation.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_ELEMENTWISE_H
#define TSSA_LIB_IMPORT_PYTORCH_ELEMENTWISE_H

#include "tssa/Builder/Scalar.h"

namespace tssa::pytorch {

using operators::Scalar;
using Scalars = llvm::ArrayRef<Scalar>;

enum class Rule {
  Promote,   ///< computed in the common type, which is also the result's
  Divide,    ///< as Promote; an integer division by 0 fails
  NoBool,    ///< as Promote; bools are refused
  Bits,      ///< as Promote; floats are refused
  Integer,   ///< as Promote; floats and bools are refused
  ToFloat,   ///< as Promote; integers become f32
  FloatOnly, ///< as Promote; integers are refused
  WideFloat, ///< as FloatOnly; floats of less than 32 bits are refused too
  Compare,   ///< computed in the common type; the result is bool
  Logical    ///< computed on bools; the result is bool
};

struct Row {
  const char *name, *overloads;
  Rule rule;
  unsigned numOperands; ///< arguments that determine the type
  unsigned numScalars;  ///< arguments after them
  Scalar (*element)(Scalars);
  /// Whether Python numbers are used as f32 in computations on f16 and bf16, as in ATen's
  /// arithmetic on the CPU. If false, they are first rounded to the type of the computation.
  bool hasExactNumbers = false;
};

/// These return the rows of arithmetic, comparisons and bit operations, and the rows of
/// functions of real numbers.
llvm::ArrayRef<Row> getArithmetic();
llvm::ArrayRef<Row> getFunctions();

/// Rounds towards minus infinity.
Scalar floorDivide(Scalars x);
Scalar truncDivide(Scalars x);
/// Returns x[0] to the power x[1]. Integers are multiplied with wrapping; a negative power of
/// an integer is 0, except for the bases 1 and -1.
Scalar powerOf(Scalars x);

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_ELEMENTWISE_H
