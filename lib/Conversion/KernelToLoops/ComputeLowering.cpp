//===- ComputeLowering.cpp - kernels of te.compute as loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The roots are the expressions that are not computed at a loop of another one. If none of them
// reads another, their parallel iterations are numbered consecutively, root after root and piece
// after piece. The number of an iteration determines its root, its piece and the values of its
// loops. If one root reads another, all iterations of all roots are one iteration, in which the
// roots are computed one after the other. Expressions that the schedule computes at one of these
// loops are computed there into small buffers. Then the rest of the nest follows, and at last the
// elements of followers that read what the nest wrote.
//
//===----------------------------------------------------------------------===//

#include "ExpressionRoles.h"
#include "Follower.h"
#include "Inline.h"
#include "KernelFunction.h"
#include "MemberResult.h"
#include "OutlineMembers.h"
#include "PointEmitter.h"
#include "dialects/te/Analysis/OpCost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Conversion/LoopNest.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

namespace {
/// Lowers one kernel.
class ComputeLowering {
public:
  ComputeLowering(OpBuilder &builder, te::KernelOp kernel, KernelTarget &target)
      : builder(builder), kernel(kernel), target(target), scratch(target) {}

  LogicalResult lower() {
    if (failed(applyInline(kernel)) || failed(findRoles(kernel, target, roles)))
      return failure();
    builder.setInsertionPoint(kernel);
    function = createKernelFunction(builder, kernel, target);
    IndexBuilder index(builder, roles.roots.front().getLoc());
    if (target.getThreads() && failed(countThreads(index)))
      return failure();
    LogicalResult result = failure();
    target.buildIterations(index, function.func, [&](Value number) {
      result = roles.isSequence ? buildSequence() : buildPiece(getParts(roles.roots), number);
    });
    if (failed(result) || failed(finishKernelFunction(builder, function, target)))
      return failure();
    outlineMembers(function.func);
    createExtentFunction(builder, kernel, [&](IndexBuilder &extentIndex, const IRMapping &values) {
      return buildExtent(extentIndex, values);
    });
    return success();
  }

private:
  /// A piece of a root.
  struct Part {
    te::ComputeOp root;
    unsigned piece;
  };

  static SmallVector<Part> getParts(ArrayRef<te::ComputeOp> roots) {
    SmallVector<Part> parts;
    for (te::ComputeOp root : roots)
      for (unsigned piece = 0; piece < root.getPieces().size(); ++piece)
        parts.push_back({root, piece});
    return parts;
  }

  /// Sets the threads of a block to the number that the most demanding expression needs, rounded up
  /// to whole warps.
  LogicalResult countThreads(IndexBuilder &index) {
    int64_t most = 1;
    for (auto op : kernel.getBodyBlock().getOps<te::ComputeOp>())
      for (unsigned piece = 0; piece < op.getPieces().size(); ++piece) {
        FailureOr<ScheduledPiece> scheduled =
            schedulePiece(index, kernel, op, piece, function.context.values);
        if (failed(scheduled))
          return failure();
        most = std::max(most, scheduled->schedule.getNumThreads());
      }
    target.getThreads()->count = llvm::alignTo(most, target.getThreads()->count);
    return success();
  }

  SmallVector<TensorBuffer> getOuts(te::ComputeOp root) {
    return llvm::map_to_vector(root.getResults(), [&](Value result) {
      const TensorBuffer *out = function.findOut(result);
      return out ? *out : TensorBuffer();
    });
  }

  /// Builds all iterations of one root after the other. The results of a root are read by those
  /// after it.
  LogicalResult buildSequence() {
    for (te::ComputeOp root : roles.roots) {
      IndexBuilder index(builder, root.getLoc());
      SmallVector<Part> parts = getParts(root);
      AffineExpr count = getAffineConstantExpr(0, index.getContext());
      for (Part part : parts) {
        FailureOr<ScheduledPiece> scheduled =
            schedulePiece(index, kernel, part.root, part.piece, function.context.values);
        if (failed(scheduled))
          return failure();
        count = count + getParallelCount(scheduled->schedule, index.getContext());
      }
      auto loop = scf::ForOp::create(builder, root.getLoc(), index.constant(0),
                                     index.materialize(index.simplify(count)), index.constant(1));
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(loop.getBody()->getTerminator());
        if (failed(buildPiece(parts, loop.getInductionVar())))
          return failure();
      }
      for (auto [result, buffer] : llvm::zip_equal(root.getResults(), getOuts(root)))
        function.context.buffers[result] = buffer;
    }
    return success();
  }

  /// Builds iteration `number`, counted from the first iteration of the first of `parts`. It may be
  /// in that part or in a later one.
  LogicalResult buildPiece(ArrayRef<Part> parts, Value number) {
    Part part = parts.front();
    IndexBuilder index(builder, part.root.getLoc()); // which knows nothing of other parts' loops
    FailureOr<ScheduledPiece> scheduled =
        schedulePiece(index, kernel, part.root, part.piece, function.context.values);
    if (failed(scheduled))
      return failure();
    if (parts.size() == 1)
      return buildIteration(index, part, *scheduled, number);
    Location loc = part.root.getLoc();
    Value count = index.materialize(getParallelCount(scheduled->schedule, index.getContext()));
    Value mine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number, count);
    auto branch = scf::IfOp::create(builder, loc, mine, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    LogicalResult result = failure();
    auto build = [&] { result = buildIteration(index, part, *scheduled, number); };
    if (BlockThreads *threads = target.getThreads())
      threads->reuseShared(build);
    else
      build();
    if (failed(result))
      return failure();
    builder.setInsertionPointToStart(branch.elseBlock());
    return buildPiece(parts.drop_front(), arith::SubIOp::create(builder, loc, number, count));
  }

  LogicalResult buildIteration(IndexBuilder &index, Part part, ScheduledPiece &scheduled,
                               Value number) {
    const Schedule &schedule = scheduled.schedule;
    MemberReads reads{part.root, part.piece, schedule, findRead(part.root, part.piece)};
    auto atLoop = [&](unsigned loop) { return buildInner(index, reads, loop); };
    if (failed(enterParallelLoops(index, schedule, number, atLoop)))
      return failure();
    PointEmitter emitter(index, function.context, part.root, part.piece, getOuts(part.root),
                         schedule);
    emitter.restrictTo(scheduled.rest, part.root.getSymbols());
    LogicalResult result = buildLoopNest(index, schedule, target, target.getThreads(), emitter,
                                         schedule.loops.size(), atLoop);
    if (succeeded(result) && !schedule.computeAfter.empty())
      result = buildFollowers(index, part, scheduled);
    leaveParallelLoops(index, schedule);
    dropBuffers(part.root, [](te::ComputeOp) { return false; }); // another piece has its own boxes
    return result;
  }

  /// Builds what follows an iteration of a root.
  LogicalResult buildFollowers(IndexBuilder &index, Part part, const ScheduledPiece &scheduled) {
    te::ComputeOp root = part.root;
    if (root.getPieces().size() != 1 || target.getThreads())
      return root.emitOpError("expected one piece, and no lanes, since '")
             << scheduled.schedule.computeAfter.begin()->getKey() << "' is computed after it";
    for (auto [result, buffer] : llvm::zip_equal(root.getResults(), getOuts(root)))
      function.context.buffers[result] = buffer;
    for (te::ComputeOp follower : roles.followers) {
      auto after = scheduled.schedule.computeAfter.find(getLabel(follower));
      if (after != scheduled.schedule.computeAfter.end() &&
          failed(buildFollower(index, root, scheduled, follower, after->second.op)))
        return failure();
    }
    return success();
  }

  LogicalResult buildFollower(IndexBuilder &index, te::ComputeOp root,
                              const ScheduledPiece &scheduled, te::ComputeOp follower,
                              Operation *after) {
    if (te::ComputeOp missing = findMissingSource(follower))
      return after->emitError("expected '")
             << getLabel(missing) << "', which '" << getLabel(follower)
             << "' reads, to be computed after the same loop";
    FailureOr<SmallVector<IndexSpan>> spans =
        getFollowerSpans(index, scheduled, root, follower, after);
    if (failed(spans))
      return failure();
    IndexBuilder nested(builder, follower.getLoc());
    for (auto &[offset, extent] : *spans) {
      if (!offset)
        continue;
      offset = nested.getSymbol(index.materialize(offset));
      if (!isa<AffineConstantExpr>(extent))
        extent = nested.getSymbol(index.materialize(extent));
    }
    FailureOr<ScheduledPiece> own =
        schedulePiece(nested, kernel, follower, 0, function.context.values, *spans);
    if (failed(own))
      return failure();
    if (!own->schedule.parallel.empty() || !own->schedule.computeAt.empty())
      return after->emitError("expected serial loops, and nothing computed at them, in '")
             << getLabel(follower) << "'";
    SmallVector<TensorBuffer> outs = getOuts(follower);
    if (failed(buildNest(nested, follower, own->schedule, outs)))
      return failure();
    for (auto [result, buffer] : llvm::zip_equal(follower.getResults(), outs))
      function.context.buffers[result] = buffer;
    return success();
  }

  /// Builds the loops of an expression that is computed inside of a root, and at them what is
  /// computed there.
  LogicalResult buildNest(IndexBuilder &index, te::ComputeOp op, const Schedule &schedule,
                          ArrayRef<TensorBuffer> outs, BlockThreads *threads = nullptr) {
    for (auto [number, info] : llvm::enumerate(schedule.loops))
      index.declareLoop(number, info.extent);
    MemberReads reads{op, 0, schedule, findRead(op, 0), /*isMember=*/true};
    PointEmitter emitter(index, function.context, op, 0, outs, schedule);
    LogicalResult result =
        buildLoopNest(index, schedule, target, threads, emitter, schedule.loops.size(),
                      [&](unsigned loop) { return buildInner(index, reads, loop); });
    dropBuffers(op, [&](te::ComputeOp member) { return roles.isReadOutside(member, op); });
    return result;
  }

  /// Forgets the buffers of the members inside of `owner`, but for those that `isKept`.
  void dropBuffers(te::ComputeOp owner, function_ref<bool(te::ComputeOp)> isKept) {
    for (auto inner : kernel.getBodyBlock().getOps<te::ComputeOp>())
      if (inner != owner && roles.isInside(inner, owner) && !isKept(inner))
        for (Value value : inner.getResults())
          function.context.buffers.erase(value);
  }

  /// Allocates memory for the members at loops of `owner` that others read too: for all that one
  /// iteration at `at`, where `owner` is computed, reads of them. The iterations of `owner` compute
  /// a part each.
  LogicalResult allocateShared(IndexBuilder &index, const MemberReads &reads, te::ComputeOp owner,
                               const ComputedAt &at) {
    for (auto member : kernel.getBodyBlock().getOps<te::ComputeOp>()) {
      if (roles.owners.lookup(member) != owner || !roles.isReadOutside(member, owner))
        continue;
      MemberBoxes boxes(index, reads, function.context.values);
      if (!boxes.isAllReadBy(member,
                             [&](te::ComputeOp reader) { return roles.isInside(reader, owner); }))
        return at.op->emitError("expected '")
               << getLabel(owner) << "', at a loop of which '" << getLabel(member)
               << "' is computed, to read all that others read of it";
      SmallVector<MemberDim> box = boxes.get(member);
      if (failed(scratch.allocate(builder, function, {reads, member, at}, box,
                                  materializeOffsets(index, box))))
        return failure();
    }
    return success();
  }

  /// Returns the first indexes of a box, null where all are computed.
  static SmallVector<Value> materializeOffsets(IndexBuilder &index, ArrayRef<MemberDim> box) {
    return llvm::map_to_vector(box, [&](const MemberDim &dim) {
      return dim.least ? index.materializeOrigin(dim.computed.offset) : Value();
    });
  }

  /// Builds the expressions of `read` that are computed at `loop` of the root.
  LogicalResult buildInner(IndexBuilder &index, const MemberReads &reads, unsigned loop) {
    for (auto inner : kernel.getBodyBlock().getOps<te::ComputeOp>()) {
      auto at = reads.schedule.computeAt.find(getLabel(inner));
      if (at != reads.schedule.computeAt.end() && at->second.loop == loop &&
          reads.read.contains(inner) &&
          failed(buildInnerExpression(index, reads, inner, at->second)))
        return failure();
    }
    return success();
  }

  /// Returns an expression that `inner` reads, and that neither has a buffer yet nor is computed at
  /// a loop of `inner`, or null.
  te::ComputeOp findMissingSource(te::ComputeOp inner) {
    te::ComputeOp missing;
    inner.walk([&](te::ReadOp read) {
      auto source = read.getSource().getDefiningOp<te::ComputeOp>();
      if (source && !function.context.buffers.contains(read.getSource()) &&
          !roles.isInside(source, inner))
        missing = source;
    });
    return missing;
  }

  /// Checks that what `inner` reads is computed already, and that each iteration of the loop
  /// computes a part of its own: the box begins at an index that depends on the loop.
  LogicalResult checkComputedAt(const MemberReads &reads, te::ComputeOp inner, const ComputedAt &at,
                                ArrayRef<MemberDim> box) {
    if (te::ComputeOp missing = findMissingSource(inner))
      return at.op->emitError("expected what '")
             << getLabel(inner) << "' reads to be computed at this loop or at one around it, but '"
             << getLabel(missing) << "' is not";
    const ScheduledLoop &loop = reads.schedule.loops[at.loop];
    if (loop.reduction && target.getThreads())
      return at.op->emitError("expected '")
             << getLabel(inner) << "' to be computed at a loop over a parallel dim of '"
             << getLabel(reads.root) << "', since the lanes of a block compute it together";
    auto extent = dyn_cast<AffineConstantExpr>(loop.extent);
    if ((extent && extent.getValue() <= 1) || llvm::any_of(box, [&](const MemberDim &dim) {
          return dim.least && dim.least.isFunctionOfDim(at.loop);
        }))
      return success();
    return at.op->emitError("expected a loop that selects an index of '")
           << getLabel(inner) << "', but each iteration of this " << describeKind(loop)
           << " loop of '" << getLabel(reads.root) << "' would compute the same elements again";
  }

  /// Returns what an iteration at `at` computes of `inner`. Threads that compute it together have
  /// loops of constant extents, so they compute one index of a dim or all.
  SmallVector<MemberDim> getBox(IndexBuilder &index, const MemberReads &reads,
                                te::ComputeOp inner) {
    SmallVector<MemberDim> box = MemberBoxes(index, reads, function.context.values).get(inner);
    if (target.getThreads())
      for (MemberDim &dim : box)
        if (dim.most != 1)
          dim = MemberDim();
    return box;
  }

  /// Returns the memory for the results of a member: its own, that of a result of the kernel, or
  /// what was allocated around the loops of its owner because others read it too.
  FailureOr<SmallVector<TensorBuffer>> getBuffers(IndexBuilder &index, const PlacedMember &member,
                                                  ArrayRef<MemberDim> box,
                                                  ArrayRef<Value> offsets) {
    te::ComputeOp owner = member.reads.root, op = member.op;
    MemberBoxes boxes(index, member.reads, function.context.values);
    bool isOfRoot = llvm::is_contained(roles.roots, owner);
    if (isOfRoot && failed(checkReturned(boxes, function, roles, member, box)))
      return failure();
    if (isOfRoot || !roles.isReadOutside(op, owner))
      return scratch.allocate(builder, function, member, box, offsets);
    if (!boxes.areClose(op))
      return member.at.op->emitError("expected iterations of '")
             << getLabel(owner) << "' to compute all of '" << getLabel(op)
             << "', since others read it too";
    return llvm::map_to_vector(op.getResults(),
                               [&](Value result) { return function.context.buffers.at(result); });
  }

  /// Builds `inner` at a loop of the root. If all threads of a block run the loop together, they
  /// compute `inner` together into shared memory. At a thread loop, each thread alone computes
  /// what it needs.
  LogicalResult buildInnerExpression(IndexBuilder &index, const MemberReads &reads,
                                     te::ComputeOp inner, const ComputedAt &at) {
    BlockThreads *threads = target.getThreads();
    LoopKind kind = reads.schedule.loops[at.loop].kind;
    bool shared = threads && kind != LoopKind::Thread;
    if (inner.getPieces().size() != 1)
      return inner.emitOpError("expected a single piece, since it is computed at a loop");
    SmallVector<MemberDim> box = getBox(index, reads, inner);
    if (failed(checkComputedAt(reads, inner, at, box)))
      return failure();
    IndexBuilder nested(builder, inner.getLoc());
    SmallVector<Value> offsets = materializeOffsets(index, box);
    SmallVector<IndexSpan> spans(box.size());
    SmallVector<AffineExpr> sizes = getExtents(index, inner, function.context.values);
    for (auto [dim, span, offset, size] : llvm::zip(box, spans, offsets, sizes)) {
      if (!dim.least)
        continue;
      span = {nested.getSymbol(offset), dim.computed.extent};
      if (!isa<AffineConstantExpr>(span.extent))
        span.extent = nested.getSymbolUpTo(index.materialize(span.extent), dim.most);
      // What is computed exists.
      AffineExpr all =
          isa<AffineConstantExpr>(size) ? size : nested.getSymbol(index.materialize(size));
      nested.assume(all - span.offset - span.extent);
    }
    FailureOr<ScheduledPiece> scheduled =
        schedulePiece(nested, kernel, inner, 0, function.context.values, spans);
    if (failed(scheduled))
      return failure();
    const Schedule &innerSchedule = scheduled->schedule;
    if (threads && !shared && !innerSchedule.threads.empty())
      return inner.emitOpError("expected no loops bound to lanes in an expression that a single "
                               "lane computes");
    FailureOr<SmallVector<TensorBuffer>> outs = getBuffers(index, {reads, inner, at}, box, offsets);
    if (failed(outs) || failed(allocateShared(index, reads, inner, at)))
      return failure();
    // What was proven of reads of the root says nothing of those of `inner`.
    auto assumed = std::exchange(function.context.assumed, {});
    auto *interior = std::exchange(function.context.interior, nullptr);
    // In the previous iteration of the loop, other threads may still be reading the buffer.
    if (shared && kind == LoopKind::Serial)
      threads->buildBarrier(nested);
    auto build = [&] {
      return buildNest(nested, inner, innerSchedule, *outs, shared ? threads : nullptr);
    };
    // A call takes longer than the work of a single row, or of code without vectors.
    bool isLong = !innerSchedule.tiles.empty() &&
                  llvm::any_of(box, [](const MemberDim &dim) { return dim.least && dim.most > 1; });
    LogicalResult result = isLong && !threads
                               ? buildOutlined(builder, inner.getLoc(), getLabel(inner), build)
                               : build();
    if (shared)
      threads->buildBarrier(nested);
    function.context.assumed = std::move(assumed);
    function.context.interior = interior;
    return result;
  }

  /// Builds the number of iterations of all roots, and the target's grain.
  std::pair<Value, Value> buildExtent(IndexBuilder &index, const IRMapping &values) {
    MLIRContext *context = index.getContext();
    AffineExpr count = getAffineConstantExpr(0, context), work = count;
    for (Part part : getParts(roles.roots)) {
      auto [root, piece] = part;
      FailureOr<ScheduledPiece> scheduled = schedulePiece(index, kernel, root, piece, values);
      count = count + getParallelCount(scheduled->schedule, context);
      work = work + getWork(scheduled->extents, *root.getPieceBlock(piece));
      if (root.hasEpilogue())
        work = work + getWork(ArrayRef(scheduled->extents).take_front(root.getNumParallel()),
                              root.getEpilogue().front());
    }
    for (auto inner : kernel.getBodyBlock().getOps<te::ComputeOp>())
      if (!llvm::is_contained(roles.roots, inner))
        work = work + getWork(getExtents(index, inner, values), *inner.getPieceBlock());
    Value n = roles.isSequence ? index.constant(1) : index.materialize(index.simplify(count));
    return {n, target.buildGrain(index, n, work)};
  }

  AffineExpr getWork(ArrayRef<AffineExpr> extents, Block &body) {
    return getProduct(extents, kernel.getContext()) * te::getWork(*body.getParent());
  }

  OpBuilder &builder;
  te::KernelOp kernel;
  KernelTarget &target;
  ExpressionRoles roles;
  KernelFunction function;
  MemberScratch scratch;
};
} // namespace

namespace tssa::conversion {

LogicalResult lowerComputeKernel(OpBuilder &builder, te::KernelOp kernel, KernelTarget &target) {
  return ComputeLowering(builder, kernel, target).lower();
}

} // namespace tssa::conversion
