//===- CPU.h - machine code for x86-64 -------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From a module of kernels and a host program to the bytes of a shared object:
/// `buildTargetCPUStage` ends in the LLVM dialect, `translate` makes an LLVM
/// module, `optimize` and `emit` make code of it, `link` a shared object that
/// imports nothing.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_CPU_H
#define TSSA_TARGET_CPU_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace tssa::cpu {

/// The machine that code is made for.
struct Machine {
  std::string triple;
  /// What `--mcpu` resolved to; never "native".
  std::string cpu;
  /// The instruction sets that code may use, in LLVM's spelling, sorted.
  std::vector<std::string> features;
  /// Bytes of the widest vector register: 64 or 32.
  unsigned vectorBytes = 32;

  /// "+avx2,+fma ...".
  std::string getFeatureString() const;
};

/// The machine that `mcpu` names: "native" is this one.
llvm::Expected<Machine> resolveMachine(llvm::StringRef mcpu);

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const Machine &machine);

/// Stage loops: kernels to loops, cleaned up.
void buildLoopsStage(mlir::OpPassManager &manager);

/// Passes that take kernels (func, scf, vector, memref, arith, math) and a host
/// program (func, cf, arith, llvm) to the LLVM dialect.
void buildTargetCPUStage(mlir::OpPassManager &manager, const Machine &machine);

/// Registers the passes of CPU/Passes.td and the pipeline `cpu-target-stage`.
void registerTargetCPUPasses();

/// Registers the translations that `translate` needs.
void registerTranslations(mlir::DialectRegistry &registry);

llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module,
                                                        llvm::LLVMContext &context,
                                                        const llvm::TargetMachine &target,
                                                        const Machine &machine);

/// Links the functions of `bitcode`, or those that the module uses, into it, to be
/// compiled for the same machine.
llvm::Error linkBitcode(llvm::Module &module, llvm::StringRef bitcode, bool onlyNeeded,
                        const Machine &machine);

/// Optimises for speed. All but what the program exports becomes internal; names of
/// exports get `suffix`. With `sanitize`, AddressSanitizer watches every access.
void optimize(llvm::Module &module, llvm::TargetMachine &target, llvm::StringRef suffix,
              bool sanitize = false);

/// Writes an object, or assembly text, of an optimised module.
llvm::Error emit(llvm::Module &module, llvm::TargetMachine &target, bool assembly,
                 llvm::raw_pwrite_stream &stream);

/// Links objects to a shared object that exports what they do not hide and imports
/// nothing. Undefined symbols are an error that names them, unless the code is for a
/// process that has AddressSanitizer's.
llvm::Expected<std::string> link(llvm::ArrayRef<std::string> objects, bool sanitize = false);

} // namespace tssa::cpu

#endif // TSSA_TARGET_CPU_H
