//===- ComputeLowering.cpp - kernels of te.compute as loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parallel loops of all pieces are numbered in one row, piece after piece; an
// iteration finds its piece and its loops' values from the number. Inside of it,
// expressions that the schedule computes there are computed into small buffers,
// then the rest of the nest follows.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Conversion/LoopNest.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::cpu;
using namespace ::tssa::conversion;

/// Work, in body ops at points, below which a thread of its own does not pay.
static constexpr int64_t leastWork = 1 << 20;
/// Most bytes on the stack for an expression computed inside of another.
static constexpr int64_t mostScratch = 64 << 10;

namespace {
/// The box of one piece.
struct Box {
  SmallVector<AffineExpr> offsets, extents; ///< of all dims, reduction too
  IntegerSet rest; ///< what the box does not say of the piece; null for nothing
};

/// One piece with its schedule.
struct ScheduledPiece {
  Schedule schedule;
  SmallVector<AffineExpr> extents;
  IntegerSet rest;
};
} // namespace

static StringRef getLabel(te::ComputeOp op) { return op.getLabel().value_or(""); }

/// The bound that `expr >= 0` puts on one dim: (dim, isLower, value).
static std::optional<std::tuple<unsigned, bool, int64_t>> matchBound(AffineExpr expr) {
  for (int64_t sign : {1, -1}) {
    unsigned dimsFound = 0, dim = 0;
    expr.walk([&](AffineExpr e) {
      if (auto d = dyn_cast<AffineDimExpr>(e)) {
        ++dimsFound;
        dim = d.getPosition();
      }
    });
    if (dimsFound != 1)
      return std::nullopt;
    AffineExpr rest = expr - getAffineDimExpr(dim, expr.getContext()) * sign;
    rest = simplifyAffineExpr(rest, dim + 1, 0);
    if (auto value = dyn_cast<AffineConstantExpr>(rest))
      return std::make_tuple(dim, sign == 1, sign == 1 ? -value.getValue() : value.getValue() + 1);
  }
  return std::nullopt;
}

static FailureOr<Box> getBox(te::ComputeOp op, unsigned piece, ArrayRef<AffineExpr> extents) {
  MLIRContext *context = op.getContext();
  Box box;
  box.offsets.assign(extents.size(), getAffineConstantExpr(0, context));
  box.extents.assign(extents.begin(), extents.end());
  IntegerSet set = op.getPieceSet(piece);
  if (!set)
    return box;
  SmallVector<int64_t> lower(extents.size(), 0);
  SmallVector<std::optional<int64_t>> upper(extents.size());
  SmallVector<AffineExpr> rest;
  SmallVector<bool> restEqualities;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    auto bound = matchBound(set.getConstraint(i));
    if (!bound) {
      rest.push_back(set.getConstraint(i));
      restEqualities.push_back(set.isEq(i));
      continue;
    }
    auto [dim, isLower, value] = *bound;
    if (isLower || set.isEq(i))
      lower[dim] = std::max(lower[dim], value - (isLower ? 0 : 1));
    if (!isLower || set.isEq(i)) {
      int64_t end = isLower ? value + 1 : value;
      upper[dim] = std::min(upper[dim].value_or(end), end);
    }
  }
  if (!rest.empty()) {
    if (op.hasReduction())
      return op.emitOpError("expected piece ")
             << piece << " of a reduction to be a box with constant bounds";
    box.rest = IntegerSet::get(set.getNumDims(), 0, rest, restEqualities);
  }
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    box.offsets[dim] = getAffineConstantExpr(lower[dim], context);
    if (auto extent = dyn_cast<AffineConstantExpr>(extents[dim])) {
      int64_t end = std::min(upper[dim].value_or(extent.getValue()), extent.getValue());
      box.extents[dim] = getAffineConstantExpr(std::max<int64_t>(0, end - lower[dim]), context);
    } else if (upper[dim]) {
      box.extents[dim] =
          getAffineConstantExpr(std::max<int64_t>(0, *upper[dim] - lower[dim]), context);
    } else {
      box.extents[dim] = extents[dim] - lower[dim];
    }
  }
  return box;
}

static SmallVector<AffineExpr> getExtents(IndexBuilder &index, te::ComputeOp op,
                                          const IRMapping &values) {
  SmallVector<AffineExpr> extents;
  for (OpFoldResult size : mapSizes(op.getMixedSizes(), values))
    extents.push_back(index.getSize(size));
  return extents;
}

static FailureOr<ScheduledPiece> schedulePiece(IndexBuilder &index, te::KernelOp kernel,
                                               te::ComputeOp op, unsigned piece,
                                               const IRMapping &values) {
  FailureOr<Box> box = getBox(op, piece, getExtents(index, op, values));
  if (failed(box))
    return failure();
  FailureOr<Schedule> schedule = readSchedule(kernel.getSchedule(), getLabel(op),
                                              box->extents, op.getNumParallel(), op);
  if (failed(schedule))
    return failure();
  for (auto [dim, offset] : llvm::zip_equal(schedule->dims, box->offsets))
    dim = dim + offset;
  return ScheduledPiece{std::move(*schedule), box->extents, box->rest};
}

static AffineExpr getProduct(ArrayRef<AffineExpr> factors, MLIRContext *context) {
  AffineExpr product = getAffineConstantExpr(1, context);
  for (AffineExpr factor : factors)
    product = product * factor;
  return product;
}

static AffineExpr getParallelCount(const Schedule &schedule, MLIRContext *context) {
  SmallVector<AffineExpr> extents;
  for (unsigned loop : schedule.parallel)
    extents.push_back(schedule.loops[loop].extent);
  return getProduct(extents, context);
}

namespace {
/// Lowers one kernel.
class ComputeLowering {
public:
  ComputeLowering(OpBuilder &builder, te::KernelOp kernel) : builder(builder), kernel(kernel) {
    for (auto op : kernel.getBodyBlock().getOps<te::ComputeOp>())
      labels[getLabel(op)] = op;
  }

  LogicalResult lower() {
    if (failed(applyInline(kernel)) || failed(findRoot()))
      return failure();
    builder.setInsertionPoint(kernel);
    function = createKernelFunction(builder, kernel);
    IndexBuilder index(builder, root.getLoc());
    if (failed(buildBody(index)))
      return failure();
    builder.setInsertionPointToEnd(&function.func.getBody().front());
    func::ReturnOp::create(builder, kernel.getLoc());
    if (function.context.mayFail)
      function.func->setAttr("tssa.may_fail", builder.getUnitAttr());
    createExtentFunction(builder, kernel, [&](IndexBuilder &extentIndex, const IRMapping &values) {
      return buildExtent(extentIndex, values);
    });
    return success();
  }

private:
  /// The only expression that is not computed at a loop of another.
  LogicalResult findRoot() {
    llvm::StringSet<> inner;
    for (Operation &op : kernel.getSchedule().getOps())
      if (op.getName().getStringRef() == "layout.compute_at")
        inner.insert(op.getAttrOfType<FlatSymbolRefAttr>("label").getValue());
    for (auto op : kernel.getBodyBlock().getOps<te::ComputeOp>()) {
      if (inner.contains(getLabel(op)))
        continue;
      if (root)
        return kernel.emitError("expected one expression that is not computed at another, got '")
               << getLabel(root) << "' and '" << getLabel(op) << "'";
      root = op;
    }
    return root ? success() : kernel.emitError("expected an expression in the kernel");
  }

  SmallVector<TensorBuffer> getOuts() {
    SmallVector<TensorBuffer> outs;
    Operation *terminator = kernel.getBodyBlock().getTerminator();
    for (Value result : root.getResults()) {
      TensorBuffer buffer;
      for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
        if (value == result)
          buffer = function.outs[i];
      outs.push_back(buffer);
    }
    return outs;
  }

  /// for %it = %begin to %end { piece of %it }
  LogicalResult buildBody(IndexBuilder &index) {
    Location loc = root.getLoc();
    auto loop = scf::ForOp::create(builder, loc, function.begin, function.end, index.constant(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    return buildPiece(index, 0, loop.getInductionVar());
  }

  /// Pieces from `piece` on, of which `number` is an iteration.
  LogicalResult buildPiece(IndexBuilder &index, unsigned piece, Value number) {
    FailureOr<ScheduledPiece> scheduled =
        schedulePiece(index, kernel, root, piece, function.context.values);
    if (failed(scheduled))
      return failure();
    if (piece + 1 == root.getPieces().size())
      return buildIteration(index, piece, *scheduled, number);
    Location loc = root.getLoc();
    Value count = index.materialize(getParallelCount(scheduled->schedule, index.getContext()));
    Value mine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number, count);
    auto branch = scf::IfOp::create(builder, loc, mine, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    if (failed(buildIteration(index, piece, *scheduled, number)))
      return failure();
    builder.setInsertionPointToStart(branch.elseBlock());
    return buildPiece(index, piece + 1, arith::SubIOp::create(builder, loc, number, count));
  }

  LogicalResult buildIteration(IndexBuilder &index, unsigned piece, ScheduledPiece &scheduled,
                               Value number) {
    Location loc = root.getLoc();
    const Schedule &schedule = scheduled.schedule;
    Value rest = number;
    SmallVector<Value> ivs(schedule.parallel.size());
    for (unsigned i = schedule.parallel.size(); i-- > 0;) {
      if (i == 0) {
        ivs[0] = rest;
        break;
      }
      Value extent = index.materialize(schedule.loops[schedule.parallel[i]].extent);
      ivs[i] = arith::RemUIOp::create(builder, loc, rest, extent);
      rest = arith::DivUIOp::create(builder, loc, rest, extent);
    }
    for (auto [loop, info] : llvm::enumerate(schedule.loops))
      index.declareLoop(loop, info.extent);
    auto atLoop = [&](unsigned loop) { return buildInner(index, piece, schedule, loop); };
    for (auto [loop, iv] : llvm::zip_equal(schedule.parallel, ivs)) {
      index.setLoop(loop, iv);
      if (failed(atLoop(loop)))
        return failure();
    }
    const TileGroup *vector = schedule.getVector();
    unsigned laneDim = schedule.loops.size();
    PointEmitter emitter(index, function.context, root, piece, getOuts(), laneDim,
                         vector ? vector->factors.back() : 0);
    emitter.restrictTo(scheduled.rest);
    LogicalResult result = buildLoopNest(index, schedule, emitter, laneDim, atLoop);
    for (unsigned loop : llvm::reverse(schedule.parallel))
      index.dropLoop(loop);
    return result;
  }

  /// Expressions computed at `loop` of the root.
  LogicalResult buildInner(IndexBuilder &index, unsigned piece, const Schedule &schedule,
                           unsigned loop) {
    for (auto inner : kernel.getBodyBlock().getOps<te::ComputeOp>()) {
      auto at = schedule.computeAt.find(getLabel(inner));
      if (at != schedule.computeAt.end() && at->second == loop &&
          failed(buildInnerExpression(index, schedule, inner)))
        return failure();
    }
    return success();
  }

  /// For each parallel dim of `inner`: the index that all reads of the root agree
  /// on and that loops declared so far fix, or null.
  SmallVector<AffineExpr> getFixedDims(IndexBuilder &index, const Schedule &schedule,
                                       te::ComputeOp inner) {
    SmallVector<AffineExpr> fixed(inner.getNumParallel());
    SmallVector<bool> conflict(inner.getNumParallel(), false);
    auto visit = [&](te::ReadOp read, te::ComputeOp reader) {
      if (reader != root)
        return; // computed at the same loop: its dims are fixed the same way
      for (auto [dim, expr] : llvm::enumerate(read.getMap().getResults())) {
        AffineExpr over = read.getMap().getNumSymbols() == 0 ? getIndex(index, schedule, expr)
                                                             : AffineExpr();
        if (!over || !index.isKnown(over) || (fixed[dim] && fixed[dim] != over))
          conflict[dim] = true;
        else
          fixed[dim] = over;
      }
    };
    for (Value result : inner.getResults())
      for (Operation *user : result.getUsers())
        if (auto read = dyn_cast<te::ReadOp>(user))
          visit(read, read->getParentOfType<te::ComputeOp>());
    for (auto [dim, expr] : llvm::enumerate(fixed))
      if (conflict[dim])
        expr = AffineExpr();
    return fixed;
  }

  /// An index expression of the root over live loops.
  static AffineExpr getIndex(IndexBuilder &index, const Schedule &schedule, AffineExpr expr) {
    DenseMap<AffineExpr, AffineExpr> place;
    for (auto [loop, splitExpr] : schedule.splits)
      place[getAffineDimExpr(loop, index.getContext())] = splitExpr;
    return index.simplify(index.simplify(expr.replaceDims(schedule.dims)).replace(place));
  }

  LogicalResult buildInnerExpression(IndexBuilder &index, const Schedule &schedule,
                                     te::ComputeOp inner) {
    SmallVector<AffineExpr> fixed = getFixedDims(index, schedule, inner);
    IndexBuilder nested(builder, inner.getLoc());
    FailureOr<ScheduledPiece> scheduled =
        schedulePiece(nested, kernel, inner, 0, function.context.values);
    if (failed(scheduled))
      return failure();
    if (inner.getPieces().size() != 1)
      return inner.emitOpError("expected one piece in an expression computed at a loop");
    // A fixed dim is a loop of one iteration at the root's index.
    DenseMap<unsigned, AffineExpr> offsets;
    SmallVector<AffineExpr> extents = scheduled->extents;
    for (auto [dim, expr] : llvm::enumerate(fixed))
      if (expr) {
        extents[dim] = getAffineConstantExpr(1, index.getContext());
        offsets[dim] = nested.getSymbol(index.materialize(expr));
      }
    FailureOr<Schedule> innerSchedule =
        readSchedule(kernel.getSchedule(), getLabel(inner), extents,
                     inner.getNumParallel(), inner);
    if (failed(innerSchedule))
      return failure();
    for (auto [dim, offset] : offsets)
      innerSchedule->dims[dim] = innerSchedule->dims[dim] + offset;
    FailureOr<SmallVector<TensorBuffer>> outs = makeScratch(inner, fixed);
    if (failed(outs))
      return failure();
    const TileGroup *vector = innerSchedule->getVector();
    unsigned laneDim = innerSchedule->loops.size();
    for (auto [loop, info] : llvm::enumerate(innerSchedule->loops))
      nested.declareLoop(loop, info.extent);
    PointEmitter emitter(nested, function.context, inner, 0, *outs, laneDim,
                         vector ? vector->factors.back() : 0);
    return buildLoopNest(nested, *innerSchedule, emitter, laneDim,
                         [](unsigned) { return success(); });
  }

  /// Stack memory at the function's entry for the part of `inner` that is kept.
  FailureOr<SmallVector<TensorBuffer>> makeScratch(te::ComputeOp inner,
                                                   ArrayRef<AffineExpr> fixed) {
    int64_t elements = 1;
    SmallVector<bool> isFixed;
    for (auto [dim, size] : llvm::enumerate(inner.getStaticSizes().take_front(fixed.size()))) {
      isFixed.push_back(static_cast<bool>(fixed[dim]));
      if (fixed[dim])
        continue;
      if (ShapedType::isDynamic(size) || llvm::MulOverflow(elements, size, elements) ||
          elements > mostScratch / 16)
        return inner.emitOpError("expected a small constant size for what is computed at a loop");
    }
    SmallVector<TensorBuffer> outs;
    for (Value result : inner.getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&function.func.getBody().front());
      Value scratch = memref::AllocaOp::create(
          builder, inner.getLoc(),
          MemRefType::get({std::max<int64_t>(elements, 1)}, getMemoryType(type.getElementType())),
          builder.getI64IntegerAttr(64));
      TensorBuffer buffer = makeBuffer(scratch, type, inner.getParallelSizes(),
                                       function.context.values);
      buffer.fixed = isFixed;
      function.context.buffers[result] = buffer;
      outs.push_back(buffer);
    }
    return outs;
  }

  /// Iterations of all pieces, and the least number worth a thread.
  std::pair<Value, Value> buildExtent(IndexBuilder &index, const IRMapping &values) {
    MLIRContext *context = index.getContext();
    AffineExpr count = getAffineConstantExpr(0, context), work = count;
    for (unsigned piece = 0; piece < root.getPieces().size(); ++piece) {
      FailureOr<ScheduledPiece> scheduled = schedulePiece(index, kernel, root, piece, values);
      count = count + getParallelCount(scheduled->schedule, context);
      work = work + getWork(scheduled->extents, *root.getPieceBlock(piece));
    }
    for (auto inner : kernel.getBodyBlock().getOps<te::ComputeOp>())
      if (inner != root)
        work = work + getWork(getExtents(index, inner, values), *inner.getPieceBlock());
    Location loc = root.getLoc();
    Value n = index.materialize(index.simplify(count));
    Value total = arith::MaxSIOp::create(builder, loc, index.materialize(index.simplify(work)),
                                         index.constant(1));
    Value scaled = arith::MulIOp::create(builder, loc, n, index.constant(leastWork));
    Value grain = arith::CeilDivUIOp::create(builder, loc, scaled, total);
    return {n, arith::MaxSIOp::create(builder, loc, grain, index.constant(1))};
  }

  AffineExpr getWork(ArrayRef<AffineExpr> extents, Block &body) {
    return getProduct(extents, kernel.getContext()) *
           std::distance(body.begin(), body.end());
  }

  OpBuilder &builder;
  te::KernelOp kernel;
  te::ComputeOp root;
  llvm::StringMap<te::ComputeOp> labels;
  KernelFunction function;
};
} // namespace

namespace tssa::cpu {

LogicalResult lowerComputeKernel(OpBuilder &builder, te::KernelOp kernel) {
  return ComputeLowering(builder, kernel).lower();
}

} // namespace tssa::cpu
