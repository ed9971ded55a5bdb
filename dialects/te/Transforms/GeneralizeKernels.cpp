//===- GeneralizeKernels.cpp - merges kernels that differ in constant indexes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The iterations of an unrolled loop read row 0, row 1, and so on of one tensor, and each
/// iteration becomes a kernel of its own. An *index slot* is an index expression of a te.read that
/// is a constant.
/// 1. Kernels that are equal when all slots are replaced by parameters form a family.
/// 2. In a family of at least three kernels, the slots that differ become index parameters.
/// 3. Launches pass the constants.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/StructuralHash.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEGENERALIZEKERNELS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// The least number of kernels that are merged. In a smaller family, having constants is worth more
/// than having fewer kernels.
static constexpr unsigned minFamily = 3;

namespace {
/// A kernel of a family.
struct Member {
  KernelOp kernel;
  /// The constants in its index slots, in order.
  SmallVector<int64_t> slots;
};

/// Kernels that differ only in the constants of their index slots.
struct Family {
  /// A copy of a member in which each slot is a parameter.
  OwningOpRef<KernelOp> general;
  SmallVector<Member> members;
};
} // namespace

static SmallVector<int64_t> getSlots(KernelOp kernel) {
  SmallVector<int64_t> slots;
  kernel.getBody().walk([&](ReadOp read) {
    for (AffineExpr expr : read.getMap().getResults())
      if (auto constant = dyn_cast<AffineConstantExpr>(expr))
        slots.push_back(constant.getValue());
  });
  return slots;
}

/// Returns the position of the first parameter after tensors and indexes.
static unsigned getEndOfIndexes(KernelOp kernel) {
  unsigned end = 0;
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (isa<TensorType>(type) || type.isIndex())
      end = number + 1;
  return end;
}

/// Adds `count` index parameters after the existing index parameters.
static void addIndexParameters(KernelOp kernel, unsigned count) {
  Builder builder(kernel.getContext());
  unsigned position = getEndOfIndexes(kernel);
  SmallVector<Type> types(kernel.getArgumentTypes());
  types.insert(types.begin() + position, count, builder.getIndexType());
  if (ArrayAttr old = kernel.getArgAttrsAttr()) {
    SmallVector<Attribute> attrs(old.begin(), old.end());
    attrs.insert(attrs.begin() + position, count, builder.getDictionaryAttr({}));
    kernel.setArgAttrsAttr(builder.getArrayAttr(attrs));
  }
  kernel.setFunctionType(builder.getFunctionType(types, kernel.getResultTypes()));
  for (unsigned i = 0; i < count; ++i)
    kernel.getBody().front().insertArgument(position + i, builder.getIndexType(), kernel.getLoc());
}

/// Replaces the slots for which `isParameter` is true by new parameters.
static void generalize(KernelOp kernel, ArrayRef<bool> isParameter) {
  unsigned position = getEndOfIndexes(kernel);
  addIndexParameters(kernel, llvm::count(isParameter, true));
  unsigned slot = 0, parameter = 0;
  kernel.getBody().walk([&](ReadOp read) {
    SmallVector<Value> symbols(read.getSymbols());
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : read.getMap().getResults()) {
      exprs.push_back(expr);
      if (!isa<AffineConstantExpr>(expr) || !isParameter[slot++])
        continue;
      exprs.back() = getAffineSymbolExpr(symbols.size(), kernel.getContext());
      symbols.push_back(kernel.getArgument(position + parameter++));
    }
    unsigned numDims = read.getMap().getNumDims();
    read.setMap(AffineMap::get(numDims, symbols.size(), exprs, kernel.getContext()));
    if (read.getGuard())
      read.setGuard(IntegerSet::get(numDims, symbols.size(), read.getGuard()->getConstraints(),
                                    read.getGuard()->getEqFlags()));
    read.getSymbolsMutable().assign(symbols);
  });
}

static bool areEqual(KernelOp lhs, KernelOp rhs) {
  return lhs.getFunctionType() == rhs.getFunctionType() &&
         lhs.getArgAttrsAttr() == rhs.getArgAttrsAttr() &&
         OperationEquivalence::isRegionEquivalentTo(&lhs.getBody(), &rhs.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

static std::vector<Family> findFamilies(ModuleOp module) {
  std::vector<Family> families;
  llvm::DenseMap<size_t, SmallVector<unsigned, 1>> buckets;
  for (auto kernel : module.getOps<KernelOp>()) {
    SmallVector<int64_t> slots = getSlots(kernel);
    if (slots.empty() || !kernel.getSchedule().empty())
      continue;
    OwningOpRef<KernelOp> general = kernel.clone();
    generalize(*general, SmallVector<bool>(slots.size(), true));
    SmallVector<unsigned, 1> &bucket =
        buckets[llvm::hash_combine(general->getFunctionType(), hashRegion(general->getBody()))];
    auto *same = llvm::find_if(
        bucket, [&](unsigned family) { return areEqual(*families[family].general, *general); });
    if (same != bucket.end()) {
      families[*same].members.push_back({kernel, slots});
      continue;
    }
    bucket.push_back(families.size());
    families.push_back({std::move(general), {{kernel, slots}}});
  }
  return families;
}

namespace {
struct GeneralizeKernels : te::impl::TEGeneralizeKernelsBase<GeneralizeKernels> {
  void runOnOperation() override {
    llvm::DenseMap<StringAttr, SmallVector<LaunchOp>> launches;
    getOperation().walk(
        [&](LaunchOp launch) { launches[launch.getKernelAttr().getAttr()].push_back(launch); });
    for (Family &family : findFamilies(getOperation()))
      if (family.members.size() >= minFamily)
        merge(family, launches);
      else if (family.members.size() > 1)
        remark::missed(family.members.front().kernel.getLoc(), getRemarkOptions())
            << remark::reason("fewer than {0} kernels differ only in these indexes", minFamily)
            << remark::metric("Kernels", family.members.size());
  }

private:
  remark::RemarkOpts getRemarkOptions() const {
    return remark::RemarkOpts::name("generalized").category(getArgument());
  }

  void merge(Family &family, llvm::DenseMap<StringAttr, SmallVector<LaunchOp>> &launches) {
    Member &first = family.members.front();
    SmallVector<bool> differs(first.slots.size(), false);
    for (const Member &member : family.members)
      for (unsigned slot = 0; slot < differs.size(); ++slot)
        differs[slot] = differs[slot] || member.slots[slot] != first.slots[slot];
    unsigned position = getEndOfIndexes(first.kernel);
    generalize(first.kernel, differs);
    auto kernel = FlatSymbolRefAttr::get(first.kernel.getSymNameAttr());
    for (const Member &member : family.members) {
      KernelOp replaced = member.kernel;
      for (LaunchOp launch : launches.lookup(replaced.getSymNameAttr())) {
        OpBuilder builder(launch);
        SmallVector<Value> inputs(launch.getInputs());
        unsigned next = position;
        for (unsigned slot = 0; slot < differs.size(); ++slot)
          if (differs[slot])
            inputs.insert(
                inputs.begin() + next++,
                arith::ConstantIndexOp::create(builder, launch.getLoc(), member.slots[slot]));
        launch.getInputsMutable().assign(inputs);
        launch.setKernelAttr(kernel);
      }
    }
    for (const Member &member : llvm::drop_begin(family.members)) {
      KernelOp equal = member.kernel;
      equal.erase();
    }
    numRemoved += family.members.size() - 1;
    remark::passed(first.kernel.getLoc(), getRemarkOptions())
        << remark::add("kernels that differ only in constant indexes are merged")
        << remark::metric("Kernels", family.members.size())
        << remark::metric("Parameters", llvm::count(differs, true));
  }
};
} // namespace
