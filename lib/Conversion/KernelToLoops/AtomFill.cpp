//===- AtomFill.cpp - factors of an atom on their way to shared memory ----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A box lies in shared memory in the order of its tensor. Rows are 16 bytes longer than they need
// to be: then the eight rows that a matrix is loaded from, and those that neighbouring threads
// fill, are in different banks, if a row has 128 bytes. Rows from which lanes load elements of 32
// bits are 32 bytes longer.
//
// A factor that is read in runs of 16 bytes is copied run by run, past the registers. Any other
// factor is computed and stored element by element.
//
//===----------------------------------------------------------------------===//

#include "AtomEmitter.h"
#include "BoxElements.h"
#include "TilePoints.h"
#include "dialects/layout/Analysis/AtomRules.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

/// The bytes of a copy.
static constexpr int64_t runBytes = 16;

static int64_t getRun(Value value) {
  return runBytes * 8 / value.getType().getIntOrFloatBitWidth();
}

/// Returns the flat address of what `read` reads, over loops before splitting.
static AffineExpr getSourceAddress(BodyEvaluator &body, KernelContext &kernel, te::ReadOp read) {
  return body.getAddress(kernel.buffers.find(read.getSource())->second, body.getIndices(read));
}

bool AtomEmitter::isMultiple(AffineExpr expr, int64_t divisor) {
  return index.simplify(expr % divisor) == getAffineConstantExpr(0, index.getContext());
}

bool AtomEmitter::hasRuns(te::ReadOp read, const CacheTile &tile, unsigned dim) {
  TilePoint nowhere;
  nowhere.dims = schedule.dims;
  BodyEvaluator body(index, kernel, nowhere, laneDim, /*lanes=*/0, loads);
  AffineExpr loop = getAffineDimExpr(tile.loops[dim], index.getContext());
  int64_t run = getRun(read);
  // Over the numbers of runs.
  AffineExpr address = getSourceAddress(body, kernel, read);
  AffineExpr first = address.replace(loop, loop * run);
  if (tile.extents[dim] % run != 0 || !isMultiple(first, run) ||
      !isMultiple(tile.origins[dim], run) || !isMultiple(tile.limits[dim], run) ||
      !llvm::all_of(llvm::seq(int64_t(1), run), [&](int64_t at) {
        return index.simplify(address.replace(loop, loop * run + at) - first) ==
               getAffineConstantExpr(at, index.getContext());
      }))
    return false;
  bool dividesRun = false;
  if (IntegerSet guard = read.getGuard().value_or(IntegerSet()))
    for (AffineExpr constraint : guard.getConstraints())
      body.substitute(constraint, read.getSymbols()).walk([&](AffineExpr part) {
        dividesRun |= part == loop;
      });
  return !dividesRun;
}

std::optional<unsigned> AtomEmitter::findCopiedRow(Value value, const CacheTile &tile) {
  auto read = value.getDefiningOp<te::ReadOp>();
  if (!read || (read.getGuard() && !matchPattern(read.getPadAttr(), m_AnyZeroFloat())) ||
      countElements(tile) / getRun(value) % kernel.target->getThreads()->count != 0)
    return std::nullopt;
  for (unsigned dim = 0; dim < tile.loops.size(); ++dim)
    if (hasRuns(read, tile, dim))
      return dim;
  return std::nullopt;
}

unsigned AtomEmitter::rankRow(Value value, const CacheTile &tile, unsigned dim) {
  if (tile.extents[dim] == 1)
    return 0;
  llvm::SetVector<Operation *> ops;
  te::collectPointOps(value, op.getPieceBlock(piece), ops);
  TilePoint nowhere;
  nowhere.dims = schedule.dims;
  BodyEvaluator body(index, kernel, nowhere, laneDim, /*lanes=*/0, loads);
  AffineExpr loop = getAffineDimExpr(tile.loops[dim], index.getContext());
  bool isContiguous = llvm::any_of(ops, [&](Operation *pointOp) {
    auto read = dyn_cast<te::ReadOp>(pointOp);
    AffineExpr address = read ? getSourceAddress(body, kernel, read) : loop * 0;
    return index.simplify(address.replace(loop, loop + 1) - address) ==
           getAffineConstantExpr(1, index.getContext());
  });
  return isContiguous ? 2 : 1;
}

void AtomEmitter::allocate(Factor &factor, const CacheTile &tile) {
  const layout::Atom &atom = *schedule.atom->instruction;
  AffineExpr steps = getAffineDimExpr(schedule.atom->steps, index.getContext());
  AffineExpr inRow = tile.offsets[factor.order.back()];
  factor.hasRowsOfSteps = index.simplify(inRow.replace(steps, steps + 1) - inRow) ==
                          getAffineConstantExpr(1, index.getContext());
  int64_t padding = atom.getPaddingBytes(factor.hasRowsOfSteps) / runBytes * getRun(factor.value);
  int64_t stride = 1;
  factor.strides.resize(factor.order.size());
  for (unsigned dim : llvm::reverse(factor.order)) {
    factor.strides[dim] = stride;
    bool isRow = dim == factor.order.back() && factor.order.size() > 1;
    stride *= tile.extents[dim] + (isRow ? padding : 0);
  }
  factor.size = stride;
  factor.address = getAffineConstantExpr(0, index.getContext());
  for (auto [offset, step] : llvm::zip_equal(tile.offsets, factor.strides))
    factor.address = factor.address + offset * step;
  OpBuilder &builder = index.getBuilder();
  auto type = MemRefType::get({stride * schedule.pipeline->depth}, factor.value.getType());
  Operation *parent = builder.getBlock()->getParentOp();
  auto func = dyn_cast<func::FuncOp>(parent);
  factor.memory = kernel.target->getThreads()->makeShared(
      builder, index.getLoc(), func ? func : parent->getParentOfType<func::FuncOp>(), type);
}

FailureOr<AtomEmitter::Factor> AtomEmitter::makeFactor(const CacheTile &tile) {
  Factor factor;
  const layout::Atom &atom = *schedule.atom->instruction;
  factor.value = layout::findAtomFactor(op, piece, tile.operand, atom);
  if (!factor.value)
    return layout::AtomOp(schedule.atom->op).emitError("expected a sum of products of two values ")
           << "that " << atom.name << " takes (" << atom.factors << "), by '"
           << op.getLabel().value_or("") << "'";
  auto dependsOnSteps = [&](AffineExpr offset) {
    return offset.isFunctionOfDim(schedule.atom->steps);
  };
  if (llvm::none_of(tile.offsets, dependsOnSteps)) // which would be one of all steps of the tile
    return layout::AtomOp(schedule.atom->op).emitError("expected factors that depend on the steps")
           << ", got one that does not for operand " << tile.operand << " of '"
           << op.getLabel().value_or("") << "'";
  std::optional<unsigned> row = findCopiedRow(factor.value, tile);
  factor.isCopied = row.has_value();
  factor.order = llvm::to_vector(llvm::seq<unsigned>(0, tile.loops.size()));
  if (row)
    factor.order.erase(factor.order.begin() + *row);
  else // neighbouring threads read neighbouring elements
    llvm::stable_sort(factor.order, [&](unsigned a, unsigned b) {
      return rankRow(factor.value, tile, a) < rankRow(factor.value, tile, b);
    });
  if (row)
    factor.order.push_back(*row);
  allocate(factor, tile);
  return factor;
}

LogicalResult AtomEmitter::fill(const CacheTile &tile, AffineExpr stage) {
  std::optional<Factor> &factor = factors[tile.operand];
  if (!factor) {
    FailureOr<Factor> made = makeFactor(tile);
    if (failed(made))
      return failure();
    factor = std::move(*made);
  }
  if (factor->isCopied)
    copyRuns(*factor, tile, stage);
  else
    computeElements(*factor, tile, stage);
  return success();
}

AtomEmitter::BoxPoint AtomEmitter::getBoxPoint(const Factor &factor, const CacheTile &tile,
                                               AffineExpr stage, Value number, int64_t run) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  SmallVector<AffineExpr> offsets(factor.order.size());
  for (unsigned dim : llvm::reverse(factor.order)) {
    int64_t step = dim == factor.order.back() ? run : 1;
    Value count = index.constant(tile.extents[dim] / step);
    bool isOutermost = dim == factor.order.front();
    Value own =
        isOutermost ? number : arith::RemUIOp::create(builder, loc, number, count).getResult();
    number = isOutermost ? number : arith::DivUIOp::create(builder, loc, number, count).getResult();
    offsets[dim] = index.getSymbol(own) * step;
  }
  BoxPoint box;
  box.point.dims = schedule.dims;
  box.target = stage * factor.size;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    AffineExpr loop = getAffineDimExpr(tile.loops[dim], index.getContext());
    box.point.loopValues[loop] = tile.origins[dim] + offset;
    box.target = box.target + offset * factor.strides[dim];
    AffineExpr count = index.simplify(tile.limits[dim] - tile.origins[dim]);
    if (index.isNonNegative(index.simplify(count - tile.extents[dim])))
      continue;
    Value exists = index.materializeCondition(count - offset - 1, /*equality=*/false);
    box.exists = buildConjunction(index, box.exists, exists);
  }
  return box;
}

void AtomEmitter::copyRuns(const Factor &factor, const CacheTile &tile, AffineExpr stage) {
  OpBuilder &builder = index.getBuilder();
  BlockThreads &threads = *kernel.target->getThreads();
  int64_t run = getRun(factor.value), runs = countElements(tile) / run;
  for (int64_t first = 0; first < runs; first += threads.count) {
    Value number = arith::AddIOp::create(builder, index.getLoc(), threads.buildNumber(index),
                                         index.constant(first));
    copyRun(factor, getBoxPoint(factor, tile, stage, number, run));
  }
}

void AtomEmitter::copyRun(const Factor &factor, const BoxPoint &box) {
  auto read = factor.value.getDefiningOp<te::ReadOp>();
  BodyEvaluator body(index, kernel, box.point, laneDim, /*lanes=*/0, loads);
  Condition condition;
  if (IntegerSet guard = read.getGuard().value_or(IntegerSet()))
    condition = body.getCondition(guard, read.getSymbols());
  BlockThreads::AsyncCopy copy;
  copy.from = kernel.buffers.find(read.getSource())->second.memref;
  // With a guard, each copy has a place of its own before the loop; without, all have one.
  AffineExpr source = index.simplify(getSourceAddress(body, kernel, read));
  copy.source = condition.uniform ? index.materializeFromOuter(source) : index.materialize(source);
  copy.to = factor.memory;
  copy.target = index.materialize(index.simplify(box.target));
  copy.elements = getRun(factor.value);
  copy.exists = buildConjunction(index, box.exists, condition.uniform);
  if (condition.never)
    copy.exists = arith::ConstantOp::create(index.getBuilder(), index.getLoc(),
                                            index.getBuilder().getBoolAttr(false));
  kernel.target->getThreads()->buildCopy(index, copy);
}

/// What is stored for a later iteration is there after the barrier of that iteration.
void AtomEmitter::computeElements(const Factor &factor, const CacheTile &tile, AffineExpr stage) {
  buildSharedElements(index, *kernel.target->getThreads(), countElements(tile), [&](Value number) {
    computeElement(factor, getBoxPoint(factor, tile, stage, number, /*run=*/1));
  });
}

void AtomEmitter::computeElement(const Factor &factor, const BoxPoint &box) {
  TensorBuffer buffer;
  buffer.memref = factor.memory;
  buffer.elementType = factor.value.getType();
  BodyEvaluator::Loads own;
  BodyEvaluator body(index, kernel, box.point, laneDim, /*lanes=*/0, own);
  buildElementOrZero(
      index, box.exists, buffer.elementType, [&] { return body.compute(factor.value); },
      [&](Value value) { body.store(buffer, box.target, value); });
}

} // namespace tssa::conversion
