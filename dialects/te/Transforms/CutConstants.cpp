//===- CutConstants.cpp - a constant for each window of weights -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/WindowIndex.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/WeightCollector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "tssa/Support/CheckedSize.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TECUTCONSTANTS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
/// What a read reads of a constant.
struct Box {
  SmallVector<int64_t> offsets, extents;

  bool operator==(const Box &other) const {
    return offsets == other.offsets && extents == other.extents;
  }
  bool isDisjoint(const Box &other) const {
    return llvm::any_of(llvm::seq<size_t>(0, offsets.size()), [&](size_t axis) {
      return offsets[axis] >= other.offsets[axis] + other.extents[axis] ||
             other.offsets[axis] >= offsets[axis] + extents[axis];
    });
  }
};
} // namespace

/// Returns the box of a read in the body of a reduction, if it is in bounds and not all of the
/// constant. The weights of an epilogue are small, and stay together.
static std::optional<Box> getBox(OpOperand &use) {
  auto read = dyn_cast<ReadOp>(use.getOwner());
  auto compute = read ? dyn_cast<ComputeOp>(read->getParentOp()) : ComputeOp();
  if (!compute || !compute.hasReduction() || compute.getPieces().size() != 1 ||
      read->getParentRegion() != &compute.getPieces().front() || read.getGuard() ||
      !read.getSymbols().empty())
    return std::nullopt;
  std::optional<SmallVector<WindowIndex>> indexes = matchWindowIndexes(read.getMap());
  if (!indexes)
    return std::nullopt;
  Box box;
  for (auto [index, size] : llvm::zip_equal(*indexes, read.getSourceType().getShape())) {
    int64_t extent = index.dim ? compute.getStaticSizes()[*index.dim] : 1;
    if (ShapedType::isDynamic(extent) || index.offset < 0 || index.offset > size - extent)
      return std::nullopt;
    box.offsets.push_back(index.offset);
    box.extents.push_back(extent);
  }
  bool isWhole = llvm::equal(box.extents, read.getSourceType().getShape());
  return isWhole ? std::nullopt : std::optional(box);
}

/// Returns the elements in `box`, or null if the bytes of the constant are not known.
static ElementsAttr cut(ElementsAttr value, const Box &box) {
  auto type = cast<RankedTensorType>(value.getShapedType());
  unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
  FailureOr<ConstantBytes> bytes = ConstantBytes::get(value);
  std::optional<int64_t> total = ::tssa::CheckedSize::product(box.extents, bits / 8).get();
  if (failed(bytes) || bits == 0 || bits % 8 != 0 || !total || *total == 0)
    return {};
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(*total, 64);
  int64_t rank = type.getRank(), row = box.extents.back() * (bits / 8);
  SmallVector<int64_t> point(rank, 0);
  for (char *to = blob.getMutableData().data(), *end = to + *total; to != end; to += row) {
    int64_t element = 0;
    for (int64_t axis = 0; axis < rank; ++axis)
      element = element * type.getDimSize(axis) + box.offsets[axis] + point[axis];
    std::copy_n(bytes->getBytes().data() + element * (bits / 8), row, to);
    for (int64_t axis = rank - 1; axis-- > 0; point[axis] = 0)
      if (++point[axis] < box.extents[axis])
        break;
  }
  return makeConstant(type.clone(box.extents), "window", std::move(blob));
}

/// Makes `read` read a constant that has what is in `box`.
static void readWindow(ReadOp read, ConstantOp window, const Box &box) {
  SmallVector<AffineExpr> indexes;
  for (auto [expr, offset] : llvm::zip_equal(read.getMap().getResults(), box.offsets))
    indexes.push_back(expr - offset);
  read.getSourceMutable().assign(window);
  read.setMap(AffineMap::get(read.getMap().getNumDims(), 0, indexes, read.getContext()));
}

/// Cuts a constant if no two of its windows overlap, so that its elements are stored once. Returns
/// the number of windows; there are none if it stays.
static size_t cutConstant(ConstantOp constant) {
  SmallVector<std::pair<ReadOp, Box>, 0> reads;
  SmallVector<Box, 0> boxes;
  for (OpOperand &use : constant->getUses()) {
    std::optional<Box> box = getBox(use);
    if (!box)
      return 0;
    reads.push_back({cast<ReadOp>(use.getOwner()), *box});
    if (llvm::is_contained(boxes, *box))
      continue;
    if (llvm::any_of(boxes, [&](const Box &other) { return !box->isDisjoint(other); }))
      return 0;
    boxes.push_back(std::move(*box));
  }
  SmallVector<ConstantOp> windows;
  OpBuilder builder(constant);
  for (const Box &box : boxes) {
    ElementsAttr value = cut(constant.getValue(), box);
    if (!value)
      return 0;
    windows.push_back(ConstantOp::create(builder, constant.getLoc(), value));
  }
  for (auto &[read, box] : reads)
    readWindow(read, windows[llvm::find(boxes, box) - boxes.begin()], box);
  return windows.size();
}

namespace {
struct CutConstants : te::impl::TECutConstantsBase<CutConstants> {
  void runOnOperation() override {
    SmallVector<ConstantOp> constants;
    getOperation().walk([&](ConstantOp constant) { constants.push_back(constant); });
    for (ConstantOp constant : constants) {
      size_t count = cutConstant(constant);
      if (count == 0)
        continue;
      ++numCut;
      remark::passed(constant.getLoc(),
                     remark::RemarkOpts::name("windows").category("te-cut-constants"))
          << remark::metric("Windows", static_cast<int64_t>(count));
      constant.erase();
    }
  }
};
} // namespace
