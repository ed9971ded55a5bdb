//===- MatrixEmitter.cpp - products in registers of matrices --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums come first among the registers, those of the vectors of a part after each other. Then come
// the matrices of the side that has fewer, which are loaded once for each group of steps, and in
// what is left those of the other side, one after the other.
//
// The rows that registers have belong to the state of a thread. A function sets them where it
// begins, as its first tile needs them; a tile that needs others sets these, and then the first
// ones again. A tile whose rows only a run knows writes them to memory before.
//
//===----------------------------------------------------------------------===//

#include "MatrixEmitter.h"
#include "OutlineMembers.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

using layout::matrixRegisters;

/// The most rows of a register, and the words of each of them.
static constexpr int64_t side = 16;

MatrixEmitter::MatrixEmitter(IndexBuilder &index, KernelContext &kernel, te::ComputeOp op,
                             unsigned piece, const DotTile &dot, unsigned laneDim, int64_t lanes)
    : index(index), kernel(kernel), op(op), atom(*dot.instruction), laneDim(laneDim), lanes(lanes),
      words(index, kernel, op, piece, dot, laneDim, lanes) {}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

int64_t MatrixEmitter::countOthers() const {
  return matrixRegisters - getParts() * tile.vectors - std::min(getParts(), tile.vectors);
}

int64_t MatrixEmitter::getRows(int64_t part) const {
  int64_t first = getParts() * tile.vectors;
  if (keepsRows())
    return first + part;
  // The last part may have fewer rows, and then has a register of its own.
  bool isLast = tile.left ? part == getParts() - 1 : tile.heights[part] == tile.heights.back();
  bool areEqual = !tile.left && llvm::all_equal(tile.heights);
  int64_t others = countOthers() - !areEqual;
  return isLast && !areEqual ? matrixRegisters - 1 : first + tile.vectors + part % others;
}

int64_t MatrixEmitter::getColumns(int64_t vector) const {
  int64_t first = getParts() * tile.vectors;
  return keepsRows() ? first + getParts() + vector % countOthers() : first + vector;
}

Value MatrixEmitter::makeMemory(MemRefType type) {
  OpBuilder &builder = index.getBuilder();
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto func = dyn_cast<func::FuncOp>(parent);
  if (!func)
    func = parent->getParentOfType<func::FuncOp>();
  return kernel.target->makeScratch(builder, index.getLoc(), func, type, /*size=*/{});
}

void MatrixEmitter::provide(Value &memory, int64_t registers, Type type) {
  int64_t size = registers * side * side;
  if (!memory || cast<MemRefType>(memory.getType()).getNumElements() < size)
    memory = makeMemory(MemRefType::get({size}, type));
}

Value MatrixEmitter::getConfiguration(ArrayRef<int64_t> rowsOfRegisters) {
  OpBuilder &builder = index.getBuilder();
  Operation *function = findFunction(builder.getInsertionBlock());
  auto &known = kernel.configurations[function];
  for (auto &[rows, memory] : known)
    if (ArrayRef(rows) == rowsOfRegisters)
      return memory;
  Value memory = makeMemory(getRegisters().getConfigurationType(builder));
  OpBuilder::InsertionGuard guard(builder);
  if (isa<func::FuncOp>(function))
    builder.setInsertionPointAfterValue(memory);
  else
    builder.setInsertionPointToStart(&function->getRegion(0).front());
  SmallVector<OpFoldResult> rows = llvm::map_to_vector(
      rowsOfRegisters, [&](int64_t count) { return OpFoldResult(builder.getIndexAttr(count)); });
  getRegisters().buildConfiguration(index, memory, rows);
  if (known.empty())
    getRegisters().buildConfigure(index, memory);
  known.push_back({llvm::to_vector(rowsOfRegisters), memory});
  return memory;
}

/// Sets the rows of the registers, if they are not those that the function has.
void MatrixEmitter::configure() {
  SmallVector<int64_t> rowsOfRegisters(matrixRegisters, side);
  SmallVector<unsigned> ofLast;
  auto set = [&](int64_t number, int64_t part) {
    rowsOfRegisters[number] = tile.heights[part];
    if (part == getParts() - 1)
      ofLast.push_back(number);
  };
  for (int64_t part = 0; part < getParts(); ++part) {
    set(getRows(part), part);
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      set(getSums(part, vector), part);
  }
  Value memory = getConfiguration(rowsOfRegisters);
  OpBuilder &builder = index.getBuilder();
  if (tile.left) {
    SmallVector<OpFoldResult> rows = llvm::map_to_vector(
        rowsOfRegisters, [&](int64_t count) { return OpFoldResult(builder.getIndexAttr(count)); });
    Value last = index.materialize(index.simplify(tile.left - (getParts() - 1) * side));
    for (unsigned number : ofLast)
      rows[number] = last;
    memory = makeMemory(getRegisters().getConfigurationType(builder));
    getRegisters().buildConfiguration(index, memory, rows);
  }
  Operation *function = findFunction(builder.getInsertionBlock());
  isConfigured = memory != kernel.configurations[function].front().second;
  if (isConfigured)
    getRegisters().buildConfigure(index, memory);
}

void MatrixEmitter::begin(const MatrixTile &next) {
  tile = next;
  configure();
  for (int64_t number = 0; number < getParts() * tile.vectors; ++number)
    getRegisters().buildZero(index, number);
}

void MatrixEmitter::end() {
  OpBuilder &builder = index.getBuilder();
  int64_t columnsOfRow = tile.vectors * side;
  provide(sums, getParts() * tile.vectors, cast<TypedAttr>(op.getInitAttr()[0]).getType());
  int64_t row = 0;
  for (auto [part, height] : llvm::enumerate(tile.heights)) {
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      getRegisters().buildStore(
          index, getSums(part, vector),
          {sums, index.constant(row * columnsOfRow + vector * side), index.constant(columnsOfRow)});
    row += height;
  }
  if (isConfigured)
    getRegisters().buildConfigure(
        index, kernel.configurations[findFunction(builder.getInsertionBlock())].front().second);
}

Value MatrixEmitter::loadSums(Value number, int64_t vector) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  auto init = cast<TypedAttr>(op.getInitAttr()[0]);
  auto type = VectorType::get(lanes, init.getType());
  Value first = arith::MulIOp::create(builder, loc, number, index.constant(tile.vectors * side));
  first = arith::AddIOp::create(builder, loc, first, index.constant(vector * side));
  Value loaded = vector::LoadOp::create(builder, loc, type, sums, ValueRange{first});
  if (te::isPositiveZero(init))
    return loaded;
  Value begin = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, init));
  if (isa<FloatType>(init.getType()))
    return arith::AddFOp::create(builder, loc, begin, loaded);
  return arith::AddIOp::create(builder, loc, begin, loaded);
}

//===----------------------------------------------------------------------===//
// Factors in memory
//===----------------------------------------------------------------------===//

static AffineExpr set(AffineExpr expr, unsigned dim, int64_t value) {
  MLIRContext *context = expr.getContext();
  return expr.replace(getAffineDimExpr(dim, context), getAffineConstantExpr(value, context));
}

bool MatrixEmitter::findSides(const MatrixStep &step, std::string &obstacle) {
  if (words.getFactors().empty()) {
    obstacle = "products of two reads of " + atom.factors.str();
    return false;
  }
  auto isSame = [&](te::ReadOp read, auto points) {
    return llvm::all_of(points, [&](const TilePoint &point) {
      return words.getAddress(read, point) == words.getAddress(read, *points.begin());
    });
  };
  auto firsts = llvm::map_range(step.columns, [](auto &column) { return column.front(); });
  for (unsigned ofRows : {0, 1}) {
    auto [left, isLeftUnsigned] = words.getFactors().front()[ofRows];
    auto [right, isRightUnsigned] = words.getFactors().front()[1 - ofRows];
    if (index.hasLanes(words.getAddress(left, step.columns.front().front())) ||
        !isSame(left, firsts) ||
        !isSame(right, llvm::make_range(step.rows.begin(), step.rows.end())))
      continue;
    rows = {left, isLeftUnsigned, rows.copy};
    columns = {right, isRightUnsigned, columns.copy};
    return true;
  }
  obstacle = "a factor that is the same for all columns of the tile, and another one that is the "
             "same for all of its rows";
  return false;
}

AffineExpr MatrixEmitter::findRowDistance(const MatrixStep &step) {
  AffineExpr address = words.getAddress(rows.read, step.any);
  AffineExpr first = index.simplify(set(address, step.stepLoop, 0));
  AffineExpr steps = getAffineDimExpr(step.stepLoop, index.getContext());
  if (index.simplify(address - first - steps) != 0)
    return {};
  if (step.rowLoops.empty())
    return getAffineConstantExpr(atom.steps, index.getContext());
  AffineExpr top = first;
  for (auto [loop, scale] : step.rowLoops)
    top = set(top, loop, 0);
  auto [last, one] = step.rowLoops.back();
  AffineExpr distance = index.simplify(set(first, last, 1) - set(first, last, 0));
  AffineExpr below = top;
  for (auto [loop, scale] : step.rowLoops)
    below = below + distance * scale * getAffineDimExpr(loop, index.getContext());
  bool isLinear = index.isKnown(distance) && index.simplify(first - below) == 0;
  return isLinear ? distance : AffineExpr();
}

AffineExpr MatrixEmitter::findWordDistance(const MatrixStep &step) {
  AffineExpr address = words.getAddress(columns.read, step.any);
  AffineExpr steps = getAffineDimExpr(step.stepLoop, index.getContext());
  AffineExpr lane = getAffineDimExpr(laneDim, index.getContext());
  AffineExpr top = set(set(address, laneDim, 0), step.stepLoop, 0);
  int64_t ofWord = atom.getWordSteps();
  AffineExpr distance = index.simplify(set(set(address, laneDim, 0), step.stepLoop, ofWord) - top);
  AffineExpr expected = top + steps.floorDiv(ofWord) * distance + steps % ofWord + lane * ofWord;
  bool isLinear = index.isKnown(distance) && index.simplify(address - expected) == 0;
  return isLinear ? distance : AffineExpr();
}

MatrixAccess MatrixEmitter::getAccess(const Side &factor, AffineExpr address, AffineExpr distance) {
  te::ReadOp read = factor.read;
  return {kernel.buffers.find(read.getSource())->second.memref,
          index.materialize(index.simplify(address)), index.materialize(distance)};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Returns word `number` of those that a group of steps fills; fewer steps, or none, at its end.
static ArrayRef<TilePoint> getWord(ArrayRef<TilePoint> group, int64_t number, int64_t ofWord) {
  size_t begin = std::min<size_t>(number * ofWord, group.size());
  return group.slice(begin, std::min<size_t>(ofWord, group.size() - begin));
}

void MatrixEmitter::copyRows(const MatrixStep &step, BodyEvaluator::Loads &loads,
                             std::string &obstacle) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  provide(rows.copy, getParts(), builder.getI32Type());
  step.forEachRow([&](Value number, ArrayRef<TilePoint> group) {
    Value first = arith::MulIOp::create(builder, loc, number, index.constant(side));
    if (Value row = words.loadRow(rows.read, group, atom.steps)) {
      auto type = VectorType::get(side, builder.getI32Type());
      row = vector::BitCastOp::create(builder, loc, type, row);
      vector::StoreOp::create(builder, loc, row, rows.copy, ValueRange{first});
      return;
    }
    Value zero = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    for (int64_t word = 0; word < side; ++word) {
      ArrayRef<TilePoint> elements = getWord(group, word, atom.getWordSteps());
      Value value = zero;
      if (!elements.empty()) {
        value = words.getWords(rows.read, elements, loads, obstacle);
        if (!value)
          return;
        value = vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{0});
      }
      Value at = arith::AddIOp::create(builder, loc, first, index.constant(word));
      memref::StoreOp::create(builder, loc, value, rows.copy, ValueRange{at});
    }
  });
}

void MatrixEmitter::copyColumns(const MatrixStep &step, BodyEvaluator::Loads &loads,
                                std::string &obstacle) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  provide(columns.copy, tile.vectors, builder.getI32Type());
  auto type = VectorType::get(side, builder.getI32Type());
  for (auto [vector, group] : llvm::enumerate(step.columns))
    for (int64_t word = 0; word < side; ++word) {
      ArrayRef<TilePoint> elements = getWord(group, word, atom.getWordSteps());
      Value value = elements.empty()
                        ? arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type))
                        : words.getWords(columns.read, elements, loads, obstacle);
      if (!value)
        return;
      Value at = index.constant((static_cast<int64_t>(vector) * side + word) * side);
      vector::StoreOp::create(builder, loc, value, columns.copy, ValueRange{at});
    }
}

MatrixAccess MatrixEmitter::getCopy(const Side &factor, int64_t row) {
  return {factor.copy, index.constant(row * side), index.constant(side)};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void MatrixEmitter::loadRows(const MatrixStep &step, int64_t part, AffineExpr distance) {
  int64_t row = 0;
  for (int64_t before = 0; before < part; ++before)
    row += tile.heights[before];
  getRegisters().buildLoad(
      index, getRows(part),
      distance ? getAccess(rows, words.getAddress(rows.read, step.parts[part]), distance)
               : getCopy(rows, row));
}

void MatrixEmitter::loadColumns(const MatrixStep &step, int64_t vector, AffineExpr distance) {
  AffineExpr address = words.getAddress(columns.read, step.columns[vector].front());
  getRegisters().buildLoad(index, getColumns(vector),
                           distance ? getAccess(columns, set(address, laneDim, 0), distance)
                                    : getCopy(columns, vector * side));
}

bool MatrixEmitter::accumulate(const MatrixStep &step, BodyEvaluator::Loads &loads,
                               IsInsideFn isInside, std::string &obstacle) {
  if (!findSides(step, obstacle))
    return false;
  bool isWhole = static_cast<int64_t>(step.columns.front().size()) == atom.steps;
  bool isMasked = llvm::any_of(step.columns, [](auto &column) { return column[0].mask; });
  AffineExpr ofRows, ofWords;
  if (isWhole && isInside(rows.read, step.rows))
    ofRows = findRowDistance(step);
  if (isWhole && !isMasked && isInside(columns.read, step.rows[0]))
    ofWords = findWordDistance(step);
  if (!ofRows)
    copyRows(step, loads, obstacle);
  if (!ofWords)
    copyColumns(step, loads, obstacle);
  if (!obstacle.empty())
    return false;
  auto multiply = [&](int64_t part, int64_t vector) {
    getRegisters().buildProduct(index, atom, getSums(part, vector),
                                {static_cast<unsigned>(getRows(part)), rows.isUnsigned},
                                {static_cast<unsigned>(getColumns(vector)), columns.isUnsigned});
  };
  if (keepsRows()) {
    for (int64_t part = 0; part < getParts(); ++part)
      loadRows(step, part, ofRows);
    for (int64_t vector = 0; vector < tile.vectors; ++vector) {
      loadColumns(step, vector, ofWords);
      for (int64_t part = 0; part < getParts(); ++part)
        multiply(part, vector);
    }
    return true;
  }
  for (int64_t vector = 0; vector < tile.vectors; ++vector)
    loadColumns(step, vector, ofWords);
  for (int64_t part = 0; part < getParts(); ++part) {
    loadRows(step, part, ofRows);
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      multiply(part, vector);
  }
  return true;
}
