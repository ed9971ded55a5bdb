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
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Conversion/KernelScratch.h"
#include "tssa/Pipeline/VerifyFaults.h"

#include <cstring>
#include <iostream>
#include <limits>
#include <unistd.h>

using namespace mlir;
using namespace tssa::tuner;

/// Calls `change` on the first of the outermost loops of the kernel, since inner ones may be of a
/// branch that is never taken. Returns whether there is one.
static bool changeFirstLoop(ModuleOp module, llvm::function_ref<void(scf::ForOp)> change) {
  return module
      .walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
        change(loop);
        return WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Returns the function of the kernel, or null. Its arguments are inputs, results, the error, two
/// bounds, and memory of the thread if it needs any.
static func::FuncOp findKernel(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.getSymName().ends_with(".extent") &&
        !function.getSymName().ends_with(tssa::conversion::getScratchName("")) &&
        !function.isDeclaration())
      return function;
  return nullptr;
}

/// Returns the last result of the kernel, or the first input, if it is of f32; else null.
static Value findResult(func::FuncOp function) {
  unsigned behind = function && tssa::conversion::getScratchType(function) ? 4 : 3;
  unsigned count = function ? function.getNumArguments() : 0;
  Value result = count > behind ? function.getArgument(count - behind - 1) : Value();
  return result && getElementTypeOrSelf(result).isF32() ? result : nullptr;
}
static Value findInput(func::FuncOp function) {
  Value input = findResult(function) ? function.getArgument(0) : nullptr;
  return input && input != findResult(function) && getElementTypeOrSelf(input).isF32() ? input
                                                                                       : nullptr;
}

/// In the end, the kernel stores `number` in `buffer`, `offset` elements behind its first element,
/// or behind its end.
static bool storeLast(func::FuncOp function, Value buffer, float number, int64_t offset = 0,
                      bool isBehind = false) {
  if (!buffer)
    return false;
  OpBuilder builder(function.getBody().back().getTerminator());
  Location loc = function.getLoc();
  Value index = arith::ConstantIndexOp::create(builder, loc, offset);
  if (isBehind) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value size = memref::DimOp::create(builder, loc, buffer, zero);
    index = arith::AddIOp::create(builder, loc, size, index);
  }
  Value value =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(number)).getResult();
  memref::StoreOp::create(builder, loc, value, buffer, index);
  return true;
}

/// The kernel begins with these instructions, which the compiler keeps.
static bool insertCode(ModuleOp module, StringRef code) {
  func::FuncOp function = findKernel(module);
  if (!function)
    return false;
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  LLVM::InlineAsmOp::create(builder, function.getLoc(), TypeRange(), ValueRange(), code,
                            "~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
                            ArrayAttr());
  return true;
}

static bool endlessLoop(ModuleOp module) { return insertCode(module, "1: jmp 1b"); }

static bool trap(ModuleOp module) { return insertCode(module, "ud2"); }

static bool writesInput(ModuleOp module) {
  func::FuncOp function = findKernel(module);
  return storeLast(function, findInput(function), 7);
}

template <int64_t offset> static bool pastTheEnd(ModuleOp module) {
  func::FuncOp function = findKernel(module);
  return storeLast(function, findResult(function), 7, offset, /*isBehind=*/true);
}

static bool notANumber(ModuleOp module) {
  func::FuncOp function = findKernel(module);
  return storeLast(function, findResult(function), std::numeric_limits<float>::quiet_NaN());
}

/// The kernel counts its calls, and computes only in the first two. Later calls keep what those
/// have computed.
static bool lazyLater(ModuleOp module) {
  func::FuncOp function = findKernel(module);
  return function && changeFirstLoop(module, [&](scf::ForOp loop) {
           constexpr StringLiteral name = "calls";
           Location loc = function.getLoc();
           OpBuilder builder(function);
           auto type = MemRefType::get({1}, builder.getI32Type());
           memref::GlobalOp::create(builder, loc, name, builder.getStringAttr("private"), type,
                                    builder.getI32TensorAttr(0), /*constant=*/false, IntegerAttr());
           builder.setInsertionPointToStart(&function.getBody().front());
           Value calls = memref::GetGlobalOp::create(builder, loc, type, name);
           Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
           Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
           Value two = arith::ConstantIntOp::create(builder, loc, 2, 32);
           Value count = memref::LoadOp::create(builder, loc, calls, zero);
           Value next = arith::AddIOp::create(builder, loc, count, one);
           memref::StoreOp::create(builder, loc, next, calls, zero);
           Value isEarly =
               arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, count, two);
           builder.setInsertionPoint(loop);
           loop.setUpperBound(arith::SelectOp::create(builder, loc, isEarly, loop.getUpperBound(),
                                                      loop.getLowerBound()));
         });
}

/// The compiler takes all memory. The asm keeps the allocations.
static bool takeMemory(ModuleOp) {
  while (true) {
    constexpr size_t size = size_t(64) << 20;
    char *memory = new char[size];
    std::memset(memory, 1, size);
    __asm__ volatile("" : : "r"(memory) : "memory");
  }
}

static bool writeGarbage(ModuleOp) {
  std::cout << "{\"outcomes\": [{}]}" << std::endl;
  return true;
}

static bool endProcess(ModuleOp) { _exit(3); }

static constexpr CandidateFault faults[] = {
    {"endless-loop", nullptr, endlessLoop},
    {"trap", nullptr, trap},
    {"past-the-end", nullptr, pastTheEnd<0>},
    {"far-store", nullptr, pastTheEnd<(int64_t(1) << 40)>},
    {"writes-input", nullptr, writesInput},
    {"not-a-number", nullptr, notANumber},
    {"lazy-later", nullptr, lazyLater},
    {"memory", takeMemory, nullptr},
    {"garbage", writeGarbage, nullptr},
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
