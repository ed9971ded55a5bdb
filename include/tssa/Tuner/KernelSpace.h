//===- KernelSpace.h - the points of a kernel as named integers -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The points of the template (dialects/layout/Template) for all expressions of a kernel, as a
/// space of small integers that a search can walk: for the root the knobs that Knobs.h there lists,
/// and for the expression of number i before it the same with the prefix `eI.`. Some points are the
/// same loops: the lanes of scalar code and the extent of no rows mean nothing, nor does the order
/// of loops that are fused or unrolled. `canonicalize` finds one point for all of them.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_KERNELSPACE_H
#define TSSA_TUNER_KERNELSPACE_H

#include "dialects/layout/Template/KnobSpace.h"
#include "tssa/Search/CostModel.h"
#include "tssa/Search/Space.h"
#include "tssa/Tuner/TaskKernel.h"

namespace tssa::tuner {

class KernelSpace {
public:
  /// Makes the space of `kernel`, which must outlive it. Fails if the space is too large for the
  /// search, or if the default is not in it.
  static llvm::Expected<std::unique_ptr<KernelSpace>> create(const TaskKernel &kernel);

  const search::Space &getSpace() const { return *space; }
  /// The point that layout-schedule-default takes.
  const search::Point &getDefault() const { return best.front(); }
  /// The points that the draft ranks first for the root, the others at their defaults, best first.
  /// The first is the default.
  llvm::ArrayRef<search::Point> getDraftPicks() const { return best; }

  KernelPoint decode(llvm::ArrayRef<uint32_t> point) const;
  /// Returns the time that the draft predicts, in cycles of one core.
  double getCycles(llvm::ArrayRef<uint32_t> point) const;
  /// Returns numbers that describe a point, for the cost model.
  search::Features getFeatures(llvm::ArrayRef<uint32_t> point) const;
  /// Returns their names, which are the same for all kernels.
  std::vector<std::string> getFeatureNames() const;
  /// Returns the point that stands for all legal points with the loops of `point`; `point` itself if
  /// the schedule of a box refuses the one that would.
  search::Point canonicalize(llvm::ArrayRef<uint32_t> point) const;

  /// Returns the point of this space that is nearest to values of another one, knob by knob, or
  /// nothing if the spaces have other knobs or the point is not legal.
  std::optional<search::Point> adopt(llvm::ArrayRef<search::Knob> knobs,
                                     llvm::ArrayRef<int64_t> values) const;

  /// Returns the point of this space that is nearest to the loops of a point of another one: dims
  /// of a role stand for each other, the innermost first, so that the spaces may be those of
  /// tensors that are stored in other ways. Returns nothing if the kernels have other numbers of
  /// expressions, or if there is no legal point.
  std::optional<search::Point> adopt(const KernelSpace &other,
                                     llvm::ArrayRef<uint32_t> point) const;

private:
  KernelSpace() = default;

  std::vector<std::unique_ptr<mlir::tssa::layout::KnobSpace>> parts; ///< one for each expression
  std::optional<search::Space> space;
  std::vector<search::Point> best;
};

} // namespace tssa::tuner

#endif // TSSA_TUNER_KERNELSPACE_H
