//===- Passes.h - passes of the pipeline itself -----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_PASSES_H
#define TSSA_PIPELINE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tssa {

#define GEN_PASS_DECL
#include "tssa/Pipeline/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tssa/Pipeline/Passes.h.inc"

struct TunedUse;

/// Also adds what kernels take from the records to `use`.
std::unique_ptr<mlir::Pass> createApplyRecords(ApplyRecordsOptions options, TunedUse *use);

} // namespace tssa

#endif // TSSA_PIPELINE_PASSES_H
