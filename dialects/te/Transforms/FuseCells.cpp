//===- FuseCells.cpp - sums of products that one expression reads together -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The cell of an LSTM reads four windows of one product: its gates. An element of the state needs
/// one element of each. Such a cell is one expression with an accumulator for each window, whose
/// epilogue computes the state. So are the gates of a GRU and of a gated linear unit.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Character.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/AbsorbConsumer.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/WeightCollector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/CSE.h"
#include "tssa/Support/CheckedSize.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEFUSECELLS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// More windows would need more accumulators than there are registers.
static constexpr size_t mostWindows = 8;

/// Larger products share what they load among rows of a tile, for which windows leave no registers.
static constexpr double mostOperations = 1 << 20;

/// An index `dim + offset`, or `offset` if there is no dim.
struct WindowIndex {
  std::optional<unsigned> dim;
  int64_t offset = 0;
};

static std::optional<WindowIndex> matchIndex(AffineExpr expr) {
  WindowIndex index;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr); sum && sum.getKind() == AffineExprKind::Add) {
    auto offset = dyn_cast<AffineConstantExpr>(sum.getRHS());
    if (!offset)
      return std::nullopt;
    index.offset = offset.getValue();
    expr = sum.getLHS();
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    index.dim = dim.getPosition();
  else if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    index.offset += constant.getValue();
  else
    return std::nullopt;
  return index;
}

/// Returns the indexes of a window, if each dim of `consumer` occurs once in them.
static std::optional<SmallVector<WindowIndex>> matchWindow(ComputeOp consumer, AffineMap map) {
  SmallVector<WindowIndex> indexes;
  SmallVector<bool> used(consumer.getNumParallel(), false);
  for (AffineExpr expr : map.getResults()) {
    std::optional<WindowIndex> index = matchIndex(expr);
    if (!index || (index->dim && std::exchange(used[*index->dim], true)))
      return std::nullopt;
    indexes.push_back(*index);
  }
  for (auto [isUsed, size] : llvm::zip(used, consumer.getIterationDomain()))
    if (!isUsed && getConstantSize(size) != 1)
      return std::nullopt;
  return indexes;
}

/// Returns the iterations of an index, if they are known.
static std::optional<int64_t> getExtent(ComputeOp consumer, const WindowIndex &index) {
  return index.dim ? getConstantSize(consumer.getIterationDomain()[*index.dim]) : 1;
}

/// Returns whether two windows have no element in common.
static bool areDisjoint(ComputeOp consumer, ArrayRef<WindowIndex> a, ArrayRef<WindowIndex> b) {
  return llvm::any_of(llvm::zip(a, b), [&](auto pair) {
    auto [left, right] = pair;
    std::optional<int64_t> extent = getExtent(consumer, left);
    return left.dim == right.dim && extent && std::abs(left.offset - right.offset) >= *extent;
  });
}

/// Returns why `consumer` cannot become the epilogue of `reduction` at several windows, or an empty
/// string if it can.
static StringRef findObstacle(ComputeOp reduction, ComputeOp consumer) {
  if (consumer.hasReduction() || consumer.getPieces().size() != 1)
    return "its reader is a reduction or consists of pieces";
  if (reduction.getPieces().size() != 1 || reduction->getBlock() != consumer->getBlock())
    return "it consists of pieces, or its reader is in another region";
  SmallVector<AffineMap> maps;
  SmallVector<SmallVector<WindowIndex>> windows;
  for (Operation *user : reduction->getUsers()) {
    auto read = dyn_cast<ReadOp>(user);
    if (!read || read->getParentOp() != consumer)
      return "it has several users";
    if (read.getGuard() || !read.getSymbols().empty())
      return "its reader guards it or reads it at opaque indexes";
    if (llvm::is_contained(maps, read.getMap()))
      continue;
    std::optional<SmallVector<WindowIndex>> window = matchWindow(consumer, read.getMap());
    if (!window || llvm::any_of(windows, [&](ArrayRef<WindowIndex> other) {
          return !areDisjoint(consumer, *window, other);
        }))
      return "its reader reads an element of it repeatedly";
    maps.push_back(read.getMap());
    windows.push_back(*window);
  }
  if (windows.size() * reduction.getAccumulatorTypes().size() > mostWindows)
    return "its reader reads too many windows of it";
  return windows.size() < 2 ? "its reader reads one window of it" : "";
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Returns `extent` indexes of dim `dim` of a constant, from `offset` on; null if its bytes are not
/// known.
static ElementsAttr sliceConstant(ElementsAttr value, unsigned dim, int64_t offset,
                                  int64_t extent) {
  auto type = cast<RankedTensorType>(value.getShapedType());
  Type element = type.getElementType();
  FailureOr<ConstantBytes> bytes = ConstantBytes::get(value);
  if (failed(bytes) || bytes->getBytes().empty() || !element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() % 8 != 0)
    return {};
  int64_t rows = *::tssa::CheckedSize::product(type.getShape().take_front(dim), 1).get();
  int64_t pitch = bytes->getBytes().size() / rows, step = pitch / type.getDimSize(dim);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = extent;
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(rows * extent * step, 64);
  for (int64_t row = 0; row < rows; ++row)
    std::copy_n(bytes->getBytes().data() + row * pitch + offset * step, extent * step,
                blob.getMutableData().data() + row * extent * step);
  return makeConstant(type.clone(shape), "window", std::move(blob));
}

/// Gives each window of constant weights a constant of its own, which can be stored in the order of
/// the loops.
static void sliceWeights(RewriterBase &rewriter, ReadOp read, ReadOp clone, AffineMap window,
                         ComputeOp consumer) {
  auto constant = clone.getSource().getDefiningOp<ConstantOp>();
  if (!constant || clone.getGuard() || !clone.getSymbols().empty())
    return;
  for (auto [axis, expr] : llvm::enumerate(window.getResults())) {
    std::optional<WindowIndex> index = matchIndex(expr);
    std::optional<int64_t> extent = getExtent(consumer, *index);
    std::optional<unsigned> dim = findPlainIndex(read, axis);
    if (!dim || !extent)
      continue;
    int64_t size = clone.getSourceType().getDimSize(*dim);
    if (*extent == size || index->offset < 0 || index->offset > size - *extent)
      continue;
    ElementsAttr slice = sliceConstant(constant.getValue(), *dim, index->offset, *extent);
    if (!slice)
      return;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfter(constant);
    constant = ConstantOp::create(rewriter, constant.getLoc(), slice);
    SmallVector<AffineExpr> indexes(clone.getMap().getResults());
    indexes[*dim] = indexes[*dim] - index->offset;
    rewriter.modifyOpInPlace(clone, [&] {
      clone.getSourceMutable().assign(constant);
      clone.setMapAttr(AffineMapAttr::get(
          AffineMap::get(clone.getMap().getNumDims(), 0, indexes, clone.getContext())));
    });
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("cell").category("te-fuse-cells");
}

namespace {
class CellFuser {
public:
  CellFuser(func::FuncOp function, ::tssa::Apply apply)
      : function(function), dominance(function), rewriter(function.getContext()), apply(apply) {}

  void run() {
    SmallVector<ComputeOp> reductions;
    function.walk([&](ComputeOp compute) {
      if (compute.hasReduction() && !compute->use_empty())
        reductions.push_back(compute);
    });
    for (ComputeOp reduction : reductions)
      visit(reduction);
  }

  unsigned numFused = 0;

private:
  void visit(ComputeOp reduction) {
    ComputeOp consumer;
    for (Operation *user : reduction->getUsers())
      if (auto reader = dyn_cast<ComputeOp>(user->getParentOp()))
        consumer = reader;
    if (!consumer)
      return;
    StringRef obstacle = findObstacle(reduction, consumer);
    SizeTable sizes(reduction.getContext());
    Character character = getCharacter(reduction, sizes);
    double operations = assumeSizes(character.operations);
    if (obstacle.empty() && apply == ::tssa::Apply::Auto && operations > mostOperations &&
        character.isComputeIntensive(CharacterRule::Reuse))
      obstacle = "it is large and compute-intensive";
    if (!obstacle.empty()) {
      remark::missed(reduction.getLoc(), getRemarkOptions())
          << remark::reason("{0}", obstacle)
          << remark::metric("Operations", static_cast<int64_t>(operations));
      return;
    }
    ComputeOp fused = absorbConsumer(rewriter, reduction, consumer,
                                     [&](ReadOp read, ReadOp clone, AffineMap window) {
                                       sliceWeights(rewriter, read, clone, window, consumer);
                                     });
    eliminateCommonSubExpressions(rewriter, dominance, fused);
    ++numFused;
    remark::passed(fused.getLoc(), getRemarkOptions())
        << remark::add("an accumulator for each window")
        << remark::metric("Accumulators", fused.getAccumulatorTypes().size())
        << remark::metric("LaunchesSaved", 1)
        << remark::metric("Operations", static_cast<int64_t>(operations));
  }

  func::FuncOp function;
  DominanceInfo dominance;
  IRRewriter rewriter;
  ::tssa::Apply apply;
};

struct FuseCells : te::impl::TEFuseCellsBase<FuseCells> {
  using TEFuseCellsBase::TEFuseCellsBase;

  void runOnOperation() override {
    if (apply == ::tssa::Apply::Never)
      return;
    CellFuser fuser(getOperation(), apply);
    fuser.run();
    numFused += fuser.numFused;
  }
};
} // namespace
