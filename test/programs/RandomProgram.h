//===- RandomProgram.h - te programs made from a seed ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random programs, on which the results of passes and of compiled code are compared with the
/// evaluator's. Equal seeds give equal programs.
///
/// Values stay small. Comparisons depend only on values that all correct compilers compute bit for
/// bit, so that a different result is an error and not a different rounding.
///
//===----------------------------------------------------------------------===//
#ifndef TEST_PROGRAMS_RANDOMPROGRAM_H
#define TEST_PROGRAMS_RANDOMPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace tssa::reference {

struct RandomProgram {
  /// A module with a function `main` at stage import.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The size at which to run the program, for each named dim of its arguments.
  llvm::StringMap<int64_t> sizes;
  /// For each result, the largest difference between correct results, relative to its largest
  /// magnitude or 1.
  std::vector<double> errors;
};

struct RandomProgramOptions {
  /// The number of steps, each of which adds one or a few tensor ops.
  unsigned numSteps = 6;
  /// The largest number of elements of a tensor, and of points of a domain.
  int64_t maxElements = 4096;
  /// Whether programs end with expressions that have the same body, and with their concatenation.
  bool siblings = false;
  /// Whether programs end with layers of a recurrent network.
  bool layers = false;
  /// Whether programs end with products of which the rows are normalised.
  bool rows = false;
  /// Whether programs end with reductions of an argument of about a million elements.
  bool longSums = false;
};

/// Makes the program for `seed`. Loads the dialects that it needs into `context`.
RandomProgram makeRandomProgram(mlir::MLIRContext &context, uint64_t seed,
                                const RandomProgramOptions &options = {});

/// Makes a program with references: views, writes, loops, branches, and refs that loops carry.
/// `tssa-resolve-refs` accepts each such program, and all of its arithmetic is exact.
RandomProgram makeRandomReferenceProgram(mlir::MLIRContext &context, uint64_t seed,
                                         const RandomProgramOptions &options = {});

} // namespace tssa::reference

#endif // TEST_PROGRAMS_RANDOMPROGRAM_H
