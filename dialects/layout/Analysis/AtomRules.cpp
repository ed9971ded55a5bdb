//===- AtomRules.cpp - what a schedule with an atom must have -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtomRules.h"
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

std::optional<ScheduleFault> layout::findAtomFault(const Schedule &schedule,
                                                   ArrayRef<unsigned> order, StringRef label) {
  if (!schedule.atom)
    return schedule.pipeline
               ? std::optional(ScheduleFault{schedule.pipeline->op,
                                             "expected a layout.atom, whose factors it brings"})
               : std::nullopt;
  if (std::optional<ScheduleFault> fault = findLoopFault(schedule, order, label))
    return fault;
  return findPipelineFault(schedule);
}

Value layout::findAtomFactor(te::ComputeOp op, unsigned piece, unsigned operand, const Atom &atom) {
  SmallVector<Operation *> products = te::findSummedProducts(op, piece);
  auto product = products.size() == 1 ? dyn_cast<arith::MulFOp>(products.front()) : arith::MulFOp();
  if (!product || (atom.takesTF32 && !te::isTF32Product(product)))
    return {};
  Value factor = product->getOperand(operand);
  if (!atom.takesTF32) {
    auto extension = factor.getDefiningOp<arith::ExtFOp>();
    if (!extension)
      return {};
    factor = extension.getIn();
  }
  bool isTaken = atom.takes(factor.getType(), product.getType()) &&
                 !te::hasOpaqueRead(factor, op.getPieceBlock(piece));
  return isTaken ? factor : Value();
}
