//===- PointEmitter.cpp - code for the points of a tile -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"
#include "TilePoints.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

PointEmitter::PointEmitter(IndexBuilder &index, KernelContext &kernel, te::ComputeOp compute,
                           unsigned piece, ArrayRef<TensorBuffer> outs, const Schedule &schedule)
    : index(index), kernel(kernel), op(compute), piece(piece), outs(outs), schedule(schedule),
      laneDim(schedule.loops.size()) {
  if (const TileGroup *vector = schedule.getVector())
    lanes = vector->factors.back();
  if (schedule.usesMatrices())
    matrix.emplace(index, kernel, op, piece, *schedule.dot, laneDim, lanes);
  else if (schedule.dot)
    dot.emplace(index, kernel, op, piece, *schedule.dot, laneDim, lanes);
  if (!schedule.atom)
    return;
  lanes = atomLanes;
  atom.emplace(index, kernel, op, piece, schedule, laneDim);
}

bool PointEmitter::addsZeros() {
  return te::matchCombiner(op.getCombiner()) == te::Combiner::Add &&
         llvm::all_of(op.getPieceBlock(piece)->getTerminator()->getOperands(), [](Value value) {
           return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
         });
}

PointEmitter::Values PointEmitter::getIdentity(bool vector) {
  Values identity;
  OpBuilder &builder = index.getBuilder();
  for (Attribute init : op.getInitAttr()) {
    Value value = arith::ConstantOp::create(builder, index.getLoc(), cast<TypedAttr>(init));
    if (vector)
      value = vector::BroadcastOp::create(builder, index.getLoc(),
                                          VectorType::get(lanes, value.getType()), value);
    identity.push_back(value);
  }
  return identity;
}

/// If the body sums products of floats that have no other use, returns the products, so that
/// product and sum become one multiply-add. Otherwise returns nothing.
static SmallVector<Operation *> matchMultiplyAdds(te::ComputeOp op, unsigned piece) {
  SmallVector<Operation *> products = te::findSummedProducts(op, piece);
  bool areAlone = llvm::all_of(products, [&](Operation *product) {
    return isa<arith::MulFOp>(product) && product->getBlock() == op.getPieceBlock(piece) &&
           product->hasOneUse();
  });
  return areAlone ? products : SmallVector<Operation *>();
}

PointEmitter::Values PointEmitter::accumulate(const TilePoint &point, ValueRange accumulators) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  BodyEvaluator body(index, kernel, point, laneDim, lanes, loads);
  Block &block = *op.getPieceBlock(piece);
  bool vector = isa<VectorType>(accumulators.front().getType());
  Value deadLanes = point.reducesLanes ? point.mask : Value();
  SmallVector<Operation *> products;
  if (!deadLanes)
    products = matchMultiplyAdds(op, piece);
  mapCached(body, point);
  Values values;
  for (auto [product, accumulator] : llvm::zip(products, accumulators)) {
    Value lhs = body.compute(product->getOperand(0)), rhs = body.compute(product->getOperand(1));
    if (vector) {
      lhs = body.toLanes(lhs);
      rhs = body.toLanes(rhs);
    }
    values.push_back(math::FmaOp::create(builder, loc, lhs, rhs, accumulator));
  }
  if (!products.empty())
    return values;
  for (Value value : block.getTerminator()->getOperands()) {
    values.push_back(body.compute(value));
    if (vector)
      values.back() = body.toLanes(values.back());
  }
  if (deadLanes) {
    Values identity = getIdentity(/*vector=*/true);
    for (auto [value, neutral] : llvm::zip_equal(values, identity))
      value = arith::SelectOp::create(builder, loc, point.mask, value, neutral);
  }
  return combine(accumulators, values);
}

SmallVector<int64_t> PointEmitter::getLoadDistances(ArrayRef<TilePoint> points, size_t rows) {
  auto countDistinct = [](ArrayRef<AffineExpr> addresses) {
    return llvm::DenseSet<AffineExpr>(addresses.begin(), addresses.end()).size();
  };
  size_t numVectors = 0, numScalars = 0;
  SmallVector<AffineExpr> vectors;
  for (te::ReadOp read : op.getPieceBlock(piece)->getOps<te::ReadOp>()) {
    if (hasOpaqueIndex(read))
      return {};
    auto addresses = llvm::map_to_vector(
        points, [&](const TilePoint &point) { return getReadAddress(read, point); });
    if (!index.hasLanes(addresses.front())) {
      numScalars += countDistinct(addresses);
      continue;
    }
    ++numVectors;
    vectors = std::move(addresses);
  }
  size_t perTap = 0;
  for (size_t first = 0; first < vectors.size(); first += rows)
    perTap += countDistinct(ArrayRef(vectors).slice(first, rows));
  if (!layout::ordersByLoads(numVectors, countDistinct(vectors) < perTap, numScalars))
    return {};
  SmallVector<int64_t> distances;
  for (AffineExpr address : vectors) {
    auto distance = dyn_cast<AffineConstantExpr>(index.simplify(address - vectors.front()));
    if (!distance)
      return {};
    distances.push_back(distance.getValue());
  }
  return distances;
}

PointEmitter::Values PointEmitter::combine(ValueRange lhs, ValueRange rhs) {
  Block &block = op.getCombiner().front();
  int64_t width = 0;
  if (auto type = dyn_cast<VectorType>(lhs.front().getType()))
    width = type.getNumElements();
  TilePoint nowhere;
  BodyEvaluator body(index, kernel, nowhere, laneDim, width, loads);
  unsigned count = lhs.size();
  for (auto [i, arg] : llvm::enumerate(block.getArguments()))
    body.map(arg, i < count ? lhs[i] : rhs[i - count]);
  body.run(block);
  Values combined = body.getYielded(block);
  if (width)
    for (Value &value : combined)
      value = body.toLanes(value);
  return combined;
}

bool PointEmitter::addsFloats() { return !op.getCombiner().getOps<arith::AddFOp>().empty(); }

PointEmitter::Values PointEmitter::combineLanes(ValueRange accumulators) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  Values combined(accumulators);
  for (int64_t width = lanes; width > 1; width /= 2) {
    Values low, high;
    for (Value value : combined) {
      low.push_back(vector::ExtractStridedSliceOp::create(builder, loc, value, 0, width / 2, 1));
      high.push_back(
          vector::ExtractStridedSliceOp::create(builder, loc, value, width / 2, width / 2, 1));
    }
    combined = combine(low, high);
  }
  for (Value &value : combined)
    value = vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{0});
  return combined;
}

void PointEmitter::forEachGuard(te::ReadOp read, ArrayRef<TilePoint> points,
                                function_ref<void(BodyEvaluator &, AffineExpr)> visit) {
  if (!read.getGuard() || hasOpaqueIndex(read))
    return;
  for (const TilePoint &point : points) {
    BodyEvaluator body(index, kernel, point, laneDim, lanes, loads);
    for (unsigned i = 0; i < read.getGuard()->getNumConstraints(); ++i)
      if (!read.getGuard()->isEq(i))
        visit(body, body.substitute(read.getGuard()->getConstraint(i), read.getSymbols()));
  }
}

void PointEmitter::forEachGuard(ArrayRef<TilePoint> points,
                                function_ref<void(BodyEvaluator &, AffineExpr)> visit) {
  for (te::ReadOp read : op.getPieceBlock(piece)->getOps<te::ReadOp>())
    forEachGuard(read, points, visit);
}

void PointEmitter::addKnownGuards(te::ReadOp read, ArrayRef<TilePoint> points,
                                  llvm::SetVector<AffineExpr> &guards) {
  forEachGuard(read, points, [&](BodyEvaluator &body, AffineExpr expr) {
    expr = body.substituteLoops(expr);
    if (!isa<AffineConstantExpr>(expr) && index.isKnown(expr) && !body.isAssumed(expr))
      guards.insert(expr);
  });
}

PointEmitter::Guards PointEmitter::getKnownGuards(ArrayRef<TilePoint> points) {
  llvm::SetVector<AffineExpr> guards;
  for (te::ReadOp read : op.getPieceBlock(piece)->getOps<te::ReadOp>())
    addKnownGuards(read, points, guards);
  return guards.takeVector();
}

/// Returns the read that a factor is, or that it extends; null if it is neither.
static te::ReadOp findReadFactor(Value factor) {
  if (auto extension = factor.getDefiningOp<arith::ExtFOp>())
    factor = extension.getIn();
  return factor.getDefiningOp<te::ReadOp>();
}

/// Looks for a factor of `product` that is a guarded read with pad 0, while the other factor is
/// finite. Where the guard does not hold, the product is then zero. Returns the read, or null if
/// there is no such factor.
static te::ReadOp findPaddedFactor(arith::MulFOp product) {
  for (auto [factor, other] : {std::pair(product.getLhs(), product.getRhs()),
                               std::pair(product.getRhs(), product.getLhs())}) {
    te::ReadOp read = findReadFactor(factor), finite = findReadFactor(other);
    if (read && read.getGuard() && matchPattern(read.getPadAttr(), m_AnyZeroFloat()) && finite &&
        te::isFinite(finite))
      return read;
  }
  return {};
}

te::ReadOp PointEmitter::findPaddedRead() {
  SmallVector<Operation *> products = matchMultiplyAdds(op, piece);
  if (products.size() != 1)
    return {};
  return findPaddedFactor(cast<arith::MulFOp>(products.front()));
}

bool PointEmitter::addsNothing(const TilePoint &point) {
  bool outside = false;
  if (te::ReadOp read = findPaddedRead())
    forEachGuard(read, point, [&](BodyEvaluator &body, AffineExpr expr) {
      auto constant = dyn_cast<AffineConstantExpr>(body.substituteLoops(expr));
      outside |= constant && constant.getValue() < 0;
    });
  return outside;
}

PointEmitter::Guards PointEmitter::getNeededGuards(ArrayRef<TilePoint> points) {
  te::ReadOp read = findPaddedRead();
  if (!read)
    return {};
  llvm::SetVector<AffineExpr> needed;
  addKnownGuards(read, points.front(), needed);
  for (const TilePoint &point : points.drop_front()) {
    llvm::SetVector<AffineExpr> own;
    addKnownGuards(read, point, own);
    needed.remove_if([&](AffineExpr expr) { return !own.contains(expr); });
  }
  return needed.takeVector();
}

void PointEmitter::assumeGuards(const Guards &guards, bool assume) {
  for (AffineExpr expr : guards) {
    if (assume)
      kernel.assumed.insert(expr);
    else
      kernel.assumed.erase(expr);
  }
}

/// Among expressions that differ only by a constant, keeps only the smallest one.
static SmallVector<AffineExpr> dropImplied(ArrayRef<AffineExpr> exprs) {
  llvm::MapVector<AffineExpr, int64_t> minConstants;
  for (AffineExpr expr : exprs) {
    int64_t constant = 0;
    if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr); sum && sum.getKind() == AffineExprKind::Add)
      if (auto rhs = dyn_cast<AffineConstantExpr>(sum.getRHS()))
        constant = rhs.getValue();
    auto [it, isNew] = minConstants.insert({expr - constant, constant});
    if (!isNew)
      it->second = std::min(it->second, constant);
  }
  SmallVector<AffineExpr> least;
  for (auto [expr, constant] : minConstants)
    least.push_back(expr + constant);
  return least;
}

Value PointEmitter::getInterior(ArrayRef<TilePoint> points) {
  interior = Interior();
  llvm::SmallDenseSet<unsigned> found;
  for (AffineExpr dim : schedule.dims)
    dim.walk([&](AffineExpr expr) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (loop && schedule.loops[loop.getPosition()].reduction &&
          found.insert(loop.getPosition()).second)
        interior.loops.push_back({loop, schedule.loops[loop.getPosition()].extent - 1});
    });
  llvm::SetVector<AffineExpr> least;
  forEachGuard(points, [&](BodyEvaluator &body, AffineExpr expr) {
    AffineExpr lower = body.getLeast(expr, interior.loops);
    if (lower && !isa<AffineConstantExpr>(lower) && index.isKnown(lower) &&
        !index.isNonNegative(lower))
      least.insert(lower);
  });
  interior.least.insert(least.begin(), least.end());
  return buildConjunction(index, dropImplied(least.getArrayRef()));
}

void PointEmitter::assumeInterior(bool assume) { kernel.interior = assume ? &interior : nullptr; }

/// Whether a tensor has at least `bytes` bytes, or a dynamic size.
static bool mayHaveBytes(IndexBuilder &index, const TensorBuffer &buffer, int64_t bytes) {
  AffineExpr elements = getAffineConstantExpr(1, index.getContext());
  for (auto [dim, size] : llvm::enumerate(buffer.sizes))
    if (!buffer.storesOneIndex(dim))
      elements = elements * index.getSize(size);
  auto count = dyn_cast<AffineConstantExpr>(index.simplify(elements));
  return !count || count.getValue() >= bytes * 8 / buffer.elementType.getIntOrFloatBitWidth();
}

/// Returns the address of the element that `read` reads at `point`.
AffineExpr PointEmitter::getReadAddress(te::ReadOp read, const TilePoint &point) {
  BodyEvaluator body(index, kernel, point, laneDim, lanes, loads);
  return body.getAddress(kernel.buffers.find(read.getSource())->second, body.getIndices(read));
}

void PointEmitter::prefetchNextRows(ArrayRef<TilePoint> points, AffineExpr loop, int64_t extent) {
  int64_t rows = points.size();
  auto isStep = [&](AffineExpr from, AffineExpr to, int64_t step) {
    auto constant = dyn_cast<AffineConstantExpr>(index.simplify(to - from));
    return constant && constant.getValue() == step;
  };
  for (te::ReadOp read : op.getPieceBlock(piece)->getOps<te::ReadOp>()) {
    const TensorBuffer &buffer = kernel.buffers.find(read.getSource())->second;
    if (!mayHaveBytes(index, buffer, kernel.target->getLeastPrefetched()) || hasOpaqueIndex(read))
      continue;
    AffineExpr first = getReadAddress(read, points[0]);
    if (!index.hasLanes(first) && isStep(first, first.replace(loop, loop + 1), 1) &&
        isStep(first, getReadAddress(read, points[1]), extent))
      kernel.target->buildPrefetch(index, buffer.memref,
                                   index.simplify(first + rows * extent + loop * (rows - 1)));
  }
}

void PointEmitter::storeResults(const TilePoint &point, ValueRange values) {
  BodyEvaluator body(index, kernel, point, laneDim, lanes, loads);
  ArrayRef<AffineExpr> dims = ArrayRef(point.dims).take_front(op.getNumParallel());
  // Where the point may not exist, its results are known only in a block of its own.
  bool mayWait = index.getBuilder().getInsertionBlock() == tileBlock;
  for (auto [out, value] : llvm::zip_equal(outs, values))
    body.store(out, body.getAddress(out, dims), value, mayWait ? &waiting : nullptr);
}

Block *PointEmitter::getStoredBlock() {
  if (op.hasEpilogue())
    return &op.getEpilogue().front();
  return op.hasReduction() ? nullptr : op.getPieceBlock(piece);
}

void PointEmitter::storeBlock(BodyEvaluator &body, const TilePoint &point) {
  Block &block = *getStoredBlock();
  if (loaded.empty()) {
    body.run(block);
    return storeResults(point, body.getYielded(block));
  }
  for (te::ReadOp read : block.getOps<te::ReadOp>())
    if (!hasOpaqueIndex(read))
      if (Value value = loaded.lookup({read, getReadAddress(read, point)}))
        body.map(read, value);
  storeResults(point, llvm::map_to_vector(block.getTerminator()->getOperands(),
                                          [&](Value value) { return body.compute(value); }));
}

void PointEmitter::loadTogether(te::ReadOp read, ArrayRef<TilePoint> points) {
  const TensorBuffer &buffer = kernel.buffers.find(read.getSource())->second;
  SmallVector<LaneLoad> together;
  llvm::DenseSet<AffineExpr> seen;
  for (const TilePoint &point : points) {
    LaneAccess access{buffer.memref, getReadAddress(read, point), laneDim,
                      VectorType::get(lanes, getMemoryType(buffer.elementType))};
    if (point.vector && !point.exists && !point.stored && index.hasLanes(access.address) &&
        kernel.target->isBuiltWithOthers(index, access, point.mask) &&
        seen.insert(access.address).second)
      together.push_back({access, point.mask});
  }
  TilePoint nowhere;
  BodyEvaluator body(index, kernel, nowhere, laneDim, lanes, loads);
  SmallVector<Value> values = kernel.target->buildLoads(index, together);
  for (auto [load, value] : llvm::zip_equal(together, values))
    if (value)
      loaded[{read, load.access.address}] = body.fromMemory(value, buffer.elementType);
}

bool PointEmitter::isInside(te::ReadOp read, ArrayRef<TilePoint> points) {
  bool inside = true;
  auto isProven = [&](BodyEvaluator &body, AffineExpr expr) {
    expr = index.simplify(expr);
    inside &= body.isAssumed(expr) || index.isNonNegative(body.substituteLoops(expr));
  };
  if (std::optional<IntegerSet> guard = read.getGuard()) {
    inside = llvm::none_of(guard->getEqFlags(), [](bool isEquality) { return isEquality; });
    forEachGuard(read, points, isProven);
  }
  return inside;
}

bool PointEmitter::accumulateMatrices(const MatrixStep &step, std::string &obstacle) {
  auto inside = [&](te::ReadOp read, ArrayRef<TilePoint> points) { return isInside(read, points); };
  return matrix->accumulate(step, loads, inside, obstacle);
}

void PointEmitter::beginTile(ArrayRef<TilePoint> points) {
  tileBlock = index.getBuilder().getInsertionBlock();
  Block *block = lanes && !restriction ? getStoredBlock() : nullptr;
  if (!block)
    return;
  for (te::ReadOp read : block->getOps<te::ReadOp>())
    if (!hasOpaqueIndex(read) && isInside(read, points))
      loadTogether(read, points);
}

void PointEmitter::endTile() {
  loaded.clear();
  kernel.target->buildStores(index, waiting);
  waiting.clear();
  tileBlock = nullptr;
}

void PointEmitter::finish(const TilePoint &point, ValueRange accumulators) {
  if (!op.hasEpilogue()) {
    storeResults(point, accumulators);
    return;
  }
  BodyEvaluator body(index, kernel, point, laneDim, lanes, loads);
  for (auto [arg, value] : llvm::zip_equal(op.getEpilogue().getArguments(), accumulators))
    body.map(arg, value);
  storeBlock(body, point);
}

void PointEmitter::compute(const TilePoint &point) {
  if (!restriction)
    return computePoint(point);
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  BodyEvaluator body(index, kernel, point, laneDim, lanes, loads);
  Condition inside = body.getCondition(restriction, restrictionSymbols);
  if (inside.never)
    return;
  TilePoint restricted = point;
  Value condition = body.materialize(inside);
  if (condition && isa<VectorType>(condition.getType())) {
    restricted.mask = body.andMasks(condition, point.mask);
    condition =
        vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, restricted.mask);
  }
  if (!condition)
    return computePoint(point);
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  beginScope();
  computePoint(restricted);
  beginScope();
}

void PointEmitter::computePoint(const TilePoint &point) {
  BodyEvaluator body(index, kernel, point, laneDim, lanes, loads);
  storeBlock(body, point);
}
