//===- Space.cpp - points of named integers -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Search/Space.h"

#include "tssa/Search/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace tssa::search;
using llvm::ArrayRef;
using llvm::StringRef;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// A piece of a text that is shown in an error: no longer than a line, and printable.
static std::string quote(StringRef text) {
  std::string shown;
  for (char c : text.take_front(60))
    shown += llvm::isPrint(c) ? c : '?';
  return "'" + shown + (text.size() > 60 ? "...'" : "'");
}

uint64_t tssa::search::hashPoint(ArrayRef<uint32_t> point) {
  std::string bytes;
  for (uint32_t position : point)
    for (int shift = 0; shift < 32; shift += 8)
      bytes += char(position >> shift);
  return hashBytes(bytes);
}

unsigned tssa::search::countDifferences(ArrayRef<uint32_t> a, ArrayRef<uint32_t> b) {
  unsigned count = 0;
  for (auto [one, other] : llvm::zip_equal(a, b))
    count += one != other;
  return count;
}

static bool isName(StringRef name) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || StringRef("_.-").contains(c); };
  return !name.empty() && name.size() <= 64 && (llvm::isAlpha(name[0]) || name[0] == '_') &&
         llvm::all_of(name, isPart);
}

static llvm::Error checkValues(const Knob &knob) {
  if (knob.values.empty())
    return fail("the knob " + knob.name + " has no values");
  if (knob.values.size() > Space::maxValues)
    return fail("the knob " + knob.name + " has " + llvm::Twine(knob.values.size()) +
                " values, at most " + llvm::Twine(Space::maxValues) + " are possible");
  std::set<int64_t> seen;
  for (int64_t value : knob.values)
    if (!seen.insert(value).second)
      return fail("the knob " + knob.name + " has the value " + llvm::Twine(value) + " twice");
  return llvm::Error::success();
}

llvm::Expected<Space> Space::create(std::vector<Knob> knobs, Legality isLegal) {
  if (knobs.empty() || knobs.size() > maxKnobs)
    return fail("a space has 1 to " + llvm::Twine(maxKnobs) + " knobs, not " +
                llvm::Twine(knobs.size()));
  std::set<StringRef> names;
  for (const Knob &knob : knobs) {
    if (!isName(knob.name))
      return fail(quote(knob.name) + " is no name of a knob");
    if (!names.insert(knob.name).second)
      return fail("two knobs have the name " + knob.name);
    if (llvm::Error error = checkValues(knob))
      return std::move(error);
  }
  return Space(std::move(knobs), std::move(isLegal));
}

uint64_t Space::countPoints() const {
  uint64_t count = 1;
  for (const Knob &knob : knobs)
    if (__builtin_mul_overflow(count, uint64_t(knob.values.size()), &count))
      return UINT64_MAX;
  return count;
}

bool Space::contains(ArrayRef<uint32_t> point) const {
  if (point.size() != knobs.size())
    return false;
  for (auto [position, knob] : llvm::zip(point, knobs))
    if (position >= knob.values.size())
      return false;
  return true;
}

std::vector<int64_t> Space::getValues(ArrayRef<uint32_t> point) const {
  std::vector<int64_t> values;
  for (auto [position, knob] : llvm::zip_equal(point, knobs))
    values.push_back(knob.values[position]);
  return values;
}

bool Space::isLegal(ArrayRef<uint32_t> point) const {
  return !legality || legality(getValues(point));
}

Point Space::getPoint(uint64_t number) const {
  Point point(knobs.size());
  for (size_t i = knobs.size(); i-- > 0; number /= knobs[i].values.size())
    point[i] = uint32_t(number % knobs[i].values.size());
  return point;
}

Point Space::draw(Random &random) const {
  Point point;
  for (const Knob &knob : knobs)
    point.push_back(uint32_t(random.below(knob.values.size())));
  return point;
}

std::vector<Point> Space::getNeighbours(ArrayRef<uint32_t> point) const {
  std::vector<Point> neighbours;
  for (size_t i = 0; i < knobs.size(); ++i) {
    for (int step : {-1, 1}) {
      Point neighbour = point.vec();
      neighbour[i] += uint32_t(step);
      if (neighbour[i] < knobs[i].values.size())
        neighbours.push_back(std::move(neighbour));
    }
  }
  return neighbours;
}

std::string Space::print(ArrayRef<uint32_t> point) const {
  std::string text;
  for (auto [position, knob] : llvm::zip_equal(point, knobs))
    text += (text.empty() ? "" : " ") + knob.name + "=" + std::to_string(knob.values[position]);
  return text;
}

/// The position of the value that `text` spells in the list of `knob`.
static llvm::Expected<uint32_t> parseValue(const Knob &knob, StringRef text) {
  int64_t value = 0;
  bool isNumber = !text.getAsInteger(10, value);
  auto found = llvm::find(knob.values, value);
  if (isNumber && found != knob.values.end())
    return uint32_t(found - knob.values.begin());
  std::string listed;
  for (int64_t possible : ArrayRef(knob.values).take_front(16))
    listed += (listed.empty() ? "" : ", ") + std::to_string(possible);
  return fail("the knob " + knob.name + " is one of " + listed +
              (knob.values.size() > 16 ? ", ..." : "") + ", not " + quote(text));
}

llvm::Expected<Point> Space::parse(StringRef text) const {
  if (text.size() > maxTextBytes)
    return fail("a point of " + llvm::Twine(text.size()) + " bytes, at most " +
                llvm::Twine(maxTextBytes) + " are possible");
  std::vector<std::optional<uint32_t>> found(knobs.size());
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [name, value] = part.split('=');
    if (name.size() == part.size())
      return fail("expected name=value, got " + quote(part));
    auto knob = llvm::find_if(knobs, [name = name](const Knob &knob) { return knob.name == name; });
    if (knob == knobs.end())
      return fail("there is no knob " + quote(name) + ": the first is " + knobs[0].name);
    std::optional<uint32_t> &position = found[knob - knobs.begin()];
    if (position)
      return fail("the knob " + knob->name + " is given twice");
    llvm::Expected<uint32_t> parsed = parseValue(*knob, value);
    if (!parsed)
      return parsed.takeError();
    position = *parsed;
  }
  Point point;
  for (auto [position, knob] : llvm::zip_equal(found, knobs)) {
    if (!position)
      return fail("the knob " + knob.name + " has no value");
    point.push_back(*position);
  }
  return point;
}
