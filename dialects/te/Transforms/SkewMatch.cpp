//===- SkewMatch.cpp - layers of a recurrent network -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/SkewMatch.h"
#include "dialects/te/Analysis/UpdateTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

unsigned SkewLayer::getStacked(unsigned result) const {
  return llvm::count_if(ArrayRef(state).take_front(result),
                        [](unsigned carried) { return carried != notCarried; });
}

unsigned SkewLayer::getOutputResult() {
  return cast<OpResult>(findCopiedRead(update).getSource()).getResultNumber();
}

unsigned SkewLayer::getTimeAxis() {
  return llvm::find_if(update.getMap().getResults(),
                       [](AffineExpr expr) { return expr.isFunctionOfSymbol(0); }) -
         update.getMap().getResults().begin();
}

AffineExpr SkewLayer::getStepOf(AffineExpr index) {
  AffineExpr time = getTime(), step = getAffineSymbolExpr(0, time.getContext());
  return time == step ? index : time + step - index; // the latter is a constant minus s0
}

SmallVector<AffineExpr> SkewLayer::getWritten(ArrayRef<AffineExpr> indexes) {
  MLIRContext *context = update.getContext();
  SmallVector<AffineExpr> dims(update.getNumDims(), getAffineConstantExpr(0, context));
  for (auto [expr, index] : llvm::zip_equal(update.getMap().getResults(), indexes))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      dims[dim.getPosition()] = index;
  SmallVector<AffineExpr> written;
  for (AffineExpr expr : findCopiedRead(update).getMap().getResults())
    written.push_back(expr.replaceDims(dims));
  return written;
}

ReadOp SkewLayer::getInput() {
  for (auto read : projection.getPieceBlock()->getOps<ReadOp>())
    if (read.getSource().getDefiningOp<scf::ForOp>())
      return read;
  return {};
}

//===----------------------------------------------------------------------===//
// One layer
//===----------------------------------------------------------------------===//

/// Returns whether the loop writes each index of time: the first one first, or the last one.
static bool writesAllTimes(SkewLayer &layer) {
  auto type = cast<RankedTensorType>(layer.update.getType());
  unsigned axis = layer.getTimeAxis();
  AffineExpr time = layer.getTime(), step = getAffineSymbolExpr(0, time.getContext());
  IntegerAttr end;
  if (matchPattern(layer.loop.getUpperBound(), m_Constant(&end)))
    return type.getDimSize(axis) == end.getInt() &&
           (time == step || time == end.getInt() - 1 - step);
  auto init = layer.loop.getInitArgs()[layer.output].getDefiningOp<ComputeOp>();
  return init && time == step &&
         init.getParallelSizes()[axis] == OpFoldResult(layer.loop.getUpperBound());
}

/// Returns whether `update` writes a result of `cell` at one index of time, and otherwise each
/// element of a box at an index of its own.
static bool isOutput(UpdateOp update, ComputeOp cell, Value time) {
  ReadOp read = findCopiedRead(update);
  if (update.getGuard() || update.hasCombiner() || update.getNumOpaque() != 0 ||
      update.getSymbols() != ValueRange(time) || !read || read.getSource().getDefiningOp() != cell)
    return false;
  unsigned numTimes = 0;
  SmallVector<bool> used(update.getNumDims(), false);
  for (AffineExpr expr : update.getMap().getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && std::exchange(used[dim.getPosition()], true))
      return false;
    bool isTime = expr.isFunctionOfSymbol(0);
    numTimes += isTime;
    if (!dim && !isa<AffineConstantExpr>(expr) &&
        (!isTime || llvm::any_of(llvm::seq<unsigned>(0, update.getNumDims()),
                                 [&](unsigned d) { return expr.isFunctionOfDim(d); })))
      return false;
  }
  return numTimes == 1 && llvm::all_of(llvm::zip(used, update.getStaticSizes()), [](auto pair) {
           return std::get<0>(pair) || std::get<1>(pair) == 1;
         });
}

/// Returns whether the cell reads only what is carried, constants, and one tensor at the time step,
/// which it sets.
static bool matchReads(SkewLayer &layer) {
  ComputeOp cell = layer.cell;
  Value time = layer.loop.getInductionVar();
  auto walked = cell.walk([&](Operation *op) {
    if (isa<IndexOp, InsideOp>(op) && op->getNumOperands() != 0)
      return WalkResult::interrupt();
    auto read = dyn_cast<ReadOp>(op);
    if (!read)
      return WalkResult::advance();
    bool isCarried = llvm::is_contained(layer.loop.getRegionIterArgs(), read.getSource());
    if (read.getSymbols().empty())
      return isCarried || read.getSource().getDefiningOp<ConstantOp>() ? WalkResult::advance()
                                                                       : WalkResult::interrupt();
    bool isProjected = !isCarried && read.getSymbols() == ValueRange(time) && !read.getGuard() &&
                       read->getParentRegion() == &cell.getEpilogue() &&
                       (!layer.projected || layer.projected == read.getSource());
    layer.projected = read.getSource();
    return isProjected ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted() && layer.projected;
}

/// Finds out what each yielded value is.
static bool matchYield(SkewLayer &layer) {
  layer.state.assign(layer.cell.getNumResults(), SkewLayer::notCarried);
  for (auto [i, value] : llvm::enumerate(layer.loop.getYieldedValues())) {
    auto result = dyn_cast<OpResult>(value);
    Value carried = layer.loop.getRegionIterArg(i);
    if (result && layer.update && result.getOwner() == layer.update) {
      layer.output = i;
      if (layer.update.getBase() != carried || !carried.hasOneUse())
        return false;
      continue;
    }
    if (!result || result.getOwner() != layer.cell ||
        layer.state[result.getResultNumber()] != SkewLayer::notCarried ||
        llvm::any_of(carried.getUsers(),
                     [&](Operation *user) { return user->getParentOp() != layer.cell; }))
      return false;
    layer.state[result.getResultNumber()] = i;
  }
  return true;
}

std::optional<SkewLayer> te::matchLayer(scf::ForOp loop) {
  SkewLayer layer;
  layer.loop = loop;
  if (!matchPattern(loop.getLowerBound(), m_Zero()) || !matchPattern(loop.getStep(), m_One()))
    return std::nullopt;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto compute = dyn_cast<ComputeOp>(op);
    auto update = dyn_cast<UpdateOp>(op);
    if ((!compute && !update) || (compute && layer.cell) || (update && layer.update))
      return std::nullopt;
    if (compute)
      layer.cell = compute;
    else
      layer.update = update;
  }
  ComputeOp cell = layer.cell;
  if (!cell || cell.getNumReduction() != 1 || !cell.hasEpilogue() || cell.getPieces().size() != 1 ||
      (layer.update && !isOutput(layer.update, cell, loop.getInductionVar())) ||
      !matchYield(layer) || !matchReads(layer) || (layer.update && !writesAllTimes(layer)))
    return std::nullopt;
  return layer;
}

//===----------------------------------------------------------------------===//
// Two layers
//===----------------------------------------------------------------------===//

/// Returns whether two expressions differ in constants of the same types at most. `correspond`
/// returns whether `x` of the first stands for `y` of the second, or nothing where it does not
/// know.
static bool differInConstants(ComputeOp a, ComputeOp b,
                              function_ref<std::optional<bool>(Value x, Value y)> correspond) {
  DenseMap<Value, Value> same;
  auto areEqual = [&](Value x, Value y) {
    if (std::optional<bool> known = correspond(x, y))
      return success(*known);
    bool areConstants = x.getDefiningOp<ConstantOp>() && y.getDefiningOp<ConstantOp>();
    return success(x == y || same.lookup(x) == y || (areConstants && x.getType() == y.getType()));
  };
  return OperationEquivalence::isEquivalentTo(
      a, b, areEqual, [&](Value x, Value y) { same[x] = y; },
      OperationEquivalence::IgnoreLocations);
}

/// Returns whether the cells of two layers differ in constants at most, and their results are
/// written to the same places.
static bool haveEqualCells(SkewLayer &a, SkewLayer &b) {
  auto correspond = [&](Value x, Value y) -> std::optional<bool> {
    auto carried = dyn_cast<BlockArgument>(x);
    if (carried && carried.getOwner() == a.loop.getBody())
      return y == b.loop.getBody()->getArgument(carried.getArgNumber());
    return x == a.projected ? std::optional(y == b.projected) : std::nullopt;
  };
  bool haveEqualOutputs =
      !b.update ||
      (a.getOutputResult() == b.getOutputResult() && a.update.getMap() == b.update.getMap() &&
       findCopiedRead(a.update).getMap() == findCopiedRead(b.update).getMap());
  return a.state == b.state && haveEqualOutputs &&
         a.cell.getResultTypes() == b.cell.getResultTypes() &&
         differInConstants(a.cell, b.cell, correspond);
}

/// Returns whether two projections differ in constants at most.
static bool haveEqualProjections(SkewLayer &a, SkewLayer &b) {
  Value inputOfA = a.getInput().getSource(), inputOfB = b.getInput().getSource();
  return differInConstants(a.projection, b.projection, [&](Value x, Value y) {
    return x == inputOfA ? std::optional(y == inputOfB) : std::nullopt;
  });
}

static bool haveEqualBounds(SkewLayer &a, SkewLayer &b) {
  IntegerAttr x, y;
  return a.loop.getUpperBound() == b.loop.getUpperBound() ||
         (matchPattern(a.loop.getUpperBound(), m_Constant(&x)) &&
          matchPattern(b.loop.getUpperBound(), m_Constant(&y)) && x == y);
}

/// Returns whether `projection` is a reduction of as many steps as the cell's that reads the output
/// of `layer` once, at its own index of time, and otherwise constants.
static bool projectsOutput(SkewLayer &layer, ComputeOp projection, unsigned &timeDim) {
  if (projection.getNumReduction() != 1 || projection.getPieces().size() != 1 ||
      projection.getNumResults() != 1 || projection.getAccumulatorTypes().size() != 1 ||
      projection.getStaticSizes().back() != layer.cell.getStaticSizes().back() ||
      ShapedType::isDynamic(projection.getStaticSizes().back()))
    return false;
  ReadOp input;
  Value output = layer.loop.getResult(layer.output);
  auto walked = projection.walk([&](Operation *op) {
    auto read = dyn_cast<ReadOp>(op);
    if (isa<IndexOp, InsideOp>(op) || (read && (read.getGuard() || !read.getSymbols().empty())))
      return WalkResult::interrupt();
    if (!read || read.getSource().getDefiningOp<ConstantOp>())
      return WalkResult::advance();
    if (read.getSource() != output || input ||
        read->getParentRegion() != &projection.getPieces().front())
      return WalkResult::interrupt();
    input = read;
    return WalkResult::advance();
  });
  auto time = input ? dyn_cast<AffineDimExpr>(input.getMap().getResult(layer.getTimeAxis()))
                    : AffineDimExpr(nullptr);
  if (walked.wasInterrupted() || !time || time.getPosition() >= projection.getNumParallel())
    return false;
  timeDim = time.getPosition();
  walked = projection.walk([&](ReadOp read) {
    for (auto [axis, expr] : llvm::enumerate(read.getMap().getResults()))
      if (expr.isFunctionOfDim(timeDim) && (read != input || axis != layer.getTimeAxis()))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !walked.wasInterrupted();
}

/// Returns whether the cell of `layer` reads its projection at `time` only.
static bool readsAt(SkewLayer &layer, unsigned timeDim, AffineExpr time) {
  return llvm::all_of(layer.projected.getUsers(), [&](Operation *user) {
    auto read = dyn_cast<ReadOp>(user);
    if (!read || read->getParentOp() != layer.cell)
      return false;
    for (auto [axis, expr] : llvm::enumerate(read.getMap().getResults()))
      if (axis == timeDim ? expr != time : expr.isFunctionOfSymbol(0))
        return false;
    return true;
  });
}

StringRef te::linkLayers(SkewLayer &layer, SkewLayer &next) {
  auto projection = next.projected.getDefiningOp<ComputeOp>();
  unsigned timeDim = 0;
  if (!layer.update || !projection || layer.loop->getBlock() != next.loop->getBlock() ||
      !projectsOutput(layer, projection, timeDim))
    return "it reads no projection of the outputs of another layer of its size";
  if (!haveEqualBounds(layer, next) || !haveEqualCells(layer, next))
    return "its cell is another one";
  if (!readsAt(next, timeDim, layer.getTime()))
    return "it runs in another order";
  if (layer.state[layer.getOutputResult()] == SkewLayer::notCarried)
    return "the outputs are not the state";
  next.projection = projection;
  if (!layer.projection || haveEqualProjections(layer, next))
    return "";
  next.projection = nullptr;
  return "its projection is another one";
}

bool te::isKept(MutableArrayRef<SkewLayer> layers, unsigned i) {
  SkewLayer &layer = layers[i];
  return layer.update &&
         llvm::any_of(layer.loop.getResult(layer.output).getUsers(), [&](Operation *user) {
           return i + 1 == layers.size() || user->getParentOp() != layers[i + 1].projection;
         });
}
