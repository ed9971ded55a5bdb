//===- Tasks.h - kernels as they are tuned ----------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is tuned is a kernel with the layouts of its ends: the kernel as stage te leaves it, the
/// stores that layout-choose-stores has written into its schedule, and the numbers of the
/// parameters for which the program passes constants. This decides which loops it can have, and,
/// with the machine and the code generator, how long they take. So a task is found again in any
/// program that has the kernel between the same layouts.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_TASKS_H
#define TSSA_PIPELINE_TASKS_H

#include "dialects/layout/IR/MachineModel.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace tssa {

/// A kernel of a program, when the stores of tensors are chosen and none is applied.
struct KernelTask {
  mlir::tssa::te::KernelOp kernel;
  llvm::SmallVector<mlir::tssa::te::LaunchOp> launches;
  /// The numbers of the parameters for which each launch passes a constant whose elements are not
  /// all equal.
  llvm::SmallVector<unsigned> constants;
};

/// Returns the kernels of `module` that are launched, in order.
std::vector<KernelTask> findTasks(mlir::ModuleOp module);

/// Returns whether the kernel is a conversion from one layout to another. It exists only when the
/// stores of tensors are applied, and is a task without stores.
bool isConversion(mlir::tssa::te::KernelOp kernel);

/// Returns why the kernel cannot be tuned, or an empty string: its sizes are open, it takes other
/// operands than tensors and indexes, its schedule has loops already, or it has no te.compute.
std::string findObstacle(mlir::tssa::te::KernelOp kernel);

/// Returns the text of a task: a line `// constants: 1 2`, and the kernel without locations, under
/// a name that all kernels share, with the stores of its schedule that change something, but
/// without loops.
std::string getTaskText(mlir::tssa::te::KernelOp kernel, llvm::ArrayRef<unsigned> constants);

/// Returns the key of a task: the SHA-256 of its text, in hexadecimal digits.
std::string getTaskKey(llvm::StringRef text);

/// Reads the numbers of the first line of a task's text. Fails if the line is another one.
llvm::Expected<llvm::SmallVector<unsigned>> parseTaskConstants(llvm::StringRef text);

/// Returns a program that launches a copy of `kernel`, named `kernel`, once. `@main` takes the
/// operands that are no constants. The constants are zeros in memory of their own, and indexes and
/// open sizes are zero. The kernel has no obstacle but open sizes, and `constants` are numbers of
/// its parameters.
mlir::OwningOpRef<mlir::ModuleOp> buildTaskModule(mlir::tssa::te::KernelOp kernel,
                                                  llvm::ArrayRef<unsigned> constants,
                                                  const mlir::tssa::layout::MachineModel &machine);

} // namespace tssa

#endif // TSSA_PIPELINE_TASKS_H
