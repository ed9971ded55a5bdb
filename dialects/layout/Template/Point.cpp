//===- Point.cpp - a point of the space of schedules -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Point.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

int64_t Point::countAccumulators() const {
  int64_t count = vectors;
  for (const TileRows &tile : rows)
    count *= tile.extent;
  return count;
}

const Unroll *Point::findUnroll(unsigned dim) const {
  const auto *found =
      llvm::find_if(unrolled, [&](const Unroll &unroll) { return unroll.dim == dim; });
  return found == unrolled.end() ? nullptr : found;
}

raw_ostream &layout::operator<<(raw_ostream &stream, const Point &point) {
  auto printDims = [&](StringRef name, ArrayRef<unsigned> dims) {
    if (!dims.empty())
      stream << ", " << name;
    for (unsigned dim : dims)
      stream << " d" << dim;
  };
  auto printFused = [&](unsigned dim, unsigned fused) {
    for (unsigned other = dim - fused; other < dim; ++other)
      stream << 'd' << other << '*';
    stream << 'd' << dim << ' ';
  };
  if (point.vectorDim) {
    stream << "vector ";
    printFused(*point.vectorDim, point.fused);
    stream << point.vectors << 'x' << point.lanes;
  } else {
    stream << "scalar";
  }
  for (const TileRows &tile : point.rows) {
    stream << ", rows ";
    printFused(tile.dim, tile.fused);
    stream << tile.extent;
  }
  for (const Unroll &unroll : point.unrolled) {
    stream << ", unroll d" << unroll.dim;
    if (unroll.extent)
      stream << ' ' << unroll.extent;
  }
  printDims("outer", point.outer);
  printDims("reduce", point.reductions);
  return stream;
}

namespace {
class PointParser {
public:
  explicit PointParser(function_ref<void(const Twine &)> refuse) : refuse(refuse) {}

  FailureOr<Point> parse(StringRef text) {
    SmallVector<StringRef> knobs;
    text.split(knobs, ',');
    for (auto [number, knob] : llvm::enumerate(knobs)) {
      knob = knob.trim();
      StringRef rest = knob;
      if (!parseKnob(rest, number == 0) || !rest.empty()) {
        refuse("'" + knob + "' is no knob of a point, such as 'rows d2 7'");
        return failure();
      }
    }
    return point;
  }

private:
  /// Takes one knob from the front of `rest`. Returns false if it has another form.
  bool parseKnob(StringRef &rest, bool isFirst) {
    if (isFirst)
      return rest.consume_front("scalar") || (rest.consume_front("vector ") && parseVector(rest));
    if (rest.consume_front("rows ")) {
      TileRows &rows = point.rows.emplace_back();
      return parseFused(rest, rows.dim, rows.fused) && parseCount(rest, rows.extent);
    }
    if (rest.consume_front("unroll ")) {
      Unroll &unroll = point.unrolled.emplace_back();
      return parseDim(rest, unroll.dim) && (rest.empty() || parseCount(rest, unroll.extent));
    }
    if (rest.consume_front("outer"))
      return parseDims(rest, point.outer);
    return rest.consume_front("reduce") && parseDims(rest, point.reductions);
  }

  bool parseVector(StringRef &rest) {
    return parseFused(rest, point.vectorDim.emplace(), point.fused) &&
           parseCount(rest, point.vectors) && rest.consume_front("x") &&
           parseCount(rest, point.lanes);
  }

  /// Parses a product of adjacent dims.
  static bool parseFused(StringRef &rest, unsigned &dim, unsigned &fused) {
    if (!parseDim(rest, dim))
      return false;
    for (; rest.consume_front("*"); ++fused) {
      unsigned last = dim;
      if (!parseDim(rest, dim) || dim != last + 1)
        return false;
    }
    return true;
  }

  static bool parseDims(StringRef &rest, SmallVectorImpl<unsigned> &dims) {
    while (!rest.empty())
      if (!parseDim(rest, dims.emplace_back()))
        return false;
    return !dims.empty();
  }

  static bool parseDim(StringRef &rest, unsigned &dim) {
    rest = rest.ltrim();
    return rest.consume_front("d") && !rest.consumeInteger(10, dim);
  }

  static bool parseCount(StringRef &rest, int64_t &count) {
    rest = rest.ltrim();
    return !rest.consumeInteger(10, count) && count > 0;
  }

  function_ref<void(const Twine &)> refuse;
  Point point;
};
} // namespace

FailureOr<Point> layout::parsePoint(StringRef text, function_ref<void(const Twine &)> refuse) {
  return PointParser(refuse).parse(text);
}
