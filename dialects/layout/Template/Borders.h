//===- Borders.h - where the guards of reads fail -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_BORDERS_H
#define DIALECTS_LAYOUT_TEMPLATE_BORDERS_H

#include "dialects/layout/Template/Roles.h"

namespace mlir::tssa::layout {

/// The positions at both ends of a parallel dim at which the guard of a read fails for some step of
/// the reduction.
struct Border {
  unsigned dim = 0;
  int64_t low = 0, high = 0;      ///< number of positions
  std::optional<unsigned> window; ///< the reduction dim whose taps the guard depends on
  int64_t taps = 1;               ///< number of taps of the window
  double failures = 0;            ///< number of pairs of position and tap for which it fails
  bool isShared = false;          ///< whether the guard depends on another parallel dim with it
};

/// Adds the borders of `read`, a read of `op` that each step executes, to those in `borders`.
void addBorders(te::ComputeOp op, const Roles &roles, te::ReadOp read,
                SmallVectorImpl<Border> &borders);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_BORDERS_H
