//===- RandomReferenceControl.cpp - control flow around references --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The branches and loops of random imperative programs, and the refs that they carry and choose.
///
//===----------------------------------------------------------------------===//

#include "ReferenceMaker.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace ::tssa::reference;
using namespace mlir::tssa;

/// Returns whether an element of some ref is less than a number.
Value ReferenceMaker::makeCondition() {
  LiveRef ref = choose();
  if (llvm::is_contained(ref.extents, 0))
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(random.oneIn(2)));
  Value tensor = refs::ReadOp::create(builder, loc, ref.ref);
  SmallVector<Value> at;
  for (int64_t extent : ref.extents)
    at.push_back(constantIndex(random.below(extent)));
  Value element = tensor::ExtractOp::create(builder, loc, tensor, at);
  Value limit = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0.25));
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, element, limit);
}

/// Builds a few statements. The refs that they define are dropped afterwards.
void ReferenceMaker::block(unsigned depth) {
  size_t numRefs = refs.size();
  for (unsigned i = 0, count = 1 + random.below(3); i < count; ++i)
    statement(depth + 1);
  refs.resize(numRefs);
}

void ReferenceMaker::stepBranch(unsigned depth) {
  auto branch = scf::IfOp::create(builder, loc, makeCondition(), random.oneIn(2));
  OpBuilder::InsertionGuard guard(builder);
  for (Region &region : branch->getRegions())
    if (!region.empty()) {
      builder.setInsertionPoint(region.front().getTerminator());
      block(depth);
    }
}

/// Builds a loop of zero to three iterations, or of as many as a named size.
scf::ForOp ReferenceMaker::makeLoop(ValueRange carried, int64_t &trips) {
  trips = random.below(4);
  Value bound = constantIndex(trips);
  if (random.oneIn(3)) {
    bound = refs::DimOp::create(builder, loc, refs.front().ref, 0);
    trips = refs.front().extents[0];
  }
  return scf::ForOp::create(builder, loc, constantIndex(0), bound, constantIndex(1), carried);
}

void ReferenceMaker::stepFor(unsigned depth) {
  int64_t trips;
  scf::ForOp loop = makeLoop({}, trips);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  indexes.push_back({loop.getInductionVar(), trips});
  block(depth);
  indexes.pop_back();
}

/// Builds a loop over all rows, or over every second one, in which no iteration uses another's row.
void ReferenceMaker::stepRows() {
  LiveRef base = choose();
  if (base.getRank() == 0)
    return;
  int64_t step = 1 + random.below(2);
  Value bound = constantIndex(random.below(base.extents[0] + 1));
  if (auto size = dyn_cast<Value>(base.sizes[0]))
    bound = size;
  auto loop = scf::ForOp::create(builder, loc, constantIndex(0), bound, constantIndex(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  LiveRef row = view(base, refs::makeSelect(builder.getContext(), 0, loop.getInductionVar()),
                     ArrayRef(base.extents).drop_front());
  Value value = makeValue(row, /*readsOthers=*/false);
  refs::WriteOp::create(builder, loc, value, row.ref);
}

/// Builds a loop whose counter is in a storage that its condition reads.
void ReferenceMaker::stepWhile(unsigned depth) {
  Type type = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  Value start =
      tensor::FromElementsOp::create(builder, loc, RankedTensorType::get({}, type), constant(0));
  Value counter = refs::AllocOp::create(builder, loc, start);
  auto readCounter = [&]() -> Value {
    Value tensor = refs::ReadOp::create(builder, loc, counter);
    return tensor::ExtractOp::create(builder, loc, tensor, ValueRange());
  };
  auto loop = scf::WhileOp::create(builder, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, readCounter(),
                                     constant(random.below(3)));
  scf::ConditionOp::create(builder, loc, more, ValueRange());
  builder.createBlock(&loop.getAfter());
  Value next = arith::AddIOp::create(builder, loc, readCounter(), constant(1));
  Value tensor =
      tensor::FromElementsOp::create(builder, loc, RankedTensorType::get({}, type), next);
  refs::WriteOp::create(builder, loc, tensor, counter);
  block(depth);
  scf::YieldOp::create(builder, loc);
}

/// Builds a loop that carries a ref to another storage in each iteration.
void ReferenceMaker::stepRecurrence(unsigned depth) {
  LiveRef state = choose();
  Value value = refs::ReadOp::create(builder, loc, state.ref);
  Value first = refs::AllocOp::create(builder, loc, value);
  int64_t trips;
  scf::ForOp loop = makeLoop(first, trips);
  LiveRef carried = state;
  carried.ref = loop.getRegionIterArg(0);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    size_t numRefs = refs.size();
    refs.push_back(carried);
    indexes.push_back({loop.getInductionVar(), trips});
    block(depth);
    Value next = refs::AllocOp::create(builder, loc, makeValue(carried));
    scf::YieldOp::create(builder, loc, next);
    indexes.pop_back();
    refs.resize(numRefs);
  }
  carried.ref = loop.getResult(0);
  refs.push_back(carried);
}

/// Builds a loop that carries refs to two rows of a storage and swaps them in each iteration.
void ReferenceMaker::stepSwap(unsigned depth) {
  LiveRef base = choose();
  if (base.getRank() == 0 || base.extents[0] < 2)
    return;
  auto makeRow = [&](int64_t row) {
    return view(base, refs::makeSelect(builder.getContext(), 0, builder.getIndexAttr(row)),
                ArrayRef(base.extents).drop_front());
  };
  LiveRef current = makeRow(0), next = makeRow(1);
  int64_t trips;
  scf::ForOp loop = makeLoop({current.ref, next.ref}, trips);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    size_t numRefs = refs.size();
    LiveRef here = current, there = next;
    here.ref = loop.getRegionIterArg(0);
    there.ref = loop.getRegionIterArg(1);
    refs.push_back(here);
    refs.push_back(there);
    write(there);
    block(depth);
    refs.resize(numRefs);
    scf::YieldOp::create(builder, loc, ValueRange{there.ref, here.ref});
  }
  current.ref = loop.getResult(0);
  refs.push_back(current);
}

/// Builds a name that is one of two refs.
void ReferenceMaker::stepChoose() {
  LiveRef chosen = choose();
  LiveRef other = *chooseShape(chosen);
  if (choices == 0)
    return;
  --choices;
  chosen.ref = arith::SelectOp::create(builder, loc, makeCondition(), chosen.ref, other.ref);
  refs.push_back(chosen);
}

/// Builds a loop that carries two refs, which may be the same. An iteration swaps them, or gives
/// the second one, or both, a new storage.
void ReferenceMaker::stepExchange(unsigned depth) {
  LiveRef here = choose(), there = *chooseShape(here);
  if (choices == 0)
    return;
  --choices;
  int64_t trips;
  scf::ForOp loop = makeLoop({here.ref, there.ref}, trips);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    size_t numRefs = refs.size();
    here.ref = loop.getRegionIterArg(0);
    there.ref = loop.getRegionIterArg(1);
    refs.push_back(here);
    refs.push_back(there);
    block(depth);
    bool isShared = random.oneIn(2);
    auto branch = scf::IfOp::create(
        builder, loc, makeCondition(),
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, ValueRange{there.ref, here.ref});
        },
        [&](OpBuilder &inner, Location) {
          Value value = refs::ReadOp::create(inner, loc, there.ref);
          Value made = refs::AllocOp::create(inner, loc, value);
          scf::YieldOp::create(inner, loc, ValueRange{isShared ? made : here.ref, made});
        });
    scf::YieldOp::create(builder, loc, branch.getResults());
    refs.resize(numRefs);
  }
  here.ref = loop.getResult(0);
  there.ref = loop.getResult(1);
  refs.push_back(here);
  refs.push_back(there);
}
