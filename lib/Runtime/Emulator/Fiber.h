//===- Fiber.h - functions that can wait on stacks of their own -*- C++ -*-===//
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

/// A stack and what runs on it. All fibers of a thread of the operating system are
/// resumed by that thread's own stack, and go back to it.
class Fiber {
public:
  /// Bytes of a stack, which are the system's only once they are touched. An
  /// unmapped page below stops a kernel that needs more.
  static constexpr size_t stackBytes = size_t(256) << 10;

  /// Throws std::bad_alloc.
  Fiber();
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Prepares `entry(argument)` to run at the next `resume`; whatever the fiber ran
  /// before is forgotten where it stands. `entry` ends with `leave`.
  void prepare(void (*entry)(void *), void *argument);
  /// Runs the fiber until it calls `leave`.
  void resume();
  /// Called on the fiber: goes back to `resume`. Returns when resumed again.
  void leave();

  bool ownsAddress(uintptr_t address) const { return address - begin < stackBytes; }

private:
  uintptr_t begin; ///< lowest usable byte
  void *self = nullptr;
  void *resumer = nullptr;
  // What AddressSanitizer knows of the two stacks; unused without.
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
