//===- SizeVersions.h - kernels for given sizes -----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A kernel of open sizes may have versions. A version is a kernel for one tuple of sizes, in which
/// these are constants; or it is the open kernel with other loops, for sizes between bounds. Where
/// a program launches the kernel, it compares the sizes with those of the versions, and launches
/// the first one that fits, else the open kernel. Versions are made when the stores of tensors are
/// applied, so that a version has the layouts of its kernel.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_SIZEVERSIONS_H
#define TSSA_PIPELINE_SIZEVERSIONS_H

#include "tssa/Pipeline/Tasks.h"

namespace tssa {

struct SizeVersion {
  mlir::tssa::te::KernelOp kernel;
  /// The least and the greatest values that the parameters of the open kernel that are sizes may
  /// have, in order.
  llvm::SmallVector<std::pair<int64_t, int64_t>> ranges;
  /// Whether the kernel has these parameters.
  bool isOpen = false;
};

/// Returns the launches of an open kernel that can have versions: all but those of which a te.join
/// takes results, since the kernel may write these to their place in the joined tensor.
llvm::SmallVector<mlir::tssa::te::LaunchOp> findVersionedLaunches(const KernelTask &task);

/// Returns the kernel of `task` with these sizes, as a task without launches; `kernel` holds it.
/// Fails, with a sentence, if the kernel has another number of sizes or cannot be tuned with them,
/// or if a tensor would be too large.
llvm::Expected<KernelTask> makeVersion(const KernelTask &task, llvm::ArrayRef<int64_t> sizes,
                                       mlir::OwningOpRef<mlir::tssa::te::KernelOp> &kernel);

/// Returns the name of a version, such as `k3_contract_8x128`.
std::string getVersionName(mlir::tssa::te::KernelOp kernel, llvm::ArrayRef<int64_t> sizes);

/// Returns the name of the open kernel that has the loops of the version `name`.
std::string getRangeName(llvm::StringRef name);

/// Makes `launch` launch the first of the versions of its kernel that fits its sizes. `versions`
/// are kernels of its module.
void launchVersions(mlir::tssa::te::LaunchOp launch, llvm::ArrayRef<SizeVersion> versions);

} // namespace tssa

#endif // TSSA_PIPELINE_SIZEVERSIONS_H
