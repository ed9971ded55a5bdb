//===- ProgramRace.h - whole programs timed in turns ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_PROGRAMRACE_H
#define TOOLS_TSSA_TUNE_PROGRAMRACE_H

#include "Options.h"
#include "mlir/IR/MLIRContext.h"
#include "tssa/Target/CPU.h"
#include "tssa/Tuner/ModelTasks.h"

#include <vector>

namespace tssa::tune {

/// The medians of runs of a program with some sizes.
struct RaceResult {
  double seconds = 0;                    ///< of a run
  std::map<std::string, double> kernels; ///< of all launches of a kernel in one run
};

/// One way to compile the model.
struct Program {
  std::string name;
  std::string records;                  ///< the folder of records, or empty
  std::vector<RaceResult> results = {}; ///< for each point
  uint64_t bytes = 0;                   ///< of the artifact
};

/// Compiles the model in each of these ways, and times the programs in turns on random inputs, at
/// each of the points, in a process of its own, which has a limit of time: of the calling thread's
/// CPU clock with one thread, else of the wall clock. Sizes that a point does not give are 1. Fails
/// with a sentence.
llvm::Error raceProgram(mlir::MLIRContext &context, const Options &options,
                        const cpu::Machine &machine, llvm::ArrayRef<tuner::SizePoint> points,
                        std::vector<Program> &programs);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_PROGRAMRACE_H
