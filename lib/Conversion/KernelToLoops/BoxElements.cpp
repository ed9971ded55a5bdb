//===- BoxElements.cpp - the threads of a block fill a box ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tssa::conversion {

int64_t countElements(const CacheTile &tile) {
  int64_t count = 1;
  for (int64_t extent : tile.extents)
    count *= extent;
  return count;
}

void buildSharedElements(IndexBuilder &index, BlockThreads &threads, int64_t total,
                         llvm::function_ref<void(Value)> build) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  auto loop =
      scf::ForOp::create(builder, loc, index.constant(0),
                         index.constant(llvm::divideCeil(total, threads.count)), index.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value first =
      arith::MulIOp::create(builder, loc, loop.getInductionVar(), index.constant(threads.count));
  Value number = arith::AddIOp::create(builder, loc, first, threads.buildNumber(index));
  if (total % threads.count != 0) {
    Value mine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number,
                                       index.constant(total));
    auto branch = scf::IfOp::create(builder, loc, mine, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  build(number);
}

void buildElementOrZero(IndexBuilder &index, Value exists, Type type,
                        llvm::function_ref<Value()> compute,
                        llvm::function_ref<void(Value)> store) {
  if (!exists)
    return store(compute());
  OpBuilder &builder = index.getBuilder();
  auto branch = scf::IfOp::create(builder, index.getLoc(), exists, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  store(compute());
  builder.setInsertionPointToStart(branch.elseBlock());
  store(arith::ConstantOp::create(builder, index.getLoc(),
                                  cast<TypedAttr>(builder.getZeroAttr(type))));
}

} // namespace tssa::conversion
