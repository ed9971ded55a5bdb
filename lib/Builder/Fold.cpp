//===- Fold.cpp - folding a te.compute of constants -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates the bodies of a te.compute point by point. Each op is evaluated by its own folder, so
/// that values of all element types are rounded as the ops define.
///
//===----------------------------------------------------------------------===//

#include "lib/Builder/Fold.h"
#include "dialects/te/IR/CompiledExpr.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "tssa/Builder/Elements.h"

using namespace mlir;
namespace te = mlir::tssa::te;

namespace tssa::operators {

static constexpr int64_t maxFoldPoints = 1 << 16;
static constexpr int64_t maxSourceElements = 1 << 16;

namespace {
class Folder {
public:
  explicit Folder(te::ComputeOp op) : op(op) {}

  std::optional<SmallVector<ElementsAttr>> run();

private:
  bool prepare();
  bool readSources(Region &region);
  bool foldBlock(Block &block, ArrayRef<Attribute> arguments, SmallVectorImpl<Attribute> &results);
  bool foldOp(Operation &inner);
  Attribute foldRead(te::ReadOp read);
  bool reduceInto(SmallVectorImpl<Attribute> &accumulators, ArrayRef<Attribute> values);
  Block *findPiece();
  bool foldElement(SmallVectorImpl<Attribute> &results);
  bool foldReduction(SmallVectorImpl<Attribute> &results);
  std::optional<int64_t> evaluate(AffineExpr expr, ValueRange symbols);
  std::optional<bool> holds(IntegerSet set, ValueRange symbols);
  Attribute lookup(Value value);

  te::ComputeOp op;
  SmallVector<int64_t> extents, point;
  DenseMap<Value, Attribute> values;
  DenseMap<Value, SmallVector<Attribute>> sources;
};
} // namespace

/// Advances `point` to the next point of dims [begin, end). Returns false after the last one.
static bool advance(MutableArrayRef<int64_t> point, ArrayRef<int64_t> extents, size_t begin,
                    size_t end) {
  for (size_t i = end; i-- > begin;) {
    if (++point[i] < extents[i])
      return true;
    point[i] = 0;
  }
  return false;
}

bool Folder::readSources(Region &region) {
  WalkResult result = region.walk([&](te::ReadOp read) {
    if (sources.contains(read.getSource()))
      return WalkResult::advance();
    std::optional<SmallVector<Attribute>> values;
    if (auto constant = read.getSource().getDefiningOp<te::ConstantOp>())
      values = readAttributes(constant.getValue(), maxSourceElements);
    if (!values)
      return WalkResult::interrupt();
    sources[read.getSource()] = std::move(*values);
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool Folder::prepare() {
  int64_t points = 1;
  for (OpFoldResult size : op.getIterationDomain()) {
    std::optional<int64_t> extent = te::getConstantSize(size);
    if (!extent || llvm::MulOverflow(points, *extent, points) || points > maxFoldPoints)
      return false;
    extents.push_back(*extent);
  }
  point.assign(extents.size(), 0);
  return llvm::all_of(op->getRegions(), [&](Region &region) { return readSources(region); });
}

Attribute Folder::lookup(Value value) {
  if (Attribute known = values.lookup(value))
    return known;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  return {};
}

std::optional<int64_t> Folder::evaluate(AffineExpr expr, ValueRange symbols) {
  SmallVector<int64_t> symbolValues;
  for (Value symbol : symbols) {
    auto known = dyn_cast_or_null<IntegerAttr>(lookup(symbol));
    if (!known)
      return std::nullopt;
    symbolValues.push_back(known.getInt());
  }
  return te::evaluateExpr(expr, point, symbolValues);
}

std::optional<bool> Folder::holds(IntegerSet set, ValueRange symbols) {
  for (auto [expr, isEquality] : llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    std::optional<int64_t> value = evaluate(expr, symbols);
    if (!value)
      return std::nullopt;
    if (isEquality ? *value != 0 : *value < 0)
      return false;
  }
  return true;
}

Attribute Folder::foldRead(te::ReadOp read) {
  if (std::optional<IntegerSet> guard = read.getGuard()) {
    std::optional<bool> inside = holds(*guard, read.getSymbols());
    if (!inside)
      return {};
    if (!*inside)
      return read.getPadAttr();
  }
  int64_t position = 0;
  for (auto [expr, extent] :
       llvm::zip_equal(read.getMap().getResults(), read.getSourceType().getShape())) {
    std::optional<int64_t> index = evaluate(expr, read.getSymbols());
    if (!index || *index < 0 || *index >= extent)
      return {};
    position = position * extent + *index;
  }
  return sources[read.getSource()][position];
}

bool Folder::foldOp(Operation &inner) {
  Attribute result;
  if (auto read = dyn_cast<te::ReadOp>(inner)) {
    result = foldRead(read);
  } else if (auto index = dyn_cast<te::IndexOp>(inner)) {
    std::optional<int64_t> value = evaluate(index.getMap().getResult(0), index.getSymbols());
    if (value)
      result = IntegerAttr::get(IndexType::get(op.getContext()), *value);
  } else if (auto inside = dyn_cast<te::InsideOp>(inner)) {
    std::optional<bool> value = holds(inside.getSet(), inside.getSymbols());
    if (value)
      result = BoolAttr::get(op.getContext(), *value);
  } else {
    SmallVector<Attribute> operands =
        llvm::map_to_vector(inner.getOperands(), [&](Value value) { return lookup(value); });
    SmallVector<OpFoldResult> folded;
    if (llvm::is_contained(operands, Attribute()) || inner.getNumResults() != 1 ||
        failed(inner.fold(operands, folded)) || folded.size() != 1)
      return false;
    result = dyn_cast<Attribute>(folded.front());
    if (!result)
      result = lookup(cast<Value>(folded.front()));
  }
  if (!result || isa<ub::PoisonAttrInterface>(result))
    return false;
  values[inner.getResult(0)] = result;
  return true;
}

bool Folder::foldBlock(Block &block, ArrayRef<Attribute> arguments,
                       SmallVectorImpl<Attribute> &results) {
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = value;
  for (Operation &inner : block.without_terminator())
    if (!foldOp(inner))
      return false;
  results.clear();
  for (Value value : block.getTerminator()->getOperands()) {
    results.push_back(lookup(value));
    if (!results.back())
      return false;
  }
  return true;
}

Block *Folder::findPiece() {
  if (op.getPieces().size() == 1)
    return op.getPieceBlock();
  for (unsigned piece = 0; piece < op.getPieces().size(); ++piece)
    if (holds(op.getPieceSet(piece), op.getSymbols()) == true)
      return op.getPieceBlock(piece);
  return nullptr;
}

bool Folder::foldReduction(SmallVectorImpl<Attribute> &results) {
  SmallVector<Attribute> accumulators(op.getInit()->begin(), op.getInit()->end()), element;
  size_t numParallel = op.getNumParallel();
  bool empty = llvm::is_contained(ArrayRef(extents).drop_front(numParallel), 0);
  bool more = !empty;
  while (more) {
    Block *piece = findPiece();
    if (!piece || !foldBlock(*piece, {}, element))
      return false;
    SmallVector<Attribute> pair(accumulators);
    pair.append(element);
    if (!foldBlock(op.getCombiner().front(), pair, accumulators))
      return false;
    more = advance(point, extents, numParallel, extents.size());
  }
  if (op.hasEpilogue())
    return foldBlock(op.getEpilogue().front(), accumulators, results);
  results.assign(accumulators.begin(), accumulators.end());
  return true;
}

bool Folder::foldElement(SmallVectorImpl<Attribute> &results) {
  if (op.hasReduction())
    return foldReduction(results);
  Block *piece = findPiece();
  return piece && foldBlock(*piece, {}, results);
}

std::optional<SmallVector<ElementsAttr>> Folder::run() {
  if (!prepare())
    return std::nullopt;
  SmallVector<SmallVector<Attribute>> elements(op.getNumResults());
  size_t numParallel = op.getNumParallel();
  bool more = !llvm::is_contained(ArrayRef(extents).take_front(numParallel), 0);
  while (more) {
    SmallVector<Attribute> results;
    if (!foldElement(results))
      return std::nullopt;
    for (auto [list, value] : llvm::zip_equal(elements, results))
      list.push_back(value);
    more = advance(point, extents, 0, numParallel);
  }
  SmallVector<ElementsAttr> attributes;
  for (auto [result, list] : llvm::zip_equal(op.getResults(), elements))
    attributes.push_back(fromAttributes(llvm::cast<RankedTensorType>(result.getType()), list));
  return attributes;
}

std::optional<SmallVector<ElementsAttr>> foldCompute(te::ComputeOp op) {
  // The folder of an op may modify the op for the current point, so work on a copy.
  auto copy = cast<te::ComputeOp>(op->clone());
  std::optional<SmallVector<ElementsAttr>> result = Folder(copy).run();
  copy->destroy();
  return result;
}

} // namespace tssa::operators
