//===- FormKernels.cpp - expressions of the host program become kernels -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// 1. Expressions are grouped into kernels. A group is one expression, or several that run row by
///    row together (RowGroups.h), in program order.
/// 2. The values that a group captures become the parameters of its kernel, in the order that
///    `te.kernel` requires.
/// 3. The expressions move into a new te.kernel, and a te.launch replaces them.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/OutlineKernel.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/BoxGroups.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/RowGroups.h"
#include "dialects/te/Transforms/SelectPieces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEFORMKERNELS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the kind of an expression as a word for readable names.
static StringRef getHint(Operation *op) {
  auto compute = dyn_cast<ComputeOp>(op);
  if (!compute)
    return op->getName().stripDialect();
  if (compute.getPieces().size() > 1)
    return "pieces";
  Block &body = *compute.getPieceBlock();
  if (!compute.hasReduction())
    return llvm::hasNItems(body, 2) && isa<ReadOp>(body.front()) ? "copy" : "map";
  if (!findSummedProducts(compute).empty() && llvm::range_size(body.getOps<ReadOp>()) > 1)
    return "contract";
  std::optional<Combiner> combiner = matchCombiner(compute.getCombiner());
  if (!combiner)
    return "reduce";
  switch (*combiner) {
  case Combiner::Add:
    return "sum";
  case Combiner::Mul:
    return "prod";
  case Combiner::Max:
    return "max";
  case Combiner::Min:
    return "min";
  default:
    return "reduce";
  }
}

/// Sets labels that are unique in a kernel and the same in equal kernels.
static void setLabels(ArrayRef<Operation *> group) {
  llvm::StringMap<unsigned> used;
  for (Operation *op : group) {
    StringRef hint = getHint(op);
    unsigned number = used[hint]++;
    auto label = StringAttr::get(op->getContext(), number ? hint + Twine(number) : Twine(hint));
    cast<ExpressionOpInterface>(op).setLabelAttr(label);
  }
}

/// Returns the groups of expressions that become kernels, in program order.
static SmallVector<SmallVector<Operation *>> formGroups(ModuleOp module, bool groupRows,
                                                        ::tssa::Apply boxes) {
  SmallVector<Operation *> ops;
  module.walk([&](func::FuncOp function) {
    function.walk([&](Operation *op) {
      if (isa<ExpressionOpInterface>(op) && !op->use_empty())
        ops.push_back(op);
    });
  });
  llvm::DenseMap<Operation *, SmallVector<Operation *>> rows; // keyed by the root of the group
  llvm::SmallPtrSet<Operation *, 16> taken;
  IRRewriter rewriter(module.getContext());
  bool areForced = boxes == ::tssa::Apply::Always;
  if (areForced || (groupRows && boxes == ::tssa::Apply::Auto))
    for (Operation *op : ops) {
      auto root = dyn_cast<ComputeOp>(op);
      SmallVector<unsigned> order;
      SmallVector<Operation *> group =
          root ? findBoxGroup(root, areForced, order) : SmallVector<Operation *>();
      if (group.size() < 2 ||
          llvm::any_of(group, [&](Operation *member) { return taken.contains(member); }))
        continue;
      SmallVector<Operation *> before(group);
      orderRows(rewriter, group, order);
      for (auto [old, member] : llvm::zip_equal(before, group))
        llvm::replace(ops, old, member);
      taken.insert_range(group);
      rows[group.back()] = std::move(group);
    }
  if (groupRows)
    for (Operation *&op : ops) {
      auto root = dyn_cast<ComputeOp>(op);
      SmallVector<Operation *> group = root ? findRowGroup(root) : SmallVector<Operation *>();
      if (group.size() < 2 ||
          llvm::any_of(group, [&](Operation *member) { return taken.contains(member); }))
        continue;
      if (root.getPieces().size() > 1)
        op = group.back() = selectPieces(rewriter, root);
      taken.insert_range(group);
      rows[op] = std::move(group);
    }
  SmallVector<SmallVector<Operation *>> groups;
  for (Operation *op : ops) {
    if (auto it = rows.find(op); it != rows.end())
      groups.push_back(it->second);
    else if (!taken.contains(op))
      groups.push_back({op});
  }
  return groups;
}

namespace {
struct FormKernels : te::impl::TEFormKernelsBase<FormKernels> {
  using TEFormKernelsBase::TEFormKernelsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    // A statistic does not count in a build without assertions.
    unsigned number = 0;
    for (ArrayRef<Operation *> group : formGroups(getOperation(), groupRows, boxes)) {
      nameRowDims(group);
      if (group.size() > 1)
        remark::passed(group.back()->getLoc(),
                       remark::RemarkOpts::name("grouped").category(getArgument()))
            << remark::add("reductions of rows are in the kernel that reads them")
            << remark::metric("Expressions", group.size())
            << remark::metric("LaunchesSaved", group.size() - 1);
      setLabels(group);
      outlineKernel(symbols, group, ("k" + Twine(number++) + "_" + getHint(group.back())).str());
      ++numKernels;
      numGrouped += group.size() - 1;
    }
  }
};
} // namespace
