//===- KernelSchedule.cpp - the schedule of a kernel from points -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/KernelSchedule.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/layout/Template/WriteLoops.h"
#include "dialects/layout/Transforms/BoxPlaces.h"
#include "dialects/layout/Transforms/RowDims.h"
#include "dialects/te/IR/AssumedSize.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/ElementBytes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

SmallVector<unsigned> KernelExpression::orderRows(const Point &point) const {
  SmallVector<unsigned> order;
  for (bool isTiled : {false, true}) {
    for (unsigned dim : point.outer)
      if (dim < rowDims && dim != blockDim && (point.getTileExtent(dim) != 1) == isTiled)
        order.push_back(dim);
    if (blockDim && !isTiled)
      order.push_back(*blockDim);
  }
  return order;
}

/// Finds the last product before the root whose iterations read a part of their own of others, and
/// has these computed there.
static void findBlocks(MutableArrayRef<KernelExpression> expressions) {
  for (size_t number = expressions.size() - 1; number-- > 0;) {
    KernelExpression &owner = expressions[number];
    if (!owner.isInBoxes || !te::matchContraction(owner.op))
      continue;
    for (KernelExpression &member : expressions.take_front(number))
      if (std::optional<unsigned> dim = findBlockDim(owner.op, owner.rowDims, member.op)) {
        member.owner = number;
        owner.blockDim = std::min(*dim, owner.blockDim.value_or(*dim));
      }
    if (!owner.blockDim)
      continue;
    owner.rowDims = *owner.blockDim + 1;
    return;
  }
}

SmallVector<KernelExpression> layout::getKernelExpressions(te::KernelOp kernel) {
  SmallVector<te::ComputeOp> ops(kernel.getBodyBlock().getOps<te::ComputeOp>());
  SmallVector<KernelExpression> expressions;
  if (ops.empty())
    return expressions;
  te::ComputeOp root = ops.pop_back_val();
  unsigned rowDims = countRowDims(root, ops);
  bool isInBoxes = root.hasReduction() && rowDims != 0;
  for (te::ComputeOp op : ops) {
    unsigned own = countRowDims(root, op);
    expressions.push_back({op, own, isInBoxes && own == rowDims, {}, {}});
  }
  expressions.push_back({root, rowDims, isInBoxes, {}, {}});
  findBlocks(expressions);
  return expressions;
}

/// Returns the elements that `read` reads for one row of its expression.
static double countOfRow(const KernelExpression &expression, te::ReadOp read) {
  te::ComputeOp op = expression.op;
  double count = 1;
  for (unsigned dim = expression.rowDims; dim < op.getNumDims(); ++dim)
    if (int64_t size = op.getStaticSizes()[dim]; te::dependsOn(read, dim))
      count *= static_cast<double>(te::assumeSize(size, te::SizeRole::Any));
  return count;
}

unsigned layout::findBoxDim(ArrayRef<KernelExpression> expressions) {
  const KernelExpression &root = expressions.back();
  te::ComputeOp rootOp = root.op;
  unsigned best = 0;
  double mostShared = -1;
  for (unsigned dim = 0; dim < root.rowDims; ++dim) {
    double shared = 0;
    for (const KernelExpression &expression : expressions)
      te::ComputeOp(expression.op).walk([&](te::ReadOp read) {
        if (isa<BlockArgument>(read.getSource()) && !te::dependsOn(read, dim))
          shared += countOfRow(expression, read);
      });
    if (shared < mostShared || rootOp.getStaticSizes()[dim] == 1)
      continue;
    best = dim;
    mostShared = shared;
  }
  return best;
}

SmallVector<int64_t> KernelExpression::getEntered(ArrayRef<int64_t> sizes) const {
  SmallVector<int64_t> entered(sizes);
  if (blockDim)
    entered[*blockDim] = 1;
  return entered;
}

SmallVector<SmallVector<int64_t>> layout::getBoxSizes(ArrayRef<KernelExpression> expressions,
                                                      const Point &root) {
  SmallVector<SmallVector<int64_t>> sizes(expressions.size());
  const KernelExpression &last = expressions.back();
  te::ComputeOp rootOp = last.op;
  sizes.back().assign(rootOp.getStaticSizes().begin(), rootOp.getStaticSizes().end());
  for (unsigned dim = 0; dim < last.rowDims; ++dim)
    sizes.back()[dim] = root.getBoxExtent(dim);
  for (size_t number = expressions.size() - 1; number-- > 0;) {
    size_t owner = expressions[number].owner.value_or(expressions.size() - 1);
    sizes[number] = getBoxSizes(expressions[owner].op, expressions[owner].getEntered(sizes[owner]),
                                expressions[number].op);
  }
  return sizes;
}

double layout::countBoxBytes(ArrayRef<KernelExpression> expressions, const Point &root) {
  SmallVector<SmallVector<int64_t>> sizes = getBoxSizes(expressions, root);
  double bytes = 0;
  for (auto [expression, size] : llvm::zip(expressions.drop_back(), sizes)) {
    te::ComputeOp op = expression.op;
    // What others read too is kept for all blocks.
    SmallVector<int64_t> kept(size);
    if (expression.owner)
      for (Operation *user : op->getUsers())
        if (auto reader = user->getParentOfType<te::ComputeOp>();
            reader && expressions[*expression.owner].op->isBeforeInBlock(reader))
          kept = getBoxSizes(expressions.back().op, sizes.back(), op);
    double elements = 1;
    for (int64_t count : ArrayRef(kept).take_front(op.getNumParallel()))
      elements *= static_cast<double>(te::assumeSize(count, te::SizeRole::Large));
    for (Type type : op.getResultTypes())
      bytes += elements * te::getElementBytes(cast<ShapedType>(type).getElementType());
  }
  return bytes;
}

RowLoops layout::getRowLoops(ArrayRef<KernelExpression> expressions, size_t number) {
  const KernelExpression &own = expressions[number];
  RowLoops rows{own.rowDims, std::nullopt, own.isInBoxes && number + 1 == expressions.size()};
  if (own.isInBoxes)
    rows.tiled = findBoxDim(expressions);
  return rows;
}

std::string layout::findObstacleToBoxes(ArrayRef<KernelExpression> expressions, const Point &root) {
  double bytes = countBoxBytes(expressions, root);
  if (bytes <= threadScratchBytes)
    return {};
  return "box: what is computed at a time has " + std::to_string(static_cast<int64_t>(bytes)) +
         " bytes, more than " + std::to_string(threadScratchBytes);
}

void layout::writeSchedule(te::KernelOp kernel, ArrayRef<KernelExpression> expressions,
                           ArrayRef<Point> points) {
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToEnd(&kernel.getSchedule().emplaceBlock());
  SmallVector<SmallVector<Value>> loops;
  for (auto [number, expression] : llvm::enumerate(expressions)) {
    // Only the loops of the root are bound to threads.
    bool isRoot = number + 1 == expressions.size();
    loops.push_back(writeLoops(builder, expression.op, points[number],
                               expression.orderRows(points[number]), isRoot));
  }
  const KernelExpression &root = expressions.back();
  if (root.isInBoxes) // all at the innermost loop of rows
    llvm::fill(MutableArrayRef(loops.back()).take_front(root.rowDims),
               loops.back()[root.orderRows(points.back()).back()]);
  SmallVector<te::ComputeOp> inner;
  for (const KernelExpression &expression : expressions.drop_back()) {
    te::ComputeOp op = expression.op;
    if (expression.owner)
      ComputeAtOp::create(builder, root.op->getLoc(), *op.getLabel(),
                          loops[*expression.owner][*expressions[*expression.owner].blockDim]);
    else
      inner.push_back(op);
  }
  computeAtRows(builder, root.op, inner, loops.back());
}
