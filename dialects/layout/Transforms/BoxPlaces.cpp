//===- BoxPlaces.cpp - where a kernel in boxes computes what --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/BoxPlaces.h"
#include "dialects/te/Analysis/Box.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
/// The boxes that some iterations of an expression read, over its dims.
class IterationBoxes {
public:
  IterationBoxes(te::ComputeOp owner, ArrayRef<int64_t> extents)
      : context(owner.getContext()), simplifier(context, {}, {}),
        finder(getRoot(owner, extents), findRead(owner), values, simplifier) {}

  SmallVector<te::IndexInterval> get(te::ComputeOp member) { return finder.getBox(member); }
  te::IndexSimplifier &getSimplifier() { return simplifier; }

private:
  te::BoxRoot getRoot(te::ComputeOp owner, ArrayRef<int64_t> extents) {
    te::BoxRoot root;
    root.op = owner;
    for (Region &region : owner->getRegions())
      root.regions.push_back(&region);
    for (auto [dim, size] : llvm::enumerate(owner.getStaticSizes())) {
      bool isOpen = ShapedType::isDynamic(size);
      simplifier.addDim(isOpen ? te::IndexRange::atLeast(0)
                               : te::IndexRange::below(getAffineConstantExpr(size, context)));
      AffineExpr first = getAffineDimExpr(dim, context);
      if (!isOpen && extents[dim] == size)
        first = getAffineConstantExpr(0, context);
      root.loops.push_back(ShapedType::isDynamic(extents[dim])
                               ? te::IndexInterval()
                               : te::IndexInterval{first, first + (extents[dim] - 1), {}, {}});
    }
    root.toLoops = [](AffineExpr expr) { return expr; };
    return root;
  }

  /// Finds what `owner` reads, directly or through others.
  const DenseSet<Operation *> &findRead(te::ComputeOp owner) {
    SmallVector<te::ComputeOp> readers{owner};
    while (!readers.empty())
      readers.pop_back_val().walk([&](te::ReadOp read) {
        auto source = read.getSource().getDefiningOp<te::ComputeOp>();
        if (source && members.insert(source).second)
          readers.push_back(source);
      });
    return members;
  }

  MLIRContext *context;
  te::IndexSimplifier simplifier;
  DenseSet<Operation *> members;
  DenseMap<Value, AffineExpr> values; ///< none: open sizes and symbols are not known
  te::BoxFinder finder;
};
} // namespace

SmallVector<int64_t> layout::getBoxSizes(te::ComputeOp owner, ArrayRef<int64_t> extents,
                                         te::ComputeOp member) {
  IterationBoxes boxes(owner, extents);
  SmallVector<int64_t> sizes(member.getStaticSizes());
  for (auto [size, interval] : llvm::zip(sizes, boxes.get(member)))
    if (interval) {
      AffineExpr count = interval.greatest - interval.least + 1;
      std::optional<int64_t> most = boxes.getSimplifier().getConstantUpperBound(count);
      if (most)
        size = ShapedType::isDynamic(size) ? *most : std::min(size, *most);
    }
  return sizes;
}

std::optional<unsigned> layout::findBlockDim(te::ComputeOp owner, unsigned rowDims,
                                             te::ComputeOp member) {
  SmallVector<int64_t> extents(owner.getNumDims(), 1);
  llvm::copy(ArrayRef(owner.getStaticSizes()).drop_front(owner.getNumParallel()),
             extents.begin() + owner.getNumParallel());
  for (unsigned dim = rowDims; dim < owner.getNumParallel(); ++dim) {
    // The iterations of `dim`, each with all iterations of the dims inside of it.
    SmallVector<int64_t> entered(extents);
    for (unsigned inner = dim + 1; inner < owner.getNumParallel(); ++inner)
      entered[inner] = owner.getStaticSizes()[inner];
    IterationBoxes boxes(owner, entered);
    if (llvm::any_of(boxes.get(member), [&](te::IndexInterval interval) {
          return interval && interval.least.isFunctionOfDim(dim);
        }))
      return dim;
  }
  return std::nullopt;
}
