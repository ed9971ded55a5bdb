//===- LoopNestSums.cpp - long sums, taken in blocks -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An accumulator to which one value after the other is added loses a bit with each doubling of
// their number: the sum of n equal values may be off by n/2 roundings. So a long sum is taken in
// blocks. A block begins with neutral accumulators, and its sum is added to that of the blocks
// before it; of very many blocks, those of one block of blocks are added first, and so on. Its
// error grows with the logarithm of n, like that of pairwise summation, which NumPy and PyTorch use
// (N. Higham, The accuracy of floating point summation, SIAM J. Sci. Comput. 14 (1993), section 3).
// It costs an addition for each accumulator and block. An instruction on matrices adds the products
// of its steps before it adds to a sum, which is a block already.
//
//===----------------------------------------------------------------------===//

#include "NestBuilder.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

using Values = NestBuilder::Values;

std::optional<int64_t> NestBuilder::getStaticSteps(unsigned level) const {
  unsigned loop = schedule.reduction[level];
  const TileGroup *group = schedule.getTile(loop);
  auto extent = dyn_cast<AffineConstantExpr>(group ? group->extent : schedule.loops[loop].extent);
  if (!extent)
    return std::nullopt;
  return group ? llvm::divideCeil(extent.getValue(), group->size) : extent.getValue();
}

/// Returns the values that one accumulator takes in a step of the innermost loop.
static int64_t countValuesOfStep(const Schedule &schedule) {
  int64_t values = 1;
  for (const TileGroup &group : schedule.tiles)
    if (group.reduction && !group.vector) // each vector has an accumulator of its own
      values *= group.size;
  return values;
}

NestBuilder::Blocks NestBuilder::getBlocks(unsigned level) const {
  if (level == schedule.reduction.size())
    return {{}, countValuesOfStep(schedule)};
  int64_t inner = getBlocks(level + 1).values;
  std::optional<int64_t> steps = getStaticSteps(level);
  if (steps && llvm::SaturatingMultiply<uint64_t>(inner, *steps) <= layout::longestSum)
    return {{}, std::max<int64_t>(inner * *steps, 1)};
  Blocks blocks;
  int64_t span = std::max<int64_t>(layout::valuesOfBlock / inner, 1);
  auto isEnough = [&] {
    return steps ? llvm::divideCeil(*steps, span) <= layout::valuesOfBlock
                 : blocks.spans.size() == layout::levelsOfOpenLoop;
  };
  blocks.spans.push_back(span);
  for (; !isEnough(); blocks.spans.push_back(span))
    span *= layout::valuesOfBlock;
  blocks.values = steps ? llvm::divideCeil(*steps, span) : layout::valuesOfBlock;
  return blocks;
}

Values NestBuilder::combineAll(ValueRange lhs, ValueRange rhs) {
  Values combined;
  for (unsigned slot = 0; slot * numAccumulators < lhs.size(); ++slot)
    llvm::append_range(combined, emitter.combine(getSlot(lhs, slot), getSlot(rhs, slot)));
  return combined;
}

Values NestBuilder::buildBlocks(ArrayRef<int64_t> spans, Value lower, Value upper,
                                Values accumulators, LoopBodyFn body) {
  if (spans.empty())
    return buildFor(lower, upper, accumulators, body);
  Value span = index.constant(spans.back());
  if (spans.back() == 1)
    return buildFor(lower, upper, accumulators,
                    [&](Value iv, ValueRange sums) { return combineAll(sums, body(iv, neutral)); });
  Value count = arith::SubIOp::create(builder, loc(), upper, lower);
  count = arith::CeilDivUIOp::create(builder, loc(), count, span);
  return buildFor(index.constant(0), count, accumulators, [&](Value block, ValueRange sums) {
    Value begin = arith::MulIOp::create(builder, loc(), block, span);
    begin = arith::AddIOp::create(builder, loc(), lower, begin);
    Value end = arith::AddIOp::create(builder, loc(), begin, span);
    end = arith::MinUIOp::create(builder, loc(), end, upper);
    return combineAll(sums, buildBlocks(spans.drop_back(), begin, end, neutral, body));
  });
}

Values NestBuilder::buildSum(unsigned level, Value count, Values accumulators, LoopBodyFn body) {
  SmallVector<int64_t> spans;
  if (!schedule.usesMatrices() && emitter.addsFloats())
    spans = getBlocks(level).spans;
  return buildBlocks(spans, index.constant(0), count, accumulators, body);
}

} // namespace tssa::conversion
