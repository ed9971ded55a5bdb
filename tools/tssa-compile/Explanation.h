//===- Explanation.h - implements --explain ---------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_EXPLANATION_H
#define TOOLS_TSSA_COMPILE_EXPLANATION_H

#include "LaunchList.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <string>

namespace tssa::compile {

/// Prints what each launch of a program does (--explain): the nodes of the model that it computes,
/// its operations, bytes and time, which launches read its results, and why they are not computed
/// where they are read.
class Explanation {
public:
  /// Listens to what te-merge reports in `context`.
  explicit Explanation(mlir::MLIRContext &context);

  /// Takes the launches of `module`, which is at the end of stage te: later ones, which may join
  /// several of these, have their reasons.
  void keepReasons(mlir::ModuleOp module);
  /// Prints the steps of a program.
  void print(const LaunchList &launches, llvm::raw_ostream &stream) const;
  /// Prints the same for programs, as a list of objects. An amount is null if sizes are open.
  void printJSON(const LaunchList &launches, llvm::raw_ostream &stream) const;

private:
  /// Why te-merge stores the results of expressions, by their locations.
  using Reasons = llvm::DenseMap<mlir::Location, std::string>;
  struct Listener;

  std::string findReasons(mlir::Location loc) const;

  std::shared_ptr<Reasons> reasons = std::make_shared<Reasons>();
};

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_EXPLANATION_H
