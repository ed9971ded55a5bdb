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

std::optional<Contraction> layout::matchContraction(te::ComputeOp op) {
  if (!op.hasReduction() || op.getPieces().size() != 1 ||
      te::matchCombiner(op.getCombiner()) != te::Combiner::Add)
    return std::nullopt;
  Operation *product = op.getPieceBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  Contraction contraction{findRead(product->getOperand(0)), findRead(product->getOperand(1))};
  if (!contraction.lhs || !contraction.rhs)
    return std::nullopt;
  return contraction;
}

/// Whether `read` has an index that the body computes.
static bool isOpaque(te::ReadOp read) {
  return llvm::any_of(read.getSymbols(), [&](Value symbol) {
    return symbol.getParentBlock() == read->getBlock();
  });
}

std::optional<Factors> layout::matchFactors(te::ComputeOp op) {
  if (!op.hasReduction() || op.getPieces().size() != 1 ||
      te::matchCombiner(op.getCombiner()) != te::Combiner::Add)
    return std::nullopt;
  Block *body = op.getPieceBlock();
  Operation *product = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) || product->getBlock() != body)
    return std::nullopt;
  for (auto read : body->getOps<te::ReadOp>())
    if (isOpaque(read))
      return std::nullopt;
  return Factors{te::collectDims(product->getOperand(0), body),
                 te::collectDims(product->getOperand(1), body)};
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
