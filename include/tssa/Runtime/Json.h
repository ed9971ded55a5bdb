//===- Json.h - writes JSON ----------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_JSON_H
#define TSSA_RUNTIME_JSON_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tssa::runtime {

/// Builds one JSON value, with one call per token. Bytes that are not UTF-8 become U+FFFD, and
/// numbers that JSON cannot represent become null.
class Json {
public:
  Json &beginObject();
  Json &endObject();
  Json &beginArray();
  Json &endArray();
  Json &key(std::string_view name);
  Json &string(std::string_view text);
  Json &number(double value);
  Json &integer(int64_t value);
  /// Writes a thousandth of `value`, exactly.
  Json &thousandths(int64_t value);
  Json &boolean(bool value);

  const std::string &get() const { return text; }

private:
  std::string text;
  bool needsComma = false;

  void separate();
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_JSON_H
