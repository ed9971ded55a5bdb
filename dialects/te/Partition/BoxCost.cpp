//===- BoxCost.cpp - what computing in boxes costs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Partition/BoxCost.h"
#include "dialects/te/Analysis/OpCost.h"
#include "dialects/te/Analysis/SoftmaxMatch.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

static double countElements(ArrayRef<OpFoldResult> sizes) { return getReuse(sizes, {}); }

namespace {
/// What several rows read together.
struct Shared {
  double bytes = 0;      ///< of all
  double sliceBytes = 0; ///< of what one row reads
  double rows = 0;       ///< that read the same, at least; 0 if nothing is shared
};

class BoxTracer {
public:
  BoxTracer(const BoxGroup &boxes, const CostModel &model, function_ref<bool(ComputeOp)> isComputed)
      : boxes(boxes), model(model), isComputed(isComputed) {
    ComputeOp root = boxes.getRoot();
    numRows = countElements(ArrayRef(root.getParallelSizes()).take_front(boxes.getNumRows()));
    group.root = group.stored = cast<ExpressionOpInterface>(*root);
    group.trips = countTrips(root);
    for (Operation *op : boxes.ops)
      if (auto compute = cast<ComputeOp>(op);
          !isComputed(compute) || !getFacts(compute).isRearrangement())
        ops.push_back(op);
  }

  Group trace() {
    traceLaunches();
    for (Operation *op : ops)
      add(cast<ComputeOp>(op));
    rewriteSoftmax();
    chooseRows();
    group.boxes = facts;
    return std::move(group);
  }

private:
  bool isMember(Value tensor) const { return llvm::is_contained(ops, tensor.getDefiningOp()); }

  void traceLaunches();
  void add(ComputeOp op);
  void addRead(ComputeOp op, const GroupRead &read);
  void rewriteSoftmax();
  void chooseRows();

  const BoxGroup &boxes;
  /// Those of `boxes` that are computed in a box: all but rearrangements at their reads.
  SmallVector<Operation *> ops;
  const CostModel &model;
  function_ref<bool(ComputeOp)> isComputed;
  double numRows = 0;
  double rowBytes = 0; ///< of what is kept of the members for one row
  Shared shared;
  Group group;
  BoxFacts facts;
};
} // namespace

/// Adds up the groups that compute the same as launches of their own.
void BoxTracer::traceLaunches() {
  SmallVector<Group, 0> launches;
  for (Operation *op : ops) {
    if (isComputed(cast<ComputeOp>(op)))
      continue;
    launches.push_back(traceGroup(cast<ExpressionOpInterface>(op), model, isComputed));
    if (op != boxes.getRoot())
      rowBytes += launches.back().writtenBytes / numRows;
  }
  for (const Group &launch : joinGroups(std::move(launches))) {
    facts.cyclesAsLaunches += launch.getCycles(model);
    if (launch.root != group.root)
      facts.savedBytes += launch.writtenBytes;
    for (const GroupRead &read : launch.reads)
      if (isMember(read.tensor))
        facts.savedBytes += read.bytes;
  }
}

void BoxTracer::add(ComputeOp op) {
  auto isComputedOutside = [&](ComputeOp producer) {
    return !llvm::is_contained(ops, producer) && isComputed(producer);
  };
  Group own = traceGroup(cast<ExpressionOpInterface>(*op), model, isComputedOutside);
  group.computing += own.computing;
  group.numOps += own.numOps;
  llvm::append_range(group.members, own.members);
  for (const GroupRead &read : own.reads)
    if (!isMember(read.tensor))
      addRead(op, read);
  if (op != boxes.getRoot()) {
    group.members.push_back({op, Place::Box, countElements(op.getParallelSizes())});
    return;
  }
  group.writtenBytes = own.writtenBytes;
  group.moving += model.getMoving(own.writtenBytes, own.writtenBytes);
}

/// Adds what `op` reads from memory. What it sums over and does not depend on all rows is shared.
void BoxTracer::addRead(ComputeOp op, const GroupRead &read) {
  group.reads.push_back(read);
  group.moving += read.getMoving(model);
  SmallVector<OpFoldResult> sizes = op.getParallelSizes();
  double slices = 1, rows = 1;
  for (unsigned dim = 0; dim < boxes.getNumRows(); ++dim)
    (read.dims.test(dim) ? slices : rows) *= countElements(sizes[dim]);
  if (rows == 1 || read.dims.find_last() < static_cast<int>(op.getNumParallel()))
    return;
  shared.bytes += read.bytes;
  shared.sliceBytes += read.bytes / slices;
  shared.rows = shared.rows == 0 ? rows : std::min(shared.rows, rows);
}

/// Adds what te-form-kernels does to a softmax: its keys are taken in blocks, its exponentials are
/// computed once, and its weights are not scaled each.
void BoxTracer::rewriteSoftmax() {
  bool isMerged =
      llvm::none_of(boxes.ops, [&](Operation *op) { return isComputed(cast<ComputeOp>(op)); });
  std::optional<SoftmaxSum> softmax = matchSoftmaxSum(boxes.ops, boxes.getNumRows(), isMerged);
  if (!softmax)
    return;
  SmallVector<OpFoldResult> sizes = softmax->weights.getParallelSizes();
  if (int64_t keys = softmax->findKeyBlock(static_cast<int64_t>(model.boxKeys)))
    rowBytes *= static_cast<double>(keys) / countElements(sizes.back());
  BodyFacts saved = getFacts(softmax->sum);
  if (softmax->scaling)
    saved.cost += getOpCost(*softmax->scaling).vector;
  group.computing -= model.getComputing(saved, countElements(sizes));
}

/// Decides how many rows a box has: as many as share what they read and fit, while threads have
/// enough boxes. Adds what the boxes read again.
void BoxTracer::chooseRows() {
  double most = std::min({model.boxRows, shared.rows, numRows / model.fewestBoxes});
  facts.rows = std::max(1.0, std::floor(std::min(most, model.boxBytes / rowBytes)));
  facts.bytes = rowBytes * facts.rows;
  facts.repeatedBytes = std::max(numRows / facts.rows * shared.sliceBytes - shared.bytes, 0.0);
  group.moving += model.getMoving(facts.repeatedBytes, shared.sliceBytes);
}

Group te::traceBoxes(const BoxGroup &boxes, const CostModel &model,
                     function_ref<bool(ComputeOp)> isComputed) {
  return BoxTracer(boxes, model, isComputed).trace();
}

bool te::fitsBoxes(const Group &group, const CostModel &model) {
  return group.boxes->bytes <= model.boxBytes;
}

bool te::savesTime(const Group &group, const CostModel &model) {
  return group.getCycles(model) < (1 - model.leastGain) * group.boxes->cyclesAsLaunches;
}
