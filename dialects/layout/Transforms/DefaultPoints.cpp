//===- DefaultPoints.cpp - the points that the draft ranks first ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/DefaultPoints.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/te/IR/AssumedSize.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
class PointChooser {
public:
  PointChooser(const ConstantOperands &constants, const MachineModel &machine, unsigned rank,
               ExplainChoice explain)
      : constants(constants), machine(machine), rank(rank), explain(explain) {}

  SmallVector<Point, 0> choosePoints(ArrayRef<KernelExpression> expressions) {
    SmallVector<Point, 0> points;
    const KernelExpression &last = expressions.back();
    Point root = last.isInBoxes ? chooseForBoxes(expressions) : choose(last);
    SmallVector<SmallVector<int64_t>> sizes;
    if (last.isInBoxes) {
      enlargeBoxes(expressions, root);
      sizes = getBoxSizes(expressions, root);
    }
    for (auto [number, expression] : llvm::enumerate(ArrayRef(expressions).drop_back()))
      points.push_back(expression.isInBoxes ? chooseInBox(expression, sizes[number])
                                            : choose(expression));
    points.push_back(std::move(root));
    return points;
  }

private:
  /// Returns the best point of the root whose boxes stay in the cache of a core. If even those of
  /// the fewest rows do not, returns the best of all that have memory.
  Point chooseForBoxes(ArrayRef<KernelExpression> expressions) {
    std::vector<RankedPoint> ranked = rankPoints(expressions.back());
    int64_t limit = scratchBytes;
    unsigned boxDim = findBoxDim(expressions);
    auto fits = [&](const Point &point) { return fitsBoxes(expressions, boxDim, point, limit); };
    if (llvm::none_of(ranked, [&](const RankedPoint &ranked) { return fits(ranked.point); }))
      limit = threadScratchBytes;
    return choose(expressions.back(), std::move(ranked), fits);
  }

  /// Returns whether the others can be computed in boxes of the rows of a tile of the root: loops
  /// of rows stay apart, only those of `boxDim`, which share what they read, are tiled, and the
  /// boxes have at most `limit` bytes.
  static bool fitsBoxes(ArrayRef<KernelExpression> expressions, unsigned boxDim, const Point &root,
                        int64_t limit) {
    return llvm::none_of(llvm::seq(expressions.back().rowDims),
                         [&](unsigned dim) {
                           return root.isFused(dim) ||
                                  (dim != boxDim && root.getTileExtent(dim) > 1);
                         }) &&
           countBoxBytes(expressions, root) <= limit;
  }

  /// Gives the root boxes of several tiles of rows: what these share is then read less often.
  static void enlargeBoxes(ArrayRef<KernelExpression> expressions, Point &root) {
    const KernelExpression &last = expressions.back();
    te::ComputeOp op = last.op;
    unsigned dim = findBoxDim(expressions);
    auto assume = [](int64_t size) { return te::assumeSize(size, te::SizeRole::Any); };
    int64_t size = assume(op.getStaticSizes()[dim]), tile = root.getTileExtent(dim);
    double boxes = 1; // of one row
    for (int64_t rows : op.getStaticSizes().take_front(last.rowDims))
      boxes *= static_cast<double>(assume(rows));
    for (int64_t rows = std::min(rowsOfBox, size) / tile * tile; rows > tile; rows -= tile) {
      root.boxes.assign(1, {dim, rows});
      if (boxes / static_cast<double>(rows) >= leastBoxes &&
          countBoxBytes(expressions, root) <= scratchBytes)
        return;
    }
    root.boxes.clear();
  }

  std::vector<RankedPoint> rankPoints(const KernelExpression &expression) {
    return layout::rankPoints(expression.op, constants.getAccesses(expression.op), machine,
                              expression.rowDims, expression.isInBoxes);
  }

  Point choose(const KernelExpression &expression) {
    return choose(expression, rankPoints(expression), [](const Point &) { return true; });
  }

  /// Returns the best point, of this rank, of those for which `fits` holds.
  Point choose(const KernelExpression &expression, std::vector<RankedPoint> ranked,
               function_ref<bool(const Point &)> fits) {
    llvm::erase_if(ranked, [&](const RankedPoint &candidate) { return !fits(candidate.point); });
    const RankedPoint &choice = ranked[rank % ranked.size()];
    explain(expression.op, choice, ranked.size());
    return choice.point;
  }

  /// Returns the point for an expression of which a box of `sizes` indexes is computed at a time.
  Point chooseInBox(const KernelExpression &expression, ArrayRef<int64_t> sizes) {
    OpBuilder builder(expression.op);
    auto box = cast<te::ComputeOp>(builder.clone(*expression.op));
    SmallVector<int64_t> entered = expression.getEntered(sizes);
    SmallVector<Value> open; // sizes that the box has too
    for (auto [size, own] : llvm::zip_equal(entered, box.getIterationDomain()))
      if (ShapedType::isDynamic(size))
        open.push_back(cast<Value>(own));
    box.getDynamicSizesMutable().assign(open);
    box.setStaticSizes(entered);
    for (OpResult result : box.getResults())
      result.setType(cast<RankedTensorType>(result.getType())
                         .clone(ArrayRef(entered).take_front(box.getNumParallel())));
    KernelExpression own = expression;
    own.op = box;
    Point point = choose(own);
    box.erase();
    return point;
  }

  const ConstantOperands &constants;
  const MachineModel &machine;
  unsigned rank;
  ExplainChoice explain;
};
} // namespace

SmallVector<Point, 0> layout::chooseDefaultPoints(ArrayRef<KernelExpression> expressions,
                                                  const ConstantOperands &constants,
                                                  const MachineModel &machine, unsigned rank,
                                                  ExplainChoice explain) {
  return PointChooser(constants, machine, rank, explain).choosePoints(expressions);
}
