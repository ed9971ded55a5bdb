//===- TensorLayout.cpp - a layout map applied to a shape -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Algebra/TensorLayout.h"
#include "dialects/layout/Algebra/LayoutBuilder.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa::layout;

FailureOr<TensorLayout> TensorLayout::get(const LayoutMap &map, ArrayRef<AffineExpr> shape,
                                          MLIRContext *context, Refuse refuse) {
  TensorLayout layout;
  layout.map = map;
  layout.context = context;
  layout.logicalShape.assign(shape.begin(), shape.end());
  LayoutBuilder builder(layout, refuse);
  if (failed(builder.start(shape)))
    return failure();
  for (const Primitive &primitive : map.getPrimitives())
    if (failed(builder.apply(primitive)))
      return failure();

  SizeArithmetic sizes(context);
  for (ArrayRef<Digit> dim : layout.dims)
    layout.physicalShape.push_back(getExtent(dim, sizes));
  SmallVector<bool> used = layout.numbers.findUsed(layout.dims);
  for (unsigned i = 0; i < layout.numbers.size(); ++i) {
    const Number &number = layout.numbers[i];
    if (used[i] && number.kind == Number::Kind::Tile)
      layout.copyCounts.push_back(llvm::divideCeil(uint64_t(number.tile), uint64_t(number.stride)));
  }
  return layout;
}

FailureOr<TensorLayout> TensorLayout::get(const LayoutMap &map, ArrayRef<int64_t> shape,
                                          MLIRContext *context, Refuse refuse) {
  SmallVector<AffineExpr> sizes;
  for (auto [dim, size] : llvm::enumerate(shape))
    sizes.push_back(ShapedType::isDynamic(size) ? getAffineSymbolExpr(dim, context)
                                                : getAffineConstantExpr(size, context));
  return get(map, sizes, context, refuse);
}

SmallVector<int64_t> TensorLayout::getPhysicalTypeShape() const {
  SmallVector<int64_t> shape;
  for (AffineExpr size : physicalShape)
    shape.push_back(getConstant(size).value_or(ShapedType::kDynamic));
  return shape;
}

bool TensorLayout::isIdentity() const {
  if (dims.size() != logicalShape.size())
    return false;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    DigitList whole = numbers.getWhole(i);
    if (!NumberTable::areEqual(numbers, dim, numbers, whole))
      return false;
  }
  return true;
}

bool TensorLayout::isBijective() const {
  for (auto [i, used] : llvm::enumerate(numbers.findUsed(dims)))
    if (used && numbers[i].kind != Number::Kind::Index && numbers[i].kind != Number::Kind::Recut)
      return false;
  return true;
}

bool TensorLayout::operator==(const TensorLayout &other) const {
  return logicalShape == other.logicalShape && dims.size() == other.dims.size() &&
         llvm::all_of(llvm::zip(dims, other.dims), [&](auto pair) {
           return NumberTable::areEqual(numbers, std::get<0>(pair), other.numbers,
                                        std::get<1>(pair));
         });
}

bool TensorLayout::hasSameBytes(const TensorLayout &other) const {
  auto asOneDim = [](const TensorLayout &layout) {
    DigitList all;
    for (ArrayRef<Digit> dim : layout.dims)
      all.append(dim.begin(), dim.end());
    return layout.numbers.normalize(all);
  };
  return logicalShape == other.logicalShape &&
         NumberTable::areEqual(numbers, asOneDim(*this), other.numbers, asOneDim(other));
}

FailureOr<LayoutMap> TensorLayout::invert(Refuse refuse) const {
  if (!whyNotInvertible.empty()) {
    refuse(whyNotInvertible);
    return failure();
  }
  return LayoutMap::get(llvm::to_vector(llvm::reverse(inverse)), refuse);
}
