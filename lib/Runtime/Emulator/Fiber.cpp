//===- Fiber.cpp - functions with separate stacks -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include "lib/Runtime/Watched.h"

#include <new>
#include <sys/mman.h>
#include <unistd.h>

#ifdef TSSA_WATCHED
#include <sanitizer/common_interface_defs.h>
#endif

using namespace tssa::runtime::emulator;

// Saves the callee-saved registers, switches stacks, and returns on the other stack.
extern "C" void tssa_emulator_switch(void **from, void *to);
__asm__(".text\n"
        ".globl tssa_emulator_switch\n"
        ".hidden tssa_emulator_switch\n"
        ".type tssa_emulator_switch,@function\n"
        "tssa_emulator_switch:\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  ret\n"
        ".size tssa_emulator_switch,.-tssa_emulator_switch\n");

// The entry of a new fiber: its Fiber is in %r12, the function to call in %r13.
extern "C" void tssa_emulator_begin();
__asm__(".text\n"
        ".globl tssa_emulator_begin\n"
        ".hidden tssa_emulator_begin\n"
        ".type tssa_emulator_begin,@function\n"
        "tssa_emulator_begin:\n"
        "  movq %r12, %rdi\n"
        "  callq *%r13\n"
        "  ud2\n"
        ".size tssa_emulator_begin,.-tssa_emulator_begin\n");

Fiber::Fiber() {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *memory = mmap(nullptr, stackBytes + page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  if (mprotect(memory, page, PROT_NONE) != 0) {
    munmap(memory, stackBytes + page);
    throw std::bad_alloc();
  }
  begin = reinterpret_cast<uintptr_t>(memory) + page;
}

Fiber::~Fiber() {
#ifdef TSSA_WATCHED
  if (selfShadow) {
    prepare(&Fiber::giveBackShadow, this);
    resume();
  }
#endif
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  munmap(reinterpret_cast<void *>(begin - page), stackBytes + page);
}

void Fiber::prepare(void (*newEntry)(void *), void *newArgument) {
  entry = newEntry;
  argument = newArgument;
  allow(reinterpret_cast<void *>(begin), stackBytes);
  // Prepare the stack in the form in which tssa_emulator_switch leaves a stack: six saved registers
  // below the return address. `ret` leaves the stack 16-byte aligned for the call that follows.
  auto *top = reinterpret_cast<void **>(begin + stackBytes - 64);
  *--top = reinterpret_cast<void *>(&tssa_emulator_begin);
  *--top = nullptr;                                 // rbp
  *--top = nullptr;                                 // rbx
  *--top = this;                                    // r12
  *--top = reinterpret_cast<void *>(&Fiber::begun); // r13
  *--top = nullptr;                                 // r14
  *--top = nullptr;                                 // r15
  self = top;
}

void Fiber::begun(Fiber *fiber) {
#ifdef TSSA_WATCHED
  __sanitizer_finish_switch_fiber(fiber->selfShadow, &fiber->resumerBegin, &fiber->resumerBytes);
#endif
  fiber->entry(fiber->argument);
}

#ifdef TSSA_WATCHED
/// Runs last on the fiber. It leaves the fiber without giving AddressSanitizer a location for the
/// fiber's state. AddressSanitizer then frees that state.
void Fiber::giveBackShadow(void *data) {
  Fiber &fiber = *static_cast<Fiber *>(data);
  __sanitizer_start_switch_fiber(nullptr, fiber.resumerBegin, fiber.resumerBytes);
  tssa_emulator_switch(&fiber.self, fiber.resumer);
}
#endif

void Fiber::resume() {
#ifdef TSSA_WATCHED
  __sanitizer_start_switch_fiber(&resumerShadow, reinterpret_cast<void *>(begin), stackBytes);
#endif
  tssa_emulator_switch(&resumer, self);
#ifdef TSSA_WATCHED
  __sanitizer_finish_switch_fiber(resumerShadow, nullptr, nullptr);
#endif
}

void Fiber::leave() {
#ifdef TSSA_WATCHED
  __sanitizer_start_switch_fiber(&selfShadow, resumerBegin, resumerBytes);
#endif
  tssa_emulator_switch(&self, resumer);
#ifdef TSSA_WATCHED
  __sanitizer_finish_switch_fiber(selfShadow, &resumerBegin, &resumerBytes);
#endif
}
