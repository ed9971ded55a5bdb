//===- MergeCost.cpp - when to compute an expression where it is read -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/MergeCost.h"
#include "dialects/te/Analysis/FlopCount.h"
#include "dialects/te/Analysis/PieceBounds.h"
#include "dialects/te/Analysis/SizeTable.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// A reader may compute each element of any producer up to this many times. Only cheap producers
/// may be computed more often.
static constexpr double maxReuse = 2;
/// An arithmetic producer may be copied into up to this many readers.
static constexpr unsigned maxReaders = 4;

static bool isIntegerDivision(Operation &op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

/// Returns whether `op` divides by a power of two, which is a product.
static bool isExactProduct(arith::DivFOp op) {
  APFloat divisor(0.0), inverse(0.0);
  return matchPattern(op.getRhs(), m_ConstantFloat(&divisor)) && divisor.getExactInverse(&inverse);
}

static bool isCostly(Operation &op) {
  if (auto division = dyn_cast<arith::DivFOp>(op))
    return !isExactProduct(division);
  if (isIntegerDivision(op) || isa<arith::RemFOp>(op))
    return true;
  return isTranscendental(op);
}

BodyFacts te::getBodyFacts(Block &body) {
  BodyFacts facts;
  for (Operation &op : body.without_terminator()) {
    if (isa<ReadOp>(op))
      ++facts.numReads;
    else if (!isa<IndexOp, arith::IndexCastOp>(op) && !op.hasTrait<OpTrait::ConstantLike>())
      ++facts.numOps;
    facts.numCostly += isCostly(op);
    facts.mayTrap |= isIntegerDivision(op);
  }
  return facts;
}

BodyFacts te::getFacts(ComputeOp compute) {
  BodyFacts sum;
  for (Region &piece : compute.getPieces()) {
    BodyFacts facts = getBodyFacts(piece.front());
    sum.numOps = std::max(sum.numOps, facts.numOps);
    sum.numCostly = std::max(sum.numCostly, facts.numCostly);
    sum.numReads = std::max(sum.numReads, facts.numReads);
    sum.mayTrap |= facts.mayTrap;
  }
  return sum;
}

double te::getReuse(ArrayRef<OpFoldResult> points, ArrayRef<OpFoldResult> elements) {
  double reuse = 1;
  SmallVector<OpFoldResult> rest(elements);
  for (OpFoldResult size : points) {
    if (std::optional<int64_t> constant = getConstantSize(size))
      reuse *= std::max<int64_t>(*constant, 1);
    else if (auto *it = llvm::find(rest, size); it != rest.end())
      rest.erase(it);
    else
      reuse *= assumedSize; // in range: a double
  }
  for (OpFoldResult size : rest) {
    std::optional<int64_t> constant = getConstantSize(size);
    reuse /= constant ? std::max<int64_t>(*constant, 1) : assumedSize;
  }
  return reuse;
}

/// Restricts the points of `site` to those of the piece that contains `read`.
static void restrictToPiece(ReadOp read, ReadSite &site) {
  PieceBounds bounds = getPieceBounds(getBodyAround(read).where, site.points.size());
  for (auto [dim, size] : llvm::enumerate(site.points))
    size = bounds.getExtent(dim, size);
}

ReadSite te::getReadSite(ReadOp read, Operation *producer) {
  ReadSite site;
  site.op = read->getParentOp();
  auto expression = cast<ExpressionOpInterface>(site.op);
  site.points = expression.getIterationDomain();
  site.points.truncate(getBodyAround(read).numDims);
  restrictToPiece(read, site);
  for (unsigned dim = 0; dim < site.points.size(); ++dim)
    site.isReduced |= expression.getDimKind(dim) == DimKind::Reduction;
  for (Operation *parent = site.op->getParentOp(); parent && !parent->isAncestor(producer);
       parent = parent->getParentOp())
    site.isUnderLoop |= isa<LoopLikeOpInterface>(parent);
  return site;
}

StringRef te::findWorkObstacle(ComputeOp producer, const BodyFacts &facts, const ReadSite &site) {
  if (facts.isRearrangement())
    return "";
  if (site.isUnderLoop)
    return "each iteration of a loop would compute it again";
  if (getReuse(site.points, producer.getParallelSizes()) <= maxReuse)
    return "";
  if (!facts.isCheap())
    return "its reader would compute each element several times";
  if (site.isReduced && facts.numReads != 0)
    return "a reduction would compute each element several times";
  return "";
}

/// Returns the number of reads of tensors that are about as large as the result of `producer`.
static unsigned countLargeReads(ComputeOp producer) {
  unsigned count = 0;
  for (Operation &op : *producer.getPieceBlock())
    if (auto read = dyn_cast<ReadOp>(op)) {
      llvm::SmallDenseSet<unsigned> dims;
      read.getMap().walkExprs([&](AffineExpr expr) {
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          dims.insert(dim.getPosition());
      });
      SmallVector<OpFoldResult> sizes = producer.getParallelSizes(), touched;
      for (unsigned dim = 0; dim < sizes.size(); ++dim)
        if (dims.contains(dim))
          touched.push_back(sizes[dim]);
      count += getReuse(sizes, touched) < 4;
    }
  return count;
}

bool te::isSharedByParts(ComputeOp producer) {
  double sum = 0;
  for (Operation *user : producer->getUsers()) {
    auto read = dyn_cast<ReadOp>(user);
    if (!read)
      return false;
    sum += getReuse(getReadSite(read, producer).points, producer.getParallelSizes());
  }
  return sum <= maxShared;
}

bool te::isWorthStoring(const BodyFacts &facts, ArrayRef<OpFoldResult> points,
                        ArrayRef<OpFoldResult> elements) {
  return !facts.isCheap() && getReuse(points, elements) > maxReuse;
}

StringRef te::findSharingObstacle(ComputeOp producer, const BodyFacts &facts) {
  if (facts.isRearrangement())
    return "";
  llvm::SmallPtrSet<Operation *, 4> readers;
  for (Operation *user : producer->getUsers()) {
    auto read = dyn_cast<ReadOp>(user);
    if (!read)
      return "an op other than a tensor expression uses it";
    if (!findWorkObstacle(producer, facts, getReadSite(read, producer)).empty())
      return "another reader would compute it several times";
    readers.insert(read->getParentOp());
  }
  if (readers.size() <= 1 || isSharedByParts(producer))
    return "";
  if (!facts.isCheap())
    return "several readers would each compute it";
  if (readers.size() > maxReaders)
    return "it has too many readers";
  unsigned numReaders = readers.size(), numReads = countLargeReads(producer);
  if (numReads * numReaders > numReads + 1 + numReaders)
    return "its readers would read more data than it stores";
  return "";
}
