//===- ExpressionSpace.h - the knobs of one expression ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_EXPRESSIONSPACE_H
#define LIB_TUNER_EXPRESSIONSPACE_H

#include "dialects/layout/Template/Draft.h"
#include "tssa/Search/Space.h"
#include "tssa/Tuner/TaskKernel.h"

namespace tssa::tuner {

/// The knobs of one expression (KernelSpace.h), what a point means, and how the draft ranks it.
class ExpressionSpace {
public:
  /// `expression` is referred to.
  ExpressionSpace(const TaskKernel::Expression &expression,
                  const mlir::tssa::layout::MachineModel &machine);

  /// The knobs, without a prefix, in the order of KernelSpace.h.
  llvm::ArrayRef<search::Knob> getKnobs() const { return knobs; }
  /// The values of the points that the draft ranks first, best first, as far as knobs can say them.
  llvm::ArrayRef<std::vector<int64_t>> getPicks() const { return picks; }

  /// Returns the point of these values, one for each knob, or nothing if the loops cannot be
  /// written.
  std::optional<mlir::tssa::layout::Point> decode(llvm::ArrayRef<int64_t> values) const;
  /// Returns the values of a point, or nothing if the knobs cannot say it. A knob that means
  /// nothing has its first value.
  std::optional<std::vector<int64_t>> encode(const mlir::tssa::layout::Point &point) const;

  mlir::tssa::layout::DraftTerms getTerms(const mlir::tssa::layout::Point &point) const {
    return draft.getTerms(point);
  }
  const TaskKernel::Expression &getExpression() const { return expression; }
  const mlir::tssa::layout::MachineModel &getMachine() const { return machine; }
  /// Returns the text of the loops of a point: equal texts are equal loops.
  std::string printLoops(const mlir::tssa::layout::Point &point) const;

private:
  using Order = llvm::SmallVector<unsigned>;

  void addKnobs(llvm::ArrayRef<mlir::tssa::layout::RankedPoint> ranked);
  std::vector<Order> listOrders(unsigned first, unsigned last,
                                llvm::ArrayRef<mlir::tssa::layout::RankedPoint> ranked) const;
  Order dropTrivial(llvm::ArrayRef<unsigned> order) const;
  /// Returns whether `dim` has a loop around the tile that runs more than once.
  bool hasLoop(unsigned dim, const mlir::tssa::layout::Point &point) const;
  /// Returns the dims of `order` that have such a loop: only their order counts.
  Order dropUnused(llvm::ArrayRef<unsigned> order,
                   const mlir::tssa::layout::Point &point) const;
  /// Returns the position of the first of `orders` that is the same for the loops of `point`, or -1.
  int64_t findOrder(llvm::ArrayRef<Order> orders, llvm::ArrayRef<unsigned> order,
                    const mlir::tssa::layout::Point &point) const;
  bool setVector(llvm::ArrayRef<int64_t> values, mlir::tssa::layout::Point &point) const;
  bool setRows(llvm::ArrayRef<int64_t> values, mlir::tssa::layout::Point &point) const;
  void setUnrolled(llvm::ArrayRef<int64_t> values, mlir::tssa::layout::Point &point) const;
  bool setOrders(llvm::ArrayRef<int64_t> values, mlir::tssa::layout::Point &point) const;
  int64_t getExtent(unsigned dim) const;

  const TaskKernel::Expression &expression;
  mutable mlir::tssa::te::ComputeOp op; ///< a handle, whose accessors are not const
  const mlir::tssa::layout::MachineModel &machine;
  mutable mlir::tssa::layout::Draft draft; ///< keeps the patterns of loads that it has looked at
  std::vector<search::Knob> knobs;
  std::vector<Order> outerOrders, reductionOrders;
  llvm::SmallVector<unsigned> taps;      ///< window dims that may be unrolled, innermost first
  std::optional<unsigned> unrolledInner; ///< the other reduction dim that may be
  std::vector<std::vector<int64_t>> picks;
};

} // namespace tssa::tuner

#endif // LIB_TUNER_EXPRESSIONSPACE_H
