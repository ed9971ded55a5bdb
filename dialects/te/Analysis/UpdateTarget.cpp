//===- UpdateTarget.cpp - the elements that an update writes --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/UpdateTarget.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

std::optional<StridedIndex> te::matchStridedIndex(AffineExpr expr, unsigned numDims,
                                                  unsigned numSymbols) {
  StridedIndex index;
  index.offset = expr;
  for (unsigned dim = 0; dim < numDims; ++dim) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (index.dim)
      return std::nullopt;
    index.dim = dim;
  }
  if (!index.dim)
    return index;
  AffineExpr along = getAffineDimExpr(*index.dim, expr.getContext());
  auto simplify = [&](AffineExpr value) { return simplifyAffineExpr(value, numDims, numSymbols); };
  auto at = [&](int64_t value) {
    return simplify(expr.replace(along, getAffineConstantExpr(value, expr.getContext())));
  };
  index.offset = at(0);
  auto stride = dyn_cast<AffineConstantExpr>(simplify(at(1) - index.offset));
  if (!stride || stride.getValue() == 0)
    return std::nullopt;
  index.stride = stride.getValue();
  AffineExpr rest = simplify(expr - along * index.stride - index.offset);
  return rest == getAffineConstantExpr(0, expr.getContext()) ? std::optional(index) : std::nullopt;
}

/// Returns the index expressions of `map`. Each symbol that a te.index computes is replaced by the
/// expression of the te.index. Adds the operands of the other symbols to `leaves`.
static SmallVector<AffineExpr> expand(AffineMap map, ValueRange symbols,
                                      SmallVectorImpl<Value> &leaves) {
  SmallVector<AffineExpr> replacements;
  for (Value symbol : symbols) {
    if (auto index = symbol.getDefiningOp<IndexOp>()) {
      replacements.push_back(expand(index.getMap(), index.getSymbols(), leaves).front());
      continue;
    }
    auto *it = llvm::find(leaves, symbol);
    replacements.push_back(getAffineSymbolExpr(it - leaves.begin(), map.getContext()));
    if (it == leaves.end())
      leaves.push_back(symbol);
  }
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return expr.replaceDimsAndSymbols({}, replacements);
  });
}

namespace {
/// The element that a point of an update writes, as expressions over dims and `leaves`.
struct Target {
  explicit Target(UpdateOp update) : body(&update.getBody()) {
    TensorAccess write = update.getWrites().front();
    indexes = expand(write.map, write.symbols, leaves);
  }

  bool isData(Value leaf) const { return body->isAncestor(leaf.getParentRegion()); }

  bool dependsOnData(AffineExpr index) const {
    return llvm::any_of(llvm::enumerate(leaves), [&](auto leaf) {
      return index.isFunctionOfSymbol(leaf.index()) && isData(leaf.value());
    });
  }

  Region *body;
  SmallVector<Value> leaves;
  SmallVector<AffineExpr> indexes;
};
} // namespace

static SmallVector<bool> findIndependentDims(UpdateOp update, const Target &target) {
  unsigned numDims = update.getNumDims();
  SmallVector<bool> independent(numDims, update.getInjective());
  for (AffineExpr index : target.indexes) {
    if (target.dependsOnData(index))
      continue;
    std::optional<StridedIndex> strided = matchStridedIndex(index, numDims, target.leaves.size());
    if (strided && strided->dim)
      independent[*strided->dim] = true;
  }
  return independent;
}

SmallVector<bool> te::findIndependentDims(UpdateOp update) {
  return ::findIndependentDims(update, Target(update));
}

/// Returns whether `value`, which is computed in the body of an update, differs along `dim`.
static bool dependsOnDim(Value value, unsigned dim) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->getParentOfType<UpdateOp>())
    return false;
  auto usesDim = [&](AffineMap map) { return map.isFunctionOfDim(dim); };
  if (auto read = dyn_cast<ReadOp>(op); read && usesDim(read.getMap()))
    return true;
  if (auto index = dyn_cast<IndexOp>(op); index && usesDim(index.getMap()))
    return true;
  return op->getNumRegions() != 0 ||
         llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOnDim(operand, dim); });
}

std::optional<unsigned> te::findRowDim(UpdateOp update) {
  Target target(update);
  if (update.getNumDims() == 0 || update.getGuard() || target.indexes.empty())
    return std::nullopt;
  unsigned row = update.getNumDims() - 1;
  // The run checks the indexes that the body yields, once for a row.
  for (Value index : update.getBody().front().getTerminator()->getOperands().drop_front())
    if (dependsOnDim(index, row))
      return std::nullopt;
  for (AffineExpr index : ArrayRef(target.indexes).drop_back())
    if (index.isFunctionOfDim(row))
      return std::nullopt;
  std::optional<StridedIndex> last =
      matchStridedIndex(target.indexes.back(), update.getNumDims(), target.leaves.size());
  return last && last->dim == row && last->stride == 1 ? std::optional(row) : std::nullopt;
}

/// Returns whether no two points of the domain of `update` write the same element.
static bool isInjective(UpdateOp update, const Target &target) {
  return llvm::all_of(
      llvm::zip_equal(update.getStaticSizes(), ::findIndependentDims(update, target)),
      [](auto dim) { return std::get<0>(dim) == 1 || std::get<1>(dim); });
}

bool te::readsOnlyTarget(UpdateOp update, Value base) {
  if (base.hasOneUse())
    return base.use_begin()->get() == update.getBase();
  Target target(update);
  if (llvm::any_of(target.leaves, [&](Value leaf) { return target.isData(leaf); }) ||
      !isInjective(update, target))
    return false;
  return llvm::all_of(base.getUses(), [&](OpOperand &use) {
    if (use.getOwner() == update)
      return &use == &update.getBaseMutable();
    auto read = dyn_cast<ReadOp>(use.getOwner());
    return read && read->getParentRegion() == &update.getBody() &&
           expand(read.getMap(), read.getSymbols(), target.leaves) == target.indexes;
  });
}

ReadOp te::findCopiedRead(UpdateOp update) {
  Block &body = update.getBody().front();
  auto read = dyn_cast<ReadOp>(body.front());
  bool isCopy = read && llvm::hasNItems(body, 2) &&
                body.getTerminator()->getOperands() == ValueRange(read.getValue());
  return isCopy && !read.getGuard() && read.getSymbols().empty() ? read : ReadOp();
}
