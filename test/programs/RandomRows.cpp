//===- RandomRows.cpp - reductions of the rows of a product ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramMaker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ::tssa::reference;
using namespace mlir::tssa::te;

/// Reduces the rows of `source` to an f32 each, times `scale`: its elements or, if there is a
/// `mean`, the squares of their distances from it.
LiveTensor ProgramMaker::reduceRows(const LiveTensor &source, Combiner combiner, double scale,
                                    const LiveTensor *mean) {
  unsigned axis = source.getRank() - 1;
  Type type = builder.getF32Type();
  LiveTensor result = source;
  result.sizes.pop_back();
  result.extents.pop_back();
  result.element = type;
  result.error = getError(source.element, source.error);
  auto op = buildReduce(
      builder, loc, result.sizes, source.sizes[axis], combiner, type, false, type,
      [&](OpBuilder &b, Location) -> SmallVector<Value> {
        Value value = convert(b, readIdentity(b, source), type);
        if (mean) {
          value = arith::SubFOp::create(b, loc, value, readIdentity(b, *mean));
          value = arith::MulFOp::create(b, loc, value, value);
        }
        return {value};
      },
      [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
        return {arith::MulFOp::create(b, loc, args[0], makeNumber(b, type, scale))};
      });
  result.value = op.getResult(0);
  return result;
}

/// Subtracts from each element of `source` what its row has in `first`, and divides by one more
/// than what it has in `second`, if there is one.
LiveTensor ProgramMaker::makeNormal(const LiveTensor &source, const LiveTensor &first,
                                    const LiveTensor *second) {
  LiveTensor result = source;
  Type type = builder.getF32Type();
  auto op = buildCompute(builder, loc, source.sizes, source.element, [&](OpBuilder &b, Location) {
    Value value = convert(b, readIdentity(b, source), type);
    value = arith::SubFOp::create(b, loc, value, readIdentity(b, first));
    if (second) {
      Value one = makeNumber(b, type, 1);
      Value divisor = arith::AddFOp::create(b, loc, readIdentity(b, *second), one);
      value = arith::DivFOp::create(b, loc, value, divisor);
    }
    return SmallVector<Value>{convert(b, clamp(b, value, 128), source.element)};
  });
  result.value = op.getResult(0);
  return result;
}

/// Adds a product or a function of one, a normalisation of its rows, and often a product of these, as
/// attention has it.
bool ProgramMaker::stepRows() {
  const LiveTensor *found = chooseFactor();
  if (!found)
    return false;
  LiveTensor source = *found;
  static constexpr int64_t widths[] = {16, 32, 48, 64, 96, 40, 17};
  int64_t width = random.pick<int64_t>(widths);
  SmallVector<int64_t> all(source.extents);
  all.back() = width;
  if (!fits(all))
    return false;
  LiveTensor rows = makeProduct(source, width, 0.125);
  if (random.oneIn(3)) {
    addResult(rows.value, rows, rows.error);
    rows = makeMap(rows);
  }
  LiveTensor first, second, last;
  if (random.oneIn(3)) {
    first = reduceRows(rows, random.oneIn(2) ? Combiner::Max : Combiner::Min, 1);
    last = makeNormal(rows, first);
  } else {
    first = reduceRows(rows, Combiner::Add, 1.0 / width);
    second = reduceRows(rows, Combiner::Add, 1.0 / width, &first);
    last = makeNormal(rows, first, &second);
  }
  if (random.oneIn(3)) // which others read, too
    addResult(rows.value, rows, rows.error);
  if (random.oneIn(4))
    addResult(first.value, first, first.error);
  bool isSummed = random.oneIn(2);
  if (!isSummed || random.oneIn(4))
    addResult(last.value, last, getError(last.element, last.error));
  if (isSummed) {
    last = makeProduct(last, random.pick<int64_t>(widths), 1.0 / 16);
    addResult(last.value, last, last.error);
  }
  return true;
}
