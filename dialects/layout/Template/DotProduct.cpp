//===- DotProduct.cpp - dot products of a CPU for an expression -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/DotProduct.h"
#include "dialects/layout/Analysis/AtomRules.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns whether factor `operand` of the product of `op` is unsigned.
static bool isUnsigned(te::ComputeOp op, unsigned operand) {
  Value factor = te::findSummedProducts(op).front()->getOperand(operand);
  return factor.getDefiningOp<arith::ExtUIOp>() != nullptr;
}

static bool takesFactors(te::ComputeOp op, const Atom &atom) {
  for (unsigned operand : {0, 1}) {
    Value factor = findAtomFactor(op, /*piece=*/0, operand, atom);
    if (!factor || !factor.getDefiningOp<te::ReadOp>())
      return false;
  }
  return atom.kind != AtomFactors::Bytes || isUnsigned(op, 0) != isUnsigned(op, 1);
}

const Atom *layout::findDotInstruction(te::ComputeOp op, int64_t lanes) {
  if (op.getPieces().size() != 1)
    return nullptr;
  for (const Atom &atom : getAtoms())
    if (atom.isDot() && atom.columns == lanes && takesFactors(op, atom))
      return &atom;
  return nullptr;
}

int64_t layout::getDotRate(const Atom &atom, const MachineModel &machine) {
  return atom.kind == AtomFactors::BF16 ? machine.bf16Products : machine.byteProducts;
}

/// Returns whether `index` is a multiple of `steps` plus dim `dim`.
static bool isAlongDim(AffineExpr index, unsigned dim, int64_t steps) {
  MLIRContext *context = index.getContext();
  AffineExpr along = getAffineDimExpr(dim, context);
  AffineExpr rest = index.replace(along, getAffineConstantExpr(0, context));
  unsigned numDims = dim + 1, numSymbols = 0;
  index.walk([&](AffineExpr part) {
    if (auto other = dyn_cast<AffineDimExpr>(part))
      numDims = std::max(numDims, other.getPosition() + 1);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
      numSymbols = std::max(numSymbols, symbol.getPosition() + 1);
  });
  return simplifyAffineExpr(index - rest - along, numDims, numSymbols) == 0 &&
         simplifyAffineExpr(rest, numDims, numSymbols).isMultipleOf(steps);
}

/// Returns whether the elements that `access` reads for a word of steps along `dim` are a word:
/// they are adjacent, and rows have whole words.
static bool readsWords(const Access &access, unsigned dim, int64_t steps) {
  te::ReadOp read = access.getRead();
  ArrayRef<int64_t> shape = read.getSourceType().getShape();
  if (!isa<BlockArgument>(read.getSource()) || access.isPart() || shape.empty() ||
      ShapedType::isDynamic(shape.back()) || shape.back() % steps != 0 || access.isGuardedBy(dim) ||
      (read.getGuard() && read.getPadAttr() && !te::isPositiveZero(read.getPadAttr())))
    return false;
  ArrayRef<AffineExpr> indices = read.getMap().getResults();
  return isAlongDim(indices.back(), dim, steps) &&
         llvm::none_of(indices.drop_back(),
                       [&](AffineExpr index) { return index.isFunctionOfDim(dim); });
}

/// Returns whether a constant can be stored such that what `access` reads for the steps along `dim`
/// are words.
static bool canReadWords(te::ComputeOp op, const Access &access, unsigned dim) {
  ArrayRef<AffineExpr> indices = access.getRead().getMap().getResults();
  AffineExpr along = getAffineDimExpr(dim, op.getContext());
  return access.isPackable() && llvm::is_contained(indices, along) &&
         llvm::all_of(indices, [&](AffineExpr index) {
           return isa<AffineDimExpr>(index) || isa<AffineConstantExpr>(index) ||
                  (!index.isFunctionOfDim(dim) && matchBlocks(op, index));
         });
}

std::optional<DotProduct> layout::findDotProduct(te::ComputeOp op, ArrayRef<Access> accesses,
                                                 const Roles &roles, const MachineModel &machine) {
  const Atom *atom = findDotInstruction(op, machine.lanes);
  if (!atom || getDotRate(*atom, machine) <= machine.lanes * machine.fmaPorts ||
      roles.data.size() != 1 || roles.weights.size() != 1)
    return std::nullopt;
  const Access *data = nullptr, *weights = nullptr;
  for (const Access &access : accesses) {
    if (access.getRead() == roles.data.front())
      data = &access;
    if (access.getRead() == roles.weights.front())
      weights = &access;
  }
  for (unsigned dim = op.getNumDims(); dim-- > op.getNumParallel();)
    if (roles[dim] == Role::In && op.getStaticSizes()[dim] >= atom->steps && data && weights &&
        readsWords(*data, dim, atom->steps) && canReadWords(op, *weights, dim))
      return DotProduct{atom, dim};
  return std::nullopt;
}
