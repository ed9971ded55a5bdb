//===- MemberScratch.cpp - memory for what an iteration computes ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemberScratch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

FailureOr<BoxCount> MemberScratch::countElements(const PlacedMember &member,
                                                 ArrayRef<MemberDim> box, const IRMapping &values) {
  BoxCount count;
  uint64_t constant = 1;
  te::ComputeOp op = member.op;
  SmallVector<OpFoldResult> sizes = op.getParallelSizes();
  for (auto [number, dim] : llvm::enumerate(box)) {
    int64_t most = dim.least ? dim.most : op.getStaticSizes()[number];
    if (!ShapedType::isDynamic(most))
      constant = llvm::SaturatingMultiply<uint64_t>(constant, std::max<int64_t>(most, 1));
    else if (target.makesOpenScratch())
      count.open.push_back(values.lookupOrDefault(cast<Value>(sizes[number])));
    else
      return member.at.op->emitError("expected a box of constant size, but an iteration of this ")
             << describeKind(member.reads.schedule.loops[member.at.loop]) << " loop of '"
             << getLabel(member.reads.root) << "' reads all indexes of dim " << number << " of '"
             << getLabel(op) << "', and only a run knows how many these are";
  }
  count.constant = std::min<uint64_t>(constant, INT32_MAX);
  return count;
}

/// Builds the number of elements in front of all loops. Returns null if it is constant.
static Value buildCount(OpBuilder &builder, Location loc, func::FuncOp func,
                        const BoxCount &count) {
  if (count.open.empty())
    return {};
  OpBuilder::InsertionGuard guard(builder);
  Block &entry = func.getBody().front();
  if (builder.getInsertionBlock() != &entry)
    builder.setInsertionPoint(entry.findAncestorOpInBlock(*builder.getInsertionPoint()));
  Value elements = arith::ConstantIndexOp::create(builder, loc, count.constant);
  for (Value size : count.open)
    elements = arith::MulIOp::create(builder, loc, elements, size);
  return elements;
}

FailureOr<Value> MemberScratch::getMemory(OpBuilder &builder, func::FuncOp func,
                                          const PlacedMember &member, Value result,
                                          const BoxCount &count) {
  const ScheduledLoop &loop = member.reads.schedule.loops[member.at.loop];
  Type elementType = getMemoryType(cast<RankedTensorType>(result.getType()).getElementType());
  for (const auto &[known, memory] : memories[result])
    if (known == count)
      return memory;
  bool isOpen = !count.open.empty();
  int64_t bytes = count.constant * llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
  total += isOpen ? 0 : bytes; // the memory limit of the run counts the others
  if (total > target.getScratchLimit())
    return member.at.op->emitError("expected small boxes, but what an iteration of this ")
           << describeKind(loop) << " loop of '" << getLabel(member.reads.root) << "' reads of '"
           << getLabel(member.op) << "' has " << bytes << " bytes; the boxes of a kernel have "
           << "at most " << target.getScratchLimit() << " together";
  bool isShared = target.getThreads() && loop.kind != LoopKind::Thread;
  Location loc = result.getLoc();
  auto type = MemRefType::get({isOpen ? ShapedType::kDynamic : count.constant}, elementType);
  Value memory = isShared ? target.getThreads()->makeShared(builder, loc, func, type)
                          : target.makeScratch(builder, loc, func, type,
                                               buildCount(builder, loc, func, count));
  memories[result].push_back({count, memory});
  return memory;
}

FailureOr<SmallVector<TensorBuffer>>
MemberScratch::allocate(OpBuilder &builder, KernelFunction &function, const PlacedMember &member,
                        ArrayRef<MemberDim> box, ArrayRef<Value> offsets) {
  SmallVector<TensorBuffer> outs;
  te::ComputeOp op = member.op;
  for (Value result : op.getResults()) {
    if (const TensorBuffer *out = function.findOut(result)) {
      function.context.buffers[result] = *out;
      outs.push_back(*out);
      continue;
    }
    FailureOr<BoxCount> count = countElements(member, box, function.context.values);
    if (failed(count))
      return failure();
    FailureOr<Value> memory = getMemory(builder, function.func, member, result, *count);
    if (failed(memory))
      return failure();
    TensorBuffer buffer = makeBuffer(*memory, cast<RankedTensorType>(result.getType()),
                                     op.getParallelSizes(), function.context.values);
    buffer.offsets.assign(offsets.begin(), offsets.end());
    for (auto [size, dim] : llvm::zip(buffer.sizes, box))
      if (dim.least)
        size = builder.getIndexAttr(dim.most);
    function.context.buffers[result] = buffer;
    outs.push_back(buffer);
  }
  return outs;
}

} // namespace tssa::conversion
