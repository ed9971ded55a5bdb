//===- MemberBox.cpp - the part of a member that an iteration computes ---===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemberBox.h"
#include "KernelFunction.h"
#include "dialects/te/Analysis/Box.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

/// Converts an expression over the dims of a piece to one over loops. A loop of which no part is
/// entered stays whole: its parts together may run beyond its end.
static AffineExpr getEnteredExpr(IndexBuilder &index, const Schedule &schedule, AffineExpr expr) {
  DenseMap<AffineExpr, AffineExpr> parts;
  for (auto [loop, split] : schedule.splits)
    for (unsigned part = 0; part < schedule.loops.size(); ++part)
      if (index.hasLoop(part) && split.isFunctionOfDim(part))
        parts[getAffineDimExpr(loop, index.getContext())] = split;
  return index.simplify(index.simplify(expr.replaceDims(schedule.dims)).replace(parts));
}

static te::BoxRoot getBoxRoot(IndexBuilder &index, const MemberReads &reads) {
  te::BoxRoot root;
  root.op = reads.root;
  root.regions = {&root.op.getPieces()[reads.piece], &root.op.getEpilogue()};
  for (auto [number, loop] : llvm::enumerate(reads.schedule.loops)) {
    AffineExpr own = getAffineDimExpr(number, index.getContext());
    AffineExpr zero = getAffineConstantExpr(0, index.getContext());
    root.loops.push_back(index.hasLoop(number) ? te::IndexInterval{own, own}
                                               : te::IndexInterval{zero, loop.extent - 1});
  }
  root.toLoops = [&](AffineExpr expr) { return getEnteredExpr(index, reads.schedule, expr); };
  return root;
}

/// Returns the sizes of all expressions of a kernel and the symbols of their reads that are values
/// of the kernel.
static DenseMap<Value, AffineExpr> getKernelExprs(IndexBuilder &index, te::KernelOp kernel,
                                                  const IRMapping &values) {
  DenseMap<Value, AffineExpr> exprs;
  auto add = [&](Value value) {
    if (value.getParentBlock() == &kernel.getBodyBlock())
      exprs[value] = index.getSize(values.lookupOrDefault(value));
  };
  kernel.getBody().walk([&](te::ReadOp read) { llvm::for_each(read.getSymbols(), add); });
  for (auto op : kernel.getBodyBlock().getOps<te::ComputeOp>())
    for (OpFoldResult size : op.getIterationDomain())
      if (auto value = dyn_cast<Value>(size))
        add(value);
  return exprs;
}

namespace {
/// Cuts an interval to the indexes that exist.
class Clipper {
public:
  Clipper(IndexBuilder &index) : index(index) {}

  MemberDim clip(te::IndexInterval read, AffineExpr size) {
    MemberDim dim;
    AffineExpr count = index.simplify(read.greatest - read.least + 1);
    std::optional<int64_t> most = index.getSimplifier().getConstantUpperBound(count);
    if (!most)
      return dim;
    auto constant = dyn_cast<AffineConstantExpr>(size);
    dim.least = read.least;
    dim.most = constant ? std::min(*most, constant.getValue()) : *most;
    AffineExpr zero = getAffineConstantExpr(0, index.getContext());
    AffineExpr begin = getGreater(read.least, zero);
    AffineExpr after = read.greatest + 1, end = getLess(getGreater(after, zero), size);
    bool isClipped = begin != read.least || end != after;
    dim.computed = {begin, isClipped ? getGreater(index.simplify(end - begin), zero) : count};
    return dim;
  }

private:
  AffineExpr getGreater(AffineExpr a, AffineExpr b) {
    if (isLess(b, a))
      return a;
    return isLess(a, b) ? b : build<arith::MaxSIOp>(a, b);
  }
  AffineExpr getLess(AffineExpr a, AffineExpr b) {
    if (isLess(a, b))
      return a;
    return isLess(b, a) ? b : build<arith::MinSIOp>(a, b);
  }
  bool isLess(AffineExpr a, AffineExpr b) { return index.isNonNegative(index.simplify(b - a)); }

  template <typename OpTy> AffineExpr build(AffineExpr a, AffineExpr b) {
    Value lhs = index.materialize(index.simplify(a)), rhs = index.materialize(b);
    return index.getSymbol(OpTy::create(index.getBuilder(), index.getLoc(), lhs, rhs).getResult());
  }

  IndexBuilder &index;
};
} // namespace

namespace tssa::conversion {

StringRef describeKind(const ScheduledLoop &loop) {
  return loop.kind == LoopKind::Parallel ? "parallel"
         : loop.kind == LoopKind::Thread ? "lane"
                                         : "serial";
}

SmallVector<MemberDim> getMemberBox(IndexBuilder &index, const MemberReads &reads,
                                    te::ComputeOp member, const IRMapping &values) {
  SmallVector<AffineExpr> extents = getExtents(index, member, values);
  DenseMap<Value, AffineExpr> exprs =
      getKernelExprs(index, member->getParentOfType<te::KernelOp>(), values);
  te::BoxFinder finder(getBoxRoot(index, reads), reads.read, exprs, index.getSimplifier());
  SmallVector<MemberDim> box;
  for (auto [number, interval] : llvm::enumerate(finder.getBox(member)))
    box.push_back(interval ? Clipper(index).clip(interval, extents[number]) : MemberDim());
  return box;
}

} // namespace tssa::conversion
