//===- StoreMaps.cpp - the layouts of a point of the space of layouts -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/StoreMaps.h"
#include "dialects/layout/Algebra/TensorLayout.h"
#include "dialects/layout/Analysis/WindowedReads.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/PointOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
/// Where a dim of a stored tensor stands, outermost first.
enum class Place { Outermost, Tile, Block, Position, InBlock };

/// The longest stride of windows over data, and the greatest offset in it, that are tiled.
constexpr int64_t mostOffset = mostExtent / 8;

/// A knob that blocks the dims of one role.
struct BlockKnob {
  StringRef name;
  Role role = Role::Out;
  int64_t block = 0;
  std::optional<unsigned> dim = std::nullopt; ///< of the expression; nothing if the knob is 0
  bool isUsed = false;
};

/// Adds the dims of one tensor to its map, in order.
class MapBuilder {
public:
  /// Adds a dim that stays as it is, and stands behind the dims before it that stay too.
  void keep(Place place) {
    lastKept = std::max(place, lastKept);
    places.push_back({lastKept, 0});
  }

  /// Adds a dim of `size` that is split into blocks, of which the channels stand in the order of
  /// `role`. One block needs no split.
  void addBlocks(int64_t size, int64_t block, Role role, const Twine &knob) {
    unsigned order = role == Role::In ? 0 : role == Role::Group ? 1 : 2;
    int64_t cells = llvm::alignTo(size, block);
    count(size, static_cast<double>(cells), knob);
    if (block != size) {
      if (cells != size)
        primitives.push_back(Primitive::padTo(places.size(), block));
      primitives.push_back(Primitive::split(places.size(), {Primitive::kRemainder, block}));
      places.push_back({Place::Block, 0});
    }
    places.push_back({Place::InBlock, order});
  }

  /// Adds a dim of `size` that `window` moves over, in tiles of `tile` windows each. The numbers
  /// are at most `mostExtent`, and those of the window at most `mostOffset`.
  void addTiles(int64_t size, int64_t tile, const SlidingWindow &window, const Twine &knob) {
    int64_t windows = cast<AffineConstantExpr>(window.count).getValue();
    int64_t tiles = llvm::divideCeil(windows, tile), distance = window.stride * tile;
    int64_t low = std::max<int64_t>(0, -window.minOffset);
    int64_t length = distance - window.stride + low + window.maxOffset + 1;
    int64_t dim = places.size();
    if (low + window.maxOffset < window.stride) {
      int64_t padded = std::max<int64_t>(tiles * distance, llvm::alignTo(low + size, distance));
      if (low == 0 && padded == static_cast<int64_t>(llvm::alignTo(size, distance)))
        padTo(dim, size, distance);
      else
        pad(dim, size, low, padded);
      primitives.push_back(Primitive::split(dim, {Primitive::kRemainder, distance}));
      count(size, static_cast<double>(padded), knob);
    } else {
      int64_t padded = std::max(low + size, (tiles - 1) * distance + length);
      pad(dim, size, low, padded);
      primitives.push_back(Primitive::unfold(dim, length, distance));
      int64_t stored = llvm::divideCeil(padded - length, distance) + 1;
      count(size, static_cast<double>(stored) * static_cast<double>(length), knob);
    }
    places.push_back({Place::Tile, 0});
    places.push_back({Place::Position, 0});
    lastKept = Place::Position;
  }

  LayoutMap getMap() const {
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, places.size()));
    llvm::sort(order, [&](int64_t a, int64_t b) {
      return std::pair(places[a], a) < std::pair(places[b], b);
    });
    SmallVector<Primitive> all = primitives;
    if (!llvm::is_sorted(order))
      all.push_back(Primitive::reorder(order));
    return *LayoutMap::get(all, [](const Twine &) {});
  }

  /// Returns the knob for which the most cells are stored per element.
  StringRef getLargestKnob() const { return largestKnob; }
  bool isPadded() const { return growth > 1; }

private:
  void padTo(int64_t dim, int64_t size, int64_t multiple) {
    if (size % multiple)
      primitives.push_back(Primitive::padTo(dim, multiple));
  }

  void pad(int64_t dim, int64_t size, int64_t low, int64_t padded) {
    if (padded != size)
      primitives.push_back(Primitive::pad(dim, low, padded - size - low));
  }

  void count(int64_t elements, double cells, const Twine &knob) {
    double ratio = cells / static_cast<double>(elements);
    if (ratio <= growth && !largestKnob.empty())
      return;
    growth = ratio;
    largestKnob = knob.str();
  }

  SmallVector<Primitive> primitives;
  SmallVector<std::pair<Place, unsigned>> places; ///< of the dims after `primitives`
  Place lastKept = Place::Outermost;
  std::string largestKnob = "";
  double growth = 1; ///< of the dim that grows the most
};

class MapsMaker {
public:
  MapsMaker(te::ComputeOp op, const Roles &roles, const StoreKnobs &knobs, Refuse refuse)
      : op(op), roles(roles), knobs(knobs), refuse(refuse) {}

  FailureOr<StoreMaps> make() {
    BlockKnob group{"group", Role::Group, knobs.group};
    BlockKnob out{"out", Role::Out, knobs.out}, in{"in", Role::In, knobs.in};
    BlockKnob weightsIn{"weights in", Role::In, knobs.weightsIn};
    BlockKnob weightsOut{"weights out", Role::Out, knobs.weightsOut};
    BlockKnob *all[] = {&group, &out, &in, &weightsIn, &weightsOut};
    if (failed(checkImage()))
      return failure();
    for (BlockKnob *knob : all)
      if (failed(findDim(*knob)))
        return failure();
    if (failed(makeResult({&group, &out})) || failed(makeReads(roles.data, {&group, &in})) ||
        failed(makeReads(roles.weights, {&weightsIn, &group, &weightsOut})))
      return failure();
    for (BlockKnob *knob : all)
      if (knob->dim && !knob->isUsed)
        return fail(knob->name, "no tensor has a dim that d" + Twine(*knob->dim) + " indexes");
    return maps;
  }

private:
  LogicalResult fail(const Twine &knob, const Twine &reason) {
    refuse(knob + ": " + reason);
    return failure();
  }

  LogicalResult checkImage() {
    llvm::SmallDenseSet<unsigned> seen;
    for (const ImageTile &tile : knobs.image) {
      std::string name = getImageName(tile.dim);
      if (tile.dim >= roles.dims.size())
        return fail(name, "there is no such dim");
      if (roles[tile.dim] != Role::Image || roles.weights.empty())
        return fail(name, "the role of the dim is " + getName(roles[tile.dim]));
      if (!seen.insert(tile.dim).second)
        return fail(name, "the dim has two tiles");
      if (tile.extent && failed(checkSize(name, tile.extent, op.getStaticSizes()[tile.dim])))
        return failure();
    }
    return success();
  }

  /// Finds the dim of the expression for a knob.
  LogicalResult findDim(BlockKnob &knob) {
    if (knob.block == 0)
      return success();
    SmallVector<unsigned> dims;
    if (!roles.weights.empty())
      dims = roles.getDims(knob.role);
    llvm::erase_if(dims, [&](unsigned dim) { return op.getStaticSizes()[dim] == 1; });
    if (dims.size() != 1)
      return fail(knob.name, Twine(dims.empty() ? "no dim" : "more than one dim") +
                                 " of several iterations has the role " + getName(knob.role));
    knob.dim = dims.front();
    return success();
  }

  LogicalResult checkSize(const Twine &knob, int64_t block, int64_t size) {
    if (ShapedType::isDynamic(size))
      return fail(knob, "the size of the dim is dynamic");
    if (block < 0 || block > size)
      return fail(knob, "expected a size from 0 to " + Twine(size) + ", but got " + Twine(block));
    if (size > mostExtent)
      return fail(knob, "a dim of size " + Twine(size) + " is too large");
    return success();
  }

  static std::string getImageName(unsigned dim) { return "image d" + std::to_string(dim); }

  LogicalResult makeResult(ArrayRef<BlockKnob *> blocks) {
    MLIRContext *context = op.getContext();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    MapBuilder builder;
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      AffineExpr index = getAffineDimExpr(dim, context), zero = getAffineConstantExpr(0, context);
      SlidingWindow window{index, getAffineConstantExpr(size, context), zero};
      if (failed(addDim(builder, index, size, window, blocks)))
        return failure();
    }
    maps.result = builder.getMap();
    if (maps.result.isEmpty())
      return success();
    if (builder.isPadded() && te::findUnsafe(op))
      return fail(builder.getLargestKnob(), "the body cannot run at cells of padding");
    for (Value result : op.getResults())
      if (!llvm::all_of(result.getUsers(), llvm::IsaPred<te::ReadOp, te::ReturnOp>))
        return fail(builder.getLargestKnob(), "an op other than te.read uses the result");
    return checkLayout(builder, maps.result, op.getResult(0));
  }

  LogicalResult makeReads(ArrayRef<te::ReadOp> reads, ArrayRef<BlockKnob *> blocks) {
    for (te::ReadOp read : reads) {
      MapBuilder builder;
      for (auto [dim, index] : llvm::enumerate(read.getMap().getResults()))
        if (failed(addDim(builder, index, read.getSourceType().getDimSize(dim),
                          findSlidingWindow(read, dim), blocks)))
          return failure();
      Value source = read.getSource();
      LayoutMap map = builder.getMap();
      auto old =
          llvm::find_if(maps.sources, [&](const auto &entry) { return entry.first == source; });
      if (old != maps.sources.end() && old->second != map)
        return fail(blocks.front()->name, "two reads of a tensor need different layouts");
      if (old != maps.sources.end())
        continue;
      if (!map.isEmpty() && failed(checkLayout(builder, map, source)))
        return failure();
      maps.sources.push_back({source, map});
    }
    return success();
  }

  /// Adds a dim of a tensor of `size`, which is indexed by `index`.
  LogicalResult addDim(MapBuilder &builder, AffineExpr index, int64_t size,
                       const std::optional<SlidingWindow> &window, ArrayRef<BlockKnob *> blocks) {
    for (BlockKnob *knob : blocks) {
      if (!knob->dim || !isBlocked(index, *knob))
        continue;
      knob->isUsed = true;
      if (failed(checkSize(knob->name, knob->block, size)))
        return failure();
      builder.addBlocks(size, knob->block, knob->role, knob->name);
      return success();
    }
    for (const ImageTile &tile : knobs.image)
      if (tile.extent && tile.extent != op.getStaticSizes()[tile.dim] &&
          index.isFunctionOfDim(tile.dim))
        return addTiles(builder, tile, size, window);
    builder.keep(getPlace(index));
    return success();
  }

  /// Returns whether `knob` blocks a dim that is read at `index`. The index of a group is split
  /// only if it is that dim itself: other indexes number channels of groups.
  static bool isBlocked(AffineExpr index, const BlockKnob &knob) {
    return knob.role == Role::Group ? index == getAffineDimExpr(*knob.dim, index.getContext())
                                    : index.isFunctionOfDim(*knob.dim);
  }

  LogicalResult addTiles(MapBuilder &builder, const ImageTile &tile, int64_t size,
                         const std::optional<SlidingWindow> &window) {
    std::string name = getImageName(tile.dim);
    if (!window || window->window != getAffineDimExpr(tile.dim, op.getContext()))
      return fail(name, "expected reads at a multiple of the dim plus positions in a window");
    if (failed(checkSize(name, 0, size)))
      return failure();
    if (std::max({window->stride, -window->minOffset, window->maxOffset}) > mostOffset)
      return fail(name, "the windows of the read are too large");
    builder.addTiles(size, tile.extent, *window, name);
    return success();
  }

  Place getPlace(AffineExpr index) const {
    auto has = [&](Role role) {
      return llvm::any_of(roles.getDims(role),
                          [&](unsigned dim) { return index.isFunctionOfDim(dim); });
    };
    return has(Role::Image) || has(Role::Window) ? Place::Position
           : has(Role::Out) || has(Role::In)     ? Place::Block
                                                 : Place::Outermost;
  }

  /// Checks that `tensor` can be stored by `map` and then read by all its readers.
  LogicalResult checkLayout(const MapBuilder &builder, const LayoutMap &map, Value tensor) {
    auto refuseMap = [&](const Twine &reason) { refuse(builder.getLargestKnob() + ": " + reason); };
    FailureOr<TensorLayout> layout = TensorLayout::get(
        map, cast<RankedTensorType>(tensor.getType()).getShape(), op.getContext(), refuseMap);
    if (failed(layout))
      return failure();
    std::optional<Growth> growth = layout->getGrowth();
    if (!growth || growth->asRatio() > mostCellsPerElement)
      return fail(builder.getLargestKnob(),
                  "there are more than " + Twine(mostCellsPerElement) + " cells per element");
    for (Operation *user : tensor.getUsers()) {
      auto read = dyn_cast<te::ReadOp>(user);
      if (read && builder.isPadded() && te::hasOpaqueIndex(read))
        return fail(builder.getLargestKnob(), "a tensor that is read at indexes computed from data "
                                              "cannot be padded or tiled");
      if (!read || layout->getCopyCounts().empty())
        continue;
      if (failed(layout->getCellInWindows(read.getMap().getResults(), findSlidingWindows(read),
                                          refuseMap)))
        return failure();
    }
    return success();
  }

  te::ComputeOp op;
  const Roles &roles;
  const StoreKnobs &knobs;
  Refuse refuse;
  StoreMaps maps;
};
} // namespace

FailureOr<StoreMaps> layout::getStoreMaps(te::ComputeOp op, const Roles &roles,
                                          const StoreKnobs &knobs, Refuse refuse) {
  return MapsMaker(op, roles, knobs, refuse).make();
}

std::string layout::findObstacle(te::ComputeOp op, const Roles &roles, const StoreKnobs &knobs) {
  std::string obstacle;
  (void)getStoreMaps(op, roles, knobs, [&](const Twine &reason) { obstacle = reason.str(); });
  return obstacle;
}
