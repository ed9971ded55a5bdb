//===- OperandCache.cpp - operands of a reduction in shared memory -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the cached box of an operand the reduction dims are outermost, so that neighbouring points of
// a register tile are adjacent in memory. Threads fill the box in the order in which the operand's
// sources lie in memory. If that is along columns, rows are padded a little, so that the threads of
// a warp access different banks. A thread loads 16 bytes at once where the source has aligned runs
// of them that exist as a whole; along rows it stores them at once too.
//
// A lane reads the elements of neighbouring points of its tile as one vector.
//
//===----------------------------------------------------------------------===//

#include "BoxElements.h"
#include "PointEmitter.h"
#include "TilePoints.h"
#include "dialects/layout/IR/MachineModel.h"
#include "dialects/te/IR/ElementBytes.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

Value PointEmitter::getOperand(unsigned operand) {
  Operation *maker = op.getPieceBlock(piece)->getTerminator()->getOperand(0).getDefiningOp();
  if (!maker || maker->getBlock() != op.getPieceBlock(piece) || operand >= maker->getNumOperands())
    return {};
  return maker->getOperand(operand);
}

SmallVector<unsigned> PointEmitter::getDimsOfOperand(unsigned operand) {
  Value value = getOperand(operand);
  if (!value)
    return {};
  return llvm::to_vector(te::collectDims(value, op.getPieceBlock(piece)));
}

/// The bytes of the widest access of shared memory.
static constexpr int64_t widestBytes = 16;

namespace {
/// Some of the elements of a box along a dim: `count` of them, each `step` after the one before.
struct FillPart {
  unsigned dim;
  int64_t count, step;
};
} // namespace

/// Returns the innermost dim of more than one element, or 0 if there is none.
static unsigned findRow(const CacheTile &tile, ArrayRef<unsigned> order) {
  auto row = llvm::find_if(llvm::reverse(order), [&](unsigned i) { return tile.extents[i] > 1; });
  return row == order.rend() ? 0 : *row;
}

int64_t PointEmitter::getRowPadding(Value operand, const CacheTile &tile,
                                    ArrayRef<unsigned> order) {
  unsigned column = findRow(tile, getFillOrder(operand, tile, order));
  if (column == findRow(tile, order))
    return 0;
  // A warp fills parts of columns (getFillParts). The first elements of a row that it fills lie
  // before the banks of the next row. A bank has four bytes, as most elements do. Vectors of 16
  // bytes stay aligned.
  int64_t rowElements = llvm::divideCeil(layout::DeviceModel::warp, tile.extents[column]);
  return llvm::alignTo(rowElements,
                       widestBytes / std::min(widestBytes, te::getElementBytes(operand.getType())));
}

/// Returns the parts of the dims of `tile` that the digits of a number stand for, the fastest one
/// first. If rows have `padding` elements more than needed, a warp fills as many columns as it
/// has different banks for. A thread fills runs of `width` elements.
static SmallVector<FillPart> getFillParts(const CacheTile &tile, ArrayRef<unsigned> order,
                                          int64_t padding, int64_t width) {
  SmallVector<FillPart> parts;
  for (unsigned dim : llvm::reverse(order))
    parts.push_back({dim, tile.extents[dim], 1});
  auto *column = llvm::find_if(parts, [](const FillPart &part) { return part.count > 1; });
  if (column == parts.end())
    return parts;
  int64_t extent = column->count, run = padding == 0 ? 0 : layout::DeviceModel::warp / padding;
  FillPart others{column->dim, 1, run};
  if (run != 0 && extent % run == 0 && run % width == 0) {
    others.count = extent / run;
    extent = run;
  }
  column->count = extent / width;
  column->step = width;
  if (others.count > 1)
    parts.push_back(others);
  return parts;
}

void PointEmitter::makeCache(Value operand, const CacheTile &tile) {
  Cache cache;
  SmallVector<unsigned> &order = cache.order;
  for (unsigned i = 0; i < tile.loops.size(); ++i)
    order.push_back(i);
  auto isReduction = [&](unsigned i) { return schedule.loops[tile.loops[i]].reduction; };
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return isReduction(a) > isReduction(b); });
  cache.strides.resize(order.size());
  int64_t stride = 1;
  cache.padding = getRowPadding(operand, tile, order);
  unsigned row = findRow(tile, order);
  for (unsigned i : llvm::reverse(order)) {
    cache.strides[i] = stride;
    stride *= i == row ? tile.extents[i] + cache.padding : tile.extents[i];
  }
  cache.address = getAffineConstantExpr(0, index.getContext());
  for (auto [offset, step] : llvm::zip_equal(tile.offsets, cache.strides))
    cache.address = cache.address + offset * step;
  OpBuilder &builder = index.getBuilder();
  auto func = builder.getBlock()->getParent()->getParentOfType<func::FuncOp>();
  Type type = getMemoryType(operand.getType());
  cache.buffer.memref = kernel.target->getThreads()->makeShared(builder, index.getLoc(), func,
                                                                MemRefType::get({stride}, type));
  cache.buffer.elementType = operand.getType();
  caches[operand] = cache;
}

LogicalResult PointEmitter::fillCache(const CacheTile &tile) {
  Value operand = getOperand(tile.operand);
  if (!operand || !isa<FloatType, IntegerType>(operand.getType()))
    return tile.op->emitError("expected a number, computed in the body, as operand ")
           << tile.operand << " of the op that computes the yielded value";
  if (te::hasOpaqueRead(operand, op.getPieceBlock(piece)))
    return tile.op->emitError("cannot cache an operand that is read at an index from data");
  if (!caches.contains(operand))
    makeCache(operand, tile);

  int64_t width = getFillWidth(operand, tile);
  buildSharedElements(index, *kernel.target->getThreads(), countElements(tile) / width,
                      [&](Value number) {
                        beginScope();
                        fillCacheRun(operand, tile, width, number);
                        beginScope();
                      });
  return success();
}

int64_t PointEmitter::getFillWidth(Value operand, const CacheTile &tile) {
  auto read = operand.getDefiningOp<te::ReadOp>();
  unsigned column = findRow(tile, getFillOrder(operand, tile, caches.find(operand)->second.order));
  if (!read || read.getGuard())
    return 1;
  TilePoint nowhere;
  nowhere.dims = schedule.dims;
  BodyEvaluator body(index, kernel, nowhere, laneDim, lanes, loads);
  AffineExpr loop = getAffineDimExpr(tile.loops[column], index.getContext());
  AffineExpr address =
      body.getAddress(kernel.buffers.find(read.getSource())->second, body.getIndices(read));
  auto isMultiple = [&](AffineExpr expr, int64_t divisor) {
    return index.simplify(expr % divisor) == getAffineConstantExpr(0, index.getContext());
  };
  int64_t threads = kernel.target->getThreads()->count;
  int64_t width = std::max<int64_t>(widestBytes / te::getElementBytes(operand.getType()), 1);
  for (; width > 1; width /= 2)
    if (tile.extents[column] % width == 0 && countElements(tile) % (width * threads) == 0 &&
        isMultiple(tile.origins[column], width) && isMultiple(tile.limits[column], width) &&
        isMultiple(address.replace(loop, loop * width), width) &&
        index.simplify(address.replace(loop, loop + 1) - address) ==
            getAffineConstantExpr(1, index.getContext()))
      break;
  return width;
}

void PointEmitter::fillCacheRun(Value operand, const CacheTile &tile, int64_t width, Value number) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  const Cache &cache = caches.find(operand)->second;
  // Neighbouring threads read neighbouring elements of the source.
  SmallVector<unsigned> order = getFillOrder(operand, tile, cache.order);
  SmallVector<AffineExpr> offsets(order.size(), getAffineConstantExpr(0, index.getContext()));
  SmallVector<FillPart> parts = getFillParts(tile, order, cache.padding, width);
  for (const FillPart &part : parts) {
    bool isLast = &part == &parts.back();
    Value count = index.constant(part.count);
    Value mine = isLast ? number : arith::RemUIOp::create(builder, loc, number, count).getResult();
    if (!isLast)
      number = arith::DivUIOp::create(builder, loc, number, count);
    offsets[part.dim] = offsets[part.dim] + index.getSymbol(mine) * part.step;
  }
  AffineExpr lane = getAffineDimExpr(laneDim, index.getContext());
  if (width > 1)
    offsets[findRow(tile, order)] = offsets[findRow(tile, order)] + lane;
  TilePoint point;
  point.dims = schedule.dims;
  point.vector = width > 1;
  AffineExpr address = getAffineConstantExpr(0, index.getContext());
  Value exists;
  for (unsigned i = 0; i < offsets.size(); ++i) {
    AffineExpr position = tile.origins[i] + offsets[i];
    point.loopValues[getAffineDimExpr(tile.loops[i], index.getContext())] = position;
    address = address + offsets[i] * cache.strides[i];
    // The offset is less than the extent. It is a symbol without a known range, so the comparison
    // uses the extent.
    AffineExpr surplus = index.simplify(tile.limits[i] - tile.origins[i] - tile.extents[i]);
    if (index.isNonNegative(surplus))
      continue;
    // A run exists if its first element does.
    AffineExpr left =
        tile.limits[i] - position.replace(lane, getAffineConstantExpr(0, index.getContext())) - 1;
    Value holds = index.materializeCondition(left, /*equality=*/false);
    exists = buildConjunction(index, exists, holds);
  }
  BodyEvaluator body(index, kernel, point, laneDim, width, loads);
  buildElementOrZero(
      index, exists, operand.getType(), [&] { return body.compute(operand); },
      [&](Value value) { body.store(cache.buffer, address, value); });
}

SmallVector<unsigned> PointEmitter::getFillOrder(Value operand, const CacheTile &tile,
                                                 ArrayRef<unsigned> order) {
  SmallVector<unsigned> filled(order);
  llvm::SetVector<Operation *> ops;
  te::collectPointOps(operand, op.getPieceBlock(piece), ops);
  auto read = llvm::find_if(ops, [](Operation *pointOp) { return isa<te::ReadOp>(pointOp); });
  if (read == ops.end())
    return filled;
  auto source = cast<te::ReadOp>(*read);
  TilePoint nowhere;
  nowhere.dims = schedule.dims;
  BodyEvaluator body(index, kernel, nowhere, laneDim, lanes, loads);
  SmallVector<AffineExpr> indices;
  for (AffineExpr expr : source.getMap().getResults())
    indices.push_back(body.substitute(expr, source.getSymbols()));
  AffineExpr address = body.getAddress(kernel.buffers.find(source.getSource())->second, indices);
  auto isInnermost = [&](unsigned i) {
    AffineExpr loop = getAffineDimExpr(tile.loops[i], index.getContext());
    return index.simplify(address.replace(loop, loop + 1) - address) ==
           getAffineConstantExpr(1, index.getContext());
  };
  llvm::stable_sort(filled,
                    [&](unsigned a, unsigned b) { return !isInnermost(a) && isInnermost(b); });
  return filled;
}

void PointEmitter::mapCached(BodyEvaluator &body, const TilePoint &point) {
  // The cache holds zeros for points that do not exist, so the mask can be dropped.
  TilePoint whole = point;
  whole.mask = whole.exists = Value();
  BodyEvaluator reader(index, kernel, whole, laneDim, lanes, loads);
  for (const auto &[operand, cache] : caches)
    body.map(operand, loadCached(reader, cache));
}

Value PointEmitter::loadCached(BodyEvaluator &reader, const Cache &cache) {
  AffineExpr address = reader.substituteLoops(cache.address);
  if (index.hasLanes(address))
    return reader.load(cache.buffer, address);
  auto type = cast<MemRefType>(cache.buffer.memref.getType());
  int64_t width = std::max<int64_t>(widestBytes / te::getElementBytes(type.getElementType()), 1);
  AffineExpr rest;
  for (; width > 1; width /= 2) {
    rest = index.simplify(address % width);
    if (isa<AffineConstantExpr>(rest) && type.getNumElements() % width == 0)
      break;
  }
  if (width == 1)
    return reader.load(cache.buffer, address);
  AffineExpr first = index.simplify(address - rest);
  auto vectorType = VectorType::get(width, type.getElementType());
  Value &vector = loads[{cache.buffer.memref.getAsOpaquePointer(), first.getAsOpaquePointer(),
                         vectorType.getAsOpaquePointer()}];
  if (!vector)
    vector = kernel.target->buildLoad(index,
                                      {cache.buffer.memref,
                                       first + getAffineDimExpr(laneDim, index.getContext()),
                                       laneDim, vectorType},
                                      Value(), Value());
  return reader.fromMemory(
      vector::ExtractOp::create(index.getBuilder(), index.getLoc(), vector,
                                ArrayRef<int64_t>{cast<AffineConstantExpr>(rest).getValue()}),
      cache.buffer.elementType);
}
