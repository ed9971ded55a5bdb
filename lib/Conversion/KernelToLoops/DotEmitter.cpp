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

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

/// The bits of a word.
static constexpr unsigned wordBits = 32;

DotEmitter::DotEmitter(IndexBuilder &index, KernelContext &kernel, te::ComputeOp op, unsigned piece,
                       const DotTile &dot, unsigned laneDim, int64_t lanes)
    : index(index), kernel(kernel), dot(dot), laneDim(laneDim), lanes(lanes) {
  SmallVector<Operation *> products = te::findSummedProducts(op, piece);
  SmallVector<bool> isUnsigned;
  for (unsigned operand : {0, 1}) {
    Value factor = layout::findAtomFactor(op, piece, operand, *dot.instruction);
    if (!factor)
      return;
    reads.push_back(factor.getDefiningOp<te::ReadOp>());
    isUnsigned.push_back(
        isa<arith::ExtUIOp>(products.front()->getOperand(operand).getDefiningOp()));
  }
  if (dot.instruction->kind != layout::AtomFactors::Bytes)
    return;
  if (isUnsigned[1] && !isUnsigned[0])
    std::swap(reads[0], reads[1]);
  else if (isUnsigned[0] == isUnsigned[1])
    reads.clear();
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

AffineExpr DotEmitter::getWord(AffineExpr address) {
  int64_t steps = dot.instruction->steps;
  AffineExpr word = index.simplify(address.floorDiv(steps));
  return index.simplify(word * steps - address) == 0 ? word : AffineExpr();
}

AffineExpr DotEmitter::getAddress(te::ReadOp read, const TilePoint &point) {
  BodyEvaluator body(index, kernel, point, laneDim, lanes, none);
  return body.getAddress(kernel.buffers.find(read.getSource())->second, body.getIndices(read));
}

std::string DotEmitter::findObstacle(te::ReadOp read, ArrayRef<TilePoint> group) {
  AffineExpr first = getAddress(read, group.front()), word = getWord(first);
  SmallVector<AffineExpr> guards = getGuards(read, group.front());
  for (auto [i, point] : llvm::enumerate(group)) {
    if (index.simplify(getAddress(read, point) - first) != static_cast<int64_t>(i))
      return "elements of both factors that lie beside each other along the steps";
    if (getGuards(read, point) != guards)
      return "guards that are the same for the steps of a dot product";
  }
  if (!word)
    return "rows of both factors with a multiple of " + std::to_string(group.size()) +
           " elements along the steps";
  if (index.hasLanes(first) && !index.getFirstOfRun(word, laneDim))
    return "the elements for the steps of neighbouring lanes beside each other";
  if (read.getGuard() && read.getPadAttr() && !te::isPositiveZero(read.getPadAttr()))
    return "factors that are zero outside of their guards";
  return "";
}

std::string DotEmitter::findObstacle(ArrayRef<TilePoint> group) {
  if (reads.empty() || llvm::is_contained(reads, te::ReadOp()))
    return "products of two reads of " + dot.instruction->factors.str();
  for (te::ReadOp read : reads)
    if (std::string text = findObstacle(read, group); !text.empty())
      return text;
  return "";
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

Value DotEmitter::loadWord(te::ReadOp read, const TilePoint &point, BodyEvaluator::Loads &loads) {
  AffineExpr word = getWord(getAddress(read, point));
  SmallVector<const void *> key = {read.getOperation(), point.mask.getAsOpaquePointer(),
                                   point.exists.getAsOpaquePointer(), word.getAsOpaquePointer()};
  for (AffineExpr guard : getGuards(read, point))
    key.push_back(guard.getAsOpaquePointer());
  Value &known = loads[key];
  if (known)
    return known;
  OpBuilder &builder = index.getBuilder();
  BodyEvaluator body(index, kernel, point, laneDim, lanes, none);
  Condition guard;
  if (read.getGuard())
    guard = body.getCondition(*read.getGuard(), read.getSymbols());
  guard.uniform = body.andMasks(guard.uniform, point.exists);
  TypedAttr zero = builder.getIntegerAttr(builder.getIntegerType(wordBits), 0);
  if (guard.never)
    known = arith::ConstantOp::create(builder, index.getLoc(), zero);
  else
    known = body.load(viewWords(index, kernel.buffers.find(read.getSource())->second), word, guard,
                      zero);
  return known = body.toLanes(known);
}

DotEmitter::Values DotEmitter::accumulate(ArrayRef<TilePoint> group, ValueRange sums,
                                          BodyEvaluator::Loads &loads) {
  Value lhs = loadWord(reads[0], group.front(), loads);
  Value rhs = loadWord(reads[1], group.front(), loads);
  return {kernel.target->buildDot(index, *dot.instruction, sums.front(), lhs, rhs)};
}
