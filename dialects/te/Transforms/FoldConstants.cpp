//===- FoldConstants.cpp - folds rearrangements of constants -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// After merging, some expressions may be left that only rearrange constants, such as gates in
/// another order, heads that are split off, or a concatenation of weights. They are evaluated here.
/// Bytes are moved and nothing is computed, so the result is exact for every type.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/CompiledExpr.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/WeightCollector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "tssa/Support/CheckedSize.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEFOLDCONSTANTS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// A result of more elements than this is only folded if it has no more elements than the constants
/// that it reads.
static constexpr int64_t smallElements = 4096;

namespace {
/// A piece that only reads a constant.
struct ConstantPiece {
  IntegerSet where;
  ReadOp read;
  ConstantBytes bytes;
};
} // namespace

static std::optional<ConstantPiece> matchPiece(ComputeOp compute, unsigned piece) {
  Block &body = *compute.getPieceBlock(piece);
  auto read = dyn_cast<ReadOp>(body.front());
  auto constant = read ? read.getSource().getDefiningOp<ConstantOp>() : ConstantOp();
  if (!constant || !llvm::hasNItems(body, 2) || !read.getSymbols().empty() || read.getGuard() ||
      body.getTerminator()->getOperand(0) != read.getValue())
    return std::nullopt;
  FailureOr<ConstantBytes> bytes = ConstantBytes::get(constant.getValue());
  if (failed(bytes))
    return std::nullopt;
  return ConstantPiece{compute.getPieceSet(piece), read, *bytes};
}

/// Returns the pieces of `compute` if each of them only reads a constant and the result is small
/// enough; otherwise nothing. The result may have at most `maxElements` elements. It must
/// also have no more elements than all these constants together, or than `smallElements` if that is
/// more.
static SmallVector<ConstantPiece> matchPieces(ComputeOp compute, int64_t maxElements) {
  auto type = cast<RankedTensorType>(compute.getResultTypes().front());
  if (compute.hasReduction() || compute.getNumResults() != 1 || !type.hasStaticShape() ||
      !compute.getSymbols().empty() || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0 || type.getNumElements() > maxElements)
    return {};
  SmallVector<ConstantPiece> pieces;
  int64_t numRead = 0;
  SmallPtrSet<void *, 4> sources;
  for (unsigned piece = 0; piece < compute.getPieces().size(); ++piece) {
    std::optional<ConstantPiece> matched = matchPiece(compute, piece);
    if (!matched)
      return {};
    if (sources.insert(matched->read.getSource().getAsOpaquePointer()).second)
      numRead += matched->read.getSourceType().getNumElements();
    pieces.push_back(std::move(*matched));
  }
  if (type.getNumElements() > std::max(numRead, smallElements))
    return {};
  return pieces;
}

/// Advances `point` to the next point in row-major order.
static void advance(MutableArrayRef<int64_t> point, ArrayRef<int64_t> shape) {
  for (unsigned dim = shape.size(); dim-- > 0;) {
    if (++point[dim] < shape[dim])
      return;
    point[dim] = 0;
  }
}

/// Writes the elements of one piece to `result`. Returns false if an index is out of bounds or
/// cannot be evaluated.
static bool fillPiece(const ConstantPiece &piece, ArrayRef<int64_t> shape, unsigned elementBytes,
                      MutableArrayRef<char> result) {
  SmallVector<CompiledExpr> conditions, indexes;
  IntegerSet where = piece.where;
  if (where)
    for (AffineExpr constraint : where.getConstraints())
      conditions.emplace_back(constraint);
  ReadOp read = piece.read;
  for (AffineExpr expr : read.getMap().getResults())
    indexes.emplace_back(expr);
  ArrayRef<int64_t> sourceShape = read.getSourceType().getShape();
  ArrayRef<char> source = piece.bytes.getBytes();
  SmallVector<int64_t> point(shape.size(), 0);
  for (size_t offset = 0; offset < result.size(); offset += elementBytes, advance(point, shape)) {
    bool inside = true;
    for (unsigned i = 0; i < conditions.size() && inside; ++i) {
      std::optional<int64_t> value = conditions[i].evaluate(point);
      if (!value)
        return false;
      inside = where.isEq(i) ? *value == 0 : *value >= 0;
    }
    if (!inside)
      continue;
    int64_t address = 0;
    for (auto [index, size] : llvm::zip_equal(indexes, sourceShape)) {
      std::optional<int64_t> position = index.evaluate(point);
      if (!position)
        return false;
      address = address * size + *position;
    }
    if (address < 0 || address >= int64_t(source.size() / elementBytes))
      return false;
    std::copy_n(source.begin() + address * elementBytes, elementBytes, result.begin() + offset);
  }
  return true;
}

/// Returns the constant that `compute` evaluates to, or null if a piece cannot be evaluated.
static ElementsAttr evaluate(ComputeOp compute, ArrayRef<ConstantPiece> pieces) {
  auto type = cast<RankedTensorType>(compute.getResultTypes().front());
  unsigned elementBytes = type.getElementTypeBitWidth() / 8;
  std::optional<int64_t> numBytes =
      ::tssa::CheckedSize::product(type.getShape(), elementBytes).get();
  if (!numBytes)
    return {};
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(*numBytes, 64);
  MutableArrayRef<char> bytes = blob.getMutableData();
  llvm::fill(bytes, 0);
  for (const ConstantPiece &piece : pieces)
    if (!fillPiece(piece, type.getShape(), elementBytes, bytes))
      return {};
  if (type.getNumElements() <= smallElements)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  return DenseResourceElementsAttr::get(type, "folded", std::move(blob));
}

namespace {
struct FoldConstants : te::impl::TEFoldConstantsBase<FoldConstants> {
  using TEFoldConstantsBase::TEFoldConstantsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ComputeOp> computes;
    getOperation().walk([&](ComputeOp compute) { computes.push_back(compute); });
    int64_t left = maxElements;
    for (ComputeOp compute : computes) {
      SmallVector<ConstantPiece> pieces = matchPieces(compute, left);
      ElementsAttr value = pieces.empty() ? ElementsAttr() : evaluate(compute, pieces);
      if (!value)
        continue;
      SmallVector<Operation *> sources;
      for (const ConstantPiece &piece : pieces)
        sources.push_back(ReadOp(piece.read).getSource().getDefiningOp());
      rewriter.setInsertionPoint(compute);
      auto constant = ConstantOp::create(rewriter, compute.getLoc(), value);
      left -= constant.getType().getNumElements();
      rewriter.replaceOp(compute, constant);
      remark::passed(constant.getLoc(), remark::RemarkOpts::name("folded").category(getArgument()))
          << remark::metric("Elements", constant.getType().getNumElements())
          << remark::metric("ElementsLeft", left);
      for (Operation *source : llvm::SetVector<Operation *>(sources.begin(), sources.end()))
        if (source->use_empty())
          rewriter.eraseOp(source);
      ++numFolded;
    }
  }
};
} // namespace
