//===- RandomBoxes.cpp - members computed at random loops ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomBoxes.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/te/IR/TEOps.h"
#include "llvm/ADT/STLExtras.h"

#include <random>

using namespace mlir::tssa;

namespace tssa::reference {

namespace {
/// Writes the schedule of one root and its members.
class BoxMaker {
public:
  BoxMaker(te::KernelOp kernel, std::mt19937_64 &random)
      : kernel(kernel), random(random), builder(kernel.getContext()),
        loopType(layout::LoopType::get(kernel.getContext())) {}

  bool write() {
    llvm::SmallVector<te::ComputeOp> members;
    te::ComputeOp root;
    for (auto op : kernel.getBodyBlock().getOps<te::ComputeOp>())
      if (isMember(op))
        members.push_back(op);
      else if (std::exchange(root, op))
        return false; // several roots
    if (members.empty() || !root || hasOthers())
      return false;
    mlir::Block &block = kernel.getSchedule().front();
    block.clear();
    builder.setInsertionPointToEnd(&block);
    places = writeLoops(root, /*isBound=*/true);
    if (members.size() > 1 && pick())
      members = writeNested(members);
    writePlaces(members);
    if (random() % 3 == 0)
      returnMember(members[random() % members.size()]);
    return true;
  }

private:
  bool pick() { return random() % 2 == 0; }

  bool isMember(te::ComputeOp op) {
    return llvm::any_of(kernel.getSchedule().getOps<layout::ComputeAtOp>(),
                        [&](layout::ComputeAtOp at) { return at.getLabel() == op.getLabel(); });
  }

  /// Whether the schedule says more of the expressions than where they are computed.
  bool hasOthers() {
    return llvm::any_of(
        kernel.getSchedule().front(),
        llvm::IsaPred<layout::InlineOp, layout::ComputeAfterOp, layout::StoreOp, layout::CacheOp>);
  }

  /// Splits some of the loops and may shuffle them. Parts stay behind the loops they are parts of,
  /// and loops of a reduction behind the others. Tiles and a vector come last. Returns the loops at
  /// which others may be computed.
  llvm::SmallVector<mlir::Value> writeLoops(te::ComputeOp root, bool isBound) {
    llvm::SmallVector<mlir::Value> places;
    llvm::SmallVector<mlir::Type> types(root.getNumDims(), loopType);
    auto named = layout::LoopsOp::create(builder, root.getLoc(), types, *root.getLabel());
    llvm::SmallVector<mlir::Value> outer[2], inner[2], tiles;
    mlir::Value vector;
    for (auto [dim, loop] : llvm::enumerate(named.getLoops())) {
      bool reduction = dim >= root.getNumParallel();
      if (pick()) {
        outer[reduction].push_back(loop);
        continue;
      }
      llvm::SmallVector<mlir::Type> parts(2, loopType);
      int64_t factor = int64_t(2) << random() % 4;
      auto split = layout::SplitOp::create(builder, root.getLoc(), parts, loop, factor - pick());
      outer[reduction].push_back(split.getLoops()[0]);
      if (!vector && factor >= 4 && pick() && isPowerOfTwo(split))
        vector = split.getLoops()[1];
      else
        (pick() ? tiles : inner[reduction]).push_back(split.getLoops()[1]);
    }
    for (bool reduction : {false, true}) {
      if (pick())
        std::shuffle(outer[reduction].begin(), outer[reduction].end(), random);
      llvm::append_range(places, outer[reduction]);
      llvm::append_range(places, inner[reduction]);
    }
    llvm::SmallVector<mlir::Value> order(places);
    llvm::append_range(order, tiles);
    if (vector)
      order.push_back(vector);
    layout::ReorderOp::create(builder, root.getLoc(), order);
    if (!tiles.empty())
      layout::RegisterTileOp::create(builder, root.getLoc(), tiles);
    if (vector)
      layout::VectorizeOp::create(builder, root.getLoc(), vector);
    size_t bound = outer[0].empty() || !isBound ? 0 : random() % (outer[0].size() + 1);
    if (bound > 0)
      layout::BindOp::create(builder, root.getLoc(), llvm::ArrayRef(outer[0]).take_front(bound),
                             layout::Level::Parallel);
    return places;
  }

  /// Computes some members at a loop of a later one. Returns those that remain.
  llvm::SmallVector<te::ComputeOp> writeNested(llvm::ArrayRef<te::ComputeOp> members) {
    size_t owner = 1 + random() % (members.size() - 1), first = random() % owner;
    llvm::SmallVector<mlir::Value> loops = writeLoops(members[owner], /*isBound=*/false);
    mlir::Value loop = loops[random() % loops.size()];
    for (te::ComputeOp member : members.slice(first, owner - first))
      layout::ComputeAtOp::create(builder, member.getLoc(), *member.getLabel(), loop);
    llvm::SmallVector<te::ComputeOp> rest(members.take_front(first));
    llvm::append_range(rest, members.drop_front(owner));
    return rest;
  }

  static bool isPowerOfTwo(layout::SplitOp split) {
    return llvm::isPowerOf2_64(split.getFactors().front());
  }

  /// What members read comes before them, so it is computed at the same loop or at one around it.
  void writePlaces(llvm::ArrayRef<te::ComputeOp> members) {
    llvm::SmallVector<size_t> positions;
    for (size_t i = 0; i < members.size(); ++i)
      positions.push_back(i > 0 && pick() ? positions.front() : random() % places.size());
    llvm::sort(positions);
    for (auto [number, op] : llvm::enumerate(members)) {
      te::ComputeOp member = op;
      layout::ComputeAtOp::create(builder, member.getLoc(), *member.getLabel(),
                                  places[positions[number]]);
    }
  }

  /// Makes the kernel return the first result of `member` too, if its sizes are constants.
  void returnMember(te::ComputeOp member) {
    mlir::Value value = member.getResult(0);
    mlir::Operation *terminator = kernel.getBodyBlock().getTerminator();
    if (kernel.getResAttrs() || llvm::is_contained(terminator->getOperands(), value) ||
        !llvm::cast<mlir::RankedTensorType>(value.getType()).hasStaticShape())
      return;
    terminator->insertOperands(terminator->getNumOperands(), value);
    llvm::SmallVector<mlir::Type> types(terminator->getOperandTypes());
    kernel.setFunctionType(builder.getFunctionType(kernel.getArgumentTypes(), types));
    llvm::SmallVector<te::LaunchOp> launches;
    kernel->getParentOfType<mlir::ModuleOp>().walk([&](te::LaunchOp launch) {
      if (launch.getKernel() == kernel.getSymName())
        launches.push_back(launch);
    });
    for (te::LaunchOp launch : launches) {
      builder.setInsertionPoint(launch);
      auto made =
          te::LaunchOp::create(builder, launch.getLoc(), types, launch.getKernelAttr(),
                               launch.getInputs(), launch.getResultSizes(), launch.getOuts());
      launch.replaceAllUsesWith(made.getResults().take_front(launch.getNumResults()));
      launch.erase();
    }
  }

  te::KernelOp kernel;
  std::mt19937_64 &random;
  mlir::OpBuilder builder;
  mlir::Type loopType;
  llvm::SmallVector<mlir::Value> places; ///< loops of the root at which members may be computed
};
} // namespace

unsigned addRandomBoxes(mlir::ModuleOp module, uint64_t seed) {
  std::mt19937_64 random(seed);
  unsigned count = 0;
  for (auto kernel : module.getOps<te::KernelOp>())
    if (!kernel.getSchedule().empty())
      count += BoxMaker(kernel, random).write();
  return count;
}

} // namespace tssa::reference
