//===- Knobs.cpp - the knobs of the template -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Knobs.h"
#include "dialects/layout/Template/KnobFeatures.h"
#include "dialects/layout/Template/KnobSpace.h"
#include "dialects/layout/Template/LoopOrder.h"
#include "dialects/layout/Template/PointText.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

//===----------------------------------------------------------------------===//
// Clauses
//===----------------------------------------------------------------------===//

static void printScalar(raw_ostream &stream, const Point &point) {
  if (!point.vectorDim)
    stream << "scalar";
}

static void describeScalar(raw_ostream &stream, const Point &point, te::ComputeOp, const Roles &) {
  if (!point.vectorDim)
    stream << "scalar code";
}

static void printVector(raw_ostream &stream, const Point &point) {
  if (!point.vectorDim)
    return;
  stream << "vector ";
  printFused(stream, *point.vectorDim, point.fused);
  stream << ' ' << point.vectors << 'x' << point.lanes;
}

static bool parseVector(StringRef &rest, Point &point) {
  return parseFused(rest, point.vectorDim.emplace(), point.fused) &&
         parseCount(rest, point.vectors) && rest.consume_front("x") &&
         parseCount(rest, point.lanes);
}

static void describeVector(raw_ostream &stream, const Point &point, te::ComputeOp,
                           const Roles &roles) {
  if (!point.vectorDim)
    return;
  if (point.vectors > 1)
    stream << point.vectors << " x ";
  stream << point.lanes << " lanes along ";
  describeFused(stream, *point.vectorDim, point.fused, roles);
}

static void printRows(raw_ostream &stream, const Point &point) {
  for (const TileRows &rows : point.rows) {
    stream << ", rows ";
    printFused(stream, rows.dim, rows.fused);
    stream << ' ' << rows.extent;
  }
}

static bool parseRows(StringRef &rest, Point &point) {
  TileRows &rows = point.rows.emplace_back();
  return parseFused(rest, rows.dim, rows.fused) && parseCount(rest, rows.extent);
}

static void describeRows(raw_ostream &stream, const Point &point, te::ComputeOp,
                         const Roles &roles) {
  for (const TileRows &rows : point.rows) {
    stream << ", " << rows.extent << " rows of ";
    describeFused(stream, rows.dim, rows.fused, roles);
  }
}

static void printBoxes(raw_ostream &stream, const Point &point) {
  for (const BoxRows &box : point.boxes)
    stream << ", box d" << box.dim << ' ' << box.extent;
}

static bool parseBoxes(StringRef &rest, Point &point) {
  BoxRows &box = point.boxes.emplace_back();
  return parseDim(rest, box.dim) && parseCount(rest, box.extent);
}

static void describeBoxes(raw_ostream &stream, const Point &point, te::ComputeOp,
                          const Roles &roles) {
  for (const BoxRows &box : point.boxes) {
    stream << ", boxes of " << box.extent << " of ";
    describeFused(stream, box.dim, 0, roles);
  }
}

static void printUnrolled(raw_ostream &stream, const Point &point) {
  for (const Unroll &unroll : point.unrolled) {
    stream << ", unroll d" << unroll.dim;
    if (unroll.extent)
      stream << ' ' << unroll.extent;
  }
}

static bool parseUnrolled(StringRef &rest, Point &point) {
  Unroll &unroll = point.unrolled.emplace_back();
  return parseDim(rest, unroll.dim) && (rest.empty() || parseCount(rest, unroll.extent));
}

static void describeUnrolled(raw_ostream &stream, const Point &point, te::ComputeOp,
                             const Roles &roles) {
  for (const Unroll &unroll : point.unrolled) {
    stream << ", ";
    describeFused(stream, unroll.dim, 0, roles);
    stream << " unrolled";
    if (unroll.extent > 0)
      stream << ' ' << unroll.extent << " times";
  }
}

static void printDot(raw_ostream &stream, const Point &point) {
  if (point.dot)
    stream << ", atom d" << point.dot->dim << ' ' << point.dot->extent
           << (point.usesMatrices() ? " matrix" : "");
}

static bool parseDot(StringRef &rest, Point &point) {
  DotSteps &dot = point.dot.emplace();
  if (!parseDim(rest, dot.dim) || !parseCount(rest, dot.extent))
    return false;
  dot.unit = rest.consume_front(" matrix") ? AtomUnit::Matrix : AtomUnit::Vector;
  return true;
}

static void describeDot(raw_ostream &stream, const Point &point, te::ComputeOp,
                        const Roles &roles) {
  if (!point.dot)
    return;
  stream << (point.usesMatrices() ? ", products of matrices of " : ", dot products of ")
         << point.dot->extent << " steps of ";
  describeFused(stream, point.dot->dim, 0, roles);
}

ArrayRef<Clause> layout::getClauses() {
  static constexpr Clause clauses[] = {
      {"scalar", true, printScalar, [](StringRef &, Point &) { return true; }, describeScalar},
      {"vector ", true, printVector, parseVector, describeVector},
      {"rows ", false, printRows, parseRows, describeRows},
      {"box ", false, printBoxes, parseBoxes, describeBoxes},
      {"unroll ", false, printUnrolled, parseUnrolled, describeUnrolled},
      {"atom ", false, printDot, parseDot, describeDot},
      {"outer", false,
       [](raw_ostream &stream, const Point &point) { printDims(stream, "outer", point.outer); },
       [](StringRef &rest, Point &point) { return parseDims(rest, point.outer); },
       [](raw_ostream &stream, const Point &point, te::ComputeOp op, const Roles &roles) {
         describeOrder(stream, ", loops ", point.outer, op, roles);
       }},
      {"reduce", false,
       [](raw_ostream &stream, const Point &point) {
         printDims(stream, "reduce", point.reductions);
       },
       [](StringRef &rest, Point &point) { return parseDims(rest, point.reductions); },
       [](raw_ostream &stream, const Point &point, te::ComputeOp op, const Roles &roles) {
         describeOrder(stream, ", then ", point.reductions, op, roles);
       }}};
  return clauses;
}

void layout::describe(raw_ostream &stream, const Point &point, te::ComputeOp op,
                      const Roles &roles) {
  for (const Clause &clause : getClauses())
    clause.describe(stream, point, op, roles);
}

raw_ostream &layout::operator<<(raw_ostream &stream, const Point &point) {
  for (const Clause &clause : getClauses())
    clause.print(stream, point);
  return stream;
}

/// Takes a clause from the front of `rest`. Returns false if it has another form.
static bool parseClause(StringRef &rest, bool isFirst, Point &point) {
  for (const Clause &clause : getClauses())
    if (clause.isFirst == isFirst && rest.consume_front(clause.begin))
      return clause.parse(rest, point);
  return false;
}

FailureOr<Point> layout::parsePoint(StringRef text, function_ref<void(const Twine &)> refuse) {
  Point point;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (auto [number, part] : llvm::enumerate(parts)) {
    part = part.trim();
    StringRef rest = part;
    if (!parseClause(rest, number == 0, point) || !rest.empty()) {
      refuse("'" + part + "' is no knob of a point, such as 'rows d2 7'");
      return failure();
    }
  }
  return point;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The value of a knob that names no dim or order.
static constexpr int64_t none = -1;

/// Adds `value` to an ascending list unless it is there.
static void insert(std::vector<int64_t> &values, int64_t value) {
  auto position = llvm::lower_bound(values, value);
  if (position == values.end() || *position != value)
    values.insert(position, value);
}

static std::vector<int64_t> listVectorDims(const KnobSpace &space, ArrayRef<RankedPoint>) {
  std::vector<int64_t> dims = {none};
  for (unsigned dim = space.getRows().count; dim < space.getOp().getNumDims(); ++dim)
    if (space.getExtent(dim) > 1 && space.getRoles()[dim] != Role::Window)
      dims.push_back(dim);
  return dims;
}

static std::vector<int64_t> listLanes(const KnobSpace &space, ArrayRef<RankedPoint> best) {
  std::vector<int64_t> lanes;
  for (int64_t count = getLanes(space.getOp(), space.getMachine()); count >= leastLanes; count /= 2)
    insert(lanes, count);
  for (const RankedPoint &entry : best)
    if (entry.point.vectorDim)
      insert(lanes, entry.point.lanes);
  if (lanes.empty()) // of a machine without vectors
    lanes = {1};
  return std::vector<int64_t>(lanes.rbegin(), lanes.rend());
}

static std::vector<int64_t> listVectors(const KnobSpace &, ArrayRef<RankedPoint> best) {
  std::vector<int64_t> vectors = {1, 2, 3, 4, 6, 8};
  for (const RankedPoint &entry : best)
    insert(vectors, entry.point.vectors);
  return vectors;
}

static std::vector<int64_t> listRowDims(const KnobSpace &space, ArrayRef<RankedPoint>) {
  std::vector<int64_t> dims = {none};
  for (unsigned dim = 0; dim < space.getOp().getNumParallel(); ++dim)
    if (space.getExtent(dim) > 1 && (dim >= space.getRows().count || dim == space.getRows().tiled))
      dims.push_back(dim);
  return dims;
}

static std::vector<int64_t> listExtents(const KnobSpace &, ArrayRef<RankedPoint> best) {
  std::vector<int64_t> extents = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 20, 24, 28};
  for (const RankedPoint &entry : best)
    for (const TileRows &rows : entry.point.rows)
      insert(extents, rows.extent);
  return extents;
}

static std::vector<int64_t> listBoxes(const KnobSpace &, ArrayRef<RankedPoint>) {
  return {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 32};
}

static std::vector<int64_t> listFuse(const KnobSpace &, ArrayRef<RankedPoint>) { return {1, 0}; }

/// Lists 0, 1, and so on: `count` values.
static std::vector<int64_t> listNumbers(size_t count) {
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

static std::vector<int64_t> listUnrolled(const KnobSpace &space, ArrayRef<RankedPoint>) {
  std::vector<int64_t> extents = {1};
  if (std::optional<unsigned> dim = space.getUnrolledInner())
    for (int64_t extent : {2, 4, 8})
      if (extent < space.getExtent(*dim))
        extents.push_back(extent);
  return extents;
}

//===----------------------------------------------------------------------===//
// From points to values, and back
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getVectorDim(const KnobSpace &, const Point &point) {
  return point.vectorDim;
}

static bool setVectorDim(const KnobSpace &, int64_t value, Point &point) {
  if (value != none)
    point.vectorDim = value;
  return true;
}

/// Returns a field that means nothing in scalar code.
template <auto field>
static std::optional<int64_t> getOfVector(const KnobSpace &, const Point &point) {
  return point.vectorDim ? std::optional<int64_t>(point.*field) : std::nullopt;
}

template <auto field> static bool setOfVector(const KnobSpace &, int64_t value, Point &point) {
  if (point.vectorDim)
    point.*field = value;
  return true;
}

/// Returns rows number `number` of those that are more than one, or null.
static const TileRows *findRows(const Point &point, unsigned number) {
  for (const TileRows &rows : point.rows)
    if (rows.extent > 1 && number-- == 0)
      return &rows;
  return nullptr;
}

template <unsigned number>
static std::optional<int64_t> getRows(const KnobSpace &, const Point &point) {
  const TileRows *rows = findRows(point, number);
  return rows ? std::optional<int64_t>(rows->dim) : std::nullopt;
}

template <unsigned number>
static std::optional<int64_t> getRowsExtent(const KnobSpace &, const Point &point) {
  const TileRows *rows = findRows(point, number);
  return rows ? std::optional(rows->extent) : std::nullopt;
}

/// The dim of no rows, which the last knob of the tile drops.
static constexpr unsigned noDim = ~0u;

static bool setRows(const KnobSpace &, int64_t value, Point &point) {
  if (point.vectorDim)
    point.rows.push_back({value == none ? noDim : static_cast<unsigned>(value), 1, 0});
  return true;
}

static bool setRowsExtent(const KnobSpace &, int64_t value, Point &point) {
  if (point.vectorDim)
    point.rows.back().extent = value;
  return true;
}

/// The last knob of the tile: brings the rows into order, fuses, and refuses tiles that are larger
/// than their dims. Vectors may be as many as there are, up to a last one that is not full.
static bool setFuse(const KnobSpace &space, int64_t value, Point &point) {
  if (!point.vectorDim)
    return true;
  te::ComputeOp op = space.getOp();
  if (value && *point.vectorDim < op.getNumParallel())
    point.fused = countFusable(op, space.getAccesses(), *point.vectorDim, space.getRows().count);
  if ((point.vectors - 1) * point.lanes >= space.getFusedExtent(*point.vectorDim, point.fused))
    return false;
  SmallVector<TileRows> all = std::move(point.rows);
  llvm::erase_if(all, [](const TileRows &rows) { return rows.dim == noDim || rows.extent == 1; });
  llvm::sort(all, [](const TileRows &a, const TileRows &b) {
    return std::pair(a.dim, a.extent) < std::pair(b.dim, b.extent);
  });
  point.rows.clear();
  for (TileRows rows : all) {
    bool isRow = rows.dim < space.getRows().count;
    unsigned first = getFirstFusable(point, rows.dim, space.getRows().count);
    if (rows.dim < first && !isRow)
      return false;
    if (value && op.hasReduction() && !isRow)
      rows.fused = countFusable(op, space.getAccesses(), rows.dim, first);
    if (rows.extent > space.getFusedExtent(rows.dim, rows.fused))
      return false;
    point.rows.push_back(rows);
  }
  return true;
}

/// Returns whether the dims are fused that the knob would fuse.
static std::optional<int64_t> getFuse(const KnobSpace &space, const Point &point) {
  if (!point.vectorDim)
    return std::nullopt;
  Point fused = point;
  fused.fused = 0;
  for (TileRows &rows : fused.rows)
    rows.fused = 0;
  return setFuse(space, 1, fused) && fused.fused == point.fused &&
         llvm::equal(fused.rows, point.rows, [](const TileRows &a, const TileRows &b) {
           return a.dim == b.dim && a.fused == b.fused;
         });
}

/// Returns the number of tiles that a box has.
static std::optional<int64_t> getBox(const KnobSpace &, const Point &point) {
  return point.boxes.empty() ? std::nullopt
                             : std::optional(point.boxes.front().extent /
                                             point.getTileExtent(point.boxes.front().dim));
}

static bool setBox(const KnobSpace &space, int64_t value, Point &point) {
  if (std::optional<unsigned> dim = space.getRows().tiled; dim && value > 1)
    point.boxes.push_back({*dim, value * point.getTileExtent(*dim)});
  return true;
}

static std::optional<int64_t> getTaps(const KnobSpace &, const Point &point) {
  return llvm::count_if(point.unrolled, [](const Unroll &unroll) { return unroll.extent == 0; });
}

static bool setTaps(const KnobSpace &space, int64_t value, Point &point) {
  if (point.vectorDim)
    for (unsigned dim : llvm::reverse(space.getTaps().take_front(value)))
      point.unrolled.push_back({dim, 0});
  return true;
}

static std::optional<int64_t> getUnrolled(const KnobSpace &, const Point &point) {
  for (const Unroll &unroll : point.unrolled)
    if (unroll.extent)
      return unroll.extent;
  return std::nullopt;
}

static bool setUnrolled(const KnobSpace &space, int64_t value, Point &point) {
  std::optional<unsigned> dim = space.getUnrolledInner();
  if (point.vectorDim && value > 1 && point.vectorDim != dim)
    point.unrolled.insert(point.unrolled.begin(), {*dim, value});
  return true;
}

/// Lists numbers of steps: none, and those of one instruction; of dot products also of two and
/// four.
static std::vector<int64_t> listDots(const KnobSpace &space, ArrayRef<RankedPoint>) {
  std::vector<int64_t> extents = {0};
  const Atom &atom = *space.getDot()->atom;
  for (int64_t count = 1; count <= (atom.isMatrix() ? 1 : 4); count *= 2)
    if (count * atom.steps <= space.getExtent(space.getDot()->dim))
      extents.push_back(count * atom.steps);
  return extents;
}

static std::optional<int64_t> getDot(const KnobSpace &, const Point &point) {
  return point.dot ? point.dot->extent : 0;
}

static bool setDot(const KnobSpace &space, int64_t value, Point &point) {
  if (value > 0)
    point.dot = DotSteps{space.getDot()->dim, value, space.getDot()->atom->unit};
  return true;
}

static std::optional<int64_t> getReductions(const KnobSpace &space, const Point &point) {
  return space.findOrder(space.getReductionOrders(), point.reductions, point).value_or(none);
}

static bool setReductions(const KnobSpace &space, int64_t value, Point &point) {
  point.reductions = space.getReductionOrders()[value];
  return true;
}

static std::optional<int64_t> getOuter(const KnobSpace &space, const Point &point) {
  return space.findOrder(space.getOuterOrders(), point.outer, point).value_or(none);
}

static bool setOuter(const KnobSpace &space, int64_t value, Point &point) {
  point.outer = space.getOuterOrders()[value];
  // Threads run over rows, whose loops are the outermost ones.
  unsigned rows = space.getRows().count;
  return llvm::equal(ArrayRef(point.outer).take_front(rows), llvm::seq<unsigned>(0, rows));
}

ArrayRef<Knob> layout::getKnobs() {
  static constexpr Knob knobs[] = {
      {"vector", listVectorDims, getVectorDim, setVectorDim, addVectorFeatures},
      {"lanes", listLanes, getOfVector<&Point::lanes>, setOfVector<&Point::lanes>, nullptr},
      {"vectors", listVectors, getOfVector<&Point::vectors>, setOfVector<&Point::vectors>, nullptr},
      {"rows", listRowDims, getRows<0>, setRows, addRowsFeatures<0>},
      {"rows_extent", listExtents, getRowsExtent<0>, setRowsExtent, nullptr},
      {"rows2", listRowDims, getRows<1>, setRows, addRowsFeatures<1>},
      {"rows2_extent", listExtents, getRowsExtent<1>, setRowsExtent, nullptr},
      {"fuse", listFuse, getFuse, setFuse, nullptr},
      {"box", listBoxes, getBox, setBox, nullptr,
       [](const KnobSpace &space) { return space.getRows().hasBox; }},
      {"taps",
       [](const KnobSpace &space, ArrayRef<RankedPoint>) {
         return listNumbers(space.getTaps().size() + 1);
       },
       getTaps, setTaps, addUnrollFeatures},
      {"unroll", listUnrolled, getUnrolled, setUnrolled, nullptr},
      {"atom", listDots, getDot, setDot, addDotFeatures,
       [](const KnobSpace &space) { return space.getDot().has_value(); }},
      {"reduce",
       [](const KnobSpace &space, ArrayRef<RankedPoint>) {
         return listNumbers(space.getReductionOrders().size());
       },
       getReductions, setReductions, addStepFeatures},
      {"outer",
       [](const KnobSpace &space, ArrayRef<RankedPoint>) {
         return listNumbers(space.getOuterOrders().size());
       },
       getOuter, setOuter, addLoopFeatures}};
  return knobs;
}
