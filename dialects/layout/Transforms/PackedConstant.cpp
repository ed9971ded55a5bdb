//===- PackedConstant.cpp - constants in blocked storage -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/PackedConstant.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::tssa::layout;

RankedTensorType Packing::getType(RankedTensorType logical) const {
  SmallVector<int64_t> shape = {
      static_cast<int64_t>(llvm::divideCeil(logical.getDimSize(blocked), block))};
  for (int64_t dim : order)
    shape.push_back(logical.getDimSize(dim));
  shape.push_back(block);
  return RankedTensorType::get(shape, logical.getElementType());
}

SmallVector<AffineExpr> Packing::getIndex(ArrayRef<AffineExpr> logical) const {
  SmallVector<AffineExpr> index = {logical[blocked].floorDiv(block)};
  for (int64_t dim : order)
    index.push_back(logical[dim]);
  index.push_back(logical[blocked] % block);
  return index;
}

/// Returns the bytes of all elements, or nothing for a splat or an attribute without bytes.
static std::optional<ArrayRef<char>> getBytes(ElementsAttr value) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (dense.isSplat())
      return std::nullopt;
    return dense.getRawData();
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? std::optional(blob->getData()) : std::nullopt;
}

namespace {
/// Copies the elements of a constant to packed storage.
class Packer {
public:
  Packer(const Packing &packing, RankedTensorType logical, ArrayRef<char> source, char *target)
      : source(source.data()), target(target), width(logical.getElementTypeBitWidth() / 8) {
    SmallVector<int64_t> strides(logical.getRank(), 1);
    for (int64_t dim = logical.getRank() - 2; dim >= 0; --dim)
      strides[dim] = strides[dim + 1] * logical.getDimSize(dim + 1);
    for (int64_t dim : packing.order) {
      sizes.push_back(logical.getDimSize(dim));
      byteStrides.push_back(strides[dim] * width);
    }
    blockedStride = strides[packing.blocked] * width;
    blockedSize = logical.getDimSize(packing.blocked);
    block = packing.block;
  }

  void run() {
    for (int64_t first = 0; first < blockedSize; first += block)
      copy(0, first * blockedStride, std::min(block, blockedSize - first));
  }

private:
  void copy(unsigned dim, int64_t offset, int64_t count) {
    if (dim < sizes.size()) {
      for (int64_t i = 0; i < sizes[dim]; ++i)
        copy(dim + 1, offset + i * byteStrides[dim], count);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(target + i * width, source + offset + i * blockedStride, width);
    target += block * width;
  }

  const char *source;
  char *target;
  int64_t width, blockedStride = 0, blockedSize = 0, block = 1;
  SmallVector<int64_t> sizes, byteStrides;
};
} // namespace

ElementsAttr mlir::tssa::layout::pack(ElementsAttr value, const Packing &packing) {
  auto logical = cast<RankedTensorType>(value.getType());
  std::optional<ArrayRef<char>> bytes = getBytes(value);
  int64_t width = logical.getElementTypeBitWidth() / 8;
  if (!bytes || logical.getElementTypeBitWidth() % 8 ||
      static_cast<int64_t>(bytes->size()) != logical.getNumElements() * width)
    return {};
  RankedTensorType type = packing.getType(logical);
  size_t size = type.getNumElements() * width;
  void *memory = llvm::allocate_buffer(size, 64);
  std::memset(memory, 0, size);
  Packer(packing, logical, *bytes, static_cast<char *>(memory)).run();
  AsmResourceBlob blob(
      ArrayRef(static_cast<char *>(memory), size), 64,
      [](void *data, size_t dataSize, size_t align) {
        llvm::deallocate_buffer(data, dataSize, align);
      },
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, "packed", std::move(blob));
}
