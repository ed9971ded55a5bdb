//===- WorkerFaults.cpp - faults that the gate must find ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerFaults.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Pipeline/VerifyFaults.h"

#include <cstring>
#include <iostream>
#include <unistd.h>

using namespace mlir;
using namespace tssa::tuner;

/// Calls `change` on the first loop of the kernel. Returns whether there is one.
static bool changeFirstLoop(ModuleOp module, llvm::function_ref<void(scf::ForOp)> change) {
  return module
      .walk([&](scf::ForOp loop) {
        change(loop);
        return WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Calls `change` with a builder at the beginning of the kernel.
static bool changeEntry(ModuleOp module, llvm::function_ref<void(OpBuilder &, Location)> change) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.getSymName().ends_with(".extent") || function.isDeclaration())
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    change(builder, function.getLoc());
    return true;
  }
  return false;
}

/// The first loop of the kernel does not advance.
static bool endlessLoop(ModuleOp module) {
  return changeEntry(module, [](OpBuilder &builder, Location loc) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    // A loop with an effect, which the compiler must keep.
    auto loop = scf::ForOp::create(builder, loc, zero, one, zero);
    builder.setInsertionPointToStart(loop.getBody());
    LLVM::InlineAsmOp::create(builder, loc, TypeRange(), ValueRange(), "", "~{memory}",
                              /*has_side_effects=*/true, /*is_align_stack=*/false,
                              LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
                              ArrayAttr());
  });
}

/// The kernel ends the process.
static bool trap(ModuleOp module) {
  return changeEntry(module, [](OpBuilder &builder, Location loc) {
    LLVM::InlineAsmOp::create(builder, loc, TypeRange(), ValueRange(), "ud2", "~{memory}",
                              /*has_side_effects=*/true, /*is_align_stack=*/false,
                              LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
                              ArrayAttr());
  });
}

/// The first loop runs on behind its end by `more` iterations.
template <int64_t more> static bool longLoop(ModuleOp module) {
  return changeFirstLoop(module, [](scf::ForOp loop) {
    OpBuilder builder(loop);
    Value extra = arith::ConstantIndexOp::create(builder, loop.getLoc(), more);
    loop.setUpperBound(
        arith::AddIOp::create(builder, loop.getLoc(), loop.getUpperBound(), extra));
  });
}

/// The compiler takes all memory.
static bool takeMemory(ModuleOp) {
  while (true) {
    constexpr size_t size = size_t(64) << 20;
    std::memset(new char[size], 1, size);
  }
}

static bool writeGarbage(ModuleOp) {
  std::cout << "{\"outcomes\": [{}]}" << std::endl;
  return true;
}

static bool endProcess(ModuleOp) { _exit(3); }

static constexpr CandidateFault faults[] = {
    {"endless-loop", nullptr, endlessLoop}, {"trap", nullptr, trap},
    {"past-the-end", nullptr, longLoop<1>}, {"far-store", nullptr, longLoop<(int64_t(1) << 40)>},
    {"memory", takeMemory, nullptr},        {"garbage", writeGarbage, nullptr},
    {"exit", endProcess, nullptr},
};

const CandidateFault *tssa::tuner::lookupCandidateFault(StringRef name) {
  for (const CandidateFault &fault : faults)
    if (fault.name == name)
      return &fault;
  const Fault *known = lookupFault(name);
  if (!known)
    return nullptr;
  static CandidateFault found;
  found = {known->name, known->stage == "loops" ? nullptr : known->inject,
           known->stage == "loops" ? known->inject : nullptr};
  return &found;
}
