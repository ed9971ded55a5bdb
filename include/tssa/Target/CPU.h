//===- CPU.h - machine code for x86-64 -------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles a module of kernels and a host program to the bytes of a shared object. The passes of
/// `buildTargetCPUStage` end in the LLVM dialect, `translate` makes an LLVM module of it,
/// `optimize` and `emit` generate code, and `link` makes a shared object that imports nothing.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_CPU_H
#define TSSA_TARGET_CPU_H

#include "dialects/layout/IR/MachineModel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace tssa::cpu {

/// The machine for which code is generated.
struct Machine {
  std::string triple;
  /// The CPU that `--mcpu` resolved to; never "native".
  std::string cpu;
  /// The instruction sets that code may use, in LLVM's spelling and sorted.
  std::vector<std::string> features;
  /// The size in bytes of the widest vector register: 64 or 32.
  unsigned vectorBytes = 32;
  /// What the choice of schedules depends on. It has the lanes and registers of `vectorBytes`, but
  /// a machine that was read from text may have others.
  mlir::tssa::layout::MachineModel model;
  /// Whether `model` is that of x86-64-v3 or x86-64-v4 because none of `cpu` is known.
  bool isGenericModel = false;
  /// Whether other arithmetic computes what dot products do, whether the CPU has them or not.
  bool emulatesAtoms = false;

  /// Returns the features as LLVM expects them: "+avx2,+fma ...".
  std::string getFeatureString() const;
};

/// Returns the machine that `mcpu` names. The name "native" stands for the machine that runs the
/// compiler: only then does the result depend on the host, whose caches are measured.
llvm::Expected<Machine> resolveMachine(llvm::StringRef mcpu);

/// Returns the features that a CPU needs for the code of `module`, which is at any stage: those of
/// the machine, but for registers of matrices that it does not use, since a run asks the operating
/// system for them.
std::vector<std::string> getNeededFeatures(mlir::ModuleOp module, const Machine &machine);

/// Returns the name of the CPU whose model stands for those of unknown CPUs: x86-64-v4 or
/// x86-64-v3, by the size of the vector registers.
llvm::StringRef getGenericCPU(const Machine &machine);

/// Returns a machine of these features and this model. Fails for an unknown CPU or feature, and for
/// features that are too few.
llvm::Expected<Machine> restoreMachine(llvm::StringRef cpu, std::vector<std::string> features,
                                       const mlir::tssa::layout::MachineModel &model);

/// Returns the machine as one line of text without its end. `readMachine` reads it, also on another
/// host.
std::string printMachine(const Machine &machine);

/// Reads what `printMachine` wrote. The text must be safe for the parser (Pipeline/CheckText.h).
llvm::Expected<Machine> readMachine(llvm::StringRef text);

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const Machine &machine);

/// Adds the passes of the loops stage: kernels to loops, and cleanups.
void buildLoopsStage(mlir::OpPassManager &manager);

/// Adds the passes that convert kernels (func, scf, vector, memref, arith, math) and a host program
/// (func, cf, arith, llvm) to the LLVM dialect.
void buildTargetCPUStage(mlir::OpPassManager &manager, const Machine &machine);

/// Registers the passes of CPU/Passes.td and the pipeline `cpu-target-stage`.
void registerTargetCPUPasses();

/// Registers the translations that `translate` needs.
void registerTranslations(mlir::DialectRegistry &registry);

llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module,
                                                        llvm::LLVMContext &context,
                                                        const llvm::TargetMachine &target,
                                                        const Machine &machine);

/// Links functions of `bitcode` into `module`: all of them, or with `onlyNeeded` only those that
/// the module uses. They are compiled for `machine`, like `module` itself.
llvm::Error linkBitcode(llvm::Module &module, llvm::StringRef bitcode, bool onlyNeeded,
                        const Machine &machine);

/// Whether code generation may call the function, so that every artifact defines it: memcpy,
/// memmove, memset, __truncdfhf2 and __truncsfbf2.
bool isCalledLate(llvm::StringRef name);

struct OptimizeOptions {
  /// Whether the module is a kernel that calls nothing, so that a short list of passes is enough.
  bool isKernel = false;
  /// Is appended to the names that a program exports.
  std::string suffix;
  /// Whether AddressSanitizer checks every access.
  bool sanitize = false;
  /// What other modules of the program use or define, and its name in machine code.
  llvm::StringMap<std::string> shared;
};

/// Optimises `module` for speed. Its definitions become internal, except those that a program
/// exports, and those that are shared, which become hidden and get their names in machine code.
void optimize(llvm::Module &module, llvm::TargetMachine &target, const OptimizeOptions &options);

/// Writes an optimised module to `stream` as assembly text or as an object.
llvm::Error emit(llvm::Module &module, llvm::TargetMachine &target, bool assembly,
                 llvm::raw_pwrite_stream &stream);

/// Links `objects` to a shared object that imports nothing and exports all their symbols that are
/// not hidden, and none of the `foreign` objects, which are linked as well. Undefined symbols are
/// an error that names them. With `sanitize` they are allowed, because the process that loads the
/// code has the functions of AddressSanitizer.
llvm::Expected<std::string> link(llvm::ArrayRef<std::string> objects,
                                 llvm::ArrayRef<std::string> foreign = {}, bool sanitize = false);

} // namespace tssa::cpu

#endif // TSSA_TARGET_CPU_H
