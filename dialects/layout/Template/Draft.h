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
#include "dialects/layout/Template/Borders.h"
#include "dialects/layout/Template/CacheLines.h"
#include "dialects/layout/Template/Point.h"
#include "dialects/te/Analysis/OpCost.h"

#include <map>

namespace mlir::tssa::layout {

/// What the draft predicts of a point, and what it adds up to.
struct DraftTerms {
  double tiles = 0;      ///< number of tiles; a shorter one counts less
  double steps = 0;      ///< of the reduction loops, in a tile
  double sums = 0;       ///< that a tile keeps in registers
  double unrolled = 0;   ///< multiply-adds of a step for each sum
  double loads = 0;      ///< vectors that a step loads
  double registers = 0;  ///< that what a step loads needs at the same time
  double stepCycles = 0; ///< of a step: arithmetic, loads or latency, and spills
  double spills = 0;     ///< of these, cycles because sums are not in registers
  double conflicts = 0;  ///< cycles of a step because lines share sets
  double branches = 0;   ///< cycles of a step for branches that skip it
  double guards = 0;     ///< cycles of a step for guards, the mean of all tiles
  double interior = 0;   ///< share of the tiles that are at no border they could be away from
  double setup = 0;      ///< cycles of a tile beside its steps
  double compute = 0;    ///< cycles of all tiles
  double transfer = 0;   ///< cycles of lines that come into the caches
  double waiting = 0;    ///< cycles of waiting for lines that are not fetched ahead
  double cycles = 0;     ///< all together, of one core
};

/// What a point takes of the registers and caches of a core. Bytes are those of whole lines.
struct DraftResources {
  double sums = 0;        ///< vector registers for the sums of a tile
  double loads = 0;       ///< vector registers that what a step loads needs at the same time
  double stepBytes = 0;   ///< that a step of a tile touches
  double tileBytes = 0;   ///< that all steps of a tile touch
  double firstBytes = 0;  ///< that come into the first-level cache, in all
  double secondBytes = 0; ///< that come into the second-level cache, in all
};

/// The draft model of one expression.
class Draft {
public:
  /// `accesses` and `roles` are those of `op`. All are referred to, not copied.
  Draft(te::ComputeOp op, ArrayRef<Access> accesses, const Roles &roles,
        const MachineModel &machine);

  /// Returns the cycles of one core for the whole expression, which has a dim, at `point`.
  double getCycles(const Point &point) { return getTerms(point).cycles; }

  /// Returns the same with what it adds up to.
  DraftTerms getTerms(const Point &point);

  /// Returns what `point` takes of a core.
  DraftResources getResources(const Point &point);

  /// Returns the loads that the lanes of one vector along `dim` take in a step of the reduction,
  /// all reads together.
  double getLaneLoads(unsigned dim, int64_t lanes);

  /// Returns the fewest vectors along `dim` after which the distances of the lanes of each access
  /// repeat, such as 3 if an index is divided by 3. Returns 1 if these are many.
  int64_t getPeriod(unsigned dim, int64_t lanes);

  /// Returns the number of iterations of `dim` and of the `fused` dims before it.
  int64_t getFusedExtent(unsigned dim, unsigned fused);

private:
  /// A read of the body, or the write of a result.
  struct Operand {
    const Access *access;
    Stream stream;
    bool inSteps; ///< whether each step of the reduction executes it
  };
  /// The cycles that lines take that are not in the caches.
  struct CacheCycles {
    double transfer = 0; ///< which may overlap with arithmetic
    double waiting = 0;  ///< for lines that are not fetched ahead
  };
  /// The cycles of a step for guards.
  struct GuardCycles {
    double everywhere = 0; ///< in each tile
    double atBorder = 0;   ///< in tiles that are not wholly inside
  };
  /// How the lanes of a vector are loaded.
  struct LanePattern {
    double loads = 1;
    bool varies = true;   ///< whether each vector along the dim needs loads of its own
    bool gathers = false; ///< whether the lanes are loaded, or stored, one by one
    int64_t period = 1;   ///< the vectors after which the distances of lanes repeat; 0: too many
  };

  /// What a step of a tile takes of an operand.
  struct TileLoads {
    double loads = 0;
    double vectors = 0;   ///< that are loaded, each by one load or more
    double registers = 0; ///< that the loaded vectors need at the same time
  };

  Point complete(const Point &point);
  bool isPacked(const Operand &operand, const Point &point);
  bool isWhole(const Point &point, unsigned dim);
  const LanePattern &getPattern(unsigned operand, unsigned dim, int64_t lanes);
  double getLoadsOfVector(const Point &point, unsigned operand);
  double getTransposedShare(const Point &point, unsigned operand);
  TileLoads getTileLoads(const Point &point, unsigned operand, size_t numTaps);
  TileLoads getTotalLoads(const Point &point, size_t numTaps, bool onlyGuarded);
  bool ordersByLoads(const Point &point, double &scalars);
  double countLoads(const Point &point, bool onlyGuarded);
  double countRegisters(const Point &point);
  double getSpillCycles(const Point &point, const DraftTerms &terms, double steps);
  double countUnrolled(const Point &point);
  double countDotSteps(const Point &point);
  double getMatrixCycles(const Point &point);
  /// Returns the number of vectors of sums that a tile keeps in registers.
  int64_t countSums(const Point &point);
  SmallVector<Stream> getStreams(const Point &point);
  SmallVector<int64_t> getStepExtents(const Point &point);
  MissedLines countMissedLines(const Point &point, bool secondLevel);
  double getCrowdedShare(const Point &point);
  CacheCycles getCacheCycles(const Point &point);
  SmallVector<TileLoop> getLoops(const Point &point);
  double getStepCycles(const Point &point, const DraftTerms &terms, double steps);
  double getGuardCycles(const Point &point, const Border &border);
  GuardCycles getGuardCycles(const Point &point);
  double countStepsOfGuard(const Point &point, const Border &border);
  bool staysInZeros(const Point &point, const Border &border);
  double getMaskCycles(const Point &point, const Border &border, double loads);
  double getInteriorShare(const Point &point);
  double getShareInside(const Border &border);
  double getRemainingShare(const Point &point);
  bool isPeeled(const Point &point, const Border &border);
  bool knowsTaps(const Point &point, const Border &border);
  bool skipsSteps(const Point &point, const Border &border);
  double getShareOfSteps(const Point &point);
  double getBranchCycles(const Point &point);
  SmallVector<int64_t> findLinesOfStep(const Point &point, const Stream &stream);
  double getConflictCycles(const Point &point);
  double getSetupCycles(const Point &point);
  /// Returns whether the lanes of a vector run along a reduction dim, and are joined at its end.
  bool joinsLanes(const Point &point);
  /// Returns the number of iterations of reduction dim `dim` in a step.
  int64_t getStepExtent(const Point &point, unsigned dim);
  double countTiles(const Point &point);
  int64_t getTileExtent(const Point &point, unsigned dim);

  te::ComputeOp op;
  const Roles &roles;
  const MachineModel &machine;
  te::OpCost stepCost, epilogueCost;
  bool hasFiniteWeights; ///< so that their product with zero is zero
  SmallVector<Operand> operands;
  SmallVector<Border> borders;
  std::map<std::tuple<unsigned, unsigned, int64_t>, LanePattern> patterns;
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_DRAFT_H
