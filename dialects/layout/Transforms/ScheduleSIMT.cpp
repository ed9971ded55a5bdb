//===- ScheduleSIMT.cpp - schedules for blocks of threads -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A labelled expression gets one of four forms:
// 1. Product of two large operands: the point that the draft of devices predicts to be the fastest
//    (Template/DeviceProduct.h). A block computes a tile of results: each lane a small tile of
//    them, or each warp a tile by instructions that multiply matrices. The operands that some
//    reduction steps need are kept in shared memory.
// 2. Long reduction that has few results, or whose sources are contiguous along the reduction and
//    not along the results: a warp or a block computes one result, and its lanes share the
//    reduction.
// 3. Any other reduction: a lane computes one result.
// 4. No reduction: all dims are fused to one loop, and a lane computes four elements at once if
//    these are adjacent.
// In a kernel of several expressions, a block computes a row of the root. The other expressions are
// computed for that row, by all lanes of the block.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/Access.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/layout/Template/DeviceDraft.h"
#include "dialects/layout/Template/DeviceReduction.h"
#include "dialects/layout/Transforms/Labels.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/layout/Transforms/RowDims.h"
#include "dialects/te/IR/AssumedSize.h"
#include "dialects/te/IR/Contraction.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_SCHEDULESIMT
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

static constexpr int64_t warpSize = DeviceModel::warp;
/// The number of threads of a block, except for tiled products.
static constexpr int64_t blockSize = 256;
/// The elements of a row that a lane computes, if there are as many: a short row then has one warp,
/// whose lanes need no barriers to add what they have.
static constexpr int64_t elementsOfRow = 4;
/// If there are fewer elements than this, each lane computes only one.
static constexpr int64_t fewElements = 4096;
/// If a reduction has at least this many steps, a block shares them; otherwise a warp does.
static constexpr int64_t blockReduction = 2048;

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("schedule").category("layout-schedule-simt");
}

namespace {
/// Writes the schedule of one expression.
class SIMTScheduler {
public:
  SIMTScheduler(OpBuilder &builder, te::ComputeOp op, const DeviceModel &device)
      : builder(builder), op(op), device(device), accesses(getAccesses(op)), loc(op.getLoc()) {}

  /// Writes the schedule of a kernel's only expression.
  void writeAlone() {
    nameLoops();
    if (!op.hasReduction())
      return writeElements();
    if (std::optional<DeviceProduct> product = matchDeviceProduct(op))
      return writeProduct(*product);
    writeReduction();
  }

  /// Writes the schedule of a root expression, with `inner` computed at its rows.
  void writeRoot(ArrayRef<te::ComputeOp> inner) {
    unsigned rows = countRowDims(op, inner);
    nameLoops();
    SmallVector<Value> rowLoops(ArrayRef(loops).take_front(rows));
    writeInBlock(rows);
    if (rows != 0)
      BindOp::create(builder, loc, rowLoops, Level::Block);
    computeAtRows(builder, op, inner, rowLoops);
  }

  /// Writes the schedule of an expression that is computed for each row of the root, so that its
  /// first `rows` dims have one iteration.
  void writeInner(unsigned rows) {
    nameLoops();
    writeInBlock(rows);
  }

private:
  /// Emits a remark that says how the expression is distributed over threads.
  void explain(const char *form, StringRef key, int64_t count) {
    remark::passed(loc, getRemarkOptions()) << remark::metric("Expression", *op.getLabel())
                                            << remark::add(form) << remark::metric(key, count);
  }

  Type loopType() { return LoopType::get(builder.getContext()); }

  void nameLoops() {
    SmallVector<Type> types(op.getNumDims(), loopType());
    auto named = LoopsOp::create(builder, loc, types, *op.getLabel());
    loops.assign(named.getLoops().begin(), named.getLoops().end());
  }

  Value fuse(ArrayRef<unsigned> dims) { return fuseLoops(getLoops(dims)); }

  Value fuseLoops(ArrayRef<Value> all) {
    Value fused = all.front();
    for (Value loop : all.drop_front())
      fused = FuseOp::create(builder, loc, loopType(), fused, loop);
    return fused;
  }

  SmallVector<Value> getLoops(ArrayRef<unsigned> dims) {
    return llvm::map_to_vector(dims, [&](unsigned dim) { return loops[dim]; });
  }

  /// Splits `loop`. Returns the outer loop and the inner loop, which has `factor` iterations.
  std::pair<Value, Value> split(Value loop, int64_t factor) {
    SmallVector<Type> types(2, loopType());
    auto op = SplitOp::create(builder, loc, types, loop, ArrayRef<int64_t>{factor});
    return {op.getLoops()[0], op.getLoops()[1]};
  }

  int64_t getExtent(unsigned dim) {
    int64_t size = op.getStaticSizes()[dim];
    return te::assumeSize(size, te::SizeRole::Threads);
  }

  int64_t getProduct(ArrayRef<unsigned> dims) {
    int64_t product = 1;
    for (unsigned dim : dims)
      product = llvm::SaturatingMultiply<uint64_t>(product, getExtent(dim));
    return product;
  }

  SmallVector<unsigned> getParallelDims(unsigned first = 0) {
    return llvm::to_vector(llvm::seq<unsigned>(first, op.getNumParallel()));
  }

  /// Returns the reduction dims in descending order of the strides of their reads.
  SmallVector<unsigned> getReductionDims() {
    return sortByStrides(
        llvm::to_vector(llvm::seq<unsigned>(op.getNumParallel(), op.getNumDims())));
  }

  SmallVector<unsigned> sortByStrides(SmallVector<unsigned> dims) {
    DenseMap<unsigned, uint64_t> strides;
    for (unsigned dim : dims)
      for (const Access &access : accesses)
        if (!access.isWrite())
          strides[dim] += std::abs(access.getStride(dim));
    llvm::stable_sort(dims, [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
    return dims;
  }

  //===--------------------------------------------------------------------===//
  // Without a reduction
  //===--------------------------------------------------------------------===//

  void writeElements() {
    SmallVector<unsigned> dims = getParallelDims();
    if (dims.empty())
      return;
    int64_t lanes = chooseVector(0);
    explain("elements are spread over lanes", "ElementsPerLane", lanes);
    Value outer = fuse(dims), vector;
    if (lanes > 1)
      std::tie(outer, vector) = split(outer, lanes);
    auto [block, lane] = split(outer, chooseBlockSize(getProduct(dims) / lanes));
    if (vector)
      VectorizeOp::create(builder, loc, vector);
    BindOp::create(builder, loc, block, Level::Block);
    BindOp::create(builder, loc, lane, Level::Lane);
  }

  int64_t chooseBlockSize(int64_t iterations) {
    int64_t needed = llvm::PowerOf2Ceil(std::max<int64_t>(iterations, 1));
    return std::clamp(needed, warpSize, blockSize);
  }

  /// Returns the lanes for a row of `elements` elements, each of which takes little time.
  int64_t chooseRowSize(int64_t elements) {
    return chooseBlockSize(llvm::divideCeil(elements, elementsOfRow));
  }

  /// Returns how many elements one lane computes at once in the loop over the parallel dims from
  /// dim `first` on. Returns 1 if the elements are not adjacent, or if their addresses are not
  /// aligned as vector accesses require.
  int64_t chooseVector(unsigned first) {
    unsigned last = op.getNumParallel() - 1;
    int64_t width = 32;
    for (Type type : op.getResultTypes())
      width = std::max<int64_t>(width, getElementTypeOrSelf(type).getIntOrFloatBitWidth());
    int64_t lanes = width > 32 ? 2 : 4;
    if (op.getPieces().size() > 1 || getProduct(getParallelDims(first)) < fewElements || width > 64)
      return 1;
    bool divisible =
        op.getStaticSizes()[last] % lanes == 0 && !ShapedType::isDynamic(op.getStaticSizes()[last]);
    for (const Access &access : accesses) {
      if (access.getStrideKind(last, lanes) == StrideKind::Strided || access.isGuardedBy(last))
        return 1;
      if (!divisible && !walksAsOne(access, first))
        return 1;
    }
    return lanes;
  }

  /// Returns whether the access is contiguous over the fused loop of all parallel dims. Returns
  /// false if `first` is not 0.
  bool walksAsOne(const Access &access, unsigned first) {
    unsigned last = op.getNumParallel() - 1;
    if (first != 0 || access.getStrideKind(last, 2) != StrideKind::Contiguous)
      return false;
    int64_t extent = te::assumeSize(op.getStaticSizes()[last], te::SizeRole::Large);
    for (unsigned dim = last; dim-- > 0;) {
      if (!access.canFuse(dim, last, extent))
        return false;
      extent *= te::assumeSize(op.getStaticSizes()[dim], te::SizeRole::Large);
    }
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Reductions
  //===--------------------------------------------------------------------===//

  void writeReduction() {
    SmallVector<unsigned> parallel = getParallelDims(), reduction = getReductionDims();
    if (!lanesShareSteps(op, accesses)) {
      if (parallel.empty())
        return;
      explain("each lane computes a result", "Steps", getProduct(reduction));
      auto [block, lane] = split(fuse(parallel), chooseBlockSize(getProduct(parallel)));
      reorder({block, lane}, reduction);
      BindOp::create(builder, loc, block, Level::Block);
      BindOp::create(builder, loc, lane, Level::Lane);
      return;
    }
    int64_t steps = getProduct(reduction);
    bool isBlocks = steps >= blockReduction || parallel.empty();
    explain("lanes share the reduction of a result", "LanesPerResult",
            isBlocks ? blockSize : warpSize);
    auto [outer, inner] = split(fuse(reduction), isBlocks ? blockSize : warpSize);
    if (parallel.empty()) {
      BindOp::create(builder, loc, inner, Level::Lane);
      return;
    }
    Value results = fuse(parallel);
    if (isBlocks) {
      ReorderOp::create(builder, loc, ValueRange{results, outer, inner});
      BindOp::create(builder, loc, results, Level::Block);
      BindOp::create(builder, loc, inner, Level::Lane);
      return;
    }
    auto [block, warp] = split(results, blockSize / warpSize);
    ReorderOp::create(builder, loc, ValueRange{block, warp, outer, inner});
    BindOp::create(builder, loc, block, Level::Block);
    BindOp::create(builder, loc, ValueRange{warp, inner}, Level::Lane);
  }

  /// Orders the loops: `first`, then the loops of `dims`.
  void reorder(ArrayRef<Value> first, ArrayRef<unsigned> dims) {
    SmallVector<Value> order(first);
    for (unsigned dim : dims)
      order.push_back(loops[dim]);
    ReorderOp::create(builder, loc, order);
  }

  //===--------------------------------------------------------------------===//
  // A row in a block
  //===--------------------------------------------------------------------===//

  /// Distributes all dims after the first `rows` dims over the lanes of one block.
  void writeInBlock(unsigned rows) {
    SmallVector<unsigned> parallel = getParallelDims(rows), reduction = getReductionDims();
    SmallVector<Value> order(ArrayRef(loops).take_front(rows));
    int64_t results = getProduct(parallel);
    explain("a block computes a row", "ResultsPerRow", results);
    bool byLanes = !reduction.empty() && getProduct(reduction) >= warpSize && results < warpSize;
    if (byLanes) {
      auto [outer, lane] = split(fuse(reduction), chooseRowSize(getProduct(reduction)));
      for (unsigned dim : parallel)
        order.push_back(loops[dim]);
      order.append({outer, lane});
      ReorderOp::create(builder, loc, order);
      BindOp::create(builder, loc, lane, Level::Lane);
      return;
    }
    if (parallel.empty()) // a short reduction: one lane computes it
      return reorder(order, reduction);
    int64_t lanes = reduction.empty() ? chooseVector(rows) : 1;
    Value outer = fuse(parallel), vector;
    if (lanes > 1)
      std::tie(outer, vector) = split(outer, lanes);
    auto [serial, lane] =
        split(outer, lanes > 1 || !reduction.empty() ? chooseBlockSize(results / lanes)
                                                     : chooseRowSize(results));
    order.append({serial, lane});
    for (unsigned dim : reduction)
      order.push_back(loops[dim]);
    if (vector)
      order.push_back(vector);
    ReorderOp::create(builder, loc, order);
    if (vector)
      VectorizeOp::create(builder, loc, vector);
    BindOp::create(builder, loc, lane, Level::Lane);
  }

  //===--------------------------------------------------------------------===//
  // Products
  //===--------------------------------------------------------------------===//

  /// Writes the schedule of the point that the draft predicts to be the fastest.
  void writeProduct(const DeviceProduct &product) {
    std::optional<DeviceChoice> best = chooseDevicePoint(product, device);
    if (!best)
      return writeReduction();
    std::string text;
    llvm::raw_string_ostream(text) << best->point;
    remark::passed(loc, getRemarkOptions())
        << remark::metric("Expression", *op.getLabel()) << remark::add("a block computes a tile")
        << remark::metric("Point", text)
        << remark::metric("Nanoseconds", static_cast<int64_t>(best->microseconds * 1000));
    if (best->point.usesAtom)
      writeAtoms(product, best->point);
    else
      writeLanes(product, best->point);
  }

  /// Splits `loop` into an outer loop and two inner ones of `middle` and `inner` iterations.
  ResultRange splitTwice(Value loop, int64_t middle, int64_t inner) {
    SmallVector<Type> types(3, loopType());
    return SplitOp::create(builder, loc, types, loop, ArrayRef<int64_t>{middle, inner}).getLoops();
  }

  /// A block computes a tile of results, each of its warps a part of it, and each lane a part of
  /// that.
  void writeLanes(const DeviceProduct &product, const DevicePoint &point) {
    auto [rowOuter, row] = split(fuse(product.rows), point.laneRows);
    auto [columnOuter, column] = split(fuse(product.columns), point.laneColumns);
    auto rows = splitTwice(rowOuter, point.warpsDown, point.getLanesDown());
    auto columns = splitTwice(columnOuter, point.warpsAcross, point.getLanesAcross());
    auto [kept, step] = split(fuse(sortByStrides(product.steps)), point.steps);
    SmallVector<Value> blocks = getBlocks(product, rows[0], columns[0]), order(blocks),
                       lanes = {rows[1], columns[1], rows[2], columns[2]};
    llvm::append_range(order, lanes);
    llvm::append_range(order, getLoops(sortByStrides(product.windows)));
    order.append({kept, step, row, column});
    ReorderOp::create(builder, loc, order);
    cacheFactors(kept);
    RegisterTileOp::create(builder, loc, row);
    VectorizeOp::create(builder, loc, column);
    BindOp::create(builder, loc, blocks, Level::Block);
    BindOp::create(builder, loc, lanes, Level::Lane);
  }

  /// Each warp of a block computes a tile by instructions that multiply matrices.
  void writeAtoms(const DeviceProduct &product, const DevicePoint &point) {
    auto rows = splitTwice(fuse(product.rows), point.warpsDown, point.rows / point.warpsDown);
    auto columns =
        splitTwice(fuse(product.columns), point.warpsAcross, point.columns / point.warpsAcross);
    auto steps = splitTwice(fuse(sortByStrides(product.steps)), point.split, point.steps);
    SmallVector<Value> serial = getLoops(sortByStrides(product.windows));
    serial.push_back(steps[0]);
    Value kept = fuseLoops(serial); // the pipeline runs through all windows
    SmallVector<Value> blocks = getBlocks(product, rows[0], columns[0]), order(blocks);
    order.append({rows[1], columns[1], steps[1], kept, rows[2], columns[2], steps[2]});
    ReorderOp::create(builder, loc, order);
    BindOp::create(builder, loc, blocks, Level::Block);
    BindOp::create(builder, loc, ValueRange{rows[1], columns[1], steps[1]}, Level::Warp);
    cacheFactors(kept);
    PipelineOp::create(builder, loc, kept, point.depth);
    AtomOp::create(builder, loc, ValueRange{rows[2], columns[2], steps[2]}, product.atom->name);
  }

  SmallVector<Value> getBlocks(const DeviceProduct &product, Value rows, Value columns) {
    SmallVector<Value> blocks;
    for (unsigned dim : product.both)
      blocks.push_back(loops[dim]);
    blocks.append({rows, columns});
    return blocks;
  }

  void cacheFactors(Value loop) {
    for (int64_t operand : {0, 1})
      CacheOp::create(builder, loc, operand, loop, "shared");
  }

  OpBuilder &builder;
  te::ComputeOp op;
  const DeviceModel &device;
  SmallVector<Access> accesses;
  Location loc;
  SmallVector<Value> loops; ///< the loop of each dim
};

struct ScheduleSIMT : layout::impl::ScheduleSIMTBase<ScheduleSIMT> {
  void runOnOperation() final {
    OpBuilder builder(&getContext());
    DeviceModel device = getDeviceModel(getOperation());
    WalkResult result = getOperation().walk([&](te::KernelOp kernel) {
      if (!kernel.getSchedule().empty())
        return WalkResult(checkScheduledLabels(kernel));
      if (failed(checkLabels(kernel)))
        return WalkResult::interrupt();
      builder.setInsertionPointToEnd(&kernel.getSchedule().emplaceBlock());
      ++numScheduled;
      schedule(builder, kernel, device);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// Writes the schedule of a kernel. Its last expression is the root.
  static void schedule(OpBuilder &builder, te::KernelOp kernel, const DeviceModel &device) {
    SmallVector<te::ComputeOp> expressions(kernel.getBodyBlock().getOps<te::ComputeOp>());
    if (expressions.empty()) {
      remark::missed(kernel.getLoc(), getRemarkOptions())
          << remark::reason("te.update and te.scan have no schedule");
      return;
    }
    te::ComputeOp root = expressions.pop_back_val();
    if (expressions.empty())
      return SIMTScheduler(builder, root, device).writeAlone();
    for (te::ComputeOp expression : expressions)
      SIMTScheduler(builder, expression, device).writeInner(countRowDims(root, expression));
    SIMTScheduler(builder, root, device).writeRoot(expressions);
  }
};
} // namespace

void layout::buildDeviceLayoutStage(OpPassManager &manager, const DeviceModel &device,
                                    const StoresObserver &observer) {
  manager.addPass(createSetDevice(device));
  manager.addPass(createChooseStores());
  buildApplyStores(manager, observer);
  manager.addPass(createPlaceJoins());
  manager.addPass(createScheduleSIMT());
}
