//===- KnobSpace.h - the loops of an expression as integers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_KNOBSPACE_H
#define DIALECTS_LAYOUT_TEMPLATE_KNOBSPACE_H

#include "dialects/layout/Template/DotProduct.h"
#include "dialects/layout/Template/Draft.h"
#include "dialects/layout/Template/Knobs.h"

namespace mlir::tssa::layout {

/// The points of one expression as values of the knobs (Knobs.h), for a search. It has the points
/// that the draft ranks, as far as knobs can say them, and those around them.
class KnobSpace {
public:
  using Order = SmallVector<unsigned>;

  /// `accesses` and `roles` are those of `op`. All are referred to, not copied.
  KnobSpace(te::ComputeOp op, ArrayRef<Access> accesses, const Roles &roles,
            const MachineModel &machine, RowLoops rows = {});

  /// Returns the knobs of this space, in the order in which they change a point.
  ArrayRef<const Knob *> getKnobs() const { return knobs; }
  /// Returns the values of each knob of `getKnobs`.
  ArrayRef<std::vector<int64_t>> getValues() const { return values; }
  /// Returns the values of the points that the draft ranks first, best first, as far as knobs can
  /// say them.
  ArrayRef<std::vector<int64_t>> getPicks() const { return picks; }

  /// Returns the point of these values, one for each knob, or nothing if the loops cannot be
  /// written.
  std::optional<Point> decode(ArrayRef<int64_t> chosen) const;
  /// Returns the values of a point, or nothing if the knobs cannot say it. A knob that means
  /// nothing has its first value.
  std::optional<std::vector<int64_t>> encode(const Point &point) const;

  DraftTerms getTerms(const Point &point) const { return draft.getTerms(point); }
  /// Adds the features of all knobs.
  void addFeatures(const Point &point, FeatureList &list) const;
  /// Returns the text of the loops of a point: equal texts are equal loops.
  std::string printLoops(const Point &point) const;

  // What knobs ask.
  te::ComputeOp getOp() const { return op; }
  ArrayRef<Access> getAccesses() const { return accesses; }
  const Roles &getRoles() const { return roles; }
  const MachineModel &getMachine() const { return machine; }
  const RowLoops &getRows() const { return rows; }
  /// Returns the number of iterations of `dim`, or what is assumed for it.
  int64_t getExtent(unsigned dim) const { return layout::getExtent(op, roles, dim); }
  /// Returns the number of iterations of `dim` and of the `fused` dims before it.
  int64_t getFusedExtent(unsigned dim, unsigned fused) const {
    return draft.getFusedExtent(dim, fused);
  }
  /// Returns the window dims that may be unrolled, innermost first.
  ArrayRef<unsigned> getTaps() const { return taps; }
  /// Returns the other reduction dim that may be.
  std::optional<unsigned> getUnrolledInner() const { return unrolledInner; }
  /// Returns the dot product that the machine has for the expression, if any.
  const std::optional<DotProduct> &getDot() const { return dot; }
  ArrayRef<Order> getOuterOrders() const { return outerOrders; }
  ArrayRef<Order> getReductionOrders() const { return reductionOrders; }
  /// Returns the position of the first of `orders` that is the same for the loops of `point`.
  std::optional<int64_t> findOrder(ArrayRef<Order> orders, ArrayRef<unsigned> order,
                                   const Point &point) const;

private:
  void findUnrolled();
  std::vector<Order> listOrders(unsigned first, unsigned last, ArrayRef<RankedPoint> best) const;
  Order dropTrivial(ArrayRef<unsigned> order) const;
  /// Returns whether `dim` has a loop around the tile that runs more than once.
  bool hasLoop(unsigned dim, const Point &point) const;
  /// Returns the dims of `order` that have such a loop: only their order counts.
  Order dropUnused(ArrayRef<unsigned> order, const Point &point) const;

  mutable te::ComputeOp op; ///< a handle, whose accessors are not const
  ArrayRef<Access> accesses;
  const Roles &roles;
  const MachineModel &machine;
  RowLoops rows;
  mutable Draft draft; ///< keeps the patterns of loads that it has looked at
  std::vector<Order> outerOrders, reductionOrders;
  SmallVector<unsigned> taps;
  std::optional<unsigned> unrolledInner;
  std::optional<DotProduct> dot;
  std::vector<const Knob *> knobs;
  std::vector<std::vector<int64_t>> values, picks;
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_KNOBSPACE_H
