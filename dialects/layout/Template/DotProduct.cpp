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

/// Returns whether `atom` takes the factors of sum number `sum`, whose products are `product`.
static bool takesFactors(te::ComputeOp op, const Atom &atom, unsigned sum, Operation *product) {
  for (unsigned operand : {0, 1}) {
    Value factor = findAtomFactor(op, /*piece=*/0, operand, atom, sum);
    if (!factor || !factor.getDefiningOp<te::ReadOp>())
      return false;
  }
  auto isUnsigned = [](Value factor) { return isa<arith::ExtUIOp>(factor.getDefiningOp()); };
  return atom.kind != AtomFactors::Bytes ||
         isUnsigned(product->getOperand(0)) != isUnsigned(product->getOperand(1));
}

static bool takesFactors(te::ComputeOp op, const Atom &atom) {
  SmallVector<Operation *> products = te::findSummedProducts(op);
  return !products.empty() && llvm::all_of(llvm::enumerate(products), [&](auto entry) {
    return takesFactors(op, atom, entry.index(), entry.value());
  });
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

/// The accesses of one factor of products.
using FactorAccesses = SmallVector<const Access *>;

/// Returns the product by `atom`, if the data and the weights lie for it.
static std::optional<DotProduct> findProduct(te::ComputeOp op, const Atom &atom,
                                             const FactorAccesses &data,
                                             const FactorAccesses &weights, const Roles &roles) {
  for (unsigned dim = op.getNumDims(); dim-- > op.getNumParallel();) {
    if (roles[dim] != Role::In || op.getStaticSizes()[dim] < atom.steps ||
        !llvm::all_of(
            data,
            [&](const Access *access) { return readsRuns(*access, dim, atom.getWordSteps()); }))
      continue;
    if (llvm::all_of(weights, [&](const Access *access) { return canReadWords(op, *access, dim); }))
      return DotProduct{&atom, dim, /*interleaves=*/false};
    if (llvm::all_of(weights, [](const Access *access) {
          return !access->isPackable() && isa<BlockArgument>(access->getRead().getSource());
        }))
      return DotProduct{&atom, dim, /*interleaves=*/true};
  }
  return std::nullopt;
}

/// Returns the accesses of `accesses` that are `reads`.
static FactorAccesses findAccesses(ArrayRef<Access> accesses, ArrayRef<te::ReadOp> reads) {
  FactorAccesses found;
  for (const Access &access : accesses)
    if (llvm::is_contained(reads, access.getRead()))
      found.push_back(&access);
  return found;
}

std::optional<DotProduct> layout::findDotProduct(te::ComputeOp op, ArrayRef<Access> accesses,
                                                 const Roles &roles, const MachineModel &machine) {
  FactorAccesses data = findAccesses(accesses, roles.data);
  FactorAccesses weights = findAccesses(accesses, roles.weights);
  if (data.empty() || weights.empty())
    return std::nullopt;
  for (AtomUnit unit : {AtomUnit::Matrix, AtomUnit::Vector}) {
    const Atom *atom = findDotInstruction(op, machine.lanes, unit);
    if (atom && getDotRate(*atom, machine) > machine.getF32Products())
      if (std::optional<DotProduct> product = findProduct(op, *atom, data, weights, roles))
        return product;
  }
  return std::nullopt;
}
