//===- AtomRules.cpp - what a schedule with an atom must have -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtomRules.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Rounding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

static std::optional<ScheduleFault> findLoopFault(const Schedule &schedule,
                                                  ArrayRef<unsigned> order, StringRef label) {
  const AtomTile &atom = *schedule.atom;
  auto fault = [&](const Twine &text) { return ScheduleFault{atom.op, text.str()}; };
  if (!schedule.tiles.empty())
    return fault("expected no tiled or vectorized loop beside those of an atom");
  if (schedule.loops[atom.rows].reduction || schedule.loops[atom.columns].reduction ||
      !schedule.loops[atom.steps].reduction)
    return fault("expected two loops over parallel dims and one over a reduction dim");
  const Atom &instruction = *atom.instruction;
  for (auto [loop, size] :
       {std::pair(atom.rows, instruction.rows), std::pair(atom.columns, instruction.columns),
        std::pair(atom.steps, instruction.steps)}) {
    int64_t extent = cast<AffineConstantExpr>(schedule.loops[loop].extent).getValue();
    if (extent == 0 || extent % size != 0)
      return fault("expected loops of a multiple of " + Twine(instruction.rows) + ", " +
                   Twine(instruction.columns) + " and " + Twine(instruction.steps) +
                   " iterations, got " + Twine(extent) + ", which is no multiple of " +
                   Twine(size));
  }
  if (!llvm::all_of(order.take_back(3),
                    [&](unsigned loop) { return schedule.loops[loop].kind == LoopKind::Atom; }))
    return fault("expected the loops of an atom to be the innermost of '" + label + "'");
  return std::nullopt;
}

static std::optional<ScheduleFault> findPipelineFault(const Schedule &schedule) {
  const AtomTile &atom = *schedule.atom;
  if (!schedule.pipeline || schedule.reduction.empty() ||
      schedule.pipeline->loop != schedule.reduction.back())
    return ScheduleFault{atom.op, "expected a layout.pipeline at the innermost reduction loop "
                                  "around the atom"};
  unsigned loop = schedule.pipeline->loop;
  bool hasBoth = schedule.caches.size() == 2;
  for (unsigned operand : {0, 1})
    hasBoth &= llvm::count_if(schedule.caches, [&](const CachedOperand &cache) {
                 return cache.operand == operand && cache.loop == loop;
               }) == 1;
  if (!hasBoth)
    return ScheduleFault{schedule.pipeline->op,
                         "expected both factors, and nothing else, to be cached at this loop"};
  for (const auto &entry : schedule.computeAt)
    if (entry.getValue().loop == loop)
      return ScheduleFault{entry.getValue().op,
                           "expected nothing to be computed at a pipelined loop"};
  return std::nullopt;
}

/// Returns the parts of up to as many rows as a matrix has in which a tile's rows are.
static int64_t countParts(const Schedule &schedule) {
  SmallVector<int64_t> rows;
  for (const TileGroup &group : schedule.tiles)
    if (!group.reduction && !group.vector)
      rows.push_back(group.size);
  return countMatrixParts(rows, schedule.dot->instruction->rows);
}

static std::optional<ScheduleFault> findDotFault(const Schedule &schedule) {
  const DotTile &dot = *schedule.dot;
  const Atom &instruction = *dot.instruction;
  auto fault = [&](const Twine &text) { return ScheduleFault{dot.op, text.str()}; };
  const TileGroup *vector = schedule.getVector(), &steps = schedule.tiles.back();
  if (!steps.reduction || steps.inner.back() != dot.loop)
    return fault("expected an innermost loop over a reduction dim");
  if (steps.factors.back() % instruction.steps != 0)
    return fault("expected a loop of a multiple of " + Twine(instruction.steps) +
                 " iterations, got " + Twine(steps.factors.back()));
  if (!vector || vector->reduction || vector->factors.back() != instruction.columns)
    return fault("expected a vector of " + Twine(instruction.columns) +
                 " lanes over a parallel dim");
  if (!instruction.isMatrix())
    return std::nullopt;
  if (steps.factors.back() != instruction.steps)
    return fault("expected a loop of " + Twine(instruction.steps) + " iterations, got " +
                 Twine(steps.factors.back()));
  int64_t parts = countParts(schedule), columns = vector->size / instruction.columns;
  if (!fitsMatrices(parts, columns))
    return fault("expected a tile whose sums and factors fit into " + Twine(matrixRegisters) +
                 " registers, got " + Twine(parts) + " parts of up to " + Twine(instruction.rows) +
                 " rows by " + Twine(columns) + " vectors");
  return std::nullopt;
}

std::optional<ScheduleFault> layout::findAtomFault(const Schedule &schedule,
                                                   ArrayRef<unsigned> order, StringRef label) {
  if (schedule.dot)
    if (std::optional<ScheduleFault> fault = findDotFault(schedule))
      return fault;
  if (!schedule.atom)
    return schedule.pipeline
               ? std::optional(ScheduleFault{schedule.pipeline->op,
                                             "expected a layout.atom, whose factors it brings"})
               : std::nullopt;
  if (std::optional<ScheduleFault> fault = findLoopFault(schedule, order, label))
    return fault;
  return findPipelineFault(schedule);
}

/// Returns what `factor` is extended from, if `atom` extends as it is, or null.
static Value findExtended(Value factor, const Atom &atom) {
  Operation *op = factor.getDefiningOp();
  bool extends = atom.kind == AtomFactors::Bytes || atom.kind == AtomFactors::AnyBytes
                     ? isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op)
                     : isa_and_nonnull<arith::ExtFOp>(op);
  return extends ? op->getOperand(0) : Value();
}

Value layout::findAtomFactor(te::ComputeOp op, unsigned piece, unsigned operand, const Atom &atom,
                             unsigned sum) {
  SmallVector<Operation *> products = te::findSummedProducts(op, piece);
  bool takesSums = products.size() == 1 || atom.unit == AtomUnit::Vector;
  Operation *product = takesSums && sum < products.size() ? products[sum] : nullptr;
  bool isTF32 = atom.kind == AtomFactors::TF32;
  if (!product || (isTF32 && !te::isTF32Product(product)))
    return {};
  Value factor = product->getOperand(operand);
  if (!isTF32)
    factor = findExtended(factor, atom);
  bool isTaken = factor && atom.takes(factor.getType(), product->getResult(0).getType()) &&
                 !te::hasOpaqueRead(factor, op.getPieceBlock(piece));
  return isTaken ? factor : Value();
}
