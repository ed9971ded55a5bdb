//===- ScheduleSIMT.cpp - schedules for blocks of threads -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each labelled expression, one of four forms:
// 1. Product of two large operands: a block has a square of results, a lane a small
//    square of those; the operands go through shared memory in steps of the
//    reduction.
// 2. Long reduction whose sources lie along it, or with few results: a warp or a
//    block per result, lanes over the reduction.
// 3. Any other reduction: a lane per result.
// 4. No reduction: all dims are one loop, of which a lane does four elements where
//    they lie side by side.
// In a kernel of several expressions a block has a row of the root; the other
// expressions are computed at that row, by all of its lanes.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/Access.h"
#include "dialects/layout/Transforms/Labels.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/layout/Transforms/RowDims.h"
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

/// Extent taken for a dim whose size is not known.
static constexpr int64_t assumedExtent = 256;
static constexpr int64_t warpSize = 32;
/// Threads of a block that does one loop.
static constexpr int64_t blockSize = 256;
/// Fewer elements than this are spread over as many threads as there can be.
static constexpr int64_t fewElements = 4096;
/// Results that occupy a device when each is the work of one lane.
static constexpr int64_t manyResults = 2048;
/// Steps of a reduction that are worth a block when results are few.
static constexpr int64_t longReduction = 512;
/// Steps of a reduction that one block does rather than a warp.
static constexpr int64_t blockReduction = 2048;
/// Least extents of a product that is tiled, and blocks that occupy a device.
static constexpr int64_t leastTiled = 16, manyBlocks = 64;
/// Lanes along each side of a block's square, and steps kept in shared memory.
static constexpr int64_t sideLanes = 16, keptSteps = 16;

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("schedule").category("layout-schedule-simt");
}

namespace {
/// Dims of a product by what depends on them.
struct ProductDims {
  SmallVector<unsigned> both, first, second; ///< parallel dims
};

/// Writes the schedule of one expression.
class SIMTScheduler {
public:
  SIMTScheduler(OpBuilder &builder, te::ComputeOp op)
      : builder(builder), op(op), accesses(getAccesses(op)), loc(op.getLoc()) {}

  /// Writes the schedule of a kernel's only expression.
  void writeAlone() {
    nameLoops();
    if (!op.hasReduction())
      return writeElements();
    if (std::optional<ProductDims> dims = matchProduct())
      return writeProduct(*dims);
    writeReduction();
  }

  /// Writes the schedule of a root, at whose rows `inner` are computed.
  void writeRoot(ArrayRef<te::ComputeOp> inner) {
    unsigned rows = countRowDims(op, inner);
    nameLoops();
    SmallVector<Value> rowLoops(ArrayRef(loops).take_front(rows));
    writeInBlock(rows);
    if (rows != 0)
      BindOp::create(builder, loc, rowLoops, "block");
    computeAtRows(builder, op, inner, rowLoops);
  }

  /// Writes the schedule of an expression computed at a row of the root; its first
  /// `rows` dims have one iteration.
  void writeInner(unsigned rows) {
    nameLoops();
    writeInBlock(rows);
  }

private:
  /// Says in which way the expression is spread over threads.
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

  Value fuse(ArrayRef<unsigned> dims) {
    Value fused = loops[dims.front()];
    for (unsigned dim : dims.drop_front())
      fused = FuseOp::create(builder, loc, loopType(), fused, loops[dim]);
    return fused;
  }

  /// The outer loop and the inner one, of `factor` iterations.
  std::pair<Value, Value> split(Value loop, int64_t factor) {
    SmallVector<Type> types(2, loopType());
    auto op = SplitOp::create(builder, loc, types, loop, ArrayRef<int64_t>{factor});
    return {op.getLoops()[0], op.getLoops()[1]};
  }

  int64_t getExtent(unsigned dim) {
    int64_t size = op.getStaticSizes()[dim];
    return ShapedType::isDynamic(size) ? assumedExtent : size;
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

  /// Reduction dims, the one with the longest steps first.
  SmallVector<unsigned> getReductionDims() {
    auto dims = llvm::to_vector(llvm::seq<unsigned>(op.getNumParallel(), op.getNumDims()));
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
    BindOp::create(builder, loc, block, "block");
    BindOp::create(builder, loc, lane, "lane");
  }

  static int64_t chooseBlockSize(int64_t iterations) {
    int64_t needed = llvm::PowerOf2Ceil(std::max<int64_t>(iterations, 1));
    return std::clamp(needed, warpSize, blockSize);
  }

  /// Elements that one lane does at once of the loop over all parallel dims from
  /// `first` on; 1 where they do not lie side by side at addresses that vectors need.
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
      if (access.getStep(last, lanes) == Step::Strided || access.isGuardedBy(last))
        return 1;
      if (!divisible && !walksAsOne(access, first))
        return 1;
    }
    return lanes;
  }

  /// Whether the access walks from one element to the next over all parallel dims
  /// from `first` on, which are all there are.
  bool walksAsOne(const Access &access, unsigned first) {
    unsigned last = op.getNumParallel() - 1;
    if (first != 0 || access.getStep(last, 2) != Step::Contiguous)
      return false;
    int64_t extent = getAssumedSize(op.getStaticSizes()[last]);
    for (unsigned dim = last; dim-- > 0;) {
      if (!access.canFuse(dim, last, extent))
        return false;
      extent *= getAssumedSize(op.getStaticSizes()[dim]);
    }
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Reductions
  //===--------------------------------------------------------------------===//

  unsigned countStrided(unsigned dim) {
    return llvm::count_if(accesses, [&](const Access &access) {
      return !access.isWrite() && access.getRead()->getParentRegion() != &op.getEpilogue() &&
             access.getStep(dim, 2) == Step::Strided;
    });
  }

  bool reducesByLanes(ArrayRef<unsigned> parallel, ArrayRef<unsigned> reduction) {
    int64_t steps = getProduct(reduction), results = getProduct(parallel);
    if (steps < warpSize)
      return false;
    if (results == 1 || (results < manyResults && steps >= longReduction))
      return true;
    return countStrided(parallel.back()) > countStrided(reduction.back());
  }

  void writeReduction() {
    SmallVector<unsigned> parallel = getParallelDims(), reduction = getReductionDims();
    if (!reducesByLanes(parallel, reduction)) {
      if (parallel.empty())
        return;
      explain("each lane computes a result", "Steps", getProduct(reduction));
      auto [block, lane] = split(fuse(parallel), chooseBlockSize(getProduct(parallel)));
      reorder({block, lane}, reduction);
      BindOp::create(builder, loc, block, "block");
      BindOp::create(builder, loc, lane, "lane");
      return;
    }
    int64_t steps = getProduct(reduction);
    bool isBlocks = steps >= blockReduction || parallel.empty();
    explain("lanes share the reduction of a result", "LanesPerResult",
            isBlocks ? blockSize : warpSize);
    auto [outer, inner] = split(fuse(reduction), isBlocks ? blockSize : warpSize);
    if (parallel.empty()) {
      BindOp::create(builder, loc, inner, "lane");
      return;
    }
    Value results = fuse(parallel);
    if (isBlocks) {
      ReorderOp::create(builder, loc, ValueRange{results, outer, inner});
      BindOp::create(builder, loc, results, "block");
      BindOp::create(builder, loc, inner, "lane");
      return;
    }
    auto [block, warp] = split(results, blockSize / warpSize);
    ReorderOp::create(builder, loc, ValueRange{block, warp, outer, inner});
    BindOp::create(builder, loc, block, "block");
    BindOp::create(builder, loc, ValueRange{warp, inner}, "lane");
  }

  /// The loops `first`, then those of dims.
  void reorder(ArrayRef<Value> first, ArrayRef<unsigned> dims) {
    SmallVector<Value> order(first);
    for (unsigned dim : dims)
      order.push_back(loops[dim]);
    ReorderOp::create(builder, loc, order);
  }

  //===--------------------------------------------------------------------===//
  // A row in a block
  //===--------------------------------------------------------------------===//

  /// Spreads the dims from `rows` on over the lanes of one block.
  void writeInBlock(unsigned rows) {
    SmallVector<unsigned> parallel = getParallelDims(rows), reduction = getReductionDims();
    SmallVector<Value> order(ArrayRef(loops).take_front(rows));
    int64_t results = getProduct(parallel);
    explain("a block computes a row", "ResultsPerRow", results);
    bool byLanes = !reduction.empty() && getProduct(reduction) >= warpSize && results < warpSize;
    if (byLanes) {
      auto [outer, lane] = split(fuse(reduction), chooseBlockSize(getProduct(reduction)));
      for (unsigned dim : parallel)
        order.push_back(loops[dim]);
      order.append({outer, lane});
      ReorderOp::create(builder, loc, order);
      BindOp::create(builder, loc, lane, "lane");
      return;
    }
    if (parallel.empty()) // short: one lane does it
      return reorder(order, reduction);
    int64_t lanes = reduction.empty() ? chooseVector(rows) : 1;
    Value outer = fuse(parallel), vector;
    if (lanes > 1)
      std::tie(outer, vector) = split(outer, lanes);
    auto [serial, lane] = split(outer, chooseBlockSize(results / lanes));
    order.append({serial, lane});
    for (unsigned dim : reduction)
      order.push_back(loops[dim]);
    if (vector)
      order.push_back(vector);
    ReorderOp::create(builder, loc, order);
    if (vector)
      VectorizeOp::create(builder, loc, vector);
    BindOp::create(builder, loc, lane, "lane");
  }

  //===--------------------------------------------------------------------===//
  // Products
  //===--------------------------------------------------------------------===//

  /// The dims of a sum of products whose factors each have a side of their own.
  std::optional<ProductDims> matchProduct() {
    std::optional<te::Factors> factors = matchFactors(op);
    if (!factors || getProduct(getReductionDims()) < leastTiled)
      return std::nullopt;
    ProductDims dims;
    for (unsigned dim : getParallelDims()) {
      bool inFirst = factors->first.contains(dim), inSecond = factors->second.contains(dim);
      if (inFirst == inSecond)
        dims.both.push_back(dim);
      else
        (inFirst ? dims.first : dims.second).push_back(dim);
    }
    if (dims.first.empty() || dims.second.empty() || getProduct(dims.first) < leastTiled ||
        getProduct(dims.second) < leastTiled)
      return std::nullopt;
    // Results lie side by side along the second side.
    if (llvm::is_contained(dims.first, op.getNumParallel() - 1))
      std::swap(dims.first, dims.second);
    return dims;
  }

  /// Results along each side of what a lane computes: fewer when there would be too
  /// few blocks.
  int64_t chooseSide(const ProductDims &dims) {
    auto countBlocks = [&](int64_t side) {
      return llvm::divideCeil(getProduct(dims.first), side * sideLanes) *
             llvm::divideCeil(getProduct(dims.second), side * sideLanes) * getProduct(dims.both);
    };
    return countBlocks(4) >= manyBlocks ? 4 : 2;
  }

  void writeProduct(const ProductDims &dims) {
    int64_t side = chooseSide(dims);
    explain("a block computes a square of results", "Side", side * sideLanes);
    auto [rowOuter, row] = split(fuse(dims.first), side);
    auto [columnOuter, column] = split(fuse(dims.second), side);
    auto [rowBlock, rowLane] = split(rowOuter, sideLanes);
    auto [columnBlock, columnLane] = split(columnOuter, sideLanes);
    auto [kept, step] = split(fuse(getReductionDims()), keptSteps);
    SmallVector<Value> blocks;
    for (unsigned dim : dims.both)
      blocks.push_back(loops[dim]);
    blocks.append({rowBlock, columnBlock});
    SmallVector<Value> order(blocks);
    order.append({rowLane, columnLane, kept, step, row, column});
    ReorderOp::create(builder, loc, order);
    for (int64_t operand : {0, 1})
      CacheOp::create(builder, loc, operand, kept, "shared");
    RegisterTileOp::create(builder, loc, row);
    VectorizeOp::create(builder, loc, column);
    BindOp::create(builder, loc, blocks, "block");
    BindOp::create(builder, loc, ValueRange{rowLane, columnLane}, "lane");
  }

  OpBuilder &builder;
  te::ComputeOp op;
  SmallVector<Access> accesses;
  Location loc;
  SmallVector<Value> loops; ///< by dim
};

struct ScheduleSIMT : layout::impl::ScheduleSIMTBase<ScheduleSIMT> {
  void runOnOperation() final {
    OpBuilder builder(&getContext());
    WalkResult result = getOperation().walk([&](te::KernelOp kernel) {
      if (!kernel.getSchedule().empty())
        return WalkResult::advance();
      if (failed(checkLabels(kernel)))
        return WalkResult::interrupt();
      builder.setInsertionPointToEnd(&kernel.getSchedule().emplaceBlock());
      ++numScheduled;
      schedule(builder, kernel);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// The last expression of a kernel is its root.
  static void schedule(OpBuilder &builder, te::KernelOp kernel) {
    SmallVector<te::ComputeOp> expressions(kernel.getBodyBlock().getOps<te::ComputeOp>());
    if (expressions.empty()) {
      remark::missed(kernel.getLoc(), getRemarkOptions())
          << remark::reason("te.update and te.scan have no schedule");
      return;
    }
    te::ComputeOp root = expressions.pop_back_val();
    if (expressions.empty())
      return SIMTScheduler(builder, root).writeAlone();
    for (te::ComputeOp expression : expressions)
      SIMTScheduler(builder, expression).writeInner(countRowDims(root, expression));
    SIMTScheduler(builder, root).writeRoot(expressions);
  }
};
} // namespace

void layout::buildDeviceLayoutStage(OpPassManager &manager) {
  manager.addPass(createScheduleSIMT());
}
