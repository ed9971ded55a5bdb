//===- AtomFill.cpp - factors of an atom on their way to shared memory ----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A box lies in shared memory in the order of its tensor. Rows are 16 bytes longer than they need
// to be: then the eight rows that a matrix is loaded from, and those that neighbouring threads
// fill, are in different banks, if a row has 128 bytes.
//
//===----------------------------------------------------------------------===//

#include "AtomEmitter.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

/// The bytes of a copy.
static constexpr int64_t runBytes = 16;

static int64_t getRun(te::ReadOp read) {
  return runBytes * 8 / read.getType().getIntOrFloatBitWidth();
}

te::ReadOp AtomEmitter::findFactor(unsigned operand) {
  SmallVector<Operation *> products = te::findSummedProducts(op, piece);
  auto product = products.size() == 1 ? dyn_cast<arith::MulFOp>(products.front()) : arith::MulFOp();
  auto extension =
      product ? product->getOperand(operand).getDefiningOp<arith::ExtFOp>() : arith::ExtFOp();
  auto read = extension ? extension.getIn().getDefiningOp<te::ReadOp>() : te::ReadOp();
  bool isTaken = read && schedule.atom->instruction->takes(read.getType(), extension.getType());
  return isTaken && !hasOpaqueIndex(read) ? read : te::ReadOp();
}

/// Returns the flat address of what `read` reads, over loops before splitting.
static AffineExpr getSourceAddress(BodyEvaluator &body, KernelContext &kernel, te::ReadOp read) {
  return body.getAddress(kernel.buffers.find(read.getSource())->second, body.getIndices(read));
}

SmallVector<unsigned> AtomEmitter::getOrder(te::ReadOp read, const CacheTile &tile) {
  TilePoint nowhere;
  nowhere.dims = schedule.dims;
  BodyEvaluator body(index, kernel, nowhere, laneDim, /*lanes=*/0, loads);
  AffineExpr address = getSourceAddress(body, kernel, read);
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, tile.loops.size()));
  auto hasRuns = [&](unsigned i) {
    AffineExpr loop = getAffineDimExpr(tile.loops[i], index.getContext());
    int64_t run = getRun(read);
    AffineExpr first = address.replace(loop, loop * run);
    return tile.extents[i] % run == 0 && llvm::all_of(llvm::seq(int64_t(1), run), [&](int64_t at) {
             return index.simplify(address.replace(loop, loop * run + at) - first) ==
                    getAffineConstantExpr(at, index.getContext());
           });
  };
  auto *row = llvm::find_if(order, hasRuns);
  if (row == order.end())
    return {};
  std::rotate(row, row + 1, order.end());
  return order;
}

void AtomEmitter::allocate(Factor &factor, const CacheTile &tile) {
  int64_t stride = 1;
  factor.strides.resize(factor.order.size());
  for (unsigned dim : llvm::reverse(factor.order)) {
    factor.strides[dim] = stride;
    bool isRow = dim == factor.order.back() && factor.order.size() > 1;
    stride *= tile.extents[dim] + (isRow ? getRun(factor.read) : 0);
  }
  factor.size = stride;
  factor.address = getAffineConstantExpr(0, index.getContext());
  for (auto [offset, step] : llvm::zip_equal(tile.offsets, factor.strides))
    factor.address = factor.address + offset * step;
  OpBuilder &builder = index.getBuilder();
  auto type = MemRefType::get({stride * schedule.pipeline->depth}, factor.read.getType());
  Operation *parent = builder.getBlock()->getParentOp();
  auto func = dyn_cast<func::FuncOp>(parent);
  factor.memory = kernel.target->getThreads()->makeShared(
      builder, index.getLoc(), func ? func : parent->getParentOfType<func::FuncOp>(), type);
}

FailureOr<AtomEmitter::Factor> AtomEmitter::makeFactor(const CacheTile &tile) {
  Factor factor;
  factor.read = findFactor(tile.operand);
  if (!factor.read)
    return layout::AtomOp(schedule.atom->op)
               .emitError("expected a sum of products of two reads, extended from a "
                          "type that ")
           << schedule.atom->instruction->name << " takes, by '" << op.getLabel().value_or("")
           << "'";
  if (factor.read.getGuard() && !matchPattern(factor.read.getPadAttr(), m_AnyZeroFloat()))
    return tile.op->emitError("expected zero where the guard of operand ")
           << tile.operand << " does not hold";
  factor.order = getOrder(factor.read, tile);
  int64_t run = getRun(factor.read), runs = 1;
  if (factor.order.empty())
    return tile.op->emitError("expected a box of operand ")
           << tile.operand << " in runs of " << run << " elements that lie beside each other";
  for (int64_t extent : tile.extents)
    runs *= extent;
  runs /= run;
  int64_t threads = kernel.target->getThreads()->count;
  if (runs % threads != 0)
    return tile.op->emitError("expected a box of operand ")
           << tile.operand << " in runs of " << run << " elements, a multiple of " << threads
           << " threads, got " << runs << " runs";
  allocate(factor, tile);
  return factor;
}

LogicalResult AtomEmitter::fill(const CacheTile &tile, AffineExpr stage) {
  std::optional<Factor> &factor = factors[tile.operand];
  if (!factor) {
    FailureOr<Factor> made = makeFactor(tile);
    if (failed(made))
      return failure();
    factor = std::move(*made);
  }
  OpBuilder &builder = index.getBuilder();
  BlockThreads &threads = *kernel.target->getThreads();
  int64_t runs = 1;
  for (int64_t extent : tile.extents)
    runs *= extent;
  runs /= getRun(factor->read);
  for (int64_t first = 0; first < runs; first += threads.count) {
    Value number = arith::AddIOp::create(builder, index.getLoc(), threads.buildNumber(index),
                                         index.constant(first));
    if (failed(copyRun(*factor, tile, stage, number)))
      return failure();
  }
  return success();
}

LogicalResult AtomEmitter::copyRun(const Factor &factor, const CacheTile &tile, AffineExpr stage,
                                   Value number) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  int64_t run = getRun(factor.read);
  unsigned row = factor.order.back();
  SmallVector<AffineExpr> offsets(factor.order.size());
  for (unsigned dim : llvm::reverse(factor.order)) {
    Value count = index.constant(tile.extents[dim] / (dim == row ? run : 1));
    bool isOutermost = dim == factor.order.front();
    Value own =
        isOutermost ? number : arith::RemUIOp::create(builder, loc, number, count).getResult();
    number = isOutermost ? number : arith::DivUIOp::create(builder, loc, number, count).getResult();
    offsets[dim] = index.getSymbol(own) * (dim == row ? run : 1);
  }
  TilePoint point;
  point.dims = schedule.dims;
  AffineExpr target = stage * factor.size;
  Condition condition;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    AffineExpr position = tile.origins[dim] + offset;
    point.loopValues[getAffineDimExpr(tile.loops[dim], index.getContext())] = position;
    target = target + offset * factor.strides[dim];
    AffineExpr surplus = index.simplify(tile.limits[dim] - tile.origins[dim] - tile.extents[dim]);
    if (index.isNonNegative(surplus))
      continue;
    AffineExpr count = index.simplify(tile.limits[dim] - tile.origins[dim]);
    if (dim == row && index.simplify(count % run) != getAffineConstantExpr(0, index.getContext()))
      return tile.op->emitError("expected runs of operand ")
             << tile.operand
             << " that exist as a whole or not at all; a row of the tensor does not "
             << "end at a multiple of " << run << " elements";
    Value exists = index.materializeCondition(count - offset - 1, /*equality=*/false);
    condition.uniform =
        condition.uniform
            ? arith::AndIOp::create(builder, loc, condition.uniform, exists).getResult()
            : exists;
  }
  BodyEvaluator body(index, kernel, point, laneDim, /*lanes=*/0, loads);
  return copyRunAt(factor, tile, body, target, condition);
}

LogicalResult AtomEmitter::copyRunAt(const Factor &factor, const CacheTile &tile,
                                     BodyEvaluator &body, AffineExpr target, Condition condition) {
  te::ReadOp read = factor.read;
  AffineExpr row = getAffineDimExpr(tile.loops[factor.order.back()], index.getContext());
  bool dividesRun = false;
  if (IntegerSet guard = read.getGuard().value_or(IntegerSet()))
    for (auto [number, constraint] : llvm::enumerate(guard.getConstraints())) {
      AffineExpr expr = body.substitute(constraint, read.getSymbols());
      expr.walk([&](AffineExpr part) { dividesRun |= part == row; });
      body.addConstraint(expr, guard.isEq(number), condition);
    }
  AffineExpr address = index.simplify(getSourceAddress(body, kernel, read));
  auto isMultiple = [&](AffineExpr expr) {
    return index.simplify(expr % getRun(read)) == getAffineConstantExpr(0, index.getContext());
  };
  bool isAligned = isMultiple(address) && isMultiple(tile.origins[factor.order.back()]);
  if (dividesRun || !isAligned)
    return tile.op->emitError("expected runs of operand ")
           << tile.operand << " that "
           << (dividesRun ? "a guard does not cut" : "begin at multiples of 16 bytes");
  OpBuilder &builder = index.getBuilder();
  BlockThreads::AsyncCopy copy;
  copy.from = kernel.buffers.find(read.getSource())->second.memref;
  copy.source = index.materialize(address);
  copy.to = factor.memory;
  copy.target = index.materialize(index.simplify(target));
  copy.elements = getRun(read);
  copy.exists = condition.never
                    ? arith::ConstantOp::create(builder, index.getLoc(), builder.getBoolAttr(false))
                          .getResult()
                    : condition.uniform;
  kernel.target->getThreads()->buildCopy(index, copy);
  return success();
}

} // namespace tssa::conversion
