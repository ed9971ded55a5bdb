//===- Json.cpp ----------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/Json.h"

#include "tssa/Runtime/NearName.h"

#include <cmath>
#include <cstdio>

using namespace tssa::runtime;

void Json::separate() {
  if (needsComma)
    text += ',';
  needsComma = true;
}

Json &Json::beginObject() {
  separate();
  text += '{';
  needsComma = false;
  return *this;
}

Json &Json::endObject() {
  text += '}';
  needsComma = true;
  return *this;
}

Json &Json::beginArray() {
  separate();
  text += '[';
  needsComma = false;
  return *this;
}

Json &Json::endArray() {
  text += ']';
  needsComma = true;
  return *this;
}

Json &Json::key(std::string_view name) {
  string(name);
  text += ':';
  needsComma = false;
  return *this;
}

Json &Json::string(std::string_view value) {
  separate();
  text += '"';
  while (!value.empty()) {
    unsigned char byte = static_cast<unsigned char>(value[0]);
    size_t length = getSequenceLength(value);
    if (length == 0) {
      text += "\\ufffd";
      length = 1;
    } else if (byte < 0x20 || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
      text += escape;
    } else {
      if (byte == '"' || byte == '\\')
        text += '\\';
      text += value.substr(0, length);
    }
    value.remove_prefix(length);
  }
  text += '"';
  return *this;
}

Json &Json::number(double value) {
  separate();
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.9g", value);
  text += std::isfinite(value) ? digits : "null";
  return *this;
}

Json &Json::integer(int64_t value) {
  separate();
  text += std::to_string(value);
  return *this;
}

Json &Json::thousandths(int64_t value) {
  separate();
  char digits[32];
  uint64_t size = value < 0 ? 0 - uint64_t(value) : uint64_t(value);
  std::snprintf(digits, sizeof(digits), "%s%llu.%03u", value < 0 ? "-" : "",
                static_cast<unsigned long long>(size / 1000), unsigned(size % 1000));
  text += digits;
  return *this;
}

Json &Json::boolean(bool value) {
  separate();
  text += value ? "true" : "false";
  return *this;
}
