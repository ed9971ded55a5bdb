//===- WindowLoad.cpp - vector loads that need no gather ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowLoad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ::tssa::conversion;

/// If a window has more vectors than this, a gather is at least as fast.
static constexpr int64_t maxVectors = 4;

namespace {
/// A mask that keeps the first `count` lanes if all of `conditions` hold, and no lane otherwise.
struct PrefixMask {
  int64_t count;
  SmallVector<Value, 2> conditions;

  /// Restricts this mask to the lanes of `mask`. Returns false if the result would not have this
  /// form.
  bool add(Value mask) {
    if (auto both = mask.getDefiningOp<arith::AndIOp>())
      return add(both.getLhs()) && add(both.getRhs());
    if (auto broadcast = mask.getDefiningOp<vector::BroadcastOp>()) {
      conditions.push_back(broadcast.getSource());
      return broadcast.getSource().getType().isInteger(1);
    }
    auto prefix = mask.getDefiningOp<vector::CreateMaskOp>();
    std::optional<int64_t> known =
        prefix ? getConstantIntValue(prefix.getOperand(0)) : std::nullopt;
    if (!known || *known < 1)
      return false;
    count = std::min(count, *known);
    return true;
  }
};

/// The window of memory that the lanes of an access read.
struct LaneWindow {
  AffineExpr first;
  SmallVector<int64_t> offsets; ///< of each lane, relative to `first`
  int64_t size = 0;
};

class WindowLoader {
public:
  WindowLoader(IndexBuilder &index, const LaneAccess &access, const PrefixMask &mask, Value pad)
      : index(index), access(access), mask(mask), pad(pad), builder(index.getBuilder()),
        loc(index.getLoc()), lanes(access.getLanes()) {}

  Value build(const LaneWindow &window) {
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
    if (mask.count == lanes)
      return shuffled;
    return arith::SelectOp::create(builder, loc, getPrefix(mask.count), shuffled, pad);
  }

private:
  Value getPrefix(int64_t count) {
    SmallVector<bool> kept(lanes, false);
    std::fill_n(kept.begin(), count, true);
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(VectorType::get(lanes, builder.getI1Type()), ArrayRef(kept)));
  }

  /// Loads the vector that starts `first` elements into the window. Lanes beyond the end of the
  /// window get `pad`.
  Value loadPart(const LaneWindow &window, int64_t first) {
    Value address =
        index.clampOffset(index.materialize(index.simplify(window.first + first)), access.touched);
    Value kept;
    if (window.size - first < lanes)
      kept = getPrefix(window.size - first);
    for (Value condition : mask.conditions) {
      Value everywhere = vector::BroadcastOp::create(
          builder, loc, VectorType::get(lanes, builder.getI1Type()), condition);
      kept = kept ? arith::AndIOp::create(builder, loc, kept, everywhere).getResult() : everywhere;
    }
    if (!kept)
      return vector::LoadOp::create(builder, loc, access.type, access.memref, ValueRange{address});
    return vector::MaskedLoadOp::create(builder, loc, access.type, access.memref,
                                        ValueRange{address}, kept, pad);
  }

  IndexBuilder &index;
  const LaneAccess &access;
  const PrefixMask &mask;
  Value pad;
  OpBuilder &builder;
  Location loc;
  int64_t lanes;
};
} // namespace

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
    if (!offset || std::abs(offset.getValue()) >= maxVectors * lanes)
      return std::nullopt;
    window.offsets.push_back(offset.getValue());
    least = std::min(least, offset.getValue());
    most = std::max(most, offset.getValue());
  }
  window.size = most - least + 1;
  if (window.size > maxVectors * lanes)
    return std::nullopt;
  for (int64_t &offset : window.offsets)
    offset -= least;
  window.first = first + least;
  return window;
}

namespace tssa::cpu {

Value buildWindowLoad(IndexBuilder &index, const LaneAccess &access, Value mask, Value pad) {
  PrefixMask known{access.getLanes(), {}};
  if (mask && !known.add(mask))
    return {};
  std::optional<LaneWindow> window = findWindow(index, access, known.count);
  return window ? WindowLoader(index, access, known, pad).build(*window) : Value();
}

bool hasWindow(IndexBuilder &index, const LaneAccess &access, int64_t count) {
  return findWindow(index, access, count).has_value();
}

} // namespace tssa::cpu
