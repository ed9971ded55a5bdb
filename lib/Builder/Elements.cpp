//===- Elements.cpp - constant elements of tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/Elements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

namespace tssa::operators {

static constexpr uint64_t smallBytes = 1024;

bool isSmall(uint64_t bytes) { return bytes <= smallBytes; }

/// Returns the element at `bytes` as a scalar attribute.
static Attribute readElement(Type type, const char *bytes) {
  unsigned width = type.getIntOrFloatBitWidth();
  uint64_t raw = 0;
  std::memcpy(&raw, bytes, (width + 7) / 8);
  APInt bits(width, raw, /*isSigned=*/false, /*implicitTrunc=*/true);
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(floatType.getFloatSemantics(), bits));
  return IntegerAttr::get(type, bits);
}

static uint64_t byteSize(Type type) { return (type.getIntOrFloatBitWidth() + 7) / 8; }

ElementsAttr makeElements(MLIRContext *context, DType type, ArrayRef<int64_t> shape,
                          ArrayRef<char> bytes) {
  if (!isSmall(bytes.size()))
    return makeElements(context, type, shape,
                        HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 64), "constant");
  auto tensorType = RankedTensorType::get(shape, getElementType(context, type));
  Type elementType = tensorType.getElementType();
  SmallVector<Attribute> values;
  for (uint64_t at = 0, size = byteSize(elementType); at + size <= bytes.size(); at += size)
    values.push_back(readElement(elementType, bytes.data() + at));
  return DenseElementsAttr::get(tensorType, values);
}

ElementsAttr makeElements(MLIRContext *context, DType type, ArrayRef<int64_t> shape,
                          AsmResourceBlob blob, StringRef name) {
  auto tensorType = RankedTensorType::get(shape, getElementType(context, type));
  return DenseResourceElementsAttr::get(tensorType, name, std::move(blob));
}

std::optional<SmallVector<Attribute>> readAttributes(ElementsAttr elements, int64_t limit) {
  auto type = cast<RankedTensorType>(elements.getType());
  if (type.getNumElements() > limit)
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    auto range = dense.getValues<Attribute>();
    return SmallVector<Attribute>(range.begin(), range.end());
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return std::nullopt;
  SmallVector<Attribute> values;
  const char *data = blob->getData().data();
  uint64_t size = byteSize(type.getElementType());
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    values.push_back(readElement(type.getElementType(), data + i * size));
  return values;
}

std::optional<SmallVector<int64_t>> readInts(ElementsAttr elements, DType type, int64_t limit) {
  std::optional<SmallVector<Attribute>> values;
  if (!isFloat(type))
    values = readAttributes(elements, limit);
  if (!values)
    return std::nullopt;
  SmallVector<int64_t> result;
  for (Attribute value : *values) {
    const APInt &bits = cast<IntegerAttr>(value).getValue();
    result.push_back(isUnsigned(type) ? bits.getZExtValue() : bits.getSExtValue());
  }
  return result;
}

std::optional<SmallVector<double>> readFloats(ElementsAttr elements, DType type, int64_t limit) {
  SmallVector<double> result;
  if (!isFloat(type)) {
    std::optional<SmallVector<int64_t>> ints = readInts(elements, type, limit);
    if (!ints)
      return std::nullopt;
    return SmallVector<double>(ints->begin(), ints->end());
  }
  std::optional<SmallVector<Attribute>> values = readAttributes(elements, limit);
  if (!values)
    return std::nullopt;
  for (Attribute value : *values)
    result.push_back(
        isSmallFloat(type)
            ? runtime::decodeSmallFloat(type, cast<IntegerAttr>(value).getValue().getZExtValue())
            : cast<FloatAttr>(value).getValueAsDouble());
  return result;
}

IntegerAttr makeIntegerAttribute(Type elementType, DType type, int64_t value) {
  APInt bits(getBits(type), value, /*isSigned=*/false, /*implicitTrunc=*/true);
  unsigned width = elementType.getIntOrFloatBitWidth();
  return IntegerAttr::get(elementType, isUnsigned(type) ? bits.zext(width) : bits.sext(width));
}

ElementsAttr fromInts(MLIRContext *context, DType type, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> values) {
  auto tensorType = RankedTensorType::get(shape, getElementType(context, type));
  SmallVector<Attribute> attributes;
  for (int64_t value : values)
    attributes.push_back(makeIntegerAttribute(tensorType.getElementType(), type, value));
  return fromAttributes(tensorType, attributes);
}

ElementsAttr fromAttributes(RankedTensorType type, ArrayRef<Attribute> values) {
  return DenseElementsAttr::get(type, values);
}

} // namespace tssa::operators
