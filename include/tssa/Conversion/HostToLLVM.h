//===- HostToLLVM.h - the host program becomes native code -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_HOSTTOLLVM_H
#define TSSA_CONVERSION_HOSTTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace tssa {

/// Replaces `@main` (memrefs, scf, te.launch, te.extern, te.check) and `@plan` by
/// `@tssa_run` and `@tssa_plan` of include/tssa/abi.h. Kernels stay functions; each
/// gets `@<kernel>.body`, the form that a thread pool calls. Names of the model's
/// nodes go to the module's `te.nodes`, behind those that are there, launches to
/// `te.launches`.
///
/// With `device` all memrefs are memory of a device: kernels are launched, elements
/// read and written through the host, and library routines get copies.
std::unique_ptr<mlir::Pass> createConvertHostToLLVMPass(bool device = false);

void registerHostToLLVMPasses();

} // namespace tssa

#endif // TSSA_CONVERSION_HOSTTOLLVM_H
