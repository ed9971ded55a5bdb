//===- Absent.cpp - what a static compiler leaves out ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld and LLVM's LTO initialize each target and each extension of the LLVM that they were built
/// with. A static compiler has only the targets that it makes code for; the others register
/// nothing, so that LLVM reports them as unknown. The list of targets comes from CMake.
///
//===----------------------------------------------------------------------===//

#include "llvm/Plugins/PassPlugin.h"

#include <cstdint>
#include <sys/random.h>
#include <unistd.h>

extern "C" {
#define ABSENT(TARGET)                                                                             \
  void LLVMInitialize##TARGET##Target() {}                                                         \
  void LLVMInitialize##TARGET##TargetInfo() {}                                                     \
  void LLVMInitialize##TARGET##TargetMC() {}                                                       \
  void LLVMInitialize##TARGET##AsmPrinter() {}                                                     \
  void LLVMInitialize##TARGET##AsmParser() {}                                                      \
  void LLVMInitialize##TARGET##Disassembler() {}
#include "AbsentTargets.def"
#undef ABSENT

/// LLVM was built with a libc that has this function (glibc 2.36). Older systems, which do not,
/// are to run the compiler, too.
uint32_t arc4random() {
  uint32_t value = 0;
  while (::getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}
}

/// Polly optimizes bitcode in LTO; the compiler links objects only.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "absent", [](llvm::PassBuilder &) {}};
}
