//===- ThreadCombine.cpp - partial results of the threads of a block ------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside of a warp, threads exchange and combine their values in pairs; the distance between the
// threads of a pair halves in each round. Across warps, the first thread of each warp stores its
// result in shared memory. After a barrier every thread combines the results of all warps of its
// group, in order.
//
//===----------------------------------------------------------------------===//

#include "ThreadCombine.h"
#include "BodyEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ::tssa::conversion;
using Values = TileEmitter::Values;

static constexpr int64_t warpSize = mlir::tssa::layout::DeviceModel::warp;

static Values combineWarp(IndexBuilder &index, BlockThreads &threads, TileEmitter &emitter,
                          Values values, int64_t width) {
  for (int64_t distance = width / 2; distance >= 1; distance /= 2) {
    Values others;
    for (Value value : values)
      others.push_back(threads.buildExchange(index, value, distance));
    values = emitter.combine(values, others);
  }
  return values;
}

static Value toMemory(OpBuilder &builder, Location loc, Value value) {
  Type type = getMemoryType(value.getType());
  return type == value.getType() ? value
                                 : arith::ExtUIOp::create(builder, loc, type, value).getResult();
}

static Value fromMemory(OpBuilder &builder, Location loc, Value value, Type type) {
  return type == value.getType() ? value
                                 : arith::TruncIOp::create(builder, loc, type, value).getResult();
}

static Values combineWarps(IndexBuilder &index, BlockThreads &threads, TileEmitter &emitter,
                           const Values &values, int64_t group) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  auto func = builder.getBlock()->getParent()->getParentOfType<func::FuncOp>();
  int64_t numWarps = threads.count / warpSize, warpsOfGroup = group / warpSize;
  SmallVector<Value> buffers;
  for (Value value : values)
    buffers.push_back(threads.makeShared(
        builder, loc, func, MemRefType::get({numWarps}, getMemoryType(value.getType()))));
  Value number = threads.buildNumber(index);
  Value width = index.constant(warpSize), zero = index.constant(0);
  Value warp = arith::DivUIOp::create(builder, loc, number, width);
  Value lane = arith::RemUIOp::create(builder, loc, number, width);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, zero);
  if (builder.getBlock()->getParent()->getParentOfType<scf::ForOp>())
    threads.buildBarrier(index); // all threads have read the previous contents
  auto branch = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    for (auto [value, buffer] : llvm::zip_equal(values, buffers))
      memref::StoreOp::create(builder, loc, toMemory(builder, loc, value), buffer,
                              ValueRange{warp});
  }
  threads.buildBarrier(index);
  Value first = arith::DivUIOp::create(builder, loc, number, index.constant(group));
  first = arith::MulIOp::create(builder, loc, first, index.constant(warpsOfGroup));
  Values combined;
  for (int64_t i = 0; i < warpsOfGroup; ++i) {
    Value position = arith::AddIOp::create(builder, loc, first, index.constant(i));
    Values partial;
    for (auto [value, buffer] : llvm::zip_equal(values, buffers)) {
      Value loaded = memref::LoadOp::create(builder, loc, buffer, ValueRange{position});
      partial.push_back(fromMemory(builder, loc, loaded, value.getType()));
    }
    combined = combined.empty() ? partial : emitter.combine(combined, partial);
  }
  return combined;
}

namespace tssa::conversion {

Values combineThreads(IndexBuilder &index, BlockThreads &threads, TileEmitter &emitter,
                      ValueRange accumulators, int64_t group) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  if (auto vector = dyn_cast<VectorType>(accumulators.front().getType())) {
    Values combined(accumulators);
    for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
      Values scalars;
      for (Value value : accumulators)
        scalars.push_back(vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{lane}));
      scalars = combineThreads(index, threads, emitter, scalars, group);
      for (auto [whole, scalar] : llvm::zip_equal(combined, scalars))
        whole = vector::InsertOp::create(builder, loc, scalar, whole, ArrayRef<int64_t>{lane});
    }
    return combined;
  }
  Values values =
      combineWarp(index, threads, emitter, Values(accumulators), std::min(group, warpSize));
  return group > warpSize ? combineWarps(index, threads, emitter, values, group) : values;
}

std::pair<Value, Values> combineFragments(IndexBuilder &index, BlockThreads &threads,
                                          ValueRange fragments, int64_t parts) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  auto type = cast<VectorType>(fragments.front().getType());
  int64_t width = type.getNumElements(), numWarps = threads.count / warpSize;
  int64_t fragmentSize = width * warpSize, partSize = fragmentSize * fragments.size();
  auto func = builder.getBlock()->getParent()->getParentOfType<func::FuncOp>();
  Value memory = threads.makeShared(
      builder, loc, func,
      MemRefType::get({numWarps / parts * (parts - 1) * partSize}, type.getElementType()));
  auto build = [&](auto op, Value lhs, int64_t rhs) -> Value {
    return decltype(op)::create(builder, loc, lhs, index.constant(rhs));
  };
  Value number = threads.buildNumber(index), warp = build(arith::DivUIOp(), number, warpSize);
  Value part = build(arith::RemUIOp(), warp, parts), group = build(arith::DivUIOp(), warp, parts);
  // The lanes of a fragment are adjacent; then come the fragments of a warp, and the warps.
  AffineExpr own = index.getSymbol(build(arith::RemUIOp(), number, warpSize)) * width +
                   index.getSymbol(group) * ((parts - 1) * partSize);
  auto getAddress = [&](AffineExpr ofPart, size_t fragment) {
    return index.materialize(
        index.simplify(own + ofPart * partSize + static_cast<int64_t>(fragment) * fragmentSize));
  };
  llvm::MaybeAlign alignment(width * type.getElementTypeBitWidth() / 8);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, part, index.constant(0));
  auto store = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(store.elseBlock());
    for (auto [i, fragment] : llvm::enumerate(fragments))
      vector::StoreOp::create(builder, loc, fragment, memory,
                              ValueRange{getAddress(index.getSymbol(part) - 1, i)},
                              /*nontemporal=*/false, alignment);
  }
  threads.buildBarrier(index);
  auto add = scf::IfOp::create(builder, loc, fragments.getTypes(), isFirst, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(add.thenBlock());
  Values sums(fragments);
  for (int64_t other = 0; other + 1 < parts; ++other)
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value address = getAddress(getAffineConstantExpr(other, index.getContext()), i);
      Value partial = vector::LoadOp::create(builder, loc, type, memory, ValueRange{address},
                                             /*nontemporal=*/false, alignment);
      sum = arith::AddFOp::create(builder, loc, sum, partial);
    }
  scf::YieldOp::create(builder, loc, sums);
  builder.setInsertionPointToStart(add.elseBlock());
  scf::YieldOp::create(builder, loc, fragments);
  return {isFirst, Values(add.getResults())};
}

} // namespace tssa::conversion
