//===- DotEmitter.cpp - products by dot instructions ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotEmitter.h"
#include "dialects/layout/Analysis/AtomRules.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

/// The bits of a word.
static constexpr unsigned wordBits = 32;

/// Returns the factors that the instruction of `dot` multiplies for sum number `sum`.
static std::optional<DotEmitter::Factors> findFactors(te::ComputeOp op, unsigned piece,
                                                      const DotTile &dot, unsigned sum) {
  DotEmitter::Factors factors;
  Operation *product = te::findSummedProducts(op, piece)[sum];
  for (unsigned operand : {0, 1}) {
    Value factor = layout::findAtomFactor(op, piece, operand, *dot.instruction, sum);
    te::ReadOp read = factor ? factor.getDefiningOp<te::ReadOp>() : te::ReadOp();
    if (!read)
      return std::nullopt;
    factors[operand] = {read, isa<arith::ExtUIOp>(product->getOperand(operand).getDefiningOp())};
  }
  if (dot.instruction->kind != layout::AtomFactors::Bytes)
    return factors;
  if (factors[0].isUnsigned == factors[1].isUnsigned)
    return std::nullopt;
  if (factors[1].isUnsigned)
    std::swap(factors[0], factors[1]);
  return factors;
}

DotEmitter::DotEmitter(IndexBuilder &index, KernelContext &kernel, te::ComputeOp op, unsigned piece,
                       const DotTile &dot, unsigned laneDim, int64_t lanes)
    : index(index), kernel(kernel), dot(dot), laneDim(laneDim), lanes(lanes) {
  unsigned sums = te::findSummedProducts(op, piece).size();
  for (unsigned sum = 0; sum < sums; ++sum) {
    std::optional<Factors> found = findFactors(op, piece, dot, sum);
    if (!found) {
      factors.clear();
      return;
    }
    factors.push_back(*found);
  }
}

SmallVector<AffineExpr> DotEmitter::getGuards(te::ReadOp read, const TilePoint &point) {
  SmallVector<AffineExpr> guards;
  BodyEvaluator body(index, kernel, point, laneDim, lanes, none);
  if (std::optional<IntegerSet> guard = read.getGuard())
    for (auto [constraint, isEquality] :
         llvm::zip_equal(guard->getConstraints(), guard->getEqFlags())) {
      AffineExpr expr = index.simplify(body.substitute(constraint, read.getSymbols()));
      bool holds = !isEquality && body.isAssumed(expr);
      guards.push_back(holds ? getAffineConstantExpr(0, index.getContext())
                             : index.simplify(body.substituteLoops(expr)));
    }
  return guards;
}

AffineExpr DotEmitter::getAddress(te::ReadOp read, const TilePoint &point) {
  BodyEvaluator body(index, kernel, point, laneDim, lanes, none);
  return body.getAddress(kernel.buffers.find(read.getSource())->second, body.getIndices(read));
}

AffineExpr DotEmitter::findWord(te::ReadOp read, ArrayRef<TilePoint> group) {
  AffineExpr first = getAddress(read, group.front());
  int64_t steps = dot.instruction->getWordSteps();
  AffineExpr word = index.simplify(first.floorDiv(steps));
  bool isWord = index.simplify(word * steps - first) == 0 &&
                (!index.hasLanes(first) || index.getFirstOfRun(word, laneDim));
  // The rest of a word that the group does not fill must be there, too.
  if (static_cast<int64_t>(group.size()) < steps)
    isWord &= read.getSourceType().getShape().back() == steps;
  if (!isWord || (read.getPadAttr() && !te::isPositiveZero(read.getPadAttr())))
    return {};
  SmallVector<AffineExpr> guards = getGuards(read, group.front());
  for (auto [i, point] : llvm::enumerate(group))
    if (index.simplify(getAddress(read, point) - first) != static_cast<int64_t>(i) ||
        getGuards(read, point) != guards)
      return {};
  return word;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

VectorType DotEmitter::getWordsType() {
  return VectorType::get(lanes, IntegerType::get(index.getContext(), wordBits));
}

/// Returns the elements of `buffer` as words.
static TensorBuffer viewWords(IndexBuilder &index, const TensorBuffer &buffer) {
  OpBuilder &builder = index.getBuilder();
  auto type = cast<MemRefType>(buffer.memref.getType());
  Type word = builder.getIntegerType(wordBits);
  auto words = MemRefType::get({ShapedType::kDynamic}, word, AffineMap(), type.getMemorySpace());
  Value view = UnrealizedConversionCastOp::create(builder, index.getLoc(), words, buffer.memref)
                   .getResult(0);
  return {view, word, {}, {}, {}};
}

Value DotEmitter::loadWords(te::ReadOp read, const TilePoint &point, AffineExpr word) {
  OpBuilder &builder = index.getBuilder();
  BodyEvaluator body(index, kernel, point, laneDim, lanes, none);
  Condition guard;
  if (read.getGuard())
    guard = body.getCondition(*read.getGuard(), read.getSymbols());
  guard.uniform = body.andMasks(guard.uniform, point.exists);
  TypedAttr zero = builder.getIntegerAttr(builder.getIntegerType(wordBits), 0);
  if (guard.never)
    return body.toLanes(arith::ConstantOp::create(builder, index.getLoc(), zero));
  const TensorBuffer &buffer = kernel.buffers.find(read.getSource())->second;
  return body.toLanes(body.load(viewWords(index, buffer), word, guard, zero));
}

Value DotEmitter::loadElement(te::ReadOp read, const TilePoint &point,
                              BodyEvaluator::Loads &loads) {
  BodyEvaluator body(index, kernel, point, laneDim, lanes, loads);
  return body.compute(read);
}

/// Returns a load of `count` elements at `address` as a vector, which is zero where `condition`
/// does not hold. A null condition always holds.
static Value loadRun(IndexBuilder &index, const TensorBuffer &buffer, AffineExpr address,
                     int64_t count, Value condition) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  auto type = VectorType::get(count, buffer.elementType);
  Value offset = index.clampOffset(index.materialize(address), condition);
  Value run = vector::LoadOp::create(builder, loc, type, buffer.memref, ValueRange{offset});
  if (!condition)
    return run;
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return arith::SelectOp::create(builder, loc, condition, run, zero);
}

Value DotEmitter::loadRow(te::ReadOp read, ArrayRef<TilePoint> group, int64_t count) {
  AffineExpr first = getAddress(read, group.front());
  bool isRun = static_cast<int64_t>(group.size()) == count &&
               (!read.getPadAttr() || te::isPositiveZero(read.getPadAttr()));
  for (auto [i, point] : llvm::enumerate(group))
    isRun = isRun && index.simplify(getAddress(read, point) - first) == static_cast<int64_t>(i) &&
            getGuards(read, point) == getGuards(read, group.front());
  Condition guard;
  BodyEvaluator body(index, kernel, group.front(), laneDim, lanes, none);
  if (isRun && read.getGuard())
    guard = body.getCondition(*read.getGuard(), read.getSymbols());
  if (!isRun || guard.never || guard.lanes)
    return {};
  Value condition = body.andMasks(guard.uniform, group.front().exists);
  const TensorBuffer &buffer = kernel.buffers.find(read.getSource())->second;
  return loadRun(index, buffer, first, count, condition);
}

Value DotEmitter::joinElements(te::ReadOp read, ArrayRef<TilePoint> group,
                               BodyEvaluator::Loads &loads) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  int64_t steps = dot.instruction->getWordSteps();
  Value elements = loadRow(read, group, steps); // in the middle of two words
  if (!elements) {
    const TensorBuffer &buffer = kernel.buffers.find(read.getSource())->second;
    SmallVector<Value> all =
        llvm::map_to_vector(group, [&](auto &point) { return loadElement(read, point, loads); });
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(buffer.elementType));
    all.resize(steps, zero);
    elements = vector::FromElementsOp::create(builder, loc,
                                              VectorType::get(steps, buffer.elementType), all);
  }
  auto word = VectorType::get(1, builder.getIntegerType(wordBits));
  elements = vector::BitCastOp::create(builder, loc, word, elements);
  Value only = vector::ExtractOp::create(builder, loc, elements, ArrayRef<int64_t>{0});
  return vector::BroadcastOp::create(builder, loc, getWordsType(), only);
}

Value DotEmitter::interleave(te::ReadOp read, ArrayRef<TilePoint> group,
                             BodyEvaluator::Loads &loads) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  auto vectors =
      llvm::map_to_vector(group, [&](auto &point) { return loadElement(read, point, loads); });
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vectors.front().getType()));
  vectors.resize(dot.instruction->getWordSteps(), zero);
  // Those that are half of their number apart become neighbours, until one vector is left.
  while (vectors.size() > 1) {
    size_t half = vectors.size() / 2;
    for (size_t i = 0; i < half; ++i)
      vectors[i] = vector::InterleaveOp::create(builder, loc, vectors[i], vectors[i + half]);
    vectors.truncate(half);
  }
  return vector::BitCastOp::create(builder, loc, getWordsType(), vectors.front());
}

/// Returns `words` with zeros for all but the first `count` steps.
Value DotEmitter::dropSteps(Value words, int64_t count) {
  int64_t steps = dot.instruction->getWordSteps();
  if (count == steps)
    return words;
  OpBuilder &builder = index.getBuilder();
  uint32_t kept = (uint64_t(1) << (wordBits / steps * count)) - 1;
  auto bits = DenseElementsAttr::get(getWordsType(), builder.getI32IntegerAttr(int32_t(kept)));
  Value mask = arith::ConstantOp::create(builder, index.getLoc(), bits);
  return arith::AndIOp::create(builder, index.getLoc(), words, mask);
}

Value DotEmitter::getWords(te::ReadOp read, ArrayRef<TilePoint> group, BodyEvaluator::Loads &loads,
                           std::string &obstacle) {
  const TilePoint &point = group.front();
  SmallVector<AffineExpr> addresses =
      llvm::map_to_vector(group, [&](auto &step) { return getAddress(read, step); });
  SmallVector<const void *> key = {read.getOperation(), point.mask.getAsOpaquePointer(),
                                   point.exists.getAsOpaquePointer()};
  for (auto [step, address] : llvm::zip_equal(group, addresses)) {
    key.push_back(address.getAsOpaquePointer());
    for (AffineExpr guard : getGuards(read, step))
      key.push_back(guard.getAsOpaquePointer());
  }
  Value &known = loads[key];
  if (known)
    return known;
  if (AffineExpr word = findWord(read, group))
    return known = dropSteps(loadWords(read, point, word), group.size());
  if (llvm::none_of(addresses, [&](AffineExpr address) { return index.hasLanes(address); }))
    return known = joinElements(read, group, loads);
  if (llvm::all_of(addresses,
                   [&](AffineExpr address) { return index.getFirstOfRun(address, laneDim); }))
    return known = interleave(read, group, loads);
  obstacle = "factors of which the elements of a group, or those of neighbouring lanes, lie beside "
             "each other";
  return {};
}

DotEmitter::Values DotEmitter::accumulate(ArrayRef<TilePoint> group, ValueRange sums,
                                          BodyEvaluator::Loads &loads, std::string &obstacle) {
  if (factors.empty()) {
    obstacle = "products of two reads of " + dot.instruction->factors.str();
    return {};
  }
  Values words;
  for (const Factors &product : factors)
    for (const Factor &factor : product) {
      words.push_back(getWords(factor.read, group, loads, obstacle));
      if (!words.back())
        return {};
    }
  Values added;
  for (auto [i, sum] : llvm::enumerate(sums))
    added.push_back(
        kernel.target->buildDot(index, *dot.instruction, sum, words[2 * i], words[2 * i + 1]));
  return added;
}
