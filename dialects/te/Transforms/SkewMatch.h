//===- SkewMatch.h - layers of a recurrent network -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A *layer* is a loop over time whose body is one expression, the cell, and an update that writes
/// a result of the cell into the sequence of outputs. What the layer before has written reaches it
/// through a product of the whole sequence, the projection. Time step t of a layer needs time step
/// t of the layer before and its own step t - 1, so layers can run beside each other, each one step
/// behind the layer before.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_SKEWMATCH_H
#define DIALECTS_TE_TRANSFORMS_SKEWMATCH_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tssa::te {

/// A loop over time.
struct SkewLayer {
  scf::ForOp loop;
  ComputeOp cell;
  UpdateOp update;             ///< writes the output; null if there is none
  unsigned output = 0;         ///< what is carried for the output, if there is an update
  SmallVector<unsigned> state; ///< for each result of the cell, what is carried for it
  Value projected;             ///< the tensor that the cell reads at the time step
  ComputeOp projection;        ///< of the layer before; null for the first layer

  /// Stands in `state` for a result that is not carried.
  static constexpr unsigned notCarried = ~0U;

  /// Returns the position of result `result` of the cell among those that are carried.
  unsigned getStacked(unsigned result) const;
  /// Returns the number of the result that `update` reads.
  unsigned getOutputResult();
  /// Returns the dim of the output sequence that is time.
  unsigned getTimeAxis();
  /// Returns the index along that dim at time step s0.
  AffineExpr getTime() { return update.getMap().getResult(getTimeAxis()); }
  /// Returns the time step at which index `index` along that dim is written.
  AffineExpr getStepOf(AffineExpr index);
  /// Returns the index of the element of the cell's result that `update` writes at `indexes`.
  SmallVector<AffineExpr> getWritten(ArrayRef<AffineExpr> indexes);
  /// Returns the read of the layer before in the body of the projection.
  ReadOp getInput();
};

/// Returns the layer that `loop` is, or nothing.
std::optional<SkewLayer> matchLayer(scf::ForOp loop);

/// Returns whether something reads the outputs of layer `i` that is not the next layer.
bool isKept(MutableArrayRef<SkewLayer> layers, unsigned i);

/// Returns why `next`, whose projection is set here, cannot follow `layer`, or an empty string.
StringRef linkLayers(SkewLayer &layer, SkewLayer &next);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_SKEWMATCH_H
