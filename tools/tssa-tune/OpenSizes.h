//===- OpenSizes.h - a model tuned for some of its sizes --------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_OPENSIZES_H
#define TOOLS_TSSA_TUNE_OPENSIZES_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "tssa/Target/CPU.h"
#include "tssa/Tuner/ModelTasks.h"

namespace tssa::tune {

/// Returns all combinations of the sizes for which the model is tuned: those of --sizes, and 1 for
/// the other open dims. There is none if no size is open. The loops of a size may serve half and
/// twice of it, but no size that is nearer to another one. Fails if --sizes names no open dim, and
/// for too many combinations.
llvm::Expected<std::vector<tuner::TunedPoint>> makePoints(const Options &options,
                                                          mlir::ModuleOp module);

/// Returns a point as text, such as `batch=8, seq=128`.
std::string print(const tuner::SizePoint &point);

/// Times the program with and without versions of its kernels at each point and at the ends of its
/// ranges, and writes the records of sizes for the points and ranges where the versions are faster.
/// Those of earlier runs for other sizes stay.
llvm::Error decideVersions(mlir::MLIRContext &context, const Options &options,
                           const cpu::Machine &machine, llvm::ArrayRef<tuner::TunedPoint> points,
                           const tuner::ModelTasks &model);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_OPENSIZES_H
