//===- UpdateLowering.cpp - kernels of te.update and te.scan as loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

namespace {
/// Builds nested loops over `extents` and calls `body` with their loops declared
/// in `index` as dims 0, 1, ...
void buildLoops(IndexBuilder &index, ArrayRef<AffineExpr> extents, unsigned dim,
                function_ref<void()> body) {
  if (dim == extents.size()) {
    body();
    return;
  }
  OpBuilder &builder = index.getBuilder();
  auto loop = scf::ForOp::create(builder, index.getLoc(), index.constant(0),
                                 index.materialize(extents[dim]), index.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  index.declareLoop(dim, extents[dim]);
  index.setLoop(dim, loop.getInductionVar());
  buildLoops(index, extents, dim + 1, body);
  index.dropLoop(dim);
}

SmallVector<AffineExpr> getSizeExprs(IndexBuilder &index, ArrayRef<OpFoldResult> sizes,
                                     const IRMapping &values) {
  SmallVector<AffineExpr> exprs;
  for (OpFoldResult size : mapSizes(sizes, values))
    exprs.push_back(index.getSize(size));
  return exprs;
}

/// Elements of a buffer.
Value getCount(IndexBuilder &index, const TensorBuffer &buffer) {
  AffineExpr count = getAffineConstantExpr(1, index.getContext());
  for (OpFoldResult size : buffer.sizes)
    count = count * index.getSize(size);
  return index.materialize(count);
}

/// Copies all of `from` to `to` unless they are the same memory.
void buildCopy(IndexBuilder &index, const TensorBuffer &from, const TensorBuffer &to) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  Value source = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, from.memref);
  Value target = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, to.memref);
  Value differ =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, source, target);
  auto branch = scf::IfOp::create(builder, loc, differ, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  auto loop = scf::ForOp::create(builder, loc, index.constant(0), getCount(index, from),
                                 index.constant(1));
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value element = memref::LoadOp::create(builder, loc, from.memref, loop.getInductionVar());
  memref::StoreOp::create(builder, loc, element, to.memref, loop.getInductionVar());
}

/// Runs `body` where `condition` holds; everywhere when it is null.
void buildWhere(OpBuilder &builder, Location loc, Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}
} // namespace

/// One iteration, and no reason to start a thread for it.
static std::pair<Value, Value> getSerialExtent(IndexBuilder &index, const IRMapping &) {
  Value one = index.constant(1);
  return {one, one};
}

/// One point of an update: the value, the target, the check of the target, the
/// combination with the old element.
static void buildUpdatePoint(IndexBuilder &index, KernelFunction &function, te::UpdateOp update,
                             const TilePoint &point) {
  OpBuilder &builder = index.getBuilder();
  std::map<SmallVector<const void *>, Value> loads;
  BodyEvaluator body(index, function.context, point, 0, 0, loads);
  bool never = false;
  Value guard;
  if (update.getGuard())
    guard = body.getCondition(*update.getGuard(), update.getSymbols(), never);
  if (never)
    return;
  buildWhere(builder, index.getLoc(), guard, [&] {
    Block &block = update.getBody().front();
    body.run(block);
    SmallVector<Value> yielded = body.getYielded(block);
    SmallVector<Value> symbols(update.getSymbols());
    auto yield = block.getTerminator()->getOperands();
    symbols.append(std::next(yield.begin()), yield.end());
    SmallVector<AffineExpr> target;
    SmallVector<bool> opaque;
    for (AffineExpr expr : update.getMap().getResults()) {
      target.push_back(body.substitute(expr, symbols));
      opaque.push_back(llvm::any_of(
          llvm::seq<unsigned>(update.getSymbols().size(), symbols.size()),
          [&](unsigned symbol) { return expr.isFunctionOfSymbol(symbol); }));
    }
    const TensorBuffer &out = function.outs[0];
    Value inBounds = body.checkOpaque(target, opaque, out, /*guard=*/Value());
    buildWhere(builder, index.getLoc(), inBounds, [&] {
      AffineExpr address = body.getAddress(out, target);
      Value value = yielded[0];
      if (update.hasCombiner()) {
        Block &combiner = update.getCombiner().front();
        body.map(combiner.getArgument(0), body.load(out, address, Value(), TypedAttr()));
        body.map(combiner.getArgument(1), value);
        body.run(combiner);
        value = body.getYielded(combiner)[0];
      }
      body.store(out, address, value);
    });
  });
}

namespace tssa::conversion {

LogicalResult lowerUpdateKernel(OpBuilder &builder, te::KernelOp kernel,
                                te::UpdateOp update, KernelTarget &target) {
  builder.setInsertionPoint(kernel);
  KernelFunction function = createKernelFunction(builder, kernel, target);
  IndexBuilder index(builder, update.getLoc());
  buildCopy(index, function.context.buffers.find(update.getBase())->second, function.outs[0]);
  SmallVector<AffineExpr> extents =
      getSizeExprs(index, update.getMixedSizes(), function.context.values);
  buildLoops(index, extents, 0, [&] {
    TilePoint point;
    for (unsigned dim = 0; dim < extents.size(); ++dim)
      point.dims.push_back(getAffineDimExpr(dim, index.getContext()));
    buildUpdatePoint(index, function, update, point);
  });
  if (failed(finishKernelFunction(builder, function, target)))
    return failure();
  createExtentFunction(builder, kernel, getSerialExtent);
  return success();
}


LogicalResult lowerScanKernel(OpBuilder &builder, te::KernelOp kernel,
                              te::ScanOp scan, KernelTarget &target) {
  builder.setInsertionPoint(kernel);
  KernelFunction function = createKernelFunction(builder, kernel, target);
  IndexBuilder index(builder, scan.getLoc());
  Location loc = scan.getLoc();
  const TensorBuffer &source = function.context.buffers.find(scan.getSource())->second;
  const TensorBuffer &out = function.outs[0];
  SmallVector<AffineExpr> sizes = getSizeExprs(index, source.sizes, IRMapping());
  unsigned axis = scan.getAxis();
  AffineExpr length = sizes[axis];
  SmallVector<AffineExpr> outer = sizes;
  outer[axis] = getAffineConstantExpr(1, index.getContext());
  buildLoops(index, outer, 0, [&] {
    Value init = arith::ConstantOp::create(builder, loc, scan.getInitAttr());
    auto loop = scf::ForOp::create(builder, loc, index.constant(0), index.materialize(length),
                                   index.constant(1), ValueRange{init});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    AffineExpr step = index.getSymbol(loop.getInductionVar());
    TilePoint point;
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      point.dims.push_back(getAffineDimExpr(dim, index.getContext()));
    point.dims[axis] = scan.getReverse() ? length - 1 - step : step;
    std::map<SmallVector<const void *>, Value> loads;
    BodyEvaluator body(index, function.context, point, 0, 0, loads);
    Value before = loop.getRegionIterArg(0);
    AffineExpr address = body.getAddress(source, point.dims);
    Block &combiner = scan.getCombiner().front();
    body.map(combiner.getArgument(0), before);
    body.map(combiner.getArgument(1), body.load(source, address, Value(), TypedAttr()));
    body.run(combiner);
    Value after = body.getYielded(combiner)[0];
    body.store(out, body.getAddress(out, point.dims), scan.getExclusive() ? before : after);
    scf::YieldOp::create(builder, loc, after);
  });
  if (failed(finishKernelFunction(builder, function, target)))
    return failure();
  createExtentFunction(builder, kernel, getSerialExtent);
  return success();
}

} // namespace tssa::conversion
