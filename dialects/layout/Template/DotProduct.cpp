//===- DotProduct.cpp - dot products of a CPU for an expression -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/DotProduct.h"
#include "dialects/layout/Analysis/AtomRules.h"
#include "dialects/te/Analysis/PointDomain.h"
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

const Atom *layout::findDotInstruction(te::ComputeOp op, int64_t lanes, AtomUnit unit) {
  if (op.getPieces().size() != 1)
    return nullptr;
  for (const Atom &atom : getAtoms())
    if (atom.unit == unit && atom.columns == lanes && takesFactors(op, atom))
      return &atom;
  return nullptr;
}

const Atom *layout::findDotInstruction(te::ComputeOp op, const Point &point) {
  return findDotInstruction(op, point.lanes, point.dot->unit);
}

int64_t layout::getDotRate(const Atom &atom, const MachineModel &machine) {
  if (atom.isMatrix())
    return atom.kind == AtomFactors::BF16 ? machine.bf16MatrixProducts : machine.byteMatrixProducts;
  return atom.kind == AtomFactors::BF16 ? machine.bf16Products : machine.byteProducts;
}

/// Returns the address that `access` reads, in elements; null if it has open sizes or symbols.
static AffineExpr getAddress(te::IndexSimplifier &simplifier, const Access &access) {
  te::ReadOp read = access.getRead();
  ArrayRef<int64_t> shape = read.getSourceType().getShape();
  if (!read.getSymbols().empty() || shape.empty() ||
      llvm::any_of(shape.drop_front(), ShapedType::isDynamic))
    return {};
  AffineExpr address = read.getMap().getResult(0);
  for (auto [index, size] :
       llvm::zip_equal(read.getMap().getResults().drop_front(), shape.drop_front()))
    address = address * size + index;
  return simplifier.simplify(address);
}

/// Returns whether the elements that `access` reads for the steps along `dim` are adjacent, and
/// words if a guard decides whether they are there: others would be selected one by one.
static bool readsRuns(const Access &access, unsigned dim, int64_t steps) {
  te::ReadOp read = access.getRead();
  if (!isa<BlockArgument>(read.getSource()) || access.isGuardedBy(dim) ||
      (read.getPadAttr() && !te::isPositiveZero(read.getPadAttr())))
    return false;
  te::PointDomain domain = te::PointDomain::get(read);
  te::IndexSimplifier &simplifier = domain.getSimplifier();
  AffineExpr address = getAddress(simplifier, access);
  if (!address)
    return false;
  AffineExpr along = getAffineDimExpr(dim, read.getContext());
  AffineExpr rest =
      simplifier.simplify(address.replace(along, getAffineConstantExpr(0, read.getContext())));
  return simplifier.simplify(address - rest - along) == 0 &&
         (!read.getGuard() || rest.isMultipleOf(steps));
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

/// Returns the product by `atom`, if the data and the weights lie for it.
static std::optional<DotProduct> findProduct(te::ComputeOp op, const Atom &atom, const Access &data,
                                             const Access &weights, const Roles &roles) {
  for (unsigned dim = op.getNumDims(); dim-- > op.getNumParallel();) {
    if (roles[dim] != Role::In || op.getStaticSizes()[dim] < atom.steps ||
        !readsRuns(data, dim, atom.getWordSteps()))
      continue;
    if (canReadWords(op, weights, dim))
      return DotProduct{&atom, dim, /*interleaves=*/false};
    if (!weights.isPackable() && isa<BlockArgument>(weights.getRead().getSource()))
      return DotProduct{&atom, dim, /*interleaves=*/true};
  }
  return std::nullopt;
}

std::optional<DotProduct> layout::findDotProduct(te::ComputeOp op, ArrayRef<Access> accesses,
                                                 const Roles &roles, const MachineModel &machine) {
  if (roles.data.size() != 1 || roles.weights.size() != 1)
    return std::nullopt;
  const Access *data = nullptr, *weights = nullptr;
  for (const Access &access : accesses) {
    if (access.getRead() == roles.data.front())
      data = &access;
    if (access.getRead() == roles.weights.front())
      weights = &access;
  }
  if (!data || !weights)
    return std::nullopt;
  for (AtomUnit unit : {AtomUnit::Matrix, AtomUnit::Vector}) {
    const Atom *atom = findDotInstruction(op, machine.lanes, unit);
    if (atom && getDotRate(*atom, machine) > machine.lanes * machine.fmaPorts)
      if (std::optional<DotProduct> product = findProduct(op, *atom, *data, *weights, roles))
        return product;
  }
  return std::nullopt;
}
