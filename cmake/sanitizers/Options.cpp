//===- Options.cpp - how sanitizers behave in the project's programs -----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// LLVM's allocators poison what they have not handed out, in code that is partly in
/// headers (instrumented here) and partly in libLLVM.so (not instrumented): the two do
/// not agree, so poisoning by hand is off. An allocation of too much is a null pointer
/// or bad_alloc, as it is without sanitizers. A report ends the program by a signal, so
/// that nothing takes it for an exit code of the program.
extern "C" const char *__asan_default_options() {
  return "abort_on_error=1:allow_user_poisoning=0:allocator_may_return_null=1";
}

extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1"; }
