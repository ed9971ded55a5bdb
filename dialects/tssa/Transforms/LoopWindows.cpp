//===- LoopWindows.cpp - what each iteration uses of a carried tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Iterations are independent if some dim of the carried tensor separates them: in this dim, each
/// window starts at a * i + b with one factor a for all windows, and all windows of an iteration
/// lie within |a| * step elements.
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/LoopWindows.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// For each dim of a carried tensor, a range that contains all elements of the window.
using Window = SmallVector<Box::Range>;

/// Stands for a size that is not known. A window that takes all of such a dim overlaps with the
/// windows of other iterations, whatever the step of the loop is.
static constexpr int64_t large = int64_t(1) << 40;

static Window getWholeWindow(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return llvm::map_to_vector(type.getShape(), [](int64_t size) {
    return Box::Range{0, ShapedType::isDynamic(size) ? large : size};
  });
}

/// Returns the window that is selected by `path` from `base`.
static Window getWindow(const Path &path, Value base) {
  Builder builder(base.getContext());
  SmallVector<OpFoldResult> sizes =
      llvm::map_to_vector(getWholeWindow(base), [&](const Box::Range &range) {
        return OpFoldResult(builder.getIndexAttr(*range.size.getConstant()));
      });
  bool isWhole;
  return getBox(path, sizes, isWhole).ranges;
}

/// Returns the range of `expr` over all points of `domain`, if `expr` is a sum over the dims of
/// `domain` and `symbols`.
static std::optional<Box::Range> getRange(AffineExpr expr, ArrayRef<OpFoldResult> domain,
                                          unsigned numDims, ValueRange symbols) {
  SmallVector<int64_t> row;
  if (failed(getFlattenedAffineExpr(expr, numDims, symbols.size(), &row)) ||
      row.size() != numDims + symbols.size() + 1)
    return std::nullopt;
  Box::Range range{row.back(), 1};
  for (auto [symbol, factor] : llvm::zip_equal(symbols, ArrayRef(row).slice(numDims).drop_back()))
    range.start = range.start + Linear::of(symbol) * factor;
  for (auto [dim, factor] : llvm::enumerate(ArrayRef(row).take_front(numDims))) {
    if (factor == 0)
      continue;
    std::optional<int64_t> size = te::getConstantSize(domain[dim]);
    if (!size || *size > large)
      return std::nullopt;
    std::optional<int64_t> length = llvm::checkedMul(*size - 1, factor);
    if (!length || std::abs(*length) > large)
      return std::nullopt;
    range.start = range.start + std::min<int64_t>(*length, 0);
    range.size = range.size + std::abs(*length);
  }
  return range;
}

/// Returns the window of the elements of `tensor` with the indexes `map` over `domain`. Symbols of
/// `map` beyond `symbols` may have any value.
static Window getWindow(AffineMap map, ValueRange symbols, ArrayRef<OpFoldResult> domain,
                        Value tensor) {
  Window window = getWholeWindow(tensor);
  for (auto [range, expr] : llvm::zip_equal(window, map.getResults())) {
    bool isOpaque = false;
    for (unsigned symbol = symbols.size(); symbol < map.getNumSymbols(); ++symbol)
      isOpaque |= expr.isFunctionOfSymbol(symbol);
    if (isOpaque)
      continue;
    if (std::optional<Box::Range> found = getRange(expr, domain, map.getNumDims(), symbols))
      range = *found;
  }
  return window;
}

static Window getWrittenWindow(Operation *write) {
  if (auto assign = dyn_cast<AssignOp>(write))
    return getWindow(assign.getBoundPath(), assign.getBase());
  auto update = cast<te::UpdateOp>(write);
  return getWindow(update.getMap(), update.getSymbols(), update.getIterationDomain(),
                   update.getBase());
}

/// Returns the window that `use` of a version reads, if it is known.
static std::optional<Window> getReadWindow(scf::ForOp loop, OpOperand &use) {
  Operation *user = use.getOwner();
  Block *body = loop.getBody();
  if (auto access = dyn_cast<AccessOp>(user)) {
    if (access->getBlock() == body)
      return getWindow(access.getBoundPath(), access.getBase());
    return std::nullopt;
  }
  auto read = dyn_cast<te::ReadOp>(user);
  auto expression = dyn_cast_if_present<te::ExpressionOpInterface>(user->getParentOp());
  if (!read || !expression || expression->getBlock() != body || use.get() != read.getSource())
    return std::nullopt;
  return getWindow(read.getMap(), read.getSymbols(), expression.getIterationDomain(),
                   read.getSource());
}

/// Returns whether the `windows` of different iterations never overlap in dim `dim`.
static bool separates(scf::ForOp loop, ArrayRef<Window> windows, unsigned dim) {
  Value index = loop.getInductionVar();
  const Box::Range &first = windows.front()[dim];
  int64_t factor = first.start.getFactor(index);
  int64_t least = 0, most = 0;
  for (const Window &window : windows) {
    const Box::Range &range = window[dim];
    std::optional<int64_t> offset = (range.start - first.start).getConstant();
    std::optional<int64_t> size = range.size.getConstant();
    if (!offset || !size)
      return false;
    least = std::min(least, *offset);
    most = std::max(most, *offset + (*size - 1) * range.step);
  }
  for (auto [term, times] : first.start.getTerms())
    if (term != index && !loop.isDefinedOutsideOfLoop(term))
      return false;
  return std::abs(factor) * *getConstantIntValue(loop.getStep()) > most - least;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// Returns the operand of a write that holds the version before it, or null for other ops.
static OpOperand *getBaseOperand(Operation *op) {
  if (auto assign = dyn_cast_if_present<AssignOp>(op))
    return &assign.getBaseMutable();
  if (auto update = dyn_cast_if_present<te::UpdateOp>(op))
    return &update.getBaseMutable();
  return nullptr;
}

/// Returns the chain of writes from `argument` to the value that is yielded for it, if there is
/// one.
static std::optional<CarriedTensor> findChain(scf::ForOp loop, BlockArgument argument) {
  CarriedTensor carried{argument, {}};
  Value value = loop.getTiedLoopYieldedValue(argument)->get();
  while (value != argument) {
    Operation *write = value.getDefiningOp();
    OpOperand *base = getBaseOperand(write);
    if (!base || write->getBlock() != loop.getBody())
      return std::nullopt;
    carried.writes.push_back(write);
    value = base->get();
  }
  std::reverse(carried.writes.begin(), carried.writes.end());
  return carried;
}

/// Appends the windows that are read of `version`. `next` is the use of `version` that makes it the
/// next version or yields it. Returns whether all other uses are reads of windows.
static bool collectReads(scf::ForOp loop, Value version, OpOperand *next,
                         SmallVectorImpl<Window> &windows) {
  for (OpOperand &use : version.getUses()) {
    if (&use == next)
      continue;
    std::optional<Window> window = getReadWindow(loop, use);
    if (!window)
      return false;
    windows.push_back(std::move(*window));
  }
  return true;
}

std::optional<CarriedTensor> refs::findCarriedTensor(scf::ForOp loop, BlockArgument argument,
                                                     std::string &reason) {
  std::optional<CarriedTensor> carried = findChain(loop, argument);
  if (!carried) {
    reason = "a carried tensor is yielded as something other than a chain of writes to it";
    return std::nullopt;
  }
  SmallVector<Window> windows = llvm::map_to_vector(carried->writes, getWrittenWindow);
  Value version = argument;
  for (unsigned number = 0; number <= carried->writes.size(); ++number) {
    bool isLast = number == carried->writes.size();
    OpOperand *next = isLast ? loop.getTiedLoopYieldedValue(argument)
                             : getBaseOperand(carried->writes[number]);
    if (!collectReads(loop, version, next, windows)) {
      reason = "a carried tensor has a use other than reads and writes of slices";
      return std::nullopt;
    }
    if (!isLast)
      version = carried->writes[number]->getResult(0);
  }
  unsigned rank = cast<RankedTensorType>(argument.getType()).getRank();
  if (carried->writes.empty() || llvm::any_of(llvm::seq<unsigned>(0, rank), [&](unsigned dim) {
        return separates(loop, windows, dim);
      }))
    return carried;
  reason = "one iteration may read or write elements that another one writes";
  return std::nullopt;
}
