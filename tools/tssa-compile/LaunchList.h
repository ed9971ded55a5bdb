//===- LaunchList.h - the launches of a program -----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_LAUNCHLIST_H
#define TOOLS_TSSA_COMPILE_LAUNCHLIST_H

#include "LaunchTimes.h"
#include "dialects/te/Analysis/KernelAmounts.h"
#include "dialects/te/Analysis/StepGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tssa::compile {

/// A node of the model.
struct NodeName {
  llvm::StringRef name, op;
};

/// A step of the host program: a launch of a kernel, or a call of a library routine.
struct LaunchInfo {
  mlir::Operation *step;
  /// The number by which --inspect and --profile of tssa-run call a launch. A step without one is a
  /// library routine, or what the launches before and after it do in place.
  std::optional<unsigned> number;
  bool isRoutine = false;
  std::string name; ///< of the kernel or routine
  llvm::SmallVector<NodeName> nodes;
  double trips = 1;                      ///< runs of the step in one of the program, as estimated
  mlir::tssa::te::KernelAmounts amounts; ///< in sizes of the program
  std::vector<unsigned> predecessors;    ///< steps on which it depends directly
  /// Milliseconds in one run of the program: as measured, if times were given, or else what the
  /// launch takes on two threads by the cost model of te.
  double ms = 0;
};

/// The steps of a program as they are at the end of stage layout, and which of them are launches of
/// the binary.
class LaunchList {
public:
  /// `module` is at the end of stage layout.
  explicit LaunchList(mlir::ModuleOp module);

  /// Numbers the launches that are left at the end of stage buffers, at which `module` is now:
  /// where results share memory, some do nothing and are gone. Fails with a sentence if there are
  /// others.
  llvm::Error number(mlir::ModuleOp module);
  /// Takes measured times. Fails with a sentence if they are of another program.
  llvm::Error setTimes(llvm::ArrayRef<LaunchTime> times);

  mlir::ModuleOp getModule() const { return *module; }
  llvm::ArrayRef<LaunchInfo> getSteps() const { return steps; }
  size_t getNumLaunches() const { return numLaunches; }
  bool isMeasured() const { return measured; }
  /// Returns the milliseconds of all launches.
  double getTotal() const;
  /// Returns the step's part of the time of all launches.
  double getShare(const LaunchInfo &step) const;
  /// Says where the times come from.
  std::string describeTimes() const;

private:
  bool hasOpenSizes() const;

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<LaunchInfo> steps;
  size_t numLaunches = 0;
  bool measured = false;
};

/// Returns milliseconds with three digits.
std::string printMs(double ms);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_LAUNCHLIST_H
