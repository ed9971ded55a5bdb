//===- CheckedSize.h - sizes that cannot overflow ---------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sizes come from untrusted files. A `CheckedSize` is a number of elements or bytes in [0, 2^63 -
/// 1], or invalid. A result computed from it is correct or invalid, but never wrapped around. Get
/// the number once, at the end:
///
///     std::optional<int64_t> bytes = CheckedSize::product(shape, elementBytes).get();
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SUPPORT_CHECKEDSIZE_H
#define TSSA_SUPPORT_CHECKEDSIZE_H

#include <cstdint>
#include <optional>
#include <type_traits>

namespace tssa {

class CheckedSize {
public:
  constexpr CheckedSize() = default;
  /// Invalid if `size` is negative or larger than 2^63 - 1.
  template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
  constexpr CheckedSize(Integer size) {
    if (__builtin_add_overflow(size, Integer(0), &value) || value < 0)
      value = invalid;
  }
  /// Invalid if `size` is empty.
  template <typename Integer>
  constexpr CheckedSize(std::optional<Integer> size)
      : CheckedSize(size ? CheckedSize(*size) : none()) {}

  static constexpr CheckedSize none() {
    CheckedSize size;
    size.value = invalid;
    return size;
  }

  constexpr bool isValid() const { return value != invalid; }
  constexpr std::optional<int64_t> get() const {
    return isValid() ? std::optional<int64_t>(value) : std::nullopt;
  }
  /// Whether the size is valid and at most `limit`.
  constexpr bool fits(uint64_t limit) const { return isValid() && uint64_t(value) <= limit; }

  friend constexpr CheckedSize operator+(CheckedSize a, CheckedSize b) {
    int64_t sum = 0;
    bool bad = !a.isValid() || !b.isValid() || __builtin_add_overflow(a.value, b.value, &sum);
    return bad ? none() : CheckedSize(sum);
  }
  /// Invalid if `b` is larger than `a`.
  friend constexpr CheckedSize operator-(CheckedSize a, CheckedSize b) {
    return a.isValid() && b.isValid() ? CheckedSize(a.value - b.value) : none();
  }
  friend constexpr CheckedSize operator*(CheckedSize a, CheckedSize b) {
    int64_t result = 0;
    bool bad = !a.isValid() || !b.isValid() || __builtin_mul_overflow(a.value, b.value, &result);
    return bad ? none() : CheckedSize(result);
  }
  CheckedSize &operator+=(CheckedSize other) { return *this = *this + other; }
  CheckedSize &operator*=(CheckedSize other) { return *this = *this * other; }

  /// Returns the next multiple of `alignment`, which must be positive.
  constexpr CheckedSize alignTo(int64_t alignment) const {
    int64_t rest = isValid() ? value % alignment : 0;
    return rest ? *this + (alignment - rest) : *this;
  }

  /// Returns the product of `sizes` and `factor`, which must be positive. The product is invalid if
  /// the product of the nonzero sizes overflows, even if another size is zero: such a shape is a
  /// mistake, and its strides would overflow as well.
  template <typename Range>
  static constexpr CheckedSize product(const Range &sizes, int64_t factor = 1) {
    CheckedSize result = factor;
    bool isEmpty = false;
    for (auto size : sizes) {
      isEmpty |= size == 0;
      result = result * (size == 0 ? CheckedSize(1) : CheckedSize(size));
    }
    return isEmpty && result.isValid() ? CheckedSize(0) : result;
  }

private:
  static constexpr int64_t invalid = -1;
  int64_t value = 0;
};

} // namespace tssa

#endif // TSSA_SUPPORT_CHECKEDSIZE_H
