//===- DType.cpp - element types with their sign -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/DType.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tssa::operators {

bool isFloat(DType type) {
  return type == DType::F32 || type == DType::F64 || type == DType::F16 || type == DType::BF16 ||
         isSmallFloat(type);
}

bool isInteger(DType type) { return !isFloat(type) && type != DType::Bool; }

bool isUnsigned(DType type) {
  return type == DType::Bool || type == DType::U8 || type == DType::U16 || type == DType::U32 ||
         type == DType::U64 || type == DType::U4 || type == DType::U2;
}

unsigned getBits(DType type) { return runtime::getValueBits(type); }

bool isSubByte(DType type) { return getBits(type) < 8 && type != DType::Bool; }

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
    return IntegerType::get(context, type == DType::Bool ? 1 : std::max(getBits(type), 8u));
  }
}

Type getSignedType(MLIRContext *context, DType type) {
  switch (type) {
  case DType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case DType::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case DType::F8E5M2:
    return Float8E5M2Type::get(context);
  case DType::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case DType::F8E8M0:
    return Float8E8M0FNUType::get(context);
  case DType::F4E2M1:
    return Float4E2M1FNType::get(context);
  default:
    break;
  }
  if (isFloat(type) || type == DType::Bool)
    return getElementType(context, type);
  return IntegerType::get(context, getBits(type),
                          isUnsigned(type) ? IntegerType::Unsigned : IntegerType::Signless);
}

std::optional<DType> findDType(Type type) {
  for (unsigned i = 0; i < runtime::numDTypes; ++i)
    if (type == getSignedType(type.getContext(), DType(i)))
      return DType(i);
  return std::nullopt;
}

DType getAccumulator(DType type) { return isFloat(type) && type != DType::F64 ? DType::F32 : type; }

/// The number of each element type in ONNX, in the order of DType.
static constexpr int64_t onnxCodes[runtime::numDTypes] = {
    1, 11, 10, 16, 9, 3, 2, 5, 4, 6, 12, 7, 13, 17, 18, 19, 20, 24, 23, 22, 21, 26, 25};

std::optional<DType> fromONNX(int64_t code) {
  const int64_t *found = llvm::find(onnxCodes, code);
  if (found == std::end(onnxCodes))
    return std::nullopt;
  return static_cast<DType>(found - std::begin(onnxCodes));
}

int64_t toONNX(DType type) { return onnxCodes[static_cast<unsigned>(type)]; }

} // namespace tssa::operators
