//===- DeviceProduct.cpp - products on a GPU and their tiles --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/DeviceProduct.h"
#include "dialects/layout/Analysis/AtomRules.h"
#include "dialects/layout/IR/DeviceModel.h"
#include "dialects/layout/Template/Roles.h"
#include "dialects/te/Analysis/IndexSimplifier.h"
#include "dialects/te/IR/AssumedSize.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/ElementBytes.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// The least rows, columns and steps of a product that is tiled.
static constexpr int64_t leastTiled = 16;
/// The bytes of a run, which one copy brings to shared memory.
static constexpr int64_t runBytes = 16;
static constexpr int64_t warp = DeviceModel::warp;
/// The bytes that all banks of shared memory give at a time.
static constexpr int64_t bankBytes = 128;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

static int64_t countIterations(te::ComputeOp op, ArrayRef<unsigned> dims) {
  int64_t count = 1;
  for (unsigned dim : dims)
    count = llvm::SaturatingMultiply<uint64_t>(
        count, te::assumeSize(op.getStaticSizes()[dim], te::SizeRole::Threads));
  return count;
}

/// Returns whether the elements of `read` along `dim` lie in runs of `run` elements, which begin at
/// multiples of `run` of the last index, while no other index moves inside of a run.
static bool hasRuns(te::ComputeOp op, te::ReadOp read, unsigned dim, int64_t run) {
  MLIRContext *context = read.getContext();
  SmallVector<te::IndexRange> ranges;
  for (int64_t size : op.getStaticSizes())
    ranges.push_back(ShapedType::isDynamic(size)
                         ? te::IndexRange::atLeast(0)
                         : te::IndexRange::below(getAffineConstantExpr(size, context)));
  if (ShapedType::isDynamic(op.getStaticSizes()[dim]))
    return false;
  ranges[dim] = te::IndexRange::below(
      getAffineConstantExpr(llvm::divideCeil(op.getStaticSizes()[dim], run), context));
  te::IndexSimplifier simplifier(context, ranges, {});
  AffineExpr number = getAffineDimExpr(dim, context); // of a run
  auto isEqual = [&](AffineExpr expr, int64_t value) {
    return simplifier.simplify(expr) == getAffineConstantExpr(value, context);
  };
  ArrayRef<AffineExpr> indexes = read.getMap().getResults();
  if (!isEqual(indexes.back().replace(number, number * run) % run, 0))
    return false;
  for (AffineExpr index : indexes) {
    AffineExpr first = index.replace(number, number * run);
    for (int64_t at = 1; at < run; ++at)
      if (!isEqual(index.replace(number, number * run + at) - first,
                   index == indexes.back() ? at : 0))
        return false;
  }
  return true;
}

/// Returns whether the rows of the tensor that `read` reads are whole runs in memory.
static bool isAligned(te::ReadOp read, int64_t run) {
  int64_t size = read.getSourceType().getShape().back();
  if (ShapedType::isDynamic(size) || size % run != 0)
    return false;
  auto parameter = dyn_cast<BlockArgument>(read.getSource());
  auto kernel = parameter ? read->getParentOfType<te::KernelOp>() : te::KernelOp();
  te::WindowAttr window =
      kernel ? kernel.getArgumentWindow(parameter.getArgNumber()) : te::WindowAttr();
  return parameter && (!window || (window.getSizes().asArrayRef().back() % run == 0 &&
                                   window.getAt().asArrayRef().back() % run == 0));
}

/// Returns whether tiles along `dims` have whole runs of `read`, each of which is in bounds or not.
static bool hasRunsAlong(te::ComputeOp op, te::ReadOp read, ArrayRef<unsigned> dims, int64_t run) {
  IntegerSet guard = read.getGuard().value_or(IntegerSet());
  return dims.size() == 1 && hasRuns(op, read, dims.front(), run) &&
         (!guard || llvm::none_of(guard.getConstraints(), [&](AffineExpr constraint) {
           return constraint.isFunctionOfDim(dims.front());
         }));
}

/// Returns whether copies can bring what `read` reads for tiles of `rows` and of `steps`. What is
/// out of bounds is zero.
static bool canCopy(te::ComputeOp op, te::ReadOp read, ArrayRef<unsigned> rows,
                    ArrayRef<unsigned> steps, int64_t run) {
  if (!read || !read.getSymbols().empty() || !isAligned(read, run) ||
      (read.getGuard() && !matchPattern(read.getPadAttr(), m_AnyZeroFloat())))
    return false;
  return hasRunsAlong(op, read, steps, run) || hasRunsAlong(op, read, rows, run);
}

/// Sets what `product` says about the memory of `factor`, which its atom takes.
static void setFactor(DeviceProduct &product, Value factor) {
  te::ComputeOp op = product.op;
  bool hasRows = llvm::any_of(te::collectDims(factor, op.getPieceBlock(0)),
                              [&](unsigned dim) { return llvm::is_contained(product.rows, dim); });
  int64_t run = runBytes * 8 / factor.getType().getIntOrFloatBitWidth();
  auto read = factor.getDefiningOp<te::ReadOp>();
  unsigned number = hasRows ? 0 : 1;
  product.isCopied[number] =
      canCopy(op, read, hasRows ? product.rows : product.columns, product.steps, run);
  product.isGuarded[number] = !read || read.getGuard();
  product.hasRowsOfSteps[number] =
      !product.isCopied[number] || hasRunsAlong(op, read, product.steps, run);
}

/// Sets the atom of `product`, if there is one.
static void findAtomOf(DeviceProduct &product) {
  if (product.op.getPieces().size() != 1)
    return;
  for (const Atom &atom : getAtoms()) {
    if (atom.hasOneLoop())
      continue;
    Value first = findAtomFactor(product.op, /*piece=*/0, /*operand=*/0, atom);
    Value second = findAtomFactor(product.op, /*piece=*/0, /*operand=*/1, atom);
    if (!first || !second)
      continue;
    setFactor(product, first);
    setFactor(product, second);
    product.atom = &atom;
    return;
  }
}

/// Says of the factors of `product`, of which no atom computes tiles, whether lanes can load runs
/// of them.
static void findRuns(DeviceProduct &product) {
  te::ComputeOp op = product.op;
  for (te::ReadOp read : op.getPieceBlock(0)->getOps<te::ReadOp>()) {
    auto hasDim = [&](unsigned dim) { return read.getMap().isFunctionOfDim(dim); };
    unsigned number = llvm::any_of(product.rows, hasDim) ? 0 : 1;
    int64_t run = std::max<int64_t>(runBytes / te::getElementBytes(read.getType()), 1);
    ArrayRef<unsigned> own = number == 0 ? product.rows : product.columns;
    product.isCopied[number] = !read.getGuard() && canCopy(op, read, own, product.steps, run);
    product.hasRowsOfSteps[number] = hasRunsAlong(op, read, product.steps, run);
  }
}

/// Divides the reduction dims of `product` into windows and steps. If there are few steps without
/// them, the windows are steps too.
static void setSteps(DeviceProduct &product) {
  te::ComputeOp op = product.op;
  Roles roles = getRoles(op);
  for (unsigned dim = op.getNumParallel(); dim < op.getNumDims(); ++dim)
    (roles[dim] == Role::Window ? product.windows : product.steps).push_back(dim);
  if (countIterations(op, product.steps) < leastTiled) {
    product.steps = llvm::to_vector(llvm::seq<unsigned>(op.getNumParallel(), op.getNumDims()));
    product.windows.clear();
  }
  product.numWindows = countIterations(op, product.windows);
  product.numSteps = countIterations(op, product.steps);
}

std::optional<DeviceProduct> layout::matchDeviceProduct(te::ComputeOp op) {
  std::optional<te::Factors> factors = te::matchFactors(op);
  if (!factors)
    return std::nullopt;
  DeviceProduct product;
  product.op = op;
  setSteps(product);
  auto dependsOnSteps = [&](const llvm::SetVector<unsigned> &dims) {
    return llvm::any_of(product.steps, [&](unsigned dim) { return dims.contains(dim); });
  };
  if (product.numSteps < leastTiled || !dependsOnSteps(factors->first) ||
      !dependsOnSteps(factors->second))
    return std::nullopt;
  SmallVector<unsigned> first, second;
  for (unsigned dim = 0; dim < op.getNumParallel(); ++dim) {
    bool inFirst = factors->first.contains(dim), inSecond = factors->second.contains(dim);
    (inFirst == inSecond ? product.both : inFirst ? first : second).push_back(dim);
  }
  // Results are adjacent along the last dim.
  if (llvm::is_contained(first, op.getNumParallel() - 1))
    std::swap(first, second);
  product.rows = first;
  product.columns = second;
  product.isOpen = llvm::any_of(op.getStaticSizes(), ShapedType::isDynamic);
  auto isOpen = [&](unsigned dim) { return ShapedType::isDynamic(op.getStaticSizes()[dim]); };
  product.hasOpenTiles = llvm::any_of(second, isOpen) || llvm::any_of(product.steps, isOpen);
  product.numBatches = countIterations(op, product.both);
  product.numRows = countIterations(op, first);
  product.numColumns = countIterations(op, second);
  if (first.empty() || second.empty() || product.numRows < leastTiled ||
      product.numColumns < leastTiled)
    return std::nullopt;
  for (te::ReadOp read : op.getPieceBlock(0)->getOps<te::ReadOp>()) {
    product.factorBytes = te::getElementBytes(read.getType());
    product.hasGuards |= read.getGuard() && !llvm::any_of(product.steps, [&](unsigned dim) {
                           return read.getMap().getResults().back().isFunctionOfDim(dim);
                         });
  }
  product.resultBytes =
      te::getElementBytes(cast<ShapedType>(op.getResult(0).getType()).getElementType());
  findAtomOf(product);
  if (!product.atom)
    findRuns(product);
  return product;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

raw_ostream &layout::operator<<(raw_ostream &stream, const DevicePoint &point) {
  stream << "block " << point.rows << 'x' << point.columns << ", steps " << point.steps
         << ", warps " << point.warpsDown << 'x' << point.warpsAcross;
  if (point.usesAtom)
    return stream << ", split " << point.split << ", depth " << point.depth << ", atom";
  return stream << ", lane " << point.laneRows << 'x' << point.laneColumns;
}

/// Returns whether the threads of `point` share the runs of both boxes evenly.
static bool sharesRuns(const DevicePoint &point, int64_t run) {
  int64_t threads = point.getWarps() * warp, steps = point.getBlockSteps();
  return point.rows * steps / run % threads == 0 && point.columns * steps / run % threads == 0;
}

/// Returns whether the boxes of `point` have rows of at least 128 bytes, all banks of shared
/// memory: shorter ones are filled with conflicts. A product that is smaller has no longer ones.
static bool hasLongRows(const DeviceProduct &product, const DevicePoint &point) {
  auto isLong = [&](unsigned number, int64_t own, int64_t all) {
    return product.getRowBytes(number, own, point.getBlockSteps()) >= bankBytes ||
           product.getRowBytes(number, all, product.numSteps) < bankBytes;
  };
  return isLong(0, point.rows, product.numRows) && isLong(1, point.columns, product.numColumns);
}

static void addAtomPoints(const DeviceProduct &product, SmallVectorImpl<DevicePoint> &points) {
  int64_t run = runBytes / product.factorBytes;
  auto addDepths = [&](DevicePoint point) {
    int64_t warpRows = point.rows / point.warpsDown,
            warpColumns = point.columns / point.warpsAcross;
    if (warpRows < 16 || warpRows > 64 || warpColumns < 16 || warpColumns > 64 ||
        point.getWarps() > 8 || !sharesRuns(point, run) || !hasLongRows(product, point))
      return;
    for (int64_t depth : {2, 3, 4}) {
      point.depth = depth;
      points.push_back(point);
    }
  };
  for (int64_t rows : {16, 32, 64, 128})
    for (int64_t columns : {16, 32, 64, 128, 256})
      for (int64_t down : {1, 2, 4})
        for (int64_t across : {1, 2, 4, 8})
          for (int64_t bytes : {64, 128}) // of the steps of a warp
            for (int64_t split : {1, 2, 4})
              addDepths({true, rows, columns, down, across, bytes / product.factorBytes, 0, split});
}

/// The lanes of a warp that are beside each other read 128 bytes of columns, all banks of shared
/// memory, so their loads of vectors have no conflicts. Those that are one below the other read
/// several rows, of which a vector is the same for all lanes beside each other.
static void addLanePoints(const DeviceProduct &product, SmallVectorImpl<DevicePoint> &points) {
  int64_t warpColumns = bankBytes / product.getLaneBytes();
  auto addTile = [&](int64_t laneRows, int64_t laneColumns) {
    int64_t warpRows = warp * laneColumns / warpColumns * laneRows;
    for (int64_t warps : {2, 4, 8})
      for (int64_t down = 1; down <= warps; down *= 2)
        for (int64_t steps : {8, 16, 32})
          points.push_back({false, warpRows * down, warpColumns * (warps / down), down,
                            warps / down, steps, 1, 1, laneRows, laneColumns});
  };
  for (int64_t laneRows : {8, 4, 2})
    for (int64_t laneColumns : {8, 4, 2})
      addTile(laneRows, laneColumns);
}

SmallVector<DevicePoint, 0> layout::getDevicePoints(const DeviceProduct &product) {
  SmallVector<DevicePoint, 0> points;
  addLanePoints(product, points);
  if (product.atom)
    addAtomPoints(product, points);
  return points;
}
