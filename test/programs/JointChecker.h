//===- JointChecker.h - layouts and loops of one program -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_PROGRAMS_JOINTCHECKER_H
#define TEST_PROGRAMS_JOINTCHECKER_H

#include "mlir/IR/OwningOpRef.h"
#include "tssa/Reference/RandomInputs.h"
#include "tssa/Search/Space.h"
#include "tssa/Target/CPU.h"
#include "tssa/Tuner/ProgramLayouts.h"
#include "tssa/Tuner/TaskKernel.h"

#include <string>

namespace tssa::reference {

/// What was looked at.
struct JointCounts {
  /// Layouts, loops of them, conversions, kernels that have no other layouts, and layouts or loops
  /// that were refused with a sentence.
  unsigned layouts = 0, loops = 0, conversions = 0, plain = 0, refused = 0;
};

/// How much of the space of a program is looked at.
struct JointOptions {
  unsigned layouts = 2; ///< of the first kernel, besides the compiler's
  unsigned loops = 4;   ///< of a layout: the default, one that the draft picks, and random ones
};

/// Draws layouts and loops for the kernels of a program of RandomKernels.h, compiles them, and
/// compares all elements with what the program as it is gives in the evaluator.
class JointChecker {
public:
  /// Is called with the text of what is looked at next.
  using Note = std::function<void(const std::string &)>;
  /// Is called with the sentence of a refusal.
  using Refusal = std::function<void(const std::string &)>;

  JointChecker(mlir::MLIRContext &context, const cpu::Machine &machine, const JointOptions &options,
               uint64_t seed, JointCounts &counts, Note note, Refusal refusal)
      : context(context), machine(machine), options(options), seed(seed), random(~seed),
        counts(counts), note(std::move(note)), refusal(std::move(refusal)) {}

  /// Fails with a sentence if a result is wrong, and if a legal point cannot be built.
  llvm::Error check(const std::string &program);

private:
  llvm::Error drawOptions(size_t node);
  /// Draws a legal point other than `except`. Returns nothing if many draws find none.
  std::optional<search::Point> draw(const search::Space &space, const search::Point &except);
  llvm::Error checkOption(size_t node, uint32_t option);
  llvm::Error checkTask(const std::string &text, unsigned loops,
                        llvm::ArrayRef<HostTensor> expected);
  llvm::Error checkLoops(const tuner::TaskKernel &task, const tuner::KernelPoint &point,
                         llvm::ArrayRef<HostTensor> expected);
  llvm::Error checkConversion(size_t node);
  llvm::Error checkTogether();

  mlir::MLIRContext &context;
  const cpu::Machine &machine;
  const JointOptions &options;
  uint64_t seed;
  Random random;
  JointCounts &counts;
  Note note;
  Refusal refusal;
  std::vector<HostTensor> results; ///< of the program
  std::unique_ptr<tuner::ProgramLayouts> layouts;
};

} // namespace tssa::reference

#endif // TEST_PROGRAMS_JOINTCHECKER_H
