//===- KernelSpace.cpp - the points of a kernel as named integers ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/KernelSpace.h"
#include "Features.h"

using namespace mlir;
using namespace ::tssa;
using namespace ::tssa::tuner;
namespace layout = mlir::tssa::layout;
using llvm::Expected;

/// Returns the points of `values`, the knobs of all expressions after each other, or nothing if one
/// of them is not legal.
static std::optional<KernelPoint> decodeValues(ArrayRef<std::unique_ptr<layout::KnobSpace>> parts,
                                               ArrayRef<int64_t> values) {
  KernelPoint points;
  for (const std::unique_ptr<layout::KnobSpace> &part : parts) {
    size_t count = part->getValues().size();
    std::optional<layout::Point> point = part->decode(values.take_front(count));
    if (!point)
      return std::nullopt;
    points.push_back(std::move(*point));
    values = values.drop_front(count);
  }
  return points;
}

/// Returns the positions of `values` in the lists of the knobs, or nothing if a list lacks one.
static std::optional<search::Point> findPositions(ArrayRef<search::Knob> knobs,
                                                  ArrayRef<int64_t> values) {
  search::Point point;
  for (auto [knob, value] : llvm::zip_equal(knobs, values)) {
    auto found = llvm::find(knob.values, value);
    if (found == knob.values.end())
      return std::nullopt;
    point.push_back(found - knob.values.begin());
  }
  return point;
}

Expected<std::unique_ptr<KernelSpace>> KernelSpace::create(const TaskKernel &kernel) {
  std::unique_ptr<KernelSpace> result(new KernelSpace);
  std::vector<search::Knob> knobs;
  size_t numExpressions = kernel.getExpressions().size();
  std::vector<std::vector<int64_t>> defaults; // of each expression, as near as knobs can say
  std::vector<int64_t> prefix;                // those of the expressions before the root
  for (auto [number, expression] : llvm::enumerate(kernel.getExpressions())) {
    auto part = std::make_unique<layout::KnobSpace>(
        expression.op, expression.accesses, expression.roles, kernel.getMachine(), expression.rows);
    bool isRoot = number + 1 == numExpressions;
    std::string before = isRoot ? "" : "e" + std::to_string(number) + ".";
    std::optional<std::vector<int64_t>> values = part->encode(kernel.getDefaultPoint()[number]);
    if (!values && part->getPicks().empty())
      return llvm::createStringError("the default loops are not in the space");
    defaults.push_back(values ? std::move(*values) : part->getPicks().front());
    for (auto [knob, list] : llvm::zip_equal(part->getKnobs(), part->getValues()))
      knobs.push_back({before + knob->name.str(), list});
    if (!isRoot)
      llvm::append_range(prefix, defaults.back());
    result->parts.push_back(std::move(part));
  }
  Expected<search::Space> space =
      search::Space::create(knobs, [parts = ArrayRef(result->parts), &kernel](auto values) {
        std::optional<KernelPoint> point = decodeValues(parts, values);
        return point && kernel.findObstacleToBoxes(point->back()).empty();
      });
  if (!space)
    return space.takeError();
  result->space = std::move(*space);
  std::vector<ArrayRef<int64_t>> picks{defaults.back()};
  for (ArrayRef<int64_t> pick : result->parts.back()->getPicks())
    if (pick != ArrayRef(defaults.back()))
      picks.push_back(pick);
  for (ArrayRef<int64_t> pick : picks) {
    std::vector<int64_t> values = prefix;
    llvm::append_range(values, pick);
    auto point = findPositions(knobs, values);
    if (point && result->space->isLegal(*point))
      result->best.push_back(std::move(*point));
  }
  if (result->best.empty())
    return llvm::createStringError("the default loops are not in the space");
  return result;
}

KernelPoint KernelSpace::decode(ArrayRef<uint32_t> point) const {
  return *decodeValues(parts, space->getValues(point));
}

search::Point KernelSpace::canonicalize(ArrayRef<uint32_t> point) const {
  std::vector<int64_t> values;
  for (auto [part, own] : llvm::zip_equal(parts, decode(point))) {
    // The first order of loops that gives the same code may be one that the schedule of a box
    // refuses.
    std::optional<std::vector<int64_t>> first = part->encode(own);
    if (!first)
      return search::Point(point.begin(), point.end());
    llvm::append_range(values, *first);
  }
  return *findPositions(space->getKnobs(), values);
}

double KernelSpace::getCycles(ArrayRef<uint32_t> point) const {
  double cycles = 0;
  for (auto [part, own] : llvm::zip_equal(parts, decode(point)))
    cycles += part->getTerms(own).cycles;
  return cycles;
}

search::Features KernelSpace::getFeatures(ArrayRef<uint32_t> point) const {
  return tuner::getFeatures(parts, decode(point));
}

std::vector<std::string> KernelSpace::getFeatureNames() const {
  return tuner::getFeatureNames(parts, decode(getDefault()));
}

std::optional<search::Point> KernelSpace::adopt(ArrayRef<search::Knob> knobs,
                                                ArrayRef<int64_t> values) const {
  ArrayRef<search::Knob> own = space->getKnobs();
  if (knobs.size() != own.size())
    return std::nullopt;
  search::Point point;
  for (auto [theirs, ours, value] : llvm::zip_equal(knobs, own, values)) {
    if (theirs.name != ours.name)
      return std::nullopt;
    auto nearest = llvm::min_element(ours.values, [value = value](int64_t a, int64_t b) {
      return std::abs(a - value) < std::abs(b - value);
    });
    point.push_back(nearest - ours.values.begin());
  }
  if (!space->isLegal(point))
    return std::nullopt;
  return point;
}

//===----------------------------------------------------------------------===//
// Loops of other spaces
//===----------------------------------------------------------------------===//

/// Returns for each dim of `from` the dim of `to` that stands for it, if there is one.
static SmallVector<std::optional<unsigned>> matchDims(const layout::Roles &from,
                                                      const layout::Roles &to) {
  SmallVector<std::optional<unsigned>> dims(from.dims.size());
  for (layout::Role role : layout::allRoles) {
    SmallVector<unsigned> theirs = from.getDims(role), ours = to.getDims(role);
    for (auto [a, b] : llvm::zip(llvm::reverse(theirs), llvm::reverse(ours)))
      dims[a] = b;
  }
  return dims;
}

/// Returns `point` with other dims. Loops of dims that have no counterpart are those of `base`, and
/// so are all orders. Returns nothing if the vectors have none.
static std::optional<layout::Point> replaceDims(const layout::Point &point,
                                                ArrayRef<std::optional<unsigned>> dims,
                                                const layout::Point &base) {
  layout::Point result = base;
  result.rows.clear();
  result.unrolled.clear();
  result.boxes.clear();
  result.vectorDim = point.vectorDim;
  result.lanes = point.lanes;
  result.vectors = point.vectors;
  result.fused = 0;
  if (point.vectorDim && !(result.vectorDim = dims[*point.vectorDim]))
    return std::nullopt;
  for (const layout::TileRows &rows : point.rows)
    if (dims[rows.dim] && dims[rows.dim] != result.vectorDim)
      result.rows.push_back({*dims[rows.dim], rows.extent, 0});
  llvm::sort(result.rows, [](const auto &a, const auto &b) { return a.dim < b.dim; });
  for (const layout::Unroll &unroll : point.unrolled)
    if (dims[unroll.dim])
      result.unrolled.push_back({*dims[unroll.dim], unroll.extent});
  if (point.dot && dims[point.dot->dim] && base.dot)
    result.dot = layout::DotSteps{*dims[point.dot->dim], point.dot->extent, point.dot->unit};
  else
    result.dot.reset();
  return result;
}

std::optional<search::Point> KernelSpace::adopt(const KernelSpace &other,
                                                ArrayRef<uint32_t> point) const {
  if (parts.size() != other.parts.size())
    return std::nullopt;
  KernelPoint theirs = other.decode(point), base = decode(getDefault());
  std::vector<int64_t> values;
  for (auto [number, part] : llvm::enumerate(parts)) {
    SmallVector<std::optional<unsigned>> dims =
        matchDims(other.parts[number]->getRoles(), part->getRoles());
    auto ours = replaceDims(theirs[number], dims, base[number]);
    std::optional<std::vector<int64_t>> own;
    if (!ours || !(own = part->encode(*ours)))
      return std::nullopt;
    llvm::append_range(values, *own);
  }
  return adopt(space->getKnobs(), values);
}
