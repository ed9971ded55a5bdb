//===- RandomProgram.h - te programs made from a seed ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Programs that no person would write, to compare what passes and compiled code
/// make of them with what they mean. Equal seeds give equal programs.
///
/// Values stay small, and what depends on a comparison is computed from values that
/// every right compiler gets bit for bit, so that a difference is a fault and not
/// a rounding that fell the other way.
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
  /// The size to run it at, for each named dim of its arguments.
  llvm::StringMap<int64_t> sizes;
  /// For each result how far right answers may be apart, over its largest
  /// magnitude or 1.
  std::vector<double> errors;
};

struct RandomProgramOptions {
  /// Tensor ops to make; the program may be a little longer.
  unsigned numSteps = 6;
  /// Most elements of a tensor, and most points of a domain.
  int64_t maxElements = 4096;
};

/// Loads the dialects it needs into `context`.
RandomProgram makeRandomProgram(mlir::MLIRContext &context, uint64_t seed,
                                const RandomProgramOptions &options = {});

/// The same with refs: views, writes, loops, branches, and names that loops carry. Every
/// such program is one that `tssa-resolve-refs` accepts, and exact.
RandomProgram makeRandomReferenceProgram(mlir::MLIRContext &context, uint64_t seed,
                                         const RandomProgramOptions &options = {});

} // namespace tssa::reference

#endif // TEST_PROGRAMS_RANDOMPROGRAM_H
