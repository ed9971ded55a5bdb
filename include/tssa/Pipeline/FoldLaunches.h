//===- FoldLaunches.h - kernels of constants run at compile time -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_FOLDLAUNCHES_H
#define TSSA_PIPELINE_FOLDLAUNCHES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace tssa {

/// Runs every te.launch whose operands are all constants through the reference
/// evaluator and puts te.constant in its place, within a budget of bytes and
/// points. Needs: end of stage te. Keeps: what the program computes; a launch that
/// fails stays, so that the run reports it.
std::unique_ptr<mlir::Pass> createFoldLaunchesPass();

} // namespace tssa

#endif // TSSA_PIPELINE_FOLDLAUNCHES_H
