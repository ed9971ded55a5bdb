//===- Transposition.cpp - strided vectors accessed as rows ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1. The accesses are sorted into families: accesses of the same lanes, at addresses that differ
//    by constants.
// 2. In each family, vectors whose addresses differ by one form a run.
// 3. A run is cut into blocks of a power of two of vectors. The last block overlaps with the one
//    before it.
// 4. A block is transposed in steps. Each step merges neighbouring groups of vectors, and doubles
//    the elements of a column that are adjacent:
//
//      a0 a1 a2 a3   b0 b1 b2 b3   ->   a0 b0 a1 b1   a2 b2 a3 b3
//
//    Pieces smaller than 16 bytes are merged inside of each 16 bytes of a vector, as the
//    instructions do. For loads, the steps are undone, the last one first.
//
//===----------------------------------------------------------------------===//

#include "Transposition.h"
#include "WindowLoad.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/te/IR/ElementBytes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tssa/Conversion/LaneMask.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

/// The size in bytes of the parts of a vector in which most instructions move elements.
static constexpr int64_t partBytes = 16;

/// Returns how many lanes `mask` keeps, which are the first ones, or nothing if that is not known.
static std::optional<int64_t> getKeptLanes(const IndexBuilder &index, Value mask, int64_t lanes) {
  std::optional<LaneMask> known = LaneMask::read(index, mask, lanes);
  return known && known->isKnown() ? std::optional(known->count) : std::nullopt;
}

namespace {
/// The numbers of accesses of the same lanes, with their distances in elements from the first one.
using Family = SmallVector<std::pair<int64_t, unsigned>>;

/// Transposes vectors: rows become lanes, or lanes become rows. There are at most as many rows as
/// lanes, and both are powers of two.
class Transposition {
public:
  Transposition(OpBuilder &builder, Location loc, VectorType type, int64_t rows)
      : builder(builder), loc(loc), lanes(type.getNumElements()), rows(rows) {
    int64_t part = std::min(lanes, partBytes * 8 / type.getElementTypeBitWidth());
    columns.assign(1, llvm::to_vector(llvm::seq<int64_t>(lanes)));
    for (int64_t size = 1; size < rows; size *= 2)
      addStep(size, size < part ? part : lanes);
  }

  /// Returns for each lane the vector of its elements in all rows.
  SmallVector<Value> toLanes(ArrayRef<Value> values) {
    SmallVector<SmallVector<Value>> groups;
    for (Value value : values)
      groups.push_back({value});
    for (const Step &step : steps)
      groups = merge(groups, step);
    SmallVector<Value> transposed(lanes);
    for (auto [vector, held] : llvm::zip_equal(groups[0], columns))
      for (auto [i, column] : llvm::enumerate(held))
        transposed[column] =
            vector::ExtractStridedSliceOp::create(builder, loc, vector, i * rows, rows, 1);
    return transposed;
  }

  /// Returns the vector of each row, given the vector of each lane.
  SmallVector<Value> toRows(ArrayRef<Value> values) {
    SmallVector<SmallVector<Value>> groups(1);
    for (ArrayRef<int64_t> held : columns)
      groups[0].push_back(
          concatenate(llvm::map_to_vector(held, [&](int64_t column) { return values[column]; })));
    for (const Step &step : llvm::reverse(steps))
      groups = divide(groups, step);
    return llvm::map_to_vector(groups, [](ArrayRef<Value> group) { return group[0]; });
  }

private:
  /// A step merges the vectors of two groups of rows. The elements of each vector in a column are a
  /// piece of `size` elements. `halves` are the pieces of both vectors that go to the first and to
  /// the second merged vector.
  struct Step {
    int64_t size;
    std::array<SmallVector<int64_t>, 2> halves;
  };

  /// Adds the step that merges the pieces in each half of each `span` elements.
  void addStep(int64_t size, int64_t span) {
    Step &step = steps.emplace_back(Step{size, {}});
    for (int64_t element = 0; element < lanes; element += size)
      step.halves[element % span >= span / 2].push_back(element / size);
    SmallVector<SmallVector<int64_t>> held;
    for (ArrayRef<int64_t> before : columns)
      for (ArrayRef<int64_t> half : step.halves)
        held.push_back(llvm::map_to_vector(half, [&](int64_t piece) { return before[piece]; }));
    columns = std::move(held);
  }

  SmallVector<SmallVector<Value>> merge(ArrayRef<SmallVector<Value>> groups, const Step &step) {
    SmallVector<SmallVector<Value>> merged(groups.size() / 2);
    for (auto [i, group] : llvm::enumerate(merged))
      for (auto [low, high] : llvm::zip_equal(groups[2 * i], groups[2 * i + 1]))
        for (ArrayRef<int64_t> half : step.halves) {
          SmallVector<int64_t> pieces;
          for (int64_t piece : half)
            pieces.append({piece, piece + lanes / step.size});
          group.push_back(shuffle(low, high, pieces, step.size));
        }
    return merged;
  }

  /// Undoes `merge`.
  SmallVector<SmallVector<Value>> divide(ArrayRef<SmallVector<Value>> groups, const Step &step) {
    int64_t count = lanes / step.size;
    SmallVector<SmallVector<Value>> divided;
    for (ArrayRef<Value> group : groups)
      for (int64_t parity : {0, 1}) {
        SmallVector<int64_t> pieces(count);
        for (auto [which, half] : llvm::enumerate(step.halves))
          for (auto [i, piece] : llvm::enumerate(half))
            pieces[piece] = which * count + 2 * i + parity;
        SmallVector<Value> &part = divided.emplace_back();
        for (unsigned i = 0; i < group.size(); i += 2)
          part.push_back(shuffle(group[i], group[i + 1], pieces, step.size));
      }
    return divided;
  }

  Value shuffle(Value low, Value high, ArrayRef<int64_t> pieces, int64_t size) {
    SmallVector<int64_t> indices;
    for (int64_t piece : pieces)
      llvm::append_range(indices, llvm::seq(piece * size, (piece + 1) * size));
    return vector::ShuffleOp::create(builder, loc, low, high, indices);
  }

  /// Joins vectors, a power of two of them, into one.
  Value concatenate(SmallVector<Value> values) {
    for (int64_t size = rows; values.size() > 1; size *= 2) {
      for (unsigned i = 0; i < values.size() / 2; ++i)
        values[i] = shuffle(values[2 * i], values[2 * i + 1], {0, 1}, size);
      values.truncate(values.size() / 2);
    }
    return values[0];
  }

  OpBuilder &builder;
  Location loc;
  int64_t lanes, rows;
  SmallVector<Step> steps;
  SmallVector<SmallVector<int64_t>> columns; ///< of the pieces after the last step, by vector
};
} // namespace

/// If both access the same lanes, and the distance between their addresses is a constant, returns
/// it.
template <typename Access>
static std::optional<int64_t> getDistance(IndexBuilder &index, const Access &from,
                                          const Access &to) {
  if (from.access.memref != to.access.memref || from.access.type != to.access.type ||
      from.mask != to.mask)
    return std::nullopt;
  auto distance =
      dyn_cast<AffineConstantExpr>(index.simplify(to.access.address - from.access.address));
  return distance ? std::optional(distance.getValue()) : std::nullopt;
}

template <typename Access>
static SmallVector<Family> findFamilies(IndexBuilder &index, ArrayRef<Access> accesses) {
  SmallVector<Family> families;
  for (auto [i, access] : llvm::enumerate(accesses)) {
    bool found = llvm::any_of(families, [&, i = i, &access = access](Family &family) {
      auto distance = getDistance(index, accesses[family[0].second], access);
      if (distance)
        family.push_back({*distance, i});
      return distance.has_value();
    });
    if (!found)
      families.push_back({{0, i}});
  }
  return families;
}

/// Returns the blocks of `accesses` that are transposed, each with the numbers of its rows.
template <typename Access>
static SmallVector<SmallVector<unsigned>> findBlocks(IndexBuilder &index, ArrayRef<Access> accesses,
                                                     bool isStored) {
  SmallVector<SmallVector<unsigned>> blocks;
  for (Family &family : findFamilies(index, accesses)) {
    llvm::sort(family);
    VectorType type = accesses[family[0].second].access.type;
    int64_t bytes = te::getElementBytes(type.getElementType());
    for (ArrayRef<std::pair<int64_t, unsigned>> rest = family; !rest.empty();) {
      int64_t count = 1, size = rest.size();
      while (count < size && rest[count].first == rest[count - 1].first + 1)
        ++count;
      int64_t rows = layout::getTransposedRows(count, type.getNumElements(), bytes);
      bool pays = layout::transposesRows(rows, isStored);
      for (int64_t first = 0; pays && first < count; first += rows)
        blocks.push_back(llvm::to_vector(
            llvm::make_second_range(rest.slice(std::min(first, count - rows), rows))));
      rest = rest.drop_front(count);
    }
  }
  return blocks;
}

/// Returns the address that `access` has in lane number `lane`.
static Value buildLaneAddress(IndexBuilder &index, const LaneAccess &access, int64_t lane) {
  MLIRContext *context = index.getContext();
  AffineExpr address = access.address.replace(getAffineDimExpr(access.laneDim, context),
                                              getAffineConstantExpr(lane, context));
  return index.materialize(index.simplify(address));
}

namespace tssa::cpu {

bool isTransposable(IndexBuilder &index, const LaneAccess &access, Value mask) {
  AffineExpr lane = getAffineDimExpr(access.laneDim, index.getContext());
  AffineExpr first = access.address.replace(lane, getAffineConstantExpr(0, index.getContext()));
  return access.getLanes() > 1 && llvm::isPowerOf2_64(access.getLanes()) &&
         !index.hasLanes(first) && !index.getFirstOfRun(access.address, access.laneDim) &&
         getKeptLanes(index, mask, access.getLanes()).value_or(0) > 0;
}

SmallVector<Value> buildTransposedLoads(IndexBuilder &index, ArrayRef<LaneLoad> loads) {
  OpBuilder &builder = index.getBuilder();
  SmallVector<Value> values(loads.size());
  for (ArrayRef<unsigned> block : findBlocks(index, loads, /*isStored=*/false)) {
    const LaneAccess &access = loads[block[0]].access;
    int64_t rows = block.size(),
            kept = *getKeptLanes(index, loads[block[0]].mask, access.getLanes());
    if (hasWindow(index, access, kept))
      continue;
    auto type = VectorType::get(rows, access.type.getElementType());
    SmallVector<Value> lanes;
    for (int64_t lane = 0; lane < kept; ++lane)
      lanes.push_back(vector::LoadOp::create(builder, index.getLoc(), type, access.memref,
                                             ValueRange{buildLaneAddress(index, access, lane)}));
    lanes.resize(access.getLanes(), lanes[0]);
    Transposition transposition(builder, index.getLoc(), access.type, rows);
    for (auto [number, value] : llvm::zip_equal(block, transposition.toRows(lanes)))
      values[number] = value;
  }
  return values;
}

SmallVector<LaneStore> buildTransposedStores(IndexBuilder &index, ArrayRef<LaneStore> stores) {
  OpBuilder &builder = index.getBuilder();
  llvm::BitVector others(stores.size(), true);
  for (ArrayRef<unsigned> block : findBlocks(index, stores, /*isStored=*/true)) {
    const LaneAccess &access = stores[block[0]].access;
    SmallVector<Value> values;
    for (unsigned number : block) {
      others.reset(number);
      values.push_back(stores[number].value);
    }
    Transposition transposition(builder, index.getLoc(), access.type, block.size());
    SmallVector<Value> lanes = transposition.toLanes(values);
    lanes.truncate(*getKeptLanes(index, stores[block[0]].mask, access.getLanes()));
    for (auto [lane, value] : llvm::enumerate(lanes))
      vector::StoreOp::create(builder, index.getLoc(), value, access.memref,
                              ValueRange{buildLaneAddress(index, access, lane)});
  }
  return llvm::map_to_vector(others.set_bits(), [&](unsigned number) { return stores[number]; });
}

} // namespace tssa::cpu
