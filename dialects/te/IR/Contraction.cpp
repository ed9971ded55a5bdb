//===- Contraction.cpp - recognise sums of products -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the read whose result is `value`, possibly after casts, or null if there is none.
static ReadOp findRead(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto read = dyn_cast<ReadOp>(op))
      return read;
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
             arith::UIToFPOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

/// Returns whether `combiner` adds each of its right arguments to the left one, and nothing else.
static bool addsAll(Region &combiner) {
  Block &block = combiner.front();
  unsigned count = block.getNumArguments() / 2;
  return llvm::all_of(llvm::seq(count), [&](unsigned i) {
    Operation *sum = block.getTerminator()->getOperand(i).getDefiningOp();
    return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum) &&
           sum->getOperand(0) == block.getArgument(i) &&
           sum->getOperand(1) == block.getArgument(count + i);
  });
}

SmallVector<Operation *> te::findSummedProducts(ComputeOp op, unsigned piece) {
  if (!op.hasReduction() || !addsAll(op.getCombiner()))
    return {};
  SmallVector<Operation *> products;
  for (Value value : op.getPieceBlock(piece)->getTerminator()->getOperands()) {
    products.push_back(value.getDefiningOp());
    if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(products.back()))
      return {};
  }
  return products;
}

/// If `op` has one piece and one accumulator, and sums products, returns the multiplication whose
/// results it sums; otherwise null.
static Operation *findOnlyProduct(ComputeOp op) {
  if (op.getPieces().size() != 1)
    return nullptr;
  SmallVector<Operation *> products = findSummedProducts(op);
  return products.size() == 1 ? products.front() : nullptr;
}

std::optional<Contraction> te::matchContraction(ComputeOp op) {
  Operation *product = findOnlyProduct(op);
  if (!product)
    return std::nullopt;
  Contraction contraction{findRead(product->getOperand(0)), findRead(product->getOperand(1))};
  if (!contraction.lhs || !contraction.rhs)
    return std::nullopt;
  return contraction;
}

std::optional<Factors> te::matchFactors(ComputeOp op) {
  Operation *product = findOnlyProduct(op);
  if (!product || product->getBlock() != op.getPieceBlock())
    return std::nullopt;
  Block *body = op.getPieceBlock();
  for (auto read : body->getOps<ReadOp>())
    if (hasOpaqueIndex(read))
      return std::nullopt;
  return Factors{collectDims(product->getOperand(0), body),
                 collectDims(product->getOperand(1), body)};
}

/// Returns the reads in `body` that `value` is computed from.
static SmallVector<ReadOp> collectReads(Value value, Block *body) {
  llvm::SetVector<Operation *> ops;
  collectPointOps(value, body, ops);
  SmallVector<ReadOp> reads;
  for (Operation *op : ops)
    if (auto read = dyn_cast<ReadOp>(op))
      reads.push_back(read);
  return reads;
}

namespace {
/// The factors of several products. Products that share a factor are a group.
struct ProductGroups {
  SmallVector<SmallVector<ReadOp>> shared; ///< the reads of the shared factor of each group
  FactorReads factors;
};
} // namespace

/// Groups products by a factor that they share. Operand `side` of a product of no group begins one.
static ProductGroups groupProducts(ArrayRef<Operation *> products, Block *body, unsigned side) {
  ProductGroups groups;
  for (Operation *product : products) {
    SmallVector<ReadOp> own = collectReads(product->getOperand(side), body);
    SmallVector<ReadOp> other = collectReads(product->getOperand(1 - side), body);
    if (!llvm::is_contained(groups.shared, own) && llvm::is_contained(groups.shared, other))
      std::swap(own, other);
    if (!llvm::is_contained(groups.shared, own)) {
      groups.shared.push_back(own);
      llvm::append_range(groups.factors.first, own);
    }
    llvm::append_range(groups.factors.second, other);
  }
  return groups;
}

std::optional<FactorReads> te::findFactorReads(ComputeOp op) {
  SmallVector<Operation *> products;
  if (op.getPieces().size() == 1)
    products = findSummedProducts(op);
  if (products.empty())
    return std::nullopt;
  ProductGroups left = groupProducts(products, op.getPieceBlock(), 0);
  ProductGroups right = groupProducts(products, op.getPieceBlock(), 1);
  return right.shared.size() < left.shared.size() ? right.factors : left.factors;
}

bool te::dependsOn(ReadOp read, unsigned dim) {
  return llvm::any_of(read.getMap().getResults(),
                      [&](AffineExpr expr) { return expr.isFunctionOfDim(dim); });
}

bool te::hasAdjacentLanes(ComputeOp product, ReadOp read, ReadOp other) {
  AffineExpr last = read.getMap().getResults().back();
  return llvm::any_of(llvm::seq<unsigned>(0, product.getNumParallel()), [&](unsigned dim) {
    return product.getStaticSizes()[dim] != 1 && last.isFunctionOfDim(dim) &&
           !dependsOn(other, dim);
  });
}

std::optional<unsigned> te::findPlainIndex(ReadOp read, unsigned dim) {
  std::optional<unsigned> found;
  for (auto [i, expr] : llvm::enumerate(read.getMap().getResults())) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (found || expr != getAffineDimExpr(dim, expr.getContext()))
      return std::nullopt;
    found = i;
  }
  return found;
}
