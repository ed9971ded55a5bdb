//===- ChoosePacking.cpp - stores weights in the order of the loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/ConstantOperands.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "dialects/layout/Transforms/LoopPositions.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/layout/Transforms/StoreTable.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_CHOOSEPACKING
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("packed").category("layout-choose-packing");
}

namespace {
/// Makes the map that stores a constant in the order of the loops that read it. For example, blocks
/// of 16 along dim o give [o/16, c, kh, kw, 16].
class PackingBuilder {
public:
  PackingBuilder(te::ComputeOp compute, ArrayRef<DimLoops> loops)
      : compute(compute), loops(loops) {}

  /// Adds the next dim of the constant, which is read at `index`.
  void add(AffineExpr index) {
    if (auto dim = dyn_cast<AffineDimExpr>(index))
      return addDim(dim.getPosition());
    if (auto blocks = matchBlocks(compute, index)) {
      int64_t size = compute.getStaticSizes()[blocks->inner];
      primitives.push_back(Primitive::padTo(positions.size(), size));
      primitives.push_back(Primitive::split(positions.size(), {Primitive::kRemainder, size}));
      addDim(blocks->outer);
      return addDim(blocks->inner);
    }
    unsigned position = 0;
    for (unsigned dim = 0; dim < compute.getNumDims(); ++dim)
      if (index.isFunctionOfDim(dim)) {
        position = std::max(position, loops[dim].outer);
        isPacked &= !loops[dim].vector;
      }
    positions.push_back(position);
  }

  /// Returns the map. It is empty if the lanes of a vector do not run along a dim of the constant,
  /// or if the constant is already stored in this order.
  LayoutMap getMap() const {
    if (!isPacked || block == 1)
      return LayoutMap();
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, positions.size()));
    llvm::stable_sort(order, [&](int64_t a, int64_t b) { return positions[a] < positions[b]; });
    SmallVector<Primitive> all = primitives;
    if (!llvm::is_sorted(order))
      all.push_back(Primitive::reorder(order));
    return *LayoutMap::get(all, [](const Twine &) {});
  }

  /// Returns the number of elements of a block along the vector dim.
  int64_t getBlock() const { return block; }

private:
  void addDim(unsigned dim) {
    const DimLoops &own = loops[dim];
    if (dim >= compute.getNumParallel()) {
      isPacked &= !own.vector;
      if (own.dotSteps > 1)
        return addBlocks(own.dotSteps, own.outer, own.innermost);
      positions.push_back(own.outer);
      return;
    }
    if (own.vector)
      block = own.block;
    if (own.block == 1 || own.block == compute.getStaticSizes()[dim]) {
      positions.push_back(own.block == 1 ? own.outer : own.inner);
      return;
    }
    addBlocks(own.block, own.outer, own.inner);
  }

  /// Splits the next dim of the constant into blocks, which loops at `outer` and `inner` run.
  void addBlocks(int64_t block, unsigned outer, unsigned inner) {
    primitives.push_back(Primitive::padTo(positions.size(), block));
    primitives.push_back(Primitive::split(positions.size(), {Primitive::kRemainder, block}));
    positions.push_back(outer);
    positions.push_back(inner);
  }

  te::ComputeOp compute;
  ArrayRef<DimLoops> loops;
  SmallVector<Primitive> primitives; ///< that split off the blocks
  SmallVector<unsigned> positions;   ///< of the loop that runs each dim of the split constant
  int64_t block = 1;
  bool isPacked = true;
};

class PackingChooser {
public:
  explicit PackingChooser(ModuleOp module) : module(module), constants(module) {}

  void run() {
    SymbolTable symbols(module);
    module.walk([&](te::LaunchOp launch) {
      if (auto kernel = symbols.lookup<te::KernelOp>(launch.getKernel()))
        launches[kernel].push_back(launch);
    });
    for (auto kernel : module.getOps<te::KernelOp>())
      for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>())
        pack(kernel, compute);
    table.apply(module);
  }

  unsigned getNumPacked() const { return numPacked; }

private:
  void pack(te::KernelOp kernel, te::ComputeOp compute) {
    std::optional<SmallVector<DimLoops>> loops = getLoopPositions(compute);
    std::optional<Weights> weights = constants.findWeights(compute);
    if (!loops || !weights)
      return;
    for (te::ReadOp read : weights->reads) {
      if (!canPack(read))
        continue;
      PackingBuilder builder(compute, *loops);
      for (AffineExpr index : read.getMap().getResults())
        builder.add(index);
      LayoutMap map = builder.getMap();
      if (map.isEmpty() || !fits(constants.lookup(read), map, builder.getBlock()))
        continue;
      for (te::LaunchOp launch : launches[kernel])
        table.getRow(launch).inputs[cast<BlockArgument>(read.getSource()).getArgNumber()] = map;
      ++numPacked;
    }
  }

  /// Returns whether the constant that `read` reads may be packed. If not, emits a remark with the
  /// reason.
  bool canPack(te::ReadOp read) {
    StringRef obstacle = constants.findObstacleToPacking(read);
    te::ConstantOp constant = constants.lookup(read);
    if (!obstacle.empty())
      remark::missed(constant.getLoc(), getRemarkOptions())
          << remark::reason("{0}", obstacle)
          << remark::metric("Elements", constant.getType().getNumElements());
    return obstacle.empty();
  }

  /// Returns whether `constant` can be stored by `map`. Emits a remark if so.
  static bool fits(te::ConstantOp constant, const LayoutMap &map, int64_t block) {
    FailureOr<TensorLayout> layout = getLayout(map, constant.getType(), [](const Twine &) {});
    if (failed(layout))
      return false;
    int64_t elements = 1;
    for (int64_t size : layout->getPhysicalTypeShape())
      elements *= size;
    remark::passed(constant.getLoc(), getRemarkOptions())
        << remark::metric("Elements", constant.getType().getNumElements())
        << remark::metric("PackedElements", elements) << remark::metric("Block", block);
    return true;
  }

  ModuleOp module;
  ConstantOperands constants;
  DenseMap<te::KernelOp, SmallVector<te::LaunchOp>> launches;
  StoreTable table;
  unsigned numPacked = 0;
};

struct ChoosePacking : layout::impl::ChoosePackingBase<ChoosePacking> {
  void runOnOperation() final {
    PackingChooser chooser(getOperation());
    chooser.run();
    numPacked += chooser.getNumPacked();
  }
};
} // namespace
