//===- Window.cpp - tensors in the memory of larger ones -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Reference/Window.h"

#include <cstring>

using namespace tssa::reference;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::SmallVector;
using mlir::tssa::te::WindowAttr;

SmallVector<int64_t> tssa::reference::getWholeShape(ArrayRef<int64_t> shape, WindowAttr window) {
  SmallVector<int64_t> whole(shape);
  for (auto [size, outer] : llvm::zip_equal(whole, window.getSizes().asArrayRef()))
    size = outer == -1 ? size : outer;
  return whole;
}

/// Calls `copy` for each row of a tensor of sizes `shape`, with the positions of its first element
/// in the tensor and in a larger tensor of sizes `whole`, where the tensor begins at the indexes
/// `at`, and with the number of its elements.
static void forEachRow(ArrayRef<int64_t> shape, ArrayRef<int64_t> whole, ArrayRef<int64_t> at,
                       llvm::function_ref<void(int64_t, int64_t, int64_t)> copy) {
  int64_t length = shape.empty() ? 1 : shape.back();
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size());
  for (int64_t row = 0;; row += length) {
    int64_t position = 0;
    for (auto [i, size, begin] : llvm::zip_equal(index, whole, at))
      position = position * size + i + begin;
    copy(row, position, length);
    int64_t dim = static_cast<int64_t>(shape.size()) - 2;
    while (dim >= 0 && ++index[dim] == shape[dim])
      index[dim--] = 0;
    if (dim < 0)
      return;
  }
}

void tssa::reference::putInto(const HostTensor &tensor, ArrayRef<int64_t> at, HostTensor &whole) {
  int64_t bytes = getByteSize(tensor.getKind());
  uint8_t *target = whole.getMutableData();
  forEachRow(tensor.getShape(), whole.getShape(), at,
             [&](int64_t from, int64_t to, int64_t length) {
               std::memcpy(target + to * bytes, tensor.getData() + from * bytes, length * bytes);
             });
}

Expected<HostTensor> tssa::reference::makeWhole(const HostTensor &tensor, WindowAttr window) {
  Expected<HostTensor> whole =
      HostTensor::create(tensor.getKind(), getWholeShape(tensor.getShape(), window));
  if (!whole)
    return whole.takeError();
  if (whole->getNumBytes())
    std::memset(whole->getMutableData(), garbage, whole->getNumBytes());
  putInto(tensor, window.getAt(), *whole);
  return whole;
}

Expected<HostTensor> tssa::reference::takeFromWindow(const HostTensor &whole,
                                                     ArrayRef<int64_t> shape, WindowAttr window) {
  Expected<HostTensor> tensor = HostTensor::create(whole.getKind(), shape);
  if (!tensor)
    return tensor.takeError();
  int64_t bytes = getByteSize(whole.getKind());
  uint8_t *target = tensor->getMutableData();
  forEachRow(shape, whole.getShape(), window.getAt(),
             [&](int64_t to, int64_t from, int64_t length) {
               std::memcpy(target + to * bytes, whole.getData() + from * bytes, length * bytes);
             });
  return tensor;
}
