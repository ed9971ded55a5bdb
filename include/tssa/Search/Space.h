//===- Space.h - points of named integers -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is searched: a few named integers, each from a short list. The search knows no more of a
/// kernel than this; who searches maps a point to a schedule and says which points are legal.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_SPACE_H
#define TSSA_SEARCH_SPACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tssa::search {

class Random;

/// A named integer and the values that it may have, in an order in which neighbours are alike.
struct Knob {
  std::string name;
  std::vector<int64_t> values;
};

/// For each knob of a space, the position of its value in the knob's list.
using Point = std::vector<uint32_t>;

/// A hash of a point that is equal on every platform.
uint64_t hashPoint(llvm::ArrayRef<uint32_t> point);

/// The number of knobs in which two points of one space differ.
unsigned countDifferences(llvm::ArrayRef<uint32_t> a, llvm::ArrayRef<uint32_t> b);

class Space {
public:
  /// Whether a point with these values, one for each knob in order, can be built. It must always
  /// give the same answer for the same values.
  using Legality = std::function<bool(llvm::ArrayRef<int64_t>)>;
  static constexpr size_t maxKnobs = 256;
  static constexpr size_t maxValues = 65536;
  static constexpr size_t maxTextBytes = 65536;

  /// Fails if there is no knob or more than `maxKnobs`, if a name is not a letter or `_` followed
  /// by letters, digits, `_`, `.` and `-`, or if two names are equal; for a knob, if it has no
  /// value, more than `maxValues`, or one value twice. Without `isLegal`, all points are legal.
  static llvm::Expected<Space> create(std::vector<Knob> knobs, Legality isLegal = {});

  llvm::ArrayRef<Knob> getKnobs() const { return knobs; }
  /// The number of points, legal or not; 2^64 - 1 stands for that many and for more.
  uint64_t countPoints() const;
  /// Whether `point` has one position for each knob, inside of the knob's list.
  bool contains(llvm::ArrayRef<uint32_t> point) const;
  std::vector<int64_t> getValues(llvm::ArrayRef<uint32_t> point) const;
  bool isLegal(llvm::ArrayRef<uint32_t> point) const;

  /// The point with this number; the last knob changes fastest. `number` < `countPoints()`.
  Point getPoint(uint64_t number) const;
  /// A point, all equally likely, legal or not.
  Point draw(Random &random) const;
  /// The points, legal or not, that differ in one knob by one position: for each knob in order,
  /// first the one before, then the one after.
  std::vector<Point> getNeighbours(llvm::ArrayRef<uint32_t> point) const;

  /// `rows=6 vectors=4`, the knobs in order.
  std::string print(llvm::ArrayRef<uint32_t> point) const;
  /// Reads what `print` writes, the knobs in any order. Fails with a sentence that says what is
  /// wrong in `text`; legality is not asked.
  llvm::Expected<Point> parse(llvm::StringRef text) const;

private:
  Space(std::vector<Knob> knobs, Legality legality)
      : knobs(std::move(knobs)), legality(std::move(legality)) {}

  std::vector<Knob> knobs;
  Legality legality;
};

} // namespace tssa::search

#endif // TSSA_SEARCH_SPACE_H
