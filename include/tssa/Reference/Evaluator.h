//===- Evaluator.h - what a te program means -------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Interprets modules up to the buffers stage: functions with ops of scf, tssa, te, tensor, memref,
/// arith and math, and kernels with their launches. The evaluator defines the meaning with which
/// compiled code is compared, so it is independent of code generation. It computes each element
/// where the program defines it, in row-major order.
///
/// Random numbers are those of the first run of a session with seed 0.
///
/// Errors name the location of the op. Errors are: an index from data that is out of bounds, a
/// te.check that fails, a read whose map leads out of the tensor, pieces that overlap or leave out
/// a point, and an op that the evaluator does not know.
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

/// One launch of a kernel in an evaluation.
struct LaunchRecord {
  mlir::tssa::te::LaunchOp launch;
  mlir::tssa::te::KernelOp kernel;
  llvm::ArrayRef<HostValue> inputs;
  llvm::ArrayRef<HostTensor> outputs;
  /// The largest sum of magnitudes of the terms of a float reduction, over all float reductions in
  /// the kernel. The error of a sum is relative to it.
  double sumMagnitude;
};

struct EvaluatorOptions {
  /// Whether float reductions and scans accumulate in f64. Otherwise each step is rounded as
  /// written.
  bool wideSums = true;
  /// Called after each te.launch. An error ends the evaluation.
  std::function<llvm::Error(const LaunchRecord &)> onLaunch;
  /// Called after each op of the host program with the tensors that it defines.
  std::function<void(mlir::Operation *, llvm::ArrayRef<HostTensor>)> onTensors;
};

/// Describes a location for diagnostics: the names of nodes, or file:line:column.
std::string describeLocation(mlir::Location location);

/// Runs `function` on `inputs` and returns its results. An argument that is a ref becomes a storage
/// with the contents of its input. The final contents of each such storage that the function may
/// write follow the results, in the order of the arguments.
llvm::Expected<std::vector<HostTensor>> evaluate(mlir::ModuleOp module, llvm::StringRef function,
                                                 llvm::ArrayRef<HostTensor> inputs,
                                                 const EvaluatorOptions &options = {});

/// Runs one kernel on tensors, sizes and scalars and returns its results.
llvm::Expected<std::vector<HostTensor>> evaluateKernel(mlir::tssa::te::KernelOp kernel,
                                                       llvm::ArrayRef<HostValue> inputs,
                                                       const EvaluatorOptions &options = {});

/// Elements of the results of a kernel.
struct KernelPoints {
  /// For each result, the elements that were asked for, as a tensor of rank 1.
  std::vector<HostTensor> results;
  /// As in LaunchRecord, over all points that were evaluated.
  double sumMagnitude = 0;
};

/// Evaluates only some elements of the results of a kernel whose tensor ops are te.compute.
/// `elements` has, for each result, positions in row-major order. Of the results of inner
/// expressions only the elements that are read are evaluated, each once. Fails if the kernel has
/// another tensor op, and if more than 2^30 points of iteration domains would be evaluated.
llvm::Expected<KernelPoints> evaluateKernelAt(mlir::tssa::te::KernelOp kernel,
                                              llvm::ArrayRef<HostValue> inputs,
                                              llvm::ArrayRef<std::vector<int64_t>> elements,
                                              const EvaluatorOptions &options = {});

/// Returns the tensor that the value of a te.constant holds. Bytes that have the layout of a tensor
/// are not copied, so `attribute` must outlive the result.
llvm::Expected<HostTensor> getConstantTensor(mlir::ElementsAttr attribute);

} // namespace tssa::reference

#endif // TSSA_REFERENCE_EVALUATOR_H
