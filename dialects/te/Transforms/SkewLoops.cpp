//===- SkewLoops.cpp - layers of a recurrent network beside each other -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/SkewBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TESKEWLOOPS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Moves what depends on a loop of `layers` behind the last of them. Returns false and moves
/// nothing if a layer depends on such an op, or an op may not be moved.
static bool moveReaders(MutableArrayRef<SkewLayer> layers) {
  llvm::SmallPtrSet<Operation *, 16> own, late;
  for (SkewLayer &layer : layers) {
    own.insert(layer.loop);
    if (layer.projection)
      own.insert(layer.projection);
  }
  auto dependsOn = [](Operation *op, auto isSource) {
    return op
        ->walk([&](Operation *inner) {
          return llvm::any_of(inner->getOperands(),
                              [&](Value value) {
                                return value.getDefiningOp() && isSource(value.getDefiningOp());
                              })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  SmallVector<Operation *> moved;
  Operation *last = layers.back().loop;
  for (Operation *op = layers.front().loop->getNextNode(); op != last->getNextNode();
       op = op->getNextNode()) {
    if (own.contains(op)) {
      bool isLoop = isa<scf::ForOp>(op);
      if (dependsOn(op, [&](Operation *source) {
            return late.contains(source) ||
                   (isLoop && isa<scf::ForOp>(source) && own.contains(source));
          }))
        return false;
      continue;
    }
    if (!dependsOn(op, [&](Operation *source) {
          return late.contains(source) || (own.contains(source) && isa<scf::ForOp>(source));
        }))
      continue;
    if (!isMemoryEffectFree(op))
      return false;
    late.insert(op);
    moved.push_back(op);
  }
  for (Operation *op : llvm::reverse(moved))
    op->moveAfter(last);
  return true;
}

namespace {
class LoopSkewer {
public:
  LoopSkewer(MLIRContext *context, ::tssa::Apply apply) : rewriter(context), apply(apply) {}

  void run(func::FuncOp function) {
    SmallVector<SkewLayer, 0> chain;
    SmallVector<scf::ForOp> loops;
    function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      std::optional<SkewLayer> layer = matchLayer(loop);
      if (layer && !chain.empty()) {
        StringRef obstacle = linkLayers(chain.back(), *layer);
        if (obstacle.empty()) {
          chain.push_back(std::move(*layer));
          continue;
        }
        remark::missed(loop.getLoc(), getOptions()) << remark::reason("{0}", obstacle);
      }
      finish(chain);
      chain.clear();
      if (layer)
        chain.push_back(std::move(*layer));
    }
    finish(chain);
  }

  unsigned numSkewed = 0;

private:
  static remark::RemarkOpts getOptions() {
    return remark::RemarkOpts::name("skew").category("te-skew-loops");
  }

  /// Makes one loop of the layers of a chain, if there are several.
  void finish(MutableArrayRef<SkewLayer> chain) {
    if (chain.size() < 2)
      return;
    Location loc = chain.front().loop.getLoc();
    auto size = remark::metric("Layers", chain.size());
    if (apply == ::tssa::Apply::Auto) {
      remark::missed(loc, getOptions()) << size
                                        << remark::reason("a CPU launches a cell in less time than "
                                                          "it reads the weights of a projection");
      return;
    }
    if (!moveReaders(chain) || !skewLayers(rewriter, chain)) {
      remark::missed(loc, getOptions())
          << size << remark::reason("a layer needs more of another one than its outputs");
      return;
    }
    numSkewed += chain.size() - 1;
    remark::passed(loc, getOptions()) << size << remark::add("all layers in one expression");
  }

  IRRewriter rewriter;
  ::tssa::Apply apply;
};

struct SkewLoops : te::impl::TESkewLoopsBase<SkewLoops> {
  using TESkewLoopsBase::TESkewLoopsBase;

  void runOnOperation() override {
    if (apply == ::tssa::Apply::Never)
      return;
    LoopSkewer skewer(&getContext(), apply);
    skewer.run(getOperation());
    numSkewed += skewer.numSkewed;
  }
};
} // namespace
