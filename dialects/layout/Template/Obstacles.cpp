//===- Obstacles.cpp - what loops can be written --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Obstacles.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/layout/Template/DotProduct.h"
#include "dialects/layout/Template/Space.h"
#include "dialects/te/Analysis/OpCost.h"
#include "dialects/te/IR/Contraction.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

int64_t layout::countFreeRegisters(const Point &point, const MachineModel &machine) {
  return machine.registers - 1 - std::min<int64_t>(point.vectors, 2);
}

bool layout::fitsGroups(const Roles &roles, unsigned dim, int64_t extent) {
  int64_t run = roles.dims[dim].run;
  return run == 1 || run % extent == 0;
}

/// Returns the multiply-adds that take as much code as one vector of the longest piece.
static int64_t countCodeOfPiece(te::ComputeOp op) {
  int64_t most = 1;
  for (Region &piece : op.getPieces())
    most = std::max(most, te::getCost(piece).code);
  return most;
}

static std::string findObstacleInUnroll(te::ComputeOp op, const Point &point) {
  int64_t sums = point.usesMatrices() // those of a part are one register
                     ? point.countParts(findDotInstruction(op, point)->rows) * point.vectors
                     : point.countAccumulators();
  int64_t body = llvm::SaturatingMultiply<uint64_t>(sums, countCodeOfPiece(op));
  for (const Unroll &unroll : point.unrolled) {
    if (unroll.dim < op.getNumParallel() || unroll.dim >= op.getNumDims())
      return ("unroll: d" + Twine(unroll.dim) + " is not a reduction dim").str();
    int64_t size = op.getStaticSizes()[unroll.dim];
    if (!unroll.extent && ShapedType::isDynamic(size))
      return ("unroll: the size of d" + Twine(unroll.dim) + " is not known").str();
    body = llvm::SaturatingMultiply<uint64_t>(body, unroll.extent ? unroll.extent : size);
  }
  if (point.dot)
    body = llvm::SaturatingMultiply<uint64_t>(
        body, llvm::divideCeil(point.dot->extent, findDotInstruction(op, point)->steps));
  if (body > maxBody)
    return ("unroll: a step has more code than " + Twine(maxBody) + " multiply-adds").str();
  return {};
}

/// Refuses tiles that registers of matrices cannot have.
static std::string findObstacleInMatrices(te::ComputeOp op, const Roles &roles, const Point &point,
                                          const Atom &atom) {
  if (point.dot->extent != atom.steps)
    return ("atom: expected " + Twine(atom.steps) + " steps of matrices").str();
  for (const TileRows &rows : point.rows)
    for (unsigned dim = rows.dim - rows.fused; dim <= rows.dim; ++dim)
      if (rows.extent > 1 && te::dependsOn(roles.weights.front(), dim))
        return ("rows: the columns of matrices change along d" + Twine(dim)).str();
  if (int64_t parts = point.countParts(atom.rows); !fitsMatrices(parts, point.vectors))
    return ("rows: " + Twine(parts) + " parts of up to " + Twine(atom.rows) + " rows by " +
            Twine(point.vectors) + " vectors do not fit into the registers of matrices")
        .str();
  return {};
}

/// Refuses dot products that the machine does not have, or that do not take these factors.
static std::string findObstacleInDot(te::ComputeOp op, const Roles &roles, const Point &point,
                                     const MachineModel &machine) {
  const Atom *atom = findDotInstruction(op, point);
  if (!atom || getDotRate(*atom, machine) == 0)
    return "atom: the machine has no dot product for these factors and lanes";
  if (!point.vectorDim || *point.vectorDim >= op.getNumParallel())
    return "atom: expected a vector along a parallel dim";
  if (point.dot->dim < op.getNumParallel() || point.dot->dim >= op.getNumDims() ||
      point.findUnroll(point.dot->dim))
    return ("atom: d" + Twine(point.dot->dim) + " is not a reduction dim, or is unrolled").str();
  if (point.dot->extent % atom->steps != 0)
    return ("atom: expected a multiple of " + Twine(atom->steps) + " steps").str();
  return atom->isMatrix() ? findObstacleInMatrices(op, roles, point, *atom) : std::string();
}

/// Returns whether `order` has each of the dims from `first` to before `last` once.
static bool isOrder(ArrayRef<unsigned> order, unsigned first, unsigned last) {
  SmallVector<unsigned> sorted(order);
  llvm::sort(sorted);
  return llvm::equal(sorted, llvm::seq<unsigned>(first, last));
}

/// Refuses vectors, and lists the dims along which they lie in `tiled`.
static std::string findObstacleInVector(te::ComputeOp op, const Roles &roles, const Point &point,
                                        const MachineModel &machine,
                                        llvm::SmallDenseSet<unsigned> &tiled) {
  unsigned dim = *point.vectorDim;
  if (dim >= op.getNumDims())
    return "vector: expected a dim";
  bool joins = dim >= op.getNumParallel();
  if (joins && (point.fused > 0 || point.findUnroll(dim)))
    return "vector: along a reduction dim, nothing can be fused or unrolled";
  if (point.lanes < 2 || point.lanes > machine.lanes ||
      (!llvm::isPowerOf2_64(point.lanes) && (op.hasReduction() || point.lanes < leastLanes)))
    return ("vector: expected 2 to " + Twine(machine.lanes) + " lanes, a power of two").str();
  if (point.vectors < 1 || point.fused > dim)
    return "vector: expected at least one vector and earlier dims to fuse";
  if (point.vectors > 1 && !fitsGroups(roles, dim, point.vectors * point.lanes))
    return "vector: a tile lies in several groups";
  for (unsigned other = dim - point.fused; other <= dim; ++other)
    tiled.insert(other);
  return {};
}

std::string layout::findObstacle(te::ComputeOp op, const Roles &roles, const Point &point,
                                 const MachineModel &machine) {
  llvm::SmallDenseSet<unsigned> tiled;
  if (point.vectorDim)
    if (std::string obstacle = findObstacleInVector(op, roles, point, machine, tiled);
        !obstacle.empty())
      return obstacle;
  if (!point.vectorDim && !point.rows.empty())
    return "rows: scalar code has none";
  for (const TileRows &rows : point.rows) {
    if (rows.dim >= op.getNumParallel() || rows.extent < 1 || rows.fused > rows.dim)
      return "rows: expected iterations of parallel dims, and earlier dims to fuse";
    for (unsigned dim = rows.dim - rows.fused; dim <= rows.dim; ++dim)
      if (!tiled.insert(dim).second)
        return ("rows: d" + Twine(dim) + " is already tiled or fused").str();
    if (!fitsGroups(roles, rows.dim, rows.extent))
      return ("rows: a tile of d" + Twine(rows.dim) + " lies in several groups").str();
  }
  for (const BoxRows &box : point.boxes)
    if (box.dim >= op.getNumParallel() || box.extent < 1 || point.isFused(box.dim) ||
        box.dim == point.vectorDim || box.extent % point.getTileExtent(box.dim) != 0)
      return ("box: expected tiles of rows along d" + Twine(box.dim)).str();
  int64_t sums = point.countAccumulators() * countSums(op, roles);
  if (!point.usesMatrices() && sums > countFreeRegisters(point, machine))
    return ("rows: " + Twine(sums) + " sums do not fit into the registers").str();
  if (!isOrder(point.outer, 0, op.getNumParallel()))
    return "outer: expected each parallel dim once";
  if (!isOrder(point.reductions, op.getNumParallel(), op.getNumDims()))
    return "reduce: expected each reduction dim once";
  if (point.dot)
    if (std::string obstacle = findObstacleInDot(op, roles, point, machine); !obstacle.empty())
      return obstacle;
  return findObstacleInUnroll(op, point);
}
