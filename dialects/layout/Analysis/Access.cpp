//===- Access.cpp - memory access patterns of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/Access.h"
#include "dialects/te/IR/AssumedSize.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/ElementBytes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns the strides of a tensor in memory, where it may lie in a larger tensor.
static SmallVector<int64_t> getStrides(RankedTensorType type, te::WindowAttr window) {
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t dim = type.getRank() - 2; dim >= 0; --dim) {
    int64_t outer = window ? window.getSizes()[dim + 1] : -1;
    int64_t size =
        outer == -1 ? te::assumeSize(type.getDimSize(dim + 1), te::SizeRole::Large) : outer;
    strides[dim] = llvm::SaturatingMultiply<uint64_t>(strides[dim + 1], size);
  }
  return strides;
}

/// Returns the window of a parameter of a kernel or of a result of one, or null if it has none.
static te::WindowAttr findWindow(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto kernel = dyn_cast<te::KernelOp>(argument.getOwner()->getParentOp());
    return kernel ? kernel.getArgumentWindow(argument.getArgNumber()) : te::WindowAttr();
  }
  for (OpOperand &use : tensor.getUses())
    if (isa<te::ReturnOp>(use.getOwner()))
      return use.getOwner()->getParentOfType<te::KernelOp>().getResultWindow(
          use.getOperandNumber());
  return {};
}

static void collectDims(AffineExpr expr, llvm::SmallDenseSet<unsigned> &dims) {
  expr.walk([&](AffineExpr e) {
    if (auto dim = dyn_cast<AffineDimExpr>(e))
      dims.insert(dim.getPosition());
  });
}

/// Adds to `dims` the dims that `value`, computed in `body`, depends on.
static void collectDims(Value value, Block *body, llvm::SmallDenseSet<unsigned> &dims) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return;
  for (Value operand : op->getOperands())
    collectDims(operand, body, dims);
  if (auto read = dyn_cast<te::ReadOp>(op))
    for (AffineExpr expr : read.getMap().getResults())
      collectDims(expr, dims);
  if (auto index = dyn_cast<te::IndexOp>(op))
    collectDims(index.getMap().getResult(0), dims);
  if (auto inside = dyn_cast<te::InsideOp>(op))
    for (AffineExpr expr : inside.getSet().getConstraints())
      collectDims(expr, dims);
}

Access::Access(te::ReadOp read, unsigned numDims)
    : read(read), numDims(numDims),
      elementBytes(te::getElementBytes(read.getSourceType().getElementType())),
      symbols(read.getMap().getNumSymbols(), te::getAssumedSize(te::SizeRole::Large)),
      strides(getStrides(read.getSourceType(), findWindow(read.getSource()))) {
  for (AffineExpr expr : read.getMap().getResults())
    indices.emplace_back(expr);
  for (Value symbol : read.getSymbols())
    collectDims(symbol, read->getBlock(), opaqueDims);
  if (read.getGuard())
    for (AffineExpr expr : read.getGuard()->getConstraints())
      collectDims(expr, guardDims);
}

Access::Access(Value result, unsigned numDims)
    : numDims(numDims), elementBytes(te::getElementBytes(getElementTypeOrSelf(result.getType()))),
      strides(getStrides(cast<RankedTensorType>(result.getType()), findWindow(result))) {
  auto type = cast<RankedTensorType>(result.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    indices.emplace_back(getAffineDimExpr(dim, type.getContext()));
}

int64_t Access::getAddress(ArrayRef<int64_t> point) const {
  uint64_t address = 0; // may wrap around: only differences are used
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    address += static_cast<uint64_t>(index.evaluate(point, symbols).value_or(0)) * stride;
  return static_cast<int64_t>(address);
}

int64_t Access::getStride(unsigned dim) const {
  SmallVector<int64_t> point(numDims, 0);
  int64_t first = getAddress(point);
  point[dim] = 1;
  return getAddress(point) - first;
}

int64_t Access::getMeanDistance(unsigned dim, int64_t count) const {
  if (count < 2)
    return 0;
  SmallVector<int64_t> point(numDims, 0);
  int64_t first = getAddress(point);
  point[dim] = count - 1;
  return std::abs(getAddress(point) - first) / (count - 1);
}

std::optional<BlockIndex> layout::matchBlocks(te::ComputeOp compute, AffineExpr index) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(index);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  auto product = dyn_cast<AffineBinaryOpExpr>(sum.getLHS());
  auto inner = dyn_cast<AffineDimExpr>(sum.getRHS());
  if (!product || product.getKind() != AffineExprKind::Mul || !inner)
    return std::nullopt;
  auto outer = dyn_cast<AffineDimExpr>(product.getLHS());
  auto size = dyn_cast<AffineConstantExpr>(product.getRHS());
  if (!outer || !size || size.getValue() != compute.getStaticSizes()[inner.getPosition()])
    return std::nullopt;
  return BlockIndex{outer.getPosition(), inner.getPosition()};
}

bool Access::canBeAdjacent(unsigned dim) const {
  auto compute = packable ? dyn_cast<te::ComputeOp>(read->getParentOp()) : te::ComputeOp();
  if (!compute)
    return false;
  bool found = false;
  for (AffineExpr index : te::ReadOp(read).getMap().getResults()) {
    if (!index.isFunctionOfDim(dim))
      continue;
    std::optional<BlockIndex> blocks = matchBlocks(compute, index);
    bool isPlain = index == getAffineDimExpr(dim, index.getContext()) ||
                   (blocks && (dim == blocks->outer || dim == blocks->inner));
    if (found || !isPlain)
      return false;
    found = true;
  }
  return found;
}

StrideKind Access::getStrideKind(unsigned dim, int64_t count) const {
  if (opaqueDims.contains(dim))
    return StrideKind::Strided;
  if (canBeAdjacent(dim))
    return StrideKind::Contiguous;
  SmallVector<int64_t> point(numDims, 0);
  int64_t before = getAddress(point);
  bool invariant = true, contiguous = true;
  for (int64_t i = 1; i < std::max<int64_t>(count, 2); ++i) {
    point[dim] = i;
    int64_t address = getAddress(point);
    invariant &= address == before;
    contiguous &= address == before + 1;
    before = address;
  }
  return invariant    ? StrideKind::Invariant
         : contiguous ? StrideKind::Contiguous
                      : StrideKind::Strided;
}

std::optional<SmallVector<int64_t>> Access::getOffsets(unsigned dim, int64_t count,
                                                       int64_t extent) const {
  if (opaqueDims.contains(dim))
    return std::nullopt;
  if (canBeAdjacent(dim))
    return llvm::to_vector(llvm::seq<int64_t>(0, count));
  SmallVector<int64_t> point(numDims, 0), offsets;
  int64_t first = getAddress(point), numRuns = extent / count;
  for (int64_t i = 0; i < count; ++i) {
    point[dim] = i;
    offsets.push_back(getAddress(point) - first);
  }
  for (int64_t run : {int64_t(1), int64_t(2), int64_t(3), numRuns - 1}) {
    if (run < 1 || run >= numRuns)
      continue;
    point[dim] = run * count;
    first = getAddress(point);
    for (auto [i, offset] : llvm::enumerate(offsets)) {
      point[dim] = run * count + i;
      if (getAddress(point) - first != offset)
        return std::nullopt;
    }
  }
  return offsets;
}

bool Access::canFuse(unsigned outer, unsigned inner, int64_t extent) const {
  for (unsigned dim : {outer, inner})
    if (opaqueDims.contains(dim) || guardDims.contains(dim))
      return false;
  SmallVector<int64_t> point(numDims, 0);
  int64_t first = getAddress(point), stride = getStride(inner);
  for (int64_t i : {int64_t(1), int64_t(2), int64_t(3)}) {
    point[outer] = i;
    if (getAddress(point) != first + i * extent * stride)
      return false;
  }
  point[outer] = 1;
  point[inner] = extent - 1;
  return extent < 1 || getAddress(point) == first + (2 * extent - 1) * stride;
}

bool layout::isReadInSteps(te::ComputeOp op, const Access &access) {
  return !access.isWrite() && access.getRead()->getParentRegion() != &op.getEpilogue();
}

SmallVector<Access> layout::getAccesses(te::ComputeOp op) {
  SmallVector<Access> accesses;
  for (Region &piece : op.getPieces())
    piece.walk([&](te::ReadOp read) { accesses.emplace_back(read, op.getNumDims()); });
  op.getEpilogue().walk([&](te::ReadOp read) { accesses.emplace_back(read, op.getNumDims()); });
  for (Value result : op.getResults())
    accesses.emplace_back(result, op.getNumDims());
  return accesses;
}
