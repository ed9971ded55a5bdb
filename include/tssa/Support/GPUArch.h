//===- GPUArch.h - architectures of CUDA devices ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An instruction set of CUDA devices, written "sm_90" or "sm_90a". Code for the latter uses
/// instructions that no other arch has and runs only there (CUDA C++ Programming Guide, Compute
/// Capabilities, "Feature Set Compiler Targets").
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SUPPORT_GPUARCH_H
#define TSSA_SUPPORT_GPUARCH_H

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace tssa {

struct GPUArch {
  int number = 0; ///< ten times the compute capability: 90 for sm_90
  bool isSpecific = false;

  /// Parses "sm_90" or "sm_90a"; nothing for other texts. Whether code can be compiled for it is
  /// another question.
  static std::optional<GPUArch> parse(std::string_view text) {
    constexpr std::string_view prefix = "sm_";
    if (text.substr(0, prefix.size()) != prefix)
      return std::nullopt;
    text.remove_prefix(prefix.size());
    GPUArch arch;
    arch.isSpecific = !text.empty() && text.back() == 'a';
    text.remove_suffix(arch.isSpecific);
    const char *end = text.data() + text.size();
    auto parsed = std::from_chars(text.data(), end, arch.number);
    bool isCanonical = std::to_string(arch.number) == text;
    if (parsed.ec != std::errc() || parsed.ptr != end || !isCanonical || arch.number < 10 ||
        arch.number > 999)
      return std::nullopt;
    return arch;
  }

  std::string getName() const { return "sm_" + std::to_string(number) + (isSpecific ? "a" : ""); }

  /// Returns whether a device of arch `device` runs machine code, or PTX, which its driver
  /// compiles. Machine code must be for the device's major arch and for no later minor one.
  bool runsOn(int device, bool isMachineCode) const {
    if (isSpecific)
      return number == device;
    return number <= device && (!isMachineCode || number / 10 == device / 10);
  }

  bool operator==(const GPUArch &other) const {
    return number == other.number && isSpecific == other.isSpecific;
  }
  /// Later archs are greater, and a specific one is greater than that of any device.
  bool operator<(const GPUArch &other) const {
    return number != other.number ? number < other.number : isSpecific < other.isSpecific;
  }
};

/// The archs that code can be compiled for, ascending. Emulated kernels may use the instructions of
/// the first one. 90, 100 and 120 also have instructions of their own.
inline constexpr int compiledArchs[] = {80, 86, 87, 89, 90, 100, 120};
constexpr bool hasSpecificCode(int arch) { return arch >= 90; }

} // namespace tssa

#endif // TSSA_SUPPORT_GPUARCH_H
