//===- MemberBox.cpp - the part of a member that an iteration computes ---===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemberBox.h"
#include "KernelFunction.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallBitVector.h"

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

/// Returns the root at the current iteration of the loops that are entered or, if `isWhole`, with
/// all iterations.
static te::BoxRoot getBoxRoot(IndexBuilder &index, const MemberReads &reads, bool isWhole) {
  te::BoxRoot root;
  root.op = reads.root;
  root.regions = {&root.op.getPieces()[reads.piece], &root.op.getEpilogue()};
  for (auto [number, loop] : llvm::enumerate(reads.schedule.loops)) {
    AffineExpr own = getAffineDimExpr(number, index.getContext());
    AffineExpr zero = getAffineConstantExpr(0, index.getContext());
    bool isEntered = index.hasLoop(number) && !isWhole;
    root.loops.push_back(isEntered ? te::IndexInterval{own, own, {}, {}}
                                   : te::IndexInterval{zero, loop.extent - 1, {}, {}});
  }
  root.toLoops = [&index, &reads, isWhole](AffineExpr expr) {
    return isWhole ? index.simplify(expr.replaceDims(reads.schedule.dims))
                   : getEnteredExpr(index, reads.schedule, expr);
  };
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
/// Cuts an interval to another one.
class Clipper {
public:
  Clipper(IndexBuilder &index) : index(index) {}

  MemberDim clip(te::IndexInterval read, te::IndexInterval existing) {
    MemberDim dim;
    AffineExpr count = index.simplify(read.greatest - read.least + 1);
    std::optional<int64_t> most = getMost(read);
    if (!most)
      return dim;
    dim.least = read.least;
    dim.most = std::min(*most, getMost(existing).value_or(*most));
    AffineExpr begin = read.least, end = read.greatest + 1;
    for (AffineExpr bound : {existing.least, read.atLeast, existing.atLeast})
      begin = bound ? getGreater(begin, bound) : begin;
    end = getGreater(end, existing.least);
    for (AffineExpr bound : {existing.greatest, read.atMost, existing.atMost})
      end = bound ? getLess(end, bound + 1) : end;
    bool isClipped = begin != read.least || end != read.greatest + 1;
    AffineExpr zero = getAffineConstantExpr(0, index.getContext());
    dim.computed = {begin, isClipped ? getGreater(index.simplify(end - begin), zero) : count};
    return dim;
  }

private:
  std::optional<int64_t> getMost(te::IndexInterval interval) {
    return index.getSimplifier().getConstantUpperBound(
        index.simplify(interval.greatest - interval.least + 1));
  }
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

MemberBoxes::MemberBoxes(IndexBuilder &index, const MemberReads &reads, const IRMapping &values)
    : index(index), reads(reads), values(values),
      exprs(getKernelExprs(index, reads.root->getParentOfType<te::KernelOp>(), values)),
      finder(getBoxRoot(index, reads, /*isWhole=*/false), reads.read, exprs,
             index.getSimplifier()) {
  if (reads.isMember)
    whole.emplace(getBoxRoot(index, reads, /*isWhole=*/true), reads.read, exprs,
                  index.getSimplifier());
}

SmallVector<MemberDim> MemberBoxes::get(te::ComputeOp member) {
  AffineExpr zero = getAffineConstantExpr(0, index.getContext());
  SmallVector<te::IndexInterval> existing;
  for (AffineExpr extent : getExtents(index, member, values))
    existing.push_back({zero, extent - 1, {}, {}});
  if (whole)
    for (auto [all, read] : llvm::zip_equal(existing, whole->getBox(member)))
      if (read)
        all = read;
  SmallVector<MemberDim> box;
  for (auto [interval, all] : llvm::zip_equal(finder.getBox(member), existing))
    box.push_back(interval ? Clipper(index).clip(interval, all) : MemberDim());
  return box;
}

bool MemberBoxes::isAllReadBy(te::ComputeOp member, function_ref<bool(te::ComputeOp)> isReader) {
  return finder.getBox(member) == finder.getBoxReadBy(member, isReader);
}

bool MemberBoxes::areClose(te::ComputeOp member) {
  for (te::IndexInterval interval : finder.getBox(member)) {
    unsigned moves = 0;
    for (unsigned loop = 0; interval && loop < reads.schedule.loops.size(); ++loop) {
      if (!index.hasLoop(loop) || !interval.least.isFunctionOfDim(loop))
        continue;
      AffineExpr own = getAffineDimExpr(loop, index.getContext());
      AffineExpr next = interval.least.replace(own, own + 1);
      AffineExpr step = index.simplify(next - interval.least);
      AffineExpr gap = index.simplify(next - interval.greatest - 1); // before the next box
      if (++moves > 1 || !index.isNonNegative(step) || !index.isNonNegative(index.simplify(-gap)))
        return false;
    }
  }
  return true;
}

bool MemberBoxes::arePartition(te::ComputeOp member, ArrayRef<MemberDim> box) {
  SmallVector<te::IndexInterval> intervals = finder.getBox(member);
  SmallVector<AffineExpr> sizes = getExtents(index, member, values);
  llvm::SmallBitVector moving(reads.schedule.loops.size());
  for (auto [interval, size, dim] : llvm::zip_equal(intervals, sizes, box)) {
    if (!dim.least)
      continue;
    AffineExpr first = interval.least, last = interval.greatest;
    for (unsigned loop = 0; loop < moving.size(); ++loop) {
      AffineExpr own = getAffineDimExpr(loop, index.getContext());
      if (!index.hasLoop(loop) || !interval.least.isFunctionOfDim(loop))
        continue;
      AffineExpr gap = interval.least.replace(own, own + 1) - interval.greatest - 1;
      if (index.simplify(gap) != 0 || first != interval.least) // of a single loop
        return false;
      first = first.replace(own, getAffineConstantExpr(0, index.getContext()));
      last = last.replace(own, reads.schedule.loops[loop].extent - 1);
      moving.set(loop);
    }
    if (!index.isNonNegative(index.simplify(-first)) ||
        !index.isNonNegative(index.simplify(last - size + 1)))
      return false;
  }
  return llvm::all_of(llvm::seq<unsigned>(moving.size()), [&](unsigned loop) {
    return !index.hasLoop(loop) || moving[loop] || reads.schedule.loops[loop].extent == 1;
  });
}

} // namespace tssa::conversion
