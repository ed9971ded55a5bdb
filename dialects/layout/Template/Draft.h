//===- Draft.h - a closed-form time of a point -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The draft model: how long a sum of products takes at a point of its space, without making code
/// and without measuring. It ranks points; what all points of an expression have in common is left
/// out.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_DRAFT_H
#define DIALECTS_LAYOUT_TEMPLATE_DRAFT_H

#include "dialects/layout/Analysis/Access.h"
#include "dialects/layout/IR/MachineModel.h"
#include "dialects/layout/Template/Point.h"
#include "dialects/layout/Template/Roles.h"

#include <map>

namespace mlir::tssa::layout {

/// Returns the number of iterations of `dim`, or the number that is assumed for a dynamic size:
/// batches are short; images, sequences and rows of matrices are long.
int64_t getExtent(te::ComputeOp op, const Roles &roles, unsigned dim);

/// The draft model of one expression.
class Draft {
public:
  /// `accesses` and `roles` are those of `op`. All are referred to, not copied.
  Draft(te::ComputeOp op, ArrayRef<Access> accesses, const Roles &roles,
        const MachineModel &machine);

  /// Returns the cycles of one core for the whole expression at `point`, whose vector dim is a
  /// parallel dim.
  double getCycles(const Point &point);

  /// Returns the loads that the lanes of one vector along `dim` take in a step of the reduction,
  /// all reads together.
  double getLaneLoads(unsigned dim, int64_t lanes);

  /// Returns the number of iterations of `dim` and of the `fused` dims before it.
  int64_t getFusedExtent(unsigned dim, unsigned fused);

private:
  /// A read of the body, or the write of a result.
  struct Operand {
    const Access *access;
    SmallVector<int64_t> strides; ///< by dim
    bool inSteps;                 ///< whether each step of the reduction executes it
  };
  /// The positions at both ends of a dim at which a guard fails for some step of the reduction.
  struct Border {
    int64_t low = 0, high = 0;
    bool isEmpty() const { return low == 0 && high == 0; }
  };
  /// How the lanes of a vector are loaded.
  struct LanePattern {
    double loads = 1;
    bool varies = true; ///< whether each vector along the dim needs loads of its own
  };

  void findBorders(const Access &access);
  bool guardHolds(const te::CompiledExpr &constraint, unsigned dim, int64_t position);
  const LanePattern &getPattern(unsigned operand, unsigned dim, int64_t lanes);
  double countLoads(const Point &point, bool onlyGuarded);
  double getStepCycles(const Point &point, double unrolled, double steps);
  double getGuardCycles(const Point &point);
  double getInteriorShare(const Point &point);
  double getSetupCycles(const Point &point);
  double countTiles(const Point &point);
  int64_t getTileExtent(const Point &point, unsigned dim);

  te::ComputeOp op;
  const Roles &roles;
  const MachineModel &machine;
  SmallVector<Operand> operands;
  SmallVector<Border> borders; ///< by dim
  bool guarded = false;
  std::map<std::tuple<unsigned, unsigned, int64_t>, LanePattern> patterns;
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_DRAFT_H
