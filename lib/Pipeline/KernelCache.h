//===- KernelCache.h - machine code of kernels, kept ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_PIPELINE_KERNELCACHE_H
#define LIB_PIPELINE_KERNELCACHE_H

#include "dialects/te/IR/TEOps.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Target/CPU/Program.h"

namespace tssa {

/// The kernels of a program for a CPU by key, and the folder in which the code of kernels is kept
/// for later compilations.
///
/// The key is the SHA-256 of all that decides the machine code: the kernel's text with its schedule
/// but without its name, the CPU, the options of code generation and the compiler's build.
class KernelCache {
public:
  KernelCache(const CompileOptions &options, const cpu::Machine &machine);

  /// Adds the keys of the kernels to `program`, and the code that the folder has. Marks the kernels
  /// that have code as compiled. `module` must be at the end of stage buffers.
  void find(mlir::ModuleOp module, cpu::ProgramOptions &program);

  /// Keeps the new ones among the objects. A file that cannot be written is only missed later.
  void store(llvm::ArrayRef<cpu::Object> objects) const;

private:
  const CompileOptions &options;
  /// What is the same for all kernels of the compilation.
  std::string common;

  std::string computeKey(mlir::tssa::te::KernelOp kernel) const;
  std::string getPath(llvm::StringRef key) const;
};

} // namespace tssa

#endif // LIB_PIPELINE_KERNELCACHE_H
