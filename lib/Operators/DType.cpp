//===- DType.cpp - element types with their sign -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Operators/DType.h"

using namespace mlir;

namespace tssa::operators {

bool isFloat(DType type) {
  return type == DType::F32 || type == DType::F64 || type == DType::F16 || type == DType::BF16;
}

bool isInteger(DType type) { return !isFloat(type) && type != DType::Bool; }

bool isUnsigned(DType type) {
  return type == DType::Bool || type == DType::U8 || type == DType::U16 || type == DType::U32 ||
         type == DType::U64;
}

unsigned getBits(DType type) { return type == DType::Bool ? 1 : 8 * runtime::getByteSize(type); }

Type getElementType(MLIRContext *context, DType type) {
  switch (type) {
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  default:
    return IntegerType::get(context, getBits(type));
  }
}

DType getAccumulator(DType type) {
  return type == DType::F16 || type == DType::BF16 ? DType::F32 : type;
}

std::optional<DType> fromONNX(int64_t code) {
  switch (code) {
  case 1:
    return DType::F32;
  case 2:
    return DType::U8;
  case 3:
    return DType::I8;
  case 4:
    return DType::U16;
  case 5:
    return DType::I16;
  case 6:
    return DType::I32;
  case 7:
    return DType::I64;
  case 9:
    return DType::Bool;
  case 10:
    return DType::F16;
  case 11:
    return DType::F64;
  case 12:
    return DType::U32;
  case 13:
    return DType::U64;
  case 16:
    return DType::BF16;
  default:
    return std::nullopt;
  }
}

} // namespace tssa::operators
