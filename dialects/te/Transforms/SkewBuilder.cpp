//===- SkewBuilder.cpp - one loop for the layers of a network -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the layers carry and their constants are stacked along a new first dim, the layer. The new
/// cell has the accumulators of the cell and, for each window in which the cell reads its
/// projection, one more: a layer computes the projection of one time step, from the state of the
/// layer before. The first layer reads its projection, which was computed for all time steps.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/SkewBuilder.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/AbsorbConsumer.h"
#include "dialects/te/Transforms/MergeSiblings.h"
#include "dialects/te/Transforms/SkewResults.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
class SkewBuilder {
public:
  SkewBuilder(RewriterBase &rewriter, MutableArrayRef<SkewLayer> layers)
      : rewriter(rewriter), context(rewriter.getContext()), layers(layers), first(layers[0]),
        second(layers[1]), count(layers.size()), loc(first.loop.getLoc()) {
    IntegerAttr constantEnd;
    if (matchPattern(first.loop.getUpperBound(), m_Constant(&constantEnd)))
      end = constant(constantEnd.getInt());
    else
      end = symbol(1);
  }

  bool build() {
    findWindows();
    if (!stackConstants())
      return false;
    rewriter.setInsertionPoint(layers.back().loop);
    buildLoop();
    replaceResults(rewriter, layers, loop);
    llvm::SmallSetVector<Operation *, 8> inits;
    for (SkewLayer &layer : llvm::reverse(layers)) {
      for (Value init : layer.loop.getInitArgs())
        if (Operation *op = init.getDefiningOp())
          inits.insert(op);
      rewriter.eraseOp(layer.loop);
      if (layer.projection)
        rewriter.eraseOp(layer.projection);
    }
    eraseDead(inits);
    return true;
  }

private:
  /// Erases those of `ops` that nothing uses, and what only they have used.
  void eraseDead(llvm::SmallSetVector<Operation *, 8> &ops) {
    while (!ops.empty()) {
      Operation *op = ops.pop_back_val();
      if (!isOpTriviallyDead(op))
        continue;
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *source = operand.getDefiningOp(); source && !op->isAncestor(source))
            ops.insert(source);
      });
      rewriter.eraseOp(op);
    }
  }

  AffineExpr dim(unsigned i) { return getAffineDimExpr(i, context); }
  AffineExpr symbol(unsigned i) { return getAffineSymbolExpr(i, context); }
  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value, context); }

  //===------------------------------------------------------------------===//
  // Constants
  //===------------------------------------------------------------------===//

  /// Finds the index maps at which the cell reads its projection.
  void findWindows() {
    for (auto read : first.cell.getEpilogue().front().getOps<ReadOp>())
      if (read.getSource() == first.projected && !llvm::is_contained(windows, read.getMap()))
        windows.push_back(read.getMap());
  }

  /// Stacks the constants that the cells or the projections of the layers read; `like` has one. The
  /// first layer has no projection here. Nothing uses what it computes for one, so it gets the
  /// constants of the second.
  bool stackConstantsOf(SkewLayer &like, bool isProjection) {
    auto getReads = [&](SkewLayer &layer) {
      SmallVector<ReadOp> reads;
      ComputeOp op = isProjection ? layer.projection : layer.cell;
      op.walk([&](ReadOp read) { reads.push_back(read); });
      return reads;
    };
    for (auto [number, read] : llvm::enumerate(getReads(like))) {
      if (!read.getSource().getDefiningOp<ConstantOp>())
        continue;
      SmallVector<Attribute> values;
      if (isProjection)
        values.push_back(read.getSource().getDefiningOp<ConstantOp>().getValue());
      for (SkewLayer &layer : isProjection ? layers.drop_front() : layers)
        values.push_back(
            getReads(layer)[number].getSource().getDefiningOp<ConstantOp>().getValue());
      ElementsAttr joined = joinConstants(values, std::nullopt);
      if (!joined)
        return false;
      stacked[read] = joined;
    }
    return true;
  }

  bool stackConstants() {
    return stackConstantsOf(first, /*isProjection=*/false) &&
           stackConstantsOf(second, /*isProjection=*/true);
  }

  /// Returns a constant for each layer. Equal ones are built once.
  Value getStacked(ReadOp read) {
    Value &value = constants[stacked.lookup(read)];
    if (!value) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(loop);
      value = ConstantOp::create(rewriter, read.getLoc(), cast<ElementsAttr>(stacked.lookup(read)));
    }
    return value;
  }

  //===------------------------------------------------------------------===//
  // The loop
  //===------------------------------------------------------------------===//

  /// If the initial values of all layers are one constant whose elements are equal, returns it for
  /// all layers; otherwise returns null.
  Value stackSplats(unsigned carried) {
    Value init = first.loop.getInitArgs()[carried];
    auto splat = init.getDefiningOp<ConstantOp>();
    auto elements = splat ? dyn_cast<SplatElementsAttr>(splat.getValue()) : SplatElementsAttr();
    if (!elements || llvm::any_of(layers, [&](SkewLayer &layer) {
          return layer.loop.getInitArgs()[carried] != init;
        }))
      return {};
    SmallVector<int64_t> shape{static_cast<int64_t>(count)};
    llvm::append_range(shape, elements.getType().getShape());
    return ConstantOp::create(rewriter, splat.getLoc(),
                              elements.resizeSplat(elements.getType().clone(shape)));
  }

  /// Returns the initial values of all layers, stacked.
  Value stackInits(unsigned carried) {
    if (Value splat = stackSplats(carried))
      return splat;
    SmallVector<BodyFn> bodies;
    SmallVector<std::function<SmallVector<Value>(OpBuilder &, Location)>> makers;
    PieceSets where;
    SmallVector<OpFoldResult> sizes = getSizes();
    unsigned rank = sizes.size();
    auto shift = AffineMap::getMultiDimIdentityMap(rank - 1, context).shiftDims(1);
    for (unsigned i = 0; i < count; ++i) {
      Value init = layers[i].loop.getInitArgs()[carried];
      auto map = AffineMap::get(rank, 0, shift.getResults(), context);
      makers.push_back([init, map](OpBuilder &b, Location l) -> SmallVector<Value> {
        return {ReadOp::create(b, l, init, map)};
      });
      where.add(IntegerSet::get(rank, 0, dim(0) - i, /*eqFlags=*/true), {});
    }
    bodies.assign(makers.begin(), makers.end());
    Type element = getElementTypeOrSelf(first.loop.getInitArgs()[carried].getType());
    return buildPieces(rewriter, loc, sizes, element, where, bodies).getResult(0);
  }

  /// Returns the sizes of the parallel dims of the new cell.
  SmallVector<OpFoldResult> getSizes() {
    SmallVector<OpFoldResult> sizes{rewriter.getIndexAttr(count)};
    llvm::append_range(sizes, first.cell.getParallelSizes());
    return sizes;
  }

  bool keepsOutputs() {
    return llvm::any_of(llvm::seq(count), [&](unsigned i) { return isKept(layers, i); });
  }

  /// Returns the initial value of the outputs of all iterations and layers.
  Value buildOutputs(Value numIterations) {
    SmallVector<OpFoldResult> sizes{getAsOpFoldResult(numIterations)};
    llvm::append_range(sizes, getSizes());
    Type element = getElementTypeOrSelf(first.cell.getResult(first.getOutputResult()).getType());
    TypedAttr zero = rewriter.getZeroAttr(element);
    if (std::optional<SmallVector<int64_t>> shape = getConstantIntValues(sizes))
      return ConstantOp::create(
          rewriter, loc, SplatElementsAttr::get(RankedTensorType::get(*shape, element), zero));
    return buildCompute(rewriter, loc, sizes, element,
                        [&](OpBuilder &b, Location l) -> SmallVector<Value> {
                          return {arith::ConstantOp::create(b, l, zero)};
                        })
        .getResult(0);
  }

  void buildLoop() {
    Value more = arith::ConstantIndexOp::create(rewriter, loc, count - 1);
    Value last = rewriter.createOrFold<arith::AddIOp>(loc, first.loop.getUpperBound(), more);
    SmallVector<Value> inits;
    for (unsigned carried : first.state)
      if (carried != SkewLayer::notCarried)
        inits.push_back(stackInits(carried));
    bool hasOutputs = keepsOutputs();
    if (hasOutputs)
      inits.push_back(buildOutputs(last));
    loop = scf::ForOp::create(rewriter, loc, first.loop.getLowerBound(), last, first.loop.getStep(),
                              inits);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    buildCell();
    SmallVector<Value> yielded;
    for (auto [result, carried] : llvm::enumerate(first.state))
      if (carried != SkewLayer::notCarried)
        yielded.push_back(cell.getResult(result));
    if (hasOutputs)
      yielded.push_back(writeOutputs(loop.getRegionIterArgs().back()));
    scf::YieldOp::create(rewriter, loc, yielded);
  }

  /// Writes the outputs of all layers in this iteration.
  Value writeOutputs(Value base) {
    unsigned numDims = cell.getNumParallel();
    SmallVector<AffineExpr> at{symbol(0)};
    for (unsigned d = 0; d < numDims; ++d)
      at.push_back(dim(d));
    auto update = buildUpdate(
        rewriter, loc, base, cell.getParallelSizes(), AffineMap::get(numDims, 1, at, context),
        loop.getInductionVar(), IntegerSet(), [&](OpBuilder &b, Location l) -> SmallVector<Value> {
          return {ReadOp::create(b, l, cell.getResult(first.getOutputResult()),
                                 AffineMap::getMultiDimIdentityMap(numDims, context))};
        });
    update.setInjective(true);
    return update.getResult();
  }

  /// Returns the stacked state of the last iteration for what a layer carries as `argument`.
  Value getState(BlockArgument argument) {
    unsigned carried = argument.getArgNumber() - 1; // after the time
    unsigned result = llvm::find(first.state, carried) - first.state.begin();
    return loop.getRegionIterArg(first.getStacked(result));
  }

  /// Returns the symbols of index expressions: the iteration s0 and, if it is open, the number of
  /// time steps.
  SmallVector<Value, 2> getTimes() {
    SmallVector<Value, 2> times{loop.getInductionVar()};
    if (isa<AffineSymbolExpr>(end))
      times.push_back(first.loop.getUpperBound());
    return times;
  }
  unsigned getNumTimes() { return isa<AffineSymbolExpr>(end) ? 2 : 1; }

  //===------------------------------------------------------------------===//
  // The cell
  //===------------------------------------------------------------------===//

  void buildCell() {
    ComputeOp old = first.cell;
    SmallVector<int64_t> sizes{static_cast<int64_t>(count)};
    llvm::append_range(sizes, old.getStaticSizes());
    SmallVector<Type> types;
    for (Type type : old.getResultTypes()) {
      auto tensor = cast<RankedTensorType>(type);
      SmallVector<int64_t> shape{static_cast<int64_t>(count)};
      llvm::append_range(shape, tensor.getShape());
      types.push_back(tensor.clone(shape));
    }
    SmallVector<Attribute> init(old.getInitAttr().begin(), old.getInitAttr().end());
    for (size_t i = 0; i < windows.size(); ++i)
      llvm::append_range(init, second.projection.getInitAttr());
    SmallVector<Location> locations;
    for (SkewLayer &layer : layers)
      locations.push_back(layer.cell.getLoc());
    cell = ComputeOp::create(rewriter, rewriter.getFusedLoc(locations), types,
                             old.getDynamicSizes(), ValueRange(), sizes, old.getNumParallel() + 1,
                             rewriter.getArrayAttr(init), ArrayAttr(), StringAttr(), 1);
    buildPiece();
    SmallVector<ComputeOp> parts(windows.size(), second.projection);
    parts.insert(parts.begin(), first.cell);
    buildCombiner(rewriter, cell, parts);
    buildEpilogue();
    DominanceInfo dominance(cell);
    eliminateCommonSubExpressions(rewriter, dominance, cell);
    rewriter.setInsertionPointAfter(cell);
  }

  Block *createBlock(Region &region, TypeRange types) {
    return rewriter.createBlock(&region, {}, types, SmallVector<Location>(types.size(), loc));
  }

  /// Returns the map from the new dims to those of the old cell.
  PointMap getPoint(unsigned numDims) {
    auto map = AffineMap::getMultiDimIdentityMap(numDims, context).shiftDims(1);
    return {AffineMap::get(numDims + 1, 0, map.getResults(), context), {}};
  }

  /// Returns the map from the new dims to those of the projection in `window`. Nothing that is
  /// built depends on the time of the projection.
  PointMap getPointOfProjection(AffineMap window, bool withReduction) {
    unsigned numParallel = first.cell.getNumParallel();
    unsigned numDims = numParallel + 1 + withReduction;
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : window.getResults())
      exprs.push_back(expr.isFunctionOfSymbol(0) ? constant(0) : expr.shiftDims(numParallel, 1));
    if (withReduction)
      exprs.push_back(dim(numDims - 1));
    return {AffineMap::get(numDims, 0, exprs, context), {}};
  }

  void buildPiece() {
    createBlock(cell.getPieces().front(), {});
    IRMapping mapping;
    PointMap point = getPoint(first.cell.getNumDims());
    SmallVector<Value> yielded = cloneOps(*first.cell.getPieceBlock(), point, mapping);
    for (AffineMap window : windows) {
      IRMapping ofWindow;
      PointMap there = getPointOfProjection(window, /*withReduction=*/true);
      llvm::append_range(yielded, cloneOps(*second.projection.getPieceBlock(), there, ofWindow));
    }
    YieldOp::create(rewriter, loc, yielded);
  }

  void buildEpilogue() {
    SmallVector<Type> types = cell.getAccumulatorTypes();
    Block *block = createBlock(cell.getEpilogue(), types);
    Block &old = first.cell.getEpilogue().front();
    IRMapping mapping;
    for (auto [i, argument] : llvm::enumerate(old.getArguments()))
      mapping.map(argument, block->getArgument(i));
    for (auto [i, window] : llvm::enumerate(windows))
      projections[window] = buildProjected(window, block->getArgument(old.getNumArguments() + i));
    PointMap point = getPoint(first.cell.getNumParallel());
    SmallVector<Value> yielded = cloneOps(old, point, mapping);
    keepStates(yielded);
    YieldOp::create(rewriter, loc, yielded);
  }

  /// Returns what the cell reads of its projection: computed from `sum`, or read by the first
  /// layer.
  Value buildProjected(AffineMap window, Value sum) {
    Value computed = sum;
    if (second.projection.hasEpilogue()) {
      Block &epilogue = second.projection.getEpilogue().front();
      IRMapping mapping;
      mapping.map(epilogue.getArgument(0), sum);
      PointMap point = getPointOfProjection(window, /*withReduction=*/false);
      computed = cloneOps(epilogue, point, mapping).front();
    }
    unsigned numDims = cell.getNumParallel();
    AffineMap map = window.shiftDims(1);
    AffineExpr constraints[] = {-dim(0), end - 1 - symbol(0)};
    Value read = ReadOp::create(
        rewriter, loc, first.projected,
        AffineMap::get(numDims, getNumTimes(), map.getResults(), context), getTimes(),
        IntegerSet::get(numDims, getNumTimes(), constraints, {false, false}),
        cast<TypedAttr>(rewriter.getZeroAttr(computed.getType())));
    Value isFirst =
        InsideOp::create(rewriter, loc, ValueRange(), IntegerSet::get(numDims, 0, -dim(0), false));
    return arith::SelectOp::create(rewriter, loc, isFirst, read, computed);
  }

  /// Makes layers that have not begun or have ended keep their states.
  void keepStates(SmallVectorImpl<Value> &values) {
    unsigned numDims = cell.getNumParallel();
    AffineExpr constraints[] = {symbol(0) - dim(0), end - 1 - symbol(0) + dim(0)};
    Value runs =
        InsideOp::create(rewriter, loc, getTimes(),
                         IntegerSet::get(numDims, getNumTimes(), constraints, {false, false}));
    for (auto [result, carried] : llvm::enumerate(first.state)) {
      if (carried == SkewLayer::notCarried)
        continue;
      Value last = ReadOp::create(rewriter, loc, loop.getRegionIterArg(first.getStacked(result)),
                                  AffineMap::getMultiDimIdentityMap(numDims, context));
      values[result] = arith::SelectOp::create(rewriter, loc, runs, values[result], last);
    }
  }

  /// Clones the ops of a body of a cell or a projection, and returns what it yields.
  SmallVector<Value> cloneOps(Block &body, const PointMap &point, IRMapping &mapping) {
    for (Operation &op : body.without_terminator()) {
      auto read = dyn_cast<ReadOp>(op);
      if (read && read.getSource() == first.projected)
        mapping.map(read.getValue(), projections.lookup(read.getMap()));
      else if (read)
        cloneRead(read, point, mapping);
      else
        clonePointwise(rewriter, &op, point, mapping);
    }
    SmallVector<Value> yielded;
    for (Value value : body.getTerminator()->getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
    return yielded;
  }

  void cloneRead(ReadOp read, const PointMap &point, IRMapping &mapping) {
    auto copy = cast<ReadOp>(clonePointwise(rewriter, read, point, mapping));
    if (read.getSource().getDefiningOp<scf::ForOp>())
      return readLayerBefore(copy);
    auto argument = dyn_cast<BlockArgument>(read.getSource());
    copy.getSourceMutable().assign(argument ? getState(argument) : getStacked(read));
    SmallVector<AffineExpr> results{dim(0)};
    llvm::append_range(results, copy.getMap().getResults());
    copy.setMap(AffineMap::get(copy.getMap().getNumDims(), 0, results, context));
  }

  /// Makes `copy`, which reads the output of the layer before, read its state, of which the output
  /// is a copy. There is none before the first layer.
  void readLayerBefore(ReadOp copy) {
    SmallVector<AffineExpr> results{dim(0) - 1};
    llvm::append_range(results, first.getWritten(copy.getMap().getResults()));
    unsigned numDims = copy.getMap().getNumDims();
    copy.getSourceMutable().assign(
        loop.getRegionIterArg(first.getStacked(first.getOutputResult())));
    copy.setMap(AffineMap::get(numDims, 0, results, context));
    copy.setGuard(IntegerSet::get(numDims, 0, dim(0) - 1, false));
    copy.setPadAttr(cast<TypedAttr>(rewriter.getZeroAttr(copy.getType())));
  }

  RewriterBase &rewriter;
  MLIRContext *context;
  MutableArrayRef<SkewLayer> layers;
  SkewLayer &first, &second;
  unsigned count;
  Location loc;
  AffineExpr end;                 ///< the number of time steps
  SmallVector<AffineMap> windows; ///< of the projection, over the cell's domain
  DenseMap<Operation *, Attribute> stacked;
  DenseMap<Attribute, Value> constants;
  DenseMap<AffineMap, Value> projections; ///< what the cell reads in each window
  scf::ForOp loop;
  ComputeOp cell;
};
} // namespace

bool te::skewLayers(RewriterBase &rewriter, MutableArrayRef<SkewLayer> layers) {
  return SkewBuilder(rewriter, layers).build();
}
