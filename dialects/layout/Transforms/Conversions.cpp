//===- Conversions.cpp - tensors in another layout -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/Conversions.h"
#include "dialects/layout/Transforms/ApplyStores.h"
#include "dialects/layout/Transforms/StoredConstant.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/OutlineKernel.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Emits a remark with the bytes of a tensor of type `type`.
static void remarkBytes(Location loc, StringRef name, RankedTensorType type) {
  auto options = remark::RemarkOpts::name(name).category("layout-materialize-stores");
  if (!type.hasStaticShape())
    remark::passed(loc, options) << remark::add("dynamic sizes decide how many bytes it writes");
  else
    remark::passed(loc, options) << remark::metric(
        "Bytes", llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8));
}

Value Conversions::convert(Value value, const TensorLayout &from, const TensorLayout &to) {
  std::vector<Converted> &layouts = known[value];
  for (const Converted &converted : layouts)
    if (converted.layout == to)
      return converted.value;
  Value result;
  if (auto constant = value.getDefiningOp<te::ConstantOp>())
    result = convertConstant(constant, to);
  if (!result)
    result = buildConversion(value, from, to);
  layouts.push_back({to, result});
  return result;
}

Value Conversions::convertConstant(te::ConstantOp constant, const TensorLayout &to) {
  ElementsAttr elements = store(constant.getValue(), to);
  if (!elements)
    return {};
  OpBuilder builder(constant);
  auto type = cast<RankedTensorType>(elements.getType());
  remarkBytes(constant.getLoc(), "constant", type);
  return te::ConstantOp::create(builder, constant.getLoc(), type, elements);
}

/// Returns the sizes of a tensor in the layout `to`. `value` has the same tensor in `from`.
static SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Value value, const TensorLayout &from,
                                          const TensorLayout &to) {
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr size : to.getPhysicalShape()) {
    if (std::optional<int64_t> constant = getConstant(size)) {
      sizes.push_back(builder.getIndexAttr(*constant));
      continue;
    }
    unsigned dim = llvm::find(from.getPhysicalShape(), size) - from.getPhysicalShape().begin();
    // A value that holds the size of an argument may be defined only after the conversion.
    if (value.getDefiningOp<te::LaunchOp>())
      sizes.push_back(te::getSize(builder, value.getLoc(), value, dim));
    else
      sizes.push_back(tensor::DimOp::create(builder, value.getLoc(), value, dim).getResult());
  }
  return sizes;
}

Value Conversions::buildConversion(Value value, const TensorLayout &from, const TensorLayout &to) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  Type elementType = getElementTypeOrSelf(value.getType());
  SmallVector<OpFoldResult> sizes = getSizes(builder, value, from, to);
  SmallVector<AffineExpr> cell;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    cell.push_back(builder.getAffineDimExpr(dim));
  GuardedIndex element = getElement(to, cell);
  AffineMap map = AffineMap::get(sizes.size(), 0, getCell(from, element.index), value.getContext());
  auto readElement = [&](OpBuilder &inner, Location) {
    return SmallVector<Value>{te::ReadOp::create(inner, loc, value, map)};
  };
  auto makeZero = [&](OpBuilder &inner, Location) {
    return SmallVector<Value>{
        arith::ConstantOp::create(inner, loc, inner.getZeroAttr(elementType))};
  };
  SmallVector<te::BodyFn> bodies = {readElement};
  bodies.append(element.guard.size(), makeZero);
  SmallVector<IntegerSet> sets = getPaddingSets(sizes.size(), element.guard);
  if (!sets.empty())
    sets.insert(sets.begin(), IntegerSet::get(sizes.size(), 0, element.guard,
                                              SmallVector<bool>(element.guard.size(), false)));
  te::ComputeOp compute = te::buildPieces(builder, loc, sizes, elementType, sets, bodies);
  compute.setLabel("convert");
  compute.walk([](te::ReadOp read) { simplifyDivisions(read); });
  remarkBytes(loc, "conversion", cast<RankedTensorType>(compute.getResult(0).getType()));
  pending.push_back(compute);
  return compute.getResult(0);
}

void Conversions::outline() {
  for (te::ComputeOp compute : pending)
    te::outlineKernel(symbols, compute.getOperation(), "convert");
  pending.clear();
  known.clear();
}
