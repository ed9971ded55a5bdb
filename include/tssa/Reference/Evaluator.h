//===- Evaluator.h - what a te program means -------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A plain interpreter of modules up to stage buffers: functions with scf, tssa, te,
/// tensor, memref, arith and math, kernels and their launches. It is the meaning that
/// compiled code is compared with, so it knows nothing of how code is made: every
/// element is computed where the program says, in row-major order.
///
/// Errors name the op's location: an index from data that is out of bounds, a
/// te.check that fails, a read that its own map leads out of the tensor, pieces
/// that overlap or leave a point out, an op without a meaning here.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_REFERENCE_EVALUATOR_H
#define TSSA_REFERENCE_EVALUATOR_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "tssa/Reference/HostValue.h"

#include <functional>
#include <vector>

namespace tssa::reference {

/// A kernel as it was run.
struct LaunchRecord {
  mlir::tssa::te::LaunchOp launch;
  mlir::tssa::te::KernelOp kernel;
  llvm::ArrayRef<HostValue> inputs;
  llvm::ArrayRef<HostTensor> outputs;
  /// The largest sum of magnitudes that a float reduction of the kernel summed:
  /// what the error of the sum is relative to.
  double sumMagnitude;
};

struct EvaluatorOptions {
  /// Float reductions and scans keep their accumulators in f64. Otherwise each
  /// step is rounded as written.
  bool wideSums = true;
  /// Called after every te.launch; an error ends the evaluation.
  std::function<llvm::Error(const LaunchRecord &)> onLaunch;
  /// Called with the tensors that each op of the host program defines.
  std::function<void(mlir::Operation *, llvm::ArrayRef<HostTensor>)> onTensors;
};

/// A location as people know it: the names of nodes, or file:line:column.
std::string describeLocation(mlir::Location location);

/// The results of `function` on `inputs`. An argument that is a ref is a storage with
/// the contents of its input; what the function leaves in those that it may write
/// follows after its results, in the order of the arguments.
llvm::Expected<std::vector<HostTensor>> evaluate(mlir::ModuleOp module, llvm::StringRef function,
                                                 llvm::ArrayRef<HostTensor> inputs,
                                                 const EvaluatorOptions &options = {});

/// The results of one kernel of `module` on tensors, sizes and scalars.
llvm::Expected<std::vector<HostTensor>> evaluateKernel(mlir::tssa::te::KernelOp kernel,
                                                       llvm::ArrayRef<HostValue> inputs,
                                                       const EvaluatorOptions &options = {});

/// The tensor that the value of a te.constant holds, without a copy where its
/// bytes lie as a tensor's do. `attribute` outlives the result.
llvm::Expected<HostTensor> getConstantTensor(mlir::ElementsAttr attribute);

} // namespace tssa::reference

#endif // TSSA_REFERENCE_EVALUATOR_H
