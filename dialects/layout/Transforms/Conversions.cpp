//===- Conversions.cpp - tensors in another layout -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/Conversions.h"
#include "dialects/layout/Transforms/ApplyStores.h"
#include "dialects/layout/Transforms/DropGuards.h"
#include "dialects/layout/Transforms/StoredConstant.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/ElementBytes.h"
#include "dialects/te/IR/OutlineKernel.h"
#include "dialects/te/IR/Sizes.h"
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
        "Bytes", type.getNumElements() * te::getElementBytes(type.getElementType()));
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
  auto stored = te::ConstantOp::create(builder, constant.getLoc(), type, elements);
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense || !dense.isSplat() || te::isPositiveZero(dense.getSplatValue<Attribute>()))
    zeroPadded.insert(stored);
  return stored;
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

namespace {
/// Some cells of a conversion, and the index that they are read at.
struct ConversionPiece {
  IntegerSet set; ///< null for all cells
  AffineMap source;
};
} // namespace

/// Returns the set over `numDims` dims where all of `constraints` are at least 0, null if there are
/// none.
static IntegerSet getSet(unsigned numDims, ArrayRef<AffineExpr> constraints) {
  if (constraints.empty())
    return IntegerSet();
  return IntegerSet::get(numDims, 0, constraints, SmallVector<bool>(constraints.size(), false));
}

/// Returns the pieces of a conversion from `from` to a layout of rank `numDims` whose cells have
/// the elements `element`. Where tiles of `from` overlap and no expression has a cell of every
/// element, each case of its canonical cell is a piece.
static std::vector<ConversionPiece> getPieces(const TensorLayout &from,
                                              ArrayRef<AffineExpr> element, unsigned numDims) {
  MLIRContext *context = from.getPhysicalShape().front().getContext();
  auto getSource = [&](ArrayRef<AffineExpr> cell) {
    return AffineMap::get(numDims, 0, cell, context);
  };
  if (from.getCopyCounts().empty())
    return {{IntegerSet(), getSource(getCell(from, element))}};
  if (std::optional<SmallVector<AffineExpr>> cell = from.getCellOfAny(element))
    return {{IntegerSet(), getSource(*cell)}};
  std::vector<ConversionPiece> pieces;
  for (const GuardedIndex &cell : from.getCell(element)) {
    SmallVector<AffineExpr> constraints;
    for (AffineExpr expr : cell.guard)
      constraints.push_back(simplifyAffineExpr(expr, numDims, 0));
    // A case without a condition is the only one that has elements.
    if (constraints.empty())
      return {{IntegerSet(), getSource(cell.index)}};
    pieces.push_back({getSet(numDims, constraints), getSource(cell.index)});
  }
  return pieces;
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
  // A cell without an element reads zero. Its guard is one of tiles, of which most are inside,
  // while sets of such cells are seldom boxes, and a piece visits all points of its box.
  IntegerSet guard = getSet(cell.size(), element.guard);
  TypedAttr pad = guard ? builder.getZeroAttr(elementType) : TypedAttr();
  std::vector<ConversionPiece> pieces = getPieces(from, element.index, cell.size());
  te::PieceSets sets;
  SmallVector<std::function<SmallVector<Value>(OpBuilder &, Location)>> makers;
  for (const ConversionPiece &piece : pieces) {
    if (IntegerSet set = piece.set) // null for the only piece
      sets.add(set, {});
    makers.push_back([&](OpBuilder &inner, Location) -> SmallVector<Value> {
      return {te::ReadOp::create(inner, loc, value, piece.source, ValueRange(), guard, pad)};
    });
  }
  SmallVector<te::BodyFn> bodies(makers.begin(), makers.end());
  te::ComputeOp compute = te::buildPieces(builder, loc, sizes, elementType, sets, bodies);
  compute.setLabel("convert");
  compute.walk([](te::ReadOp read) { simplifyDivisions(read); });
  remarkBytes(loc, "conversion", cast<RankedTensorType>(compute.getResult(0).getType()));
  pending.push_back(compute);
  zeroPadded.insert(compute.getResult(0));
  return compute.getResult(0);
}

void Conversions::outline() {
  for (te::ComputeOp compute : pending)
    te::outlineKernel(symbols, compute.getOperation(), kernelName);
  pending.clear();
  known.clear();
  zeroPadded.clear();
}
