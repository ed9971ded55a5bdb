//===- Stages.h - from a model to machine code, stage by stage -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_STAGES_H
#define TSSA_PIPELINE_STAGES_H

#include "dialects/layout/IR/DeviceModel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Support/Precision.h"
#include "tssa/Support/Transforms.h"
#include "tssa/Target/CPU.h"
#include "tssa/Target/Target.h"

#include <functional>

namespace tssa {

struct TunedUse;

/// Properties of the compilation on which passes depend.
struct StageContext {
  /// The machine of the host program, and of the kernels if they are for CPUs.
  const cpu::Machine &machine;
  Target target;
  /// Of the kernels, if they are for a GPU.
  mlir::tssa::layout::DeviceModel device = {};
  /// Whether the te stage merges ops into larger kernels.
  bool merges = true;
  Transforms transforms = {};
  /// What the factors of contractions are rounded to.
  Precision precision = Precision::F32;
  /// File of schedules for kernels; empty for none.
  std::string scheduleFile = {};
  /// Folder of records (Records.h) for kernels; empty for none. For CPUs only.
  std::string tunedDir = {};
  /// Rank of the points that expressions take from their spaces; see CompileOptions.
  unsigned point = 0;
  /// Gets what kernels take from the records; may be null.
  TunedUse *tunedUse = nullptr;
  /// Is called with the module when stores are chosen and not yet applied, first those of tensors,
  /// then those of constants; may be empty.
  std::function<void(mlir::ModuleOp)> storesChosen = {};
};

/// A named stretch of the pipeline with its postcondition.
struct Stage {
  llvm::StringLiteral name;
  llvm::StringLiteral postcondition;
  /// Adds the passes of the stage.
  void (*build)(mlir::OpPassManager &manager, const StageContext &context);
  /// Returns the first operation that violates the postcondition, or null if there is none.
  mlir::Operation *(*findViolation)(mlir::ModuleOp module);
};

/// Returns `transforms` with the choices of stage te that only the kind of the target decides.
Transforms adaptTransforms(Transforms transforms, const Target &target);

/// Returns all stages, in order: import, functional, te, layout, buffers, loops, target.
llvm::ArrayRef<Stage> getStages();
const Stage *lookupStage(llvm::StringRef name);

/// If an operation violates the postcondition of the stage, emits an error at this operation.
mlir::LogicalResult checkPostcondition(const Stage &stage, mlir::ModuleOp module);

/// Registers the dialects of all stages, and the translations to LLVM IR.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers all passes and pipelines, for tools that run them by name.
void registerAllPasses();

} // namespace tssa

#endif // TSSA_PIPELINE_STAGES_H
