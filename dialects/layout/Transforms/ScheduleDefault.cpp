//===- ScheduleDefault.cpp - schedules from a model of the machine -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each labelled expression:
// 1. Choose the tile (Analysis/TileModel).
// 2. Fuse adjacent dims if each access keeps a constant stride. Without a reduction, dims are fused
//    with the vector dim. With a reduction, they are fused with the dims of the tile's rows.
// 3. Split the tiled dims and order the loops: outer loops of parallel dims (that of the vector dim
//    before those of the rows), reduction loops (longest strides outermost), rows, vectors, lanes.
// 4. Bind the outer loops to threads.
// In a kernel of several expressions, the last one is the root. Each of the others is computed at
// the innermost loop of the root that indexes its reads, and its own loops run serially there.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/TileModel.h"
#include "dialects/layout/Transforms/Labels.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/layout/Transforms/RowDims.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_SCHEDULEDEFAULT
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("schedule").category("layout-schedule-default");
}

namespace {
/// Writes the schedule of one expression.
class Scheduler {
public:
  Scheduler(OpBuilder &builder, te::ComputeOp op, const MachineModel &machine)
      : builder(builder), op(op), accesses(getAccesses(op)),
        choice(chooseTile(op, accesses, machine)), loc(op.getLoc()) {}

  /// Writes the schedule of a root expression, with `inner` computed at its loops.
  void writeRoot(ArrayRef<te::ComputeOp> inner) {
    rowDims = countRowDims(op, inner);
    bind = true;
    write();
    computeAtRows(builder, op, inner, loops);
  }

  /// Writes the schedule of an expression that is computed for each row of the root, so that its
  /// first `rows` dims have one iteration.
  void writeInner(unsigned rows) {
    rowDims = rows;
    write();
  }

private:
  void write() {
    if (rowDims && choice.vectorDim && *choice.vectorDim < rowDims)
      choice = TileChoice();
    llvm::erase_if(choice.rows, [&](const TileRows &rows) { return rows.dim < rowDims; });
    nameLoops();
    if (!op.hasReduction())
      fuseVectorDim();
    splitRows();
    splitVector();
    reorder();
    annotate();
    explain();
  }

  void explain() {
    std::string rows;
    llvm::raw_string_ostream stream(rows);
    llvm::interleave(
        choice.rows, stream, [&](const TileRows &tile) { stream << tile.extent; }, "x");
    remark::passed(loc, getRemarkOptions())
        << remark::metric("Expression", *op.getLabel())
        << remark::metric("Lanes", choice.vectorDim ? choice.lanes : 1)
        << remark::metric("Vectors", choice.vectorDim ? choice.vectors : 1)
        << remark::metric("Rows", rows.empty() ? "1" : rows) << remark::metric("RowDims", rowDims);
  }

  Type loopType() { return LoopType::get(builder.getContext()); }

  void nameLoops() {
    SmallVector<Type> types(op.getNumDims(), loopType());
    auto named = LoopsOp::create(builder, loc, types, *op.getLabel());
    loops.assign(named.getLoops().begin(), named.getLoops().end());
  }

  /// Fuses the `count` dims before `dim` with `dim`.
  void fuseInto(unsigned dim, unsigned count) {
    for (unsigned other = dim; other-- > dim - count;) {
      loops[dim] = FuseOp::create(builder, loc, loopType(), loops[other], loops[dim]);
      loops[other] = Value();
    }
  }

  /// Fuses dims before the vector dim with it, as many as all accesses allow.
  void fuseVectorDim() {
    if (!choice.vectorDim)
      return;
    unsigned dim = *choice.vectorDim, count = countFusable(op, accesses, dim, rowDims);
    fuseInto(dim, count);
    int64_t extent = 1;
    for (unsigned fused = dim - count; fused <= dim; ++fused)
      extent *= getAssumedSize(op.getStaticSizes()[fused]);
    if (extent >= choice.lanes * 4)
      choice.vectors = std::max<int64_t>(choice.vectors, 2);
  }

  SmallVector<Value> split(Value loop, ArrayRef<int64_t> factors) {
    SmallVector<Type> types(factors.size() + 1, loopType());
    auto splitOp = SplitOp::create(builder, loc, types, loop, factors);
    return SmallVector<Value>(splitOp.getLoops());
  }

  void splitRows() {
    for (auto [dim, extent, fused] : choice.rows) {
      fuseInto(dim, std::min(fused, dim - rowDims));
      if (extent <= 1)
        continue;
      SmallVector<Value> parts = split(loops[dim], {extent});
      loops[dim] = parts[0];
      tiled.push_back(parts[1]);
    }
  }

  void splitVector() {
    if (!choice.vectorDim)
      return;
    unsigned dim = *choice.vectorDim;
    SmallVector<int64_t> factors;
    if (choice.vectors > 1)
      factors.push_back(choice.vectors);
    factors.push_back(choice.lanes);
    SmallVector<Value> parts = split(loops[dim], factors);
    loops[dim] = parts[0];
    if (choice.vectors > 1)
      tiled.push_back(parts[1]);
    lanes = parts.back();
  }

  /// Returns the reduction dims in descending order of the strides of their reads.
  SmallVector<unsigned> getReductionOrder() {
    SmallVector<unsigned> order;
    DenseMap<unsigned, int64_t> strides;
    for (unsigned dim = op.getNumParallel(); dim < op.getNumDims(); ++dim) {
      order.push_back(dim);
      for (const Access &access : accesses)
        if (!access.isWrite())
          strides[dim] += std::abs(access.getStride(dim));
    }
    llvm::stable_sort(order, [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
    return order;
  }

  /// Looks for a read that varies along the vector dim and is invariant along an earlier dim.
  /// Returns the first such dim. A block of what the read loads should stay in the cache while the
  /// loop of this dim runs.
  std::optional<unsigned> findFirstReuse() {
    if (!choice.vectorDim || *choice.vectorDim >= op.getNumParallel() || !op.hasReduction())
      return std::nullopt;
    for (unsigned dim = 0; dim < *choice.vectorDim; ++dim)
      for (const Access &access : accesses)
        if (!access.isWrite() && op.getStaticSizes()[dim] != 1 &&
            access.getRead()->getParentRegion() != &op.getEpilogue() &&
            access.getStrideKind(*choice.vectorDim, 2) != StrideKind::Invariant &&
            access.getStrideKind(dim, 2) == StrideKind::Invariant)
          return dim;
    return std::nullopt;
  }

  void reorder() {
    std::optional<unsigned> firstReuse = findFirstReuse();
    for (unsigned dim = 0; dim < op.getNumParallel(); ++dim) {
      if (firstReuse && dim == *firstReuse)
        outer.push_back(loops[*choice.vectorDim]);
      if (loops[dim] && !(firstReuse && dim == *choice.vectorDim))
        outer.push_back(loops[dim]);
    }
    SmallVector<Value> order(outer);
    for (unsigned dim : getReductionOrder())
      order.push_back(loops[dim]);
    order.append(tiled);
    if (lanes)
      order.push_back(lanes);
    ReorderOp::create(builder, loc, order);
  }

  void annotate() {
    if (!tiled.empty())
      RegisterTileOp::create(builder, loc, tiled);
    if (lanes)
      VectorizeOp::create(builder, loc, lanes);
    // Threads share only the rows, not the work within a row, so that the expressions of a row are
    // computed once.
    ArrayRef<Value> bound = rowDims ? ArrayRef(loops).take_front(rowDims) : ArrayRef(outer);
    if (!bound.empty() && bind)
      BindOp::create(builder, loc, bound, Level::Parallel);
  }

  OpBuilder &builder;
  te::ComputeOp op;
  SmallVector<Access> accesses;
  TileChoice choice;
  Location loc;
  SmallVector<Value> loops; ///< the outermost loop of each dim; null once it is fused
  SmallVector<Value> outer, tiled;
  Value lanes;
  unsigned rowDims = 0; ///< number of leading dims that are not split or fused
  bool bind = false;
};

/// Writes the schedule of a kernel. Its last expression is the root.
static void schedule(OpBuilder &builder, te::KernelOp kernel, const MachineModel &machine) {
  SmallVector<te::ComputeOp> expressions(kernel.getBodyBlock().getOps<te::ComputeOp>());
  if (expressions.empty()) {
    remark::missed(kernel.getLoc(), getRemarkOptions())
        << remark::reason("te.update and te.scan have no schedule");
    return;
  }
  te::ComputeOp root = expressions.pop_back_val();
  for (te::ComputeOp expression : expressions)
    Scheduler(builder, expression, machine).writeInner(countRowDims(root, expression));
  Scheduler(builder, root, machine).writeRoot(expressions);
}

struct ScheduleDefault : layout::impl::ScheduleDefaultBase<ScheduleDefault> {
  void runOnOperation() final {
    OpBuilder builder(&getContext());
    MachineModel machine = getMachineModel(getOperation());
    WalkResult result = getOperation().walk([&](te::KernelOp kernel) {
      if (!kernel.getSchedule().empty())
        return WalkResult(checkScheduledLabels(kernel));
      if (failed(checkLabels(kernel)))
        return WalkResult::interrupt();
      Block &block = kernel.getSchedule().emplaceBlock();
      builder.setInsertionPointToEnd(&block);
      ++numScheduled;
      schedule(builder, kernel, machine);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

void layout::buildLayoutStage(OpPassManager &manager, const MachineModel &machine,
                              const StoresObserver &observer) {
  manager.addPass(createSetMachine(machine));
  manager.addPass(createChooseStores());
  manager.addPass(createChoosePacking());
  manager.addPass(createMaterializeStores(observer));
  manager.addPass(createDropCopies());
  manager.addPass(createKeepRows());
  manager.addPass(createScheduleDefault());
}
