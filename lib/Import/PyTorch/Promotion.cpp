//===- Promotion.cpp - PyTorch's rules for element types of results -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Promotion.h"

namespace tssa::pytorch {

/// Returns the category of a type: 0 for bool, 1 for integer, 2 for float.
static int getCategory(DType type) {
  return operators::isFloat(type) ? 2 : operators::isInteger(type) ? 1 : 0;
}

static bool isWideUnsigned(DType type) {
  return type == DType::U16 || type == DType::U32 || type == DType::U64;
}

std::optional<DType> promote(DType lhs, DType rhs) {
  if (lhs == rhs)
    return lhs;
  int left = getCategory(lhs), right = getCategory(rhs);
  if (left != right) {
    DType higher = left > right ? lhs : rhs;
    return higher;
  }
  if (isWideUnsigned(lhs) || isWideUnsigned(rhs))
    return std::nullopt;
  unsigned leftBits = operators::getBits(lhs), rightBits = operators::getBits(rhs);
  if (left == 2)
    return leftBits == rightBits ? DType::F32 : leftBits > rightBits ? lhs : rhs;
  // u8 with a signed type gives the smallest signed type that holds both.
  if (lhs == DType::U8 || rhs == DType::U8) {
    DType other = lhs == DType::U8 ? rhs : lhs;
    return other == DType::I8 ? DType::I16 : other;
  }
  return leftBits > rightBits ? lhs : rhs;
}

void ResultType::add(std::optional<DType> &group, DType type) {
  std::optional<DType> promoted = group ? promote(*group, type) : type;
  if (promoted)
    group = promoted;
  else
    isRefused = true;
}

void ResultType::addTensor(DType type, bool hasDims) {
  add(hasDims ? withDims : withoutDims, type);
}

void ResultType::addNumber(Value::Kind kind) {
  add(numbers, kind == Value::Float ? DType::F32 : kind == Value::Bool ? DType::Bool : DType::I64);
}

/// Combines the types of two groups of operands: the group of higher precedence decides, unless the
/// other is of a higher category.
static std::optional<DType> combine(std::optional<DType> higher, std::optional<DType> lower,
                                    bool &isRefused) {
  if (!higher || !lower)
    return higher ? higher : lower;
  if (getCategory(*lower) <= getCategory(*higher))
    return higher;
  std::optional<DType> promoted = promote(*higher, *lower);
  isRefused |= !promoted;
  return promoted;
}

std::optional<DType> ResultType::get() const {
  bool refused = isRefused;
  std::optional<DType> type = combine(withDims, combine(withoutDims, numbers, refused), refused);
  return refused ? std::nullopt : type;
}

} // namespace tssa::pytorch
