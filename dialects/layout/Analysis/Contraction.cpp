//===- Contraction.cpp - recognise products summed over dims -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/Contraction.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// The read that a factor comes from, through casts.
static te::ReadOp findRead(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto read = dyn_cast<te::ReadOp>(op))
      return read;
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
             arith::UIToFPOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

/// The product that `op` sums, if it is a sum of products.
static Operation *findProduct(te::ComputeOp op) {
  if (!op.hasReduction() || op.getPieces().size() != 1 ||
      te::matchCombiner(op.getCombiner()) != te::Combiner::Add)
    return nullptr;
  Operation *product = op.getPieceBlock()->getTerminator()->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) ? product : nullptr;
}

std::optional<Contraction> layout::matchContraction(te::ComputeOp op) {
  Operation *product = findProduct(op);
  if (!product)
    return std::nullopt;
  Contraction contraction{findRead(product->getOperand(0)), findRead(product->getOperand(1))};
  if (!contraction.lhs || !contraction.rhs)
    return std::nullopt;
  return contraction;
}

bool layout::hasOpaqueIndex(te::ReadOp read) {
  return llvm::any_of(read.getSymbols(),
                      [&](Value symbol) { return symbol.getParentBlock() == read->getBlock(); });
}

std::optional<Factors> layout::matchFactors(te::ComputeOp op) {
  Operation *product = findProduct(op);
  if (!product || product->getBlock() != op.getPieceBlock())
    return std::nullopt;
  Block *body = op.getPieceBlock();
  for (auto read : body->getOps<te::ReadOp>())
    if (hasOpaqueIndex(read))
      return std::nullopt;
  return Factors{te::collectDims(product->getOperand(0), body),
                 te::collectDims(product->getOperand(1), body)};
}

/// The reads of `body` that `value` is computed from.
static SmallVector<te::ReadOp> collectReads(Value value, Block *body) {
  llvm::SetVector<Operation *> ops;
  te::collectPointOps(value, body, ops);
  SmallVector<te::ReadOp> reads;
  for (Operation *op : ops)
    if (auto read = dyn_cast<te::ReadOp>(op))
      reads.push_back(read);
  return reads;
}

std::optional<FactorReads> layout::findFactorReads(te::ComputeOp op) {
  Operation *product = findProduct(op);
  if (!product)
    return std::nullopt;
  Block *body = op.getPieceBlock();
  return FactorReads{collectReads(product->getOperand(0), body),
                     collectReads(product->getOperand(1), body)};
}

bool layout::dependsOn(te::ReadOp read, unsigned dim) {
  return llvm::any_of(read.getMap().getResults(),
                      [&](AffineExpr expr) { return expr.isFunctionOfDim(dim); });
}

std::optional<unsigned> layout::findPlainIndex(te::ReadOp read, unsigned dim) {
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
