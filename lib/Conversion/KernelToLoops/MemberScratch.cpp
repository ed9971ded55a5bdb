//===- MemberScratch.cpp - memory for what an iteration computes ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemberScratch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

FailureOr<int64_t> MemberScratch::countElements(const PlacedMember &member,
                                                ArrayRef<MemberDim> box) {
  uint64_t elements = 1;
  for (auto [number, dim] : llvm::enumerate(box)) {
    te::ComputeOp op = member.op;
    int64_t most = dim.least ? dim.most : op.getStaticSizes()[number];
    if (ShapedType::isDynamic(most))
      return member.at.op->emitError("expected a box of constant size, but an iteration of this ")
             << describeKind(member.reads.schedule.loops[member.at.loop]) << " loop of '"
             << getLabel(member.reads.root) << "' reads all indexes of dim " << number << " of '"
             << getLabel(op) << "', and only a run knows how many these are";
    elements = llvm::SaturatingMultiply<uint64_t>(elements, std::max<int64_t>(most, 1));
  }
  return std::min<uint64_t>(elements, INT32_MAX);
}

FailureOr<Value> MemberScratch::getMemory(OpBuilder &builder, func::FuncOp func,
                                          const PlacedMember &member, Value result,
                                          int64_t elements) {
  const ScheduledLoop &loop = member.reads.schedule.loops[member.at.loop];
  Type elementType = getMemoryType(cast<RankedTensorType>(result.getType()).getElementType());
  auto type = MemRefType::get({elements}, elementType);
  SmallVector<Value, 1> &known = memories[result];
  for (Value memory : known)
    if (memory.getType() == type)
      return memory;
  int64_t bytes = elements * llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
  total += bytes;
  if (total > target.getScratchLimit())
    return member.at.op->emitError("expected small boxes, but what an iteration of this ")
           << describeKind(loop) << " loop of '" << getLabel(member.reads.root) << "' reads of '"
           << getLabel(member.op) << "' has " << bytes << " bytes; the boxes of a kernel have "
           << "at most " << target.getScratchLimit() << " together";
  bool isShared = target.getThreads() && loop.kind != LoopKind::Thread;
  Location loc = result.getLoc();
  known.push_back(isShared ? target.getThreads()->makeShared(builder, loc, func, type)
                           : target.makeScratch(builder, loc, func, type));
  return known.back();
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
    FailureOr<int64_t> elements = countElements(member, box);
    if (failed(elements))
      return failure();
    FailureOr<Value> memory = getMemory(builder, function.func, member, result, *elements);
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
