//===- WindowLoad.cpp - vector loads that need no gather ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowLoad.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tssa/Conversion/LaneMask.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ::tssa::conversion;

namespace {
/// The window of memory that the lanes of an access read.
struct LaneWindow {
  AffineExpr first;
  SmallVector<int64_t> offsets; ///< of each lane, relative to `first`
  int64_t size = 0;
  int64_t stride = 0; ///< from lane to lane, if it is the same everywhere and positive
};

/// A condition of lanes as one of places in a window: `base` + `step` * place >= 0.
struct PlaceCondition {
  AffineExpr base;
  int64_t step;
};

class WindowLoader {
public:
  WindowLoader(IndexBuilder &index, const LaneAccess &access, const LaneMask &mask, Value pad)
      : index(index), access(access), mask(mask), pad(pad), builder(index.getBuilder()),
        loc(index.getLoc()), lanes(access.getLanes()) {}

  /// Returns null if a condition of lanes is none of places.
  Value build(const LaneWindow &window) {
    if (!setConditions(window))
      return {};
    if (!pad)
      pad = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(access.type));
    SmallVector<int64_t> firsts = {0};
    while (firsts.back() + lanes < window.size) // the last vector overlaps with the one before it
      firsts.push_back(std::min(firsts.back() + lanes, window.size - lanes));
    Value shuffled;
    SmallVector<int64_t> indices(lanes, 0);
    SmallVector<bool> done(lanes, false);
    for (auto [i, first] : llvm::enumerate(firsts)) {
      Value part = loadPart(window, first);
      for (auto [lane, offset] : llvm::enumerate(window.offsets)) {
        bool isHere = !done[lane] && offset >= first && offset < first + lanes;
        indices[lane] = isHere ? offset - first + (i ? lanes : 0) : i ? lane : 0;
        done[lane] = done[lane] || isHere;
      }
      shuffled = vector::ShuffleOp::create(builder, loc, i ? shuffled : part, part, indices);
    }
    std::optional<LaneMask> used = LaneMask::read(index, access.used, lanes);
    if (mask.count == lanes || (used && used->count <= mask.count))
      return shuffled;
    return arith::SelectOp::create(builder, loc, getPrefix(mask.count), shuffled, pad);
  }

private:
  bool setConditions(const LaneWindow &window) {
    if (window.stride == 0)
      return mask.atLeastZero.empty() && mask.counts.empty();
    MLIRContext *context = index.getContext();
    AffineExpr lane = getAffineDimExpr(access.laneDim, context);
    for (AffineExpr expr : mask.atLeastZero) {
      AffineExpr base = index.simplify(expr.replace(lane, getAffineConstantExpr(0, context)));
      auto step = dyn_cast<AffineConstantExpr>(
          index.simplify(expr.replace(lane, getAffineConstantExpr(1, context)) - base));
      if (!step || index.hasLanes(base) || step.getValue() % window.stride != 0 ||
          index.simplify(base + lane * step.getValue() - expr) != getAffineConstantExpr(0, context))
        return false;
      conditions.push_back({base, step.getValue() / window.stride});
    }
    return true;
  }

  Value getPrefix(int64_t count) {
    SmallVector<bool> kept(lanes, false);
    std::fill_n(kept.begin(), count, true);
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(VectorType::get(lanes, builder.getI1Type()), ArrayRef(kept)));
  }

  /// Returns which places of the vector that starts `first` elements into the window are read; null
  /// if all are.
  Value buildKept(const LaneWindow &window, int64_t first) {
    auto type = VectorType::get(lanes, builder.getI1Type());
    Value kept;
    auto restrict = [&](Value more) {
      kept = kept ? arith::AndIOp::create(builder, loc, kept, more).getResult() : more;
    };
    if (window.size - first < lanes)
      restrict(getPrefix(window.size - first));
    for (Value condition : mask.uniform)
      restrict(vector::BroadcastOp::create(builder, loc, type, condition));
    for (Value count : mask.counts) { // of lanes, the last of which reads the last place
      AffineExpr places = (index.getSymbol(count) - 1) * window.stride + (1 - first);
      restrict(vector::CreateMaskOp::create(builder, loc, type,
                                            index.materialize(index.simplify(places))));
    }
    AffineExpr lane = getAffineDimExpr(access.laneDim, index.getContext());
    for (auto [base, step] : conditions)
      restrict(index.materializeLaneCondition(index.simplify(base + (lane + first) * step),
                                              /*equality=*/false, access.laneDim, lanes));
    return kept;
  }

  Value loadPart(const LaneWindow &window, int64_t first) {
    Value address =
        index.clampOffset(index.materialize(index.simplify(window.first + first)), access.touched);
    Value kept = buildKept(window, first);
    if (!kept)
      return vector::LoadOp::create(builder, loc, access.type, access.memref, ValueRange{address});
    return vector::MaskedLoadOp::create(builder, loc, access.type, access.memref,
                                        ValueRange{address}, kept, pad);
  }

  IndexBuilder &index;
  const LaneAccess &access;
  const LaneMask &mask;
  Value pad;
  OpBuilder &builder;
  Location loc;
  int64_t lanes;
  SmallVector<PlaceCondition, 2> conditions;
};
} // namespace

/// Returns the distance from each of `offsets` to the next one, or 0 if it is not the same or not
/// positive.
static int64_t getStride(ArrayRef<int64_t> offsets) {
  if (offsets.size() < 2)
    return 0;
  int64_t stride = offsets[1] - offsets[0];
  for (size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] - offsets[i - 1] != stride)
      return 0;
  return std::max<int64_t>(stride, 0);
}

/// Returns the window that the first `count` lanes read. The other lanes are treated as if they
/// read the element of lane 0. Returns nothing if a gather is needed.
static std::optional<LaneWindow> findWindow(IndexBuilder &index, const LaneAccess &access,
                                            int64_t count) {
  AffineExpr lane = getAffineDimExpr(access.laneDim, index.getContext());
  auto getAddress = [&](int64_t i) {
    return access.address.replace(lane, getAffineConstantExpr(i, index.getContext()));
  };
  AffineExpr first = getAddress(0);
  if (index.hasLanes(first)) // a vector symbol
    return std::nullopt;
  LaneWindow window;
  int64_t least = 0, most = 0, lanes = access.getLanes();
  for (int64_t i = 0; i < lanes; ++i) {
    auto offset = dyn_cast<AffineConstantExpr>(
        index.simplify(i < count ? getAddress(i) - first : first - first));
    if (!offset || !mlir::tssa::layout::loadsWindow(std::abs(offset.getValue()) + 1, lanes))
      return std::nullopt;
    window.offsets.push_back(offset.getValue());
    least = std::min(least, offset.getValue());
    most = std::max(most, offset.getValue());
  }
  window.size = most - least + 1;
  if (!mlir::tssa::layout::loadsWindow(window.size, lanes))
    return std::nullopt;
  window.stride = getStride(ArrayRef(window.offsets).take_front(count));
  for (int64_t &offset : window.offsets)
    offset -= least;
  window.first = first + least;
  return window;
}

namespace tssa::cpu {

Value buildWindowLoad(IndexBuilder &index, const LaneAccess &access, Value mask, Value pad) {
  std::optional<LaneMask> known = LaneMask::read(index, mask, access.getLanes());
  if (!known || known->count == 0)
    return {};
  std::optional<LaneWindow> window = findWindow(index, access, known->count);
  return window ? WindowLoader(index, access, *known, pad).build(*window) : Value();
}

bool hasWindow(IndexBuilder &index, const LaneAccess &access, int64_t count) {
  return findWindow(index, access, count).has_value();
}

} // namespace tssa::cpu
