//===- Progression.cpp - constants whose elements follow from their positions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/Progression.h"
#include "dialects/te/Transforms/WeightCollector.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::tssa;

/// The largest magnitude of a first element and of a step: index arithmetic with them is far from
/// an overflow.
static constexpr int64_t mostMagnitude = int64_t(1) << 40;

/// Returns the steps along the dims of a tensor of this shape, and its first element; empty if
/// the elements are no progression.
template <typename Element>
static std::optional<SmallVector<int64_t>> findSteps(ArrayRef<char> bytes,
                                                     ArrayRef<int64_t> shape) {
  auto at = [&](int64_t i) {
    Element element;
    std::memcpy(&element, bytes.data() + i * sizeof(Element), sizeof(Element));
    return int64_t(element);
  };
  int64_t first = at(0);
  auto isFar = [](int64_t value) { return value < -mostMagnitude || value > mostMagnitude; };
  if (isFar(first))
    return std::nullopt;
  // Along the last dim, then with what is known as one block along the dim before, and so on.
  SmallVector<int64_t> steps(shape.size()), blocks = computeStrides(shape);
  for (unsigned dim = shape.size(); dim-- > 0;) {
    int64_t block = blocks[dim];
    int64_t end = dim == 0 ? int64_t(bytes.size() / sizeof(Element)) : blocks[dim - 1];
    if (block == end)
      continue;
    if (isFar(at(block)))
      return std::nullopt;
    int64_t step = steps[dim] = at(block) - first;
    for (int64_t i = block; i < end; ++i)
      if (int64_t before = at(i - block); isFar(before) || at(i) != before + step)
        return std::nullopt;
  }
  steps.push_back(first);
  return steps;
}

AffineExpr te::findProgression(ElementsAttr constant) {
  ShapedType type = constant.getShapedType();
  unsigned width = type.getElementType().isSignlessInteger() ? type.getElementTypeBitWidth() : 0;
  auto dense = dyn_cast<DenseElementsAttr>(constant);
  if (width < 8 || type.getNumElements() < 2 || (dense && dense.isSplat()))
    return {};
  FailureOr<ConstantBytes> memory = ConstantBytes::get(constant); // checks the number of the bytes
  if (failed(memory))
    return {};
  ArrayRef<char> bytes = memory->getBytes();
  ArrayRef<int64_t> shape = type.getShape();
  std::optional<SmallVector<int64_t>> steps;
  if (width == 8)
    steps = findSteps<int8_t>(bytes, shape);
  else if (width == 16)
    steps = findSteps<int16_t>(bytes, shape);
  else if (width == 32)
    steps = findSteps<int32_t>(bytes, shape);
  else if (width == 64)
    steps = findSteps<int64_t>(bytes, shape);
  if (!steps)
    return {};
  MLIRContext *context = constant.getContext();
  AffineExpr result = getAffineConstantExpr(steps->back(), context);
  for (auto [dim, step] : llvm::enumerate(ArrayRef(*steps).drop_back()))
    result = result + getAffineDimExpr(dim, context) * step;
  return result;
}
