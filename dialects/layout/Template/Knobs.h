//===- Knobs.h - the knobs of the template -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is said of the parts of a point, in two lists: the clauses, of which its text consists, and
/// the knobs, which are small integers that a search varies. Who prints, parses, describes,
/// searches or rates points walks these lists and knows no part of its own.
///
/// For one expression, the knobs are
///
///     vector, lanes, vectors   the vector dim (-1: scalar code), its lanes, registers along it
///     rows, rows_extent        the outer one of at most two dims with rows in a tile (-1: none)
///     rows2, rows2_extent      the inner one
///     fuse                     whether dims are fused with the vector dim and the rows (0 or 1)
///     taps                     number of innermost window dims that are unrolled
///     unroll                   unrolled iterations of the innermost other reduction dim
///     atom                     steps that dot products add (0: none), where the machine has them
///     reduce, outer            numbers of orders of loops, in lists of the space
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_KNOBS_H
#define DIALECTS_LAYOUT_TEMPLATE_KNOBS_H

#include "dialects/layout/Template/Roles.h"
#include "dialects/layout/Template/Space.h"

#include <cmath>

namespace mlir::tssa::layout {

class KnobSpace;

/// A part of the text of a point, such as `rows d1*d2 7`.
struct Clause {
  StringLiteral begin; ///< what it begins with
  bool isFirst;        ///< whether a text begins with it; the others follow in any order
  /// Prints the clauses of this kind that `point` has, each after a comma unless it is the first.
  void (*print)(raw_ostream &stream, const Point &point);
  /// Takes what follows `begin` from the front of `rest`. Returns false if it has another form.
  bool (*parse)(StringRef &rest, Point &point);
  /// Writes the same in words, with the roles of the dims.
  void (*describe)(raw_ostream &stream, const Point &point, te::ComputeOp op, const Roles &roles);
};

/// Returns the clauses in the order in which they are printed.
ArrayRef<Clause> getClauses();

/// Writes the loops of `point` in words, such as `2 x 16 lanes along d2 (out), 13 rows of d1
/// (image), d3 (in) unrolled 4 times, loops d1 d2, then d3`. Dims of size 1 are left out.
void describe(raw_ostream &stream, const Point &point, te::ComputeOp op, const Roles &roles);

/// Named numbers that describe a point, for a cost model.
struct FeatureList {
  std::vector<std::string> names;
  std::vector<double> values;

  void add(StringRef name, double value) {
    names.push_back(name.str());
    values.push_back(value);
  }
  /// Adds the logarithm of a count or of a time, which may be 0.
  void addLog(StringRef name, double value) { add(name, std::log2(1 + value)); }
};

/// A named integer that says a part of a point. Points are made from values by `set` of all knobs
/// in order, of which the first has a scalar point without orders.
struct Knob {
  StringLiteral name;
  /// Returns the values, each once, in an order in which neighbours are alike. The first one stands
  /// for a knob that means nothing. `best` are the points that the draft ranks first.
  std::vector<int64_t> (*list)(const KnobSpace &space, ArrayRef<RankedPoint> best);
  /// Returns the value of a point, which the list may lack, or nothing if the knob means nothing.
  std::optional<int64_t> (*get)(const KnobSpace &space, const Point &point);
  /// Changes a point that the knobs before have made. Returns false if it cannot be written.
  bool (*set)(const KnobSpace &space, int64_t value, Point &point);
  /// Adds what a cost model may know of the point, under the same names for all points. Null if the
  /// features of another knob say it.
  void (*addFeatures)(const KnobSpace &space, const Point &point, FeatureList &list);
  /// Returns whether the space has this knob. Null if all have.
  bool (*isIn)(const KnobSpace &space) = nullptr;
};

/// Returns the knobs of all spaces, in the order in which they change a point.
ArrayRef<Knob> getKnobs();

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_KNOBS_H
