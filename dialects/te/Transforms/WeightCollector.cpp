//===- WeightCollector.cpp - collects constants without duplicates -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/WeightCollector.h"
#include "dialects/te/Transforms/BufferPlacement.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tssa/Support/CheckedSize.h"
#include "llvm/Support/xxhash.h"

namespace mlir::tssa::te {

ElementsAttr makeConstant(RankedTensorType type, StringRef name, AsmResourceBlob blob) {
  constexpr int64_t mostPrinted = 4096;
  if (type.getNumElements() <= mostPrinted)
    return DenseElementsAttr::getFromRawBuffer(type, blob.getData());
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

FailureOr<ConstantBytes> ConstantBytes::get(ElementsAttr value) {
  ShapedType type = value.getShapedType();
  int64_t elementBytes = getElementBytes(type.getElementType());
  std::optional<int64_t> size = ::tssa::CheckedSize::product(type.getShape(), elementBytes).get();
  if (!size)
    return failure();
  size_t expected = *size;
  ConstantBytes result;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != expected)
      return failure();
    result.bytes = blob->getData();
    return result;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return failure();
  if (type.getElementType().isInteger(1)) {
    result.storage = std::make_shared<SmallVector<char, 0>>();
    for (bool element : dense.getValues<bool>())
      result.storage->push_back(element);
  } else if (dense.isSplat()) {
    ArrayRef<char> element = dense.getRawData();
    result.storage = std::make_shared<SmallVector<char, 0>>();
    result.storage->reserve(expected);
    for (int64_t i = 0, e = type.getNumElements(); i < e; ++i)
      result.storage->append(element.begin(), element.begin() + elementBytes);
  } else {
    result.bytes = dense.getRawData();
  }
  if (result.storage)
    result.bytes = *result.storage;
  if (result.bytes.size() != expected)
    return failure();
  return result;
}

WeightCollector::WeightCollector(ArrayRef<WeightAttr> known) {
  for (WeightAttr weight : known) {
    [[maybe_unused]] FailureOr<int64_t> offset = add(weight.getValue());
    assert(succeeded(offset) && static_cast<uint64_t>(*offset) == weight.getOffset());
  }
}

FailureOr<int64_t> WeightCollector::add(ElementsAttr value) {
  if (auto known = offsetOf.find(value); known != offsetOf.end())
    return known->second;
  FailureOr<ConstantBytes> constant = ConstantBytes::get(value);
  if (failed(constant))
    return failure();
  ArrayRef<char> bytes = constant->getBytes();
  SmallVector<unsigned, 1> &same = byHash[llvm::xxh3_64bits(StringRef(bytes.data(), bytes.size()))];
  for (unsigned i : same)
    if (ConstantBytes::get(entries[i].value)->getBytes() == bytes)
      return offsetOf[value] = entries[i].offset;
  same.push_back(entries.size());
  entries.push_back({value, next, int64_t(bytes.size())});
  offsetOf[value] = next;
  // A constant without elements also gets an offset of its own.
  next += llvm::alignTo(std::max<int64_t>(bytes.size(), 1), bufferAlignment);
  return entries.back().offset;
}

SmallVector<WeightAttr> WeightCollector::getWeights() const {
  return llvm::map_to_vector(entries, [](const Entry &entry) {
    return WeightAttr::get(entry.value.getContext(), entry.offset, entry.value);
  });
}

} // namespace mlir::tssa::te
