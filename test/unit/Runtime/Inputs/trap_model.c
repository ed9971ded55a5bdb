//===- trap_model.c - code that must not run when it is damaged ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program that opens file descriptor 1000 as soon as the dynamic linker runs any of its code.
/// The tests load damaged artifacts with this code and check that the descriptor is not open.
///
//===----------------------------------------------------------------------===//
#include "tssa/abi.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int32_t tssa_plan(const int64_t *sizes, int64_t *arena) {
  *arena = 0;
  return TSSA_OK;
}

EXPORT int32_t tssa_run(const tssa_host *host, tssa_tensor *args,
                        tssa_tensor *results, void *arena) {
  return TSSA_OK;
}

__attribute__((constructor)) static void leaveTrace(void) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(33L /* dup2 */), "D"(2L), "S"(1000L)
                   : "rcx", "r11", "memory");
#endif
}
