//===- Fiber.h - functions with separate stacks ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_EMULATOR_FIBER_H
#define TSSA_LIB_RUNTIME_EMULATOR_FIBER_H

#include <cstddef>
#include <cstdint>

namespace tssa::runtime::emulator {

/// A stack and the function that runs on it. A fiber is resumed from the normal stack of its
/// operating system thread and returns there.
class Fiber {
public:
  /// The bytes of a stack. The system provides a page only when it is first used. An unmapped page
  /// below the stack stops a kernel that needs a larger stack.
  static constexpr size_t stackBytes = size_t(256) << 10;

  /// Throws std::bad_alloc.
  Fiber();
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Prepares `entry(argument)` to run at the next `resume`. A function that the fiber has
  /// been running is abandoned without unwinding. `entry` must end with `leave`.
  void prepare(void (*entry)(void *), void *argument);
  /// Runs the fiber until it calls `leave`.
  void resume();
  /// Must be called on the fiber: makes `resume` return. Returns when the fiber is resumed
  /// again.
  void leave();

  bool ownsAddress(uintptr_t address) const { return address - begin < stackBytes; }

private:
  uintptr_t begin; ///< lowest usable byte
  void *self = nullptr;
  void *resumer = nullptr;
  // The state of AddressSanitizer for the two stacks; unused in other builds.
  [[maybe_unused]] void *selfShadow = nullptr;
  [[maybe_unused]] void *resumerShadow = nullptr;
  [[maybe_unused]] const void *resumerBegin = nullptr;
  [[maybe_unused]] size_t resumerBytes = 0;
  void (*entry)(void *) = nullptr;
  void *argument = nullptr;

  static void begun(Fiber *fiber);
  static void giveBackShadow(void *fiber); ///< defined under AddressSanitizer only
};

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_FIBER_H
