//===- TransposedStore.cpp - strided vectors stored as rows ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1. The stores are sorted into families: the same lanes are stored, at addresses that differ by
//    constants.
// 2. In each family, vectors whose addresses differ by one form a run.
// 3. A run is cut into blocks of a power of two of vectors. The last block overlaps with the one
//    before it.
// 4. A block is transposed in steps. Each step merges neighbouring groups of vectors, and doubles
//    the elements of a column that are adjacent:
//
//      a0 a1 a2 a3   b0 b1 b2 b3   ->   a0 b0 a1 b1   a2 b2 a3 b3
//
//    Pieces smaller than 16 bytes are merged inside of each 16 bytes of a vector, as the
//    instructions do.
//
//===----------------------------------------------------------------------===//

#include "TransposedStore.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ::tssa::conversion;

/// The size in bytes of the parts of a vector in which most instructions move elements.
static constexpr int64_t partBytes = 16;
/// The size in bytes of the largest store. Larger ones cost one more step, and most of them lie in
/// two cache lines.
static constexpr int64_t maxStoreBytes = 32;

/// Returns how many lanes `mask` keeps, which are the first ones, or nothing if that is not known.
static std::optional<int64_t> getKeptLanes(Value mask, int64_t lanes) {
  if (!mask)
    return lanes;
  auto prefix = mask.getDefiningOp<vector::CreateMaskOp>();
  std::optional<int64_t> kept = prefix ? getConstantIntValue(prefix.getOperand(0)) : std::nullopt;
  return kept ? std::optional(std::clamp<int64_t>(*kept, 0, lanes)) : std::nullopt;
}

namespace {
/// Stores of the same lanes, with their distances in elements from the first one.
using Family = SmallVector<std::pair<int64_t, LaneStore>>;

/// The elements of some rows. In each vector, the elements of one column are adjacent.
using RowGroup = SmallVector<Value>;

/// Transposes vectors: rows become columns.
class Transposition {
public:
  Transposition(OpBuilder &builder, Location loc, VectorType type)
      : builder(builder), loc(loc), lanes(type.getNumElements()),
        part(std::min(lanes, partBytes * 8 / type.getElementTypeBitWidth())) {}

  /// Returns for each lane of `rows` the vector of its elements in all rows. The number of rows is
  /// a power of two.
  SmallVector<Value> build(ArrayRef<Value> rows) {
    SmallVector<RowGroup> groups;
    for (Value row : rows)
      groups.push_back({row});
    columns.assign(1, llvm::to_vector(llvm::seq<int64_t>(lanes)));
    int64_t size = 1;
    for (; groups.size() > 1; size *= 2)
      groups = merge(groups, size);
    SmallVector<Value> transposed(lanes);
    for (auto [vector, held] : llvm::zip_equal(groups[0], columns))
      for (auto [i, column] : llvm::enumerate(held))
        transposed[column] =
            vector::ExtractStridedSliceOp::create(builder, loc, vector, i * size, size, 1);
    return transposed;
  }

private:
  /// Merges each group with its neighbour. Each vector has pieces of `size` elements of a column.
  SmallVector<RowGroup> merge(ArrayRef<RowGroup> groups, int64_t size) {
    int64_t span = size < part ? part : lanes;
    SmallVector<SmallVector<int64_t>> pieces = {getPieces(size, span, 0),
                                                getPieces(size, span, span / 2)};
    SmallVector<RowGroup> merged;
    for (unsigned i = 0; i < groups.size(); i += 2) {
      RowGroup &group = merged.emplace_back();
      for (auto [low, high] : llvm::zip_equal(groups[i], groups[i + 1]))
        for (ArrayRef<int64_t> taken : pieces)
          group.push_back(interleave(low, high, taken, size));
    }
    SmallVector<SmallVector<int64_t>> held;
    for (ArrayRef<int64_t> before : columns)
      for (ArrayRef<int64_t> taken : pieces)
        held.push_back(llvm::map_to_vector(taken, [&](int64_t piece) { return before[piece]; }));
    columns = std::move(held);
    return merged;
  }

  /// Returns the numbers of the pieces in the half at `offset` of each `span` elements.
  SmallVector<int64_t> getPieces(int64_t size, int64_t span, int64_t offset) {
    SmallVector<int64_t> pieces;
    for (int64_t first = offset; first < lanes; first += span)
      for (int64_t element = first; element < first + span / 2; element += size)
        pieces.push_back(element / size);
    return pieces;
  }

  Value interleave(Value low, Value high, ArrayRef<int64_t> pieces, int64_t size) {
    SmallVector<int64_t> indices;
    for (int64_t piece : pieces)
      for (int64_t from : {piece * size, lanes + piece * size})
        llvm::append_range(indices, llvm::seq(from, from + size));
    return vector::ShuffleOp::create(builder, loc, low, high, indices);
  }

  OpBuilder &builder;
  Location loc;
  int64_t lanes, part;
  SmallVector<SmallVector<int64_t>> columns; ///< of the pieces of each vector of a group
};

/// Builds the stores of one tile.
class TransposedStores {
public:
  explicit TransposedStores(IndexBuilder &index) : index(index) {}

  SmallVector<LaneStore> others;

  void build(Family family) {
    llvm::stable_sort(family, llvm::less_first());
    for (ArrayRef<std::pair<int64_t, LaneStore>> rest = family; !rest.empty();) {
      size_t count = 1;
      while (count < rest.size() && rest[count].first == rest[count - 1].first + 1)
        ++count;
      buildRun(llvm::map_to_vector(rest.take_front(count), [](auto &row) { return row.second; }));
      rest = rest.drop_front(count);
    }
  }

private:
  void buildRun(ArrayRef<LaneStore> rows) {
    const LaneAccess &access = rows[0].access;
    int64_t count = rows.size();
    int64_t limit =
        std::min(access.getLanes(), maxStoreBytes * 8 / access.type.getElementTypeBitWidth());
    int64_t block = std::min<int64_t>(limit, llvm::bit_floor<uint64_t>(count));
    if (block < 2)
      return others.append(rows.begin(), rows.end());
    for (int64_t first = 0; first < count; first += block)
      buildBlock(rows.slice(std::min(first, count - block), block));
  }

  void buildBlock(ArrayRef<LaneStore> rows) {
    OpBuilder &builder = index.getBuilder();
    const LaneAccess &access = rows[0].access;
    SmallVector<Value> values =
        llvm::map_to_vector(rows, [](const LaneStore &row) { return row.value; });
    SmallVector<Value> lanes = Transposition(builder, index.getLoc(), access.type).build(values);
    int64_t kept = *getKeptLanes(rows[0].mask, access.getLanes());
    AffineExpr lane = getAffineDimExpr(access.laneDim, index.getContext());
    for (int64_t i = 0; i < kept; ++i) {
      AffineExpr number = getAffineConstantExpr(i, index.getContext());
      AffineExpr address = index.simplify(access.address.replace(lane, number));
      vector::StoreOp::create(builder, index.getLoc(), lanes[i], access.memref,
                              ValueRange{index.materialize(address)});
    }
  }

  IndexBuilder &index;
};
} // namespace

/// If both store the same lanes and the distance between their addresses is a constant, returns it.
static std::optional<int64_t> getDistance(IndexBuilder &index, const LaneStore &from,
                                          const LaneStore &to) {
  if (from.access.memref != to.access.memref || from.access.type != to.access.type ||
      from.mask != to.mask)
    return std::nullopt;
  auto distance =
      dyn_cast<AffineConstantExpr>(index.simplify(to.access.address - from.access.address));
  return distance ? std::optional(distance.getValue()) : std::nullopt;
}

namespace tssa::cpu {

bool isTransposable(IndexBuilder &index, const LaneStore &store) {
  const LaneAccess &access = store.access;
  AffineExpr lane = getAffineDimExpr(access.laneDim, index.getContext());
  AffineExpr first = access.address.replace(lane, getAffineConstantExpr(0, index.getContext()));
  return llvm::isPowerOf2_64(access.getLanes()) && !index.hasLanes(first) &&
         !index.getFirstOfRun(access.address, access.laneDim) &&
         getKeptLanes(store.mask, access.getLanes());
}

SmallVector<LaneStore> buildTransposedStores(IndexBuilder &index, ArrayRef<LaneStore> stores) {
  SmallVector<Family> families;
  auto addTo = [&](Family &family, const LaneStore &store) {
    std::optional<int64_t> distance = getDistance(index, family[0].second, store);
    if (distance)
      family.push_back({*distance, store});
    return distance.has_value();
  };
  for (const LaneStore &store : stores)
    if (llvm::none_of(families, [&](Family &family) { return addTo(family, store); }))
      families.push_back({{0, store}});
  TransposedStores transposed(index);
  for (Family &family : families)
    transposed.build(std::move(family));
  return transposed.others;
}

} // namespace tssa::cpu
