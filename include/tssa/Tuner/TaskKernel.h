//===- TaskKernel.h - a task as its loops see it ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_TASKKERNEL_H
#define TSSA_TUNER_TASKKERNEL_H

#include "dialects/layout/Analysis/Access.h"
#include "dialects/layout/Template/Roles.h"
#include "dialects/layout/Template/Space.h"
#include "dialects/layout/Transforms/KernelSchedule.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace tssa::tuner {

/// Points of the template, one for each expression of a kernel.
using KernelPoint = llvm::SmallVector<mlir::tssa::layout::Point, 0>;

/// The kernel of a task once its stores are applied: what the points of the template are for.
class TaskKernel {
public:
  /// An expression of the kernel. The last one is the root.
  struct Expression {
    mlir::tssa::te::ComputeOp op;
    mlir::tssa::layout::RowLoops rows; ///< of its kernel
    mlir::tssa::layout::Roles roles;
    llvm::SmallVector<mlir::tssa::layout::Access> accesses;
  };

  /// The name of the kernel in the modules of a task.
  static constexpr llvm::StringLiteral name = "kernel";

  /// Reads the text of a task (Pipeline/Tasks.h). Fails with a sentence if the text is damaged, or
  /// if the kernel disappears when its stores are applied, as a copy does that became an identity.
  static llvm::Expected<std::unique_ptr<TaskKernel>>
  create(llvm::StringRef text, mlir::MLIRContext &context,
         const mlir::tssa::layout::MachineModel &machine);

  llvm::ArrayRef<Expression> getExpressions() const { return expressions; }
  /// Returns the point that layout-schedule-default takes.
  const KernelPoint &getDefaultPoint() const { return defaultPoint; }
  const mlir::tssa::layout::MachineModel &getMachine() const { return machine; }
  /// Returns the kernel with its stores applied and without a schedule.
  mlir::tssa::te::KernelOp getKernel() const { return kernel; }

  /// Returns the program of the task at the end of stage layout: `@main` launches the kernel once,
  /// with the loops of `point`, on constants that are packed for them. Fails with the diagnostics
  /// of the passes.
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> build(const KernelPoint &point) const;

  /// Returns the kernel of the task as its text has it, with the loops of `point` behind its
  /// stores.
  mlir::OwningOpRef<mlir::tssa::te::KernelOp> getScheduled(const KernelPoint &point) const;
  llvm::ArrayRef<unsigned> getConstants() const { return constants; }

  /// Returns why the loops of `point` cannot be written, or an empty string.
  std::string findObstacle(const KernelPoint &point) const;
  /// Returns why boxes of the rows of `root` cannot be computed, or an empty string.
  std::string findObstacleToBoxes(const mlir::tssa::layout::Point &root) const;

  /// Fills the constants of the task with random elements.
  void fillConstants(uint64_t seed);
  /// Fills those of a module that was built for a task (Pipeline/Tasks.h) in the same way.
  static void fillConstants(mlir::ModuleOp module, uint64_t seed);
  /// Frees the bytes of the constants that were packed for `candidate`, which `build` has returned
  /// and which is not used any more. The context would keep them.
  void freeConstants(mlir::ModuleOp candidate) const;

  /// Returns the floating-point operations of one run that must be done, which those on padding
  /// need not be (te::getGuardedShare), and the bytes of all operands and results.
  double countOperations() const;
  double countBytes() const;
  /// Returns the operations of f32 that take at least as long as those of one run: fewer than there
  /// are where the machine has dot products or registers of matrices for their factors.
  double countOperationsOfF32() const;

private:
  TaskKernel() = default;
  /// Returns the sum of the operations, those of each expression divided by what `getRate` gives.
  double
  sumOperations(llvm::function_ref<double(mlir::tssa::te::ExpressionOpInterface)> getRate) const;

  mlir::OwningOpRef<mlir::ModuleOp> source; ///< with the kernel of the text
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< with the stores applied
  mlir::tssa::te::KernelOp logical, kernel;
  mlir::tssa::layout::MachineModel machine;
  llvm::SmallVector<unsigned> constants;
  std::vector<Expression> expressions;
  llvm::SmallVector<mlir::tssa::layout::KernelExpression> rows; ///< the same expressions
  KernelPoint defaultPoint;
};

/// Prints the points of a kernel, one for each expression, separated by `; `.
std::string print(const KernelPoint &point);

/// Reads what `print` has written. Fails with a sentence.
llvm::Expected<KernelPoint> parseKernelPoint(llvm::StringRef text);

} // namespace tssa::tuner

#endif // TSSA_TUNER_TASKKERNEL_H
