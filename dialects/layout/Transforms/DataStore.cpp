//===- DataStore.cpp - whether the data of a convolution is converted -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/DataStore.h"
#include "dialects/layout/Template/Roles.h"
#include "dialects/layout/Transforms/DropGuards.h"
#include "dialects/te/Analysis/PointDomain.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns the dim of the data that the input channels index, or the groups of a depthwise
/// convolution, if it is one.
static std::optional<unsigned> findChannels(te::ComputeOp compute, const Roles &roles,
                                            te::ReadOp data) {
  std::optional<unsigned> found;
  Role role = roles.kind == Kind::DepthwiseConvolution ? Role::Group : Role::In;
  for (unsigned dim : roles.getDims(role))
    for (auto [position, index] : llvm::enumerate(data.getMap().getResults()))
      if (compute.getStaticSizes()[dim] != 1 && index.isFunctionOfDim(dim)) {
        if (found)
          return std::nullopt;
        found = position;
      }
  return found;
}

/// Returns the read of the data if its tensor may be stored with another dim last.
static te::ReadOp findData(te::LaunchOp launch, const Roles &roles, const LaunchStores &stores) {
  auto isConstant = [&](te::ReadOp read) { return readsConstant(launch, read); };
  if (roles.data.size() != 1 || roles.weights.empty() || !llvm::all_of(roles.weights, isConstant))
    return {};
  te::ReadOp data = roles.data.front();
  auto parameter = dyn_cast<BlockArgument>(data.getSource());
  bool canStore = parameter && !isConstant(data) && parameter.hasOneUse() &&
                  data.getSymbols().empty() && stores.inputs[parameter.getArgNumber()].isEmpty();
  return canStore ? data : te::ReadOp();
}

/// Returns pads that make each index of `data` one of a cell, or nothing if all indexes are in
/// bounds or a size is dynamic.
static SmallVector<Primitive> getPads(te::ReadOp data) {
  SmallVector<Primitive> pads;
  te::PointDomain domain = te::PointDomain::get(data);
  RankedTensorType type = data.getSourceType();
  if (!data.getGuard() || !findObstacleToDropping(data).empty())
    return pads;
  for (auto [dim, index] : llvm::enumerate(data.getMap().getResults())) {
    std::optional<int64_t> least = domain.getSimplifier().getConstantLowerBound(index);
    std::optional<int64_t> most = domain.getSimplifier().getConstantUpperBound(index);
    if (!least || !most)
      return {};
    int64_t low = std::max<int64_t>(-*least, 0);
    int64_t high = std::max<int64_t>(*most - (type.getDimSize(dim) - 1), 0);
    if (low != 0 || high != 0)
      pads.push_back(Primitive::pad(dim, low, high));
  }
  return pads;
}

namespace {
/// A layout of the data, with predicted cycles.
struct Candidate {
  LaunchStores stores;
  double kernel = 0, conversion = 0;

  double getCycles() const { return kernel + conversion; }
};

/// Predicts layouts of the data of one launch.
class DataStoreChooser {
public:
  DataStoreChooser(te::LaunchOp launch, te::KernelOp kernel, te::ReadOp data, StoreCosts &costs,
                   KnownConversions &conversions)
      : launch(launch), kernel(kernel), data(data), costs(costs),
        parameter(cast<BlockArgument>(data.getSource()).getArgNumber()),
        known(conversions[launch.getInputs()[parameter]]) {}

  void choose(LaunchStores &stores, unsigned channels) {
    std::optional<double> asIs = costs.predict(launch, kernel, stores);
    LayoutMap map = moveLast(data.getSourceType().getRank(), channels);
    std::optional<Candidate> last = convert(stores, map);
    if (!asIs || !last)
      return;
    std::optional<Candidate> padded = findPadded(stores, map, channels);
    bool isPadded = padded && padded->getCycles() < mostOfLast * last->getCycles();
    const Candidate &best = isPadded ? *padded : *last;
    bool isFaster = best.getCycles() < mostOfAsIs * *asIs;
    auto options = remark::RemarkOpts::name("converted").category("layout-choose-stores");
    if (isFaster)
      report(remark::passed(launch.getLoc(), options), *asIs, *last, padded);
    else
      report(remark::missed(launch.getLoc(), options), *asIs, *last, padded);
    if (!isFaster)
      return;
    stores = LaunchStores(best.stores);
    if (best.conversion != 0)
      known.push_back(stores.inputs[parameter]);
  }

private:
  /// What padding gains is less certain than an order.
  static constexpr double mostOfLast = 0.93;

  /// Returns the best of the layouts that pad the data before `map` permutes it, if it can be
  /// padded, and of those to which it is converted for other launches. The last dims are padded,
  /// since a tile has rows along these. A guard along the other dims may skip steps, which costs
  /// less than to compute zeros. Rows of fewer channels than a vector has lanes are not padded: the
  /// draft model does not tell how their lanes are loaded without a guard. On a GPU, copies write
  /// the zeros of a border, and no other layout is tried.
  std::optional<Candidate> findPadded(const LaunchStores &stores, const LayoutMap &map,
                                      unsigned channels) {
    std::optional<Candidate> best;
    SmallVector<Primitive> pads = getPads(data);
    if (costs.isDevice() || data.getSourceType().getDimSize(channels) < costs.getLanes())
      return best;
    auto tryMap = [&](const LayoutMap &next) {
      std::optional<Candidate> candidate = convert(stores, next);
      if (candidate && (!best || candidate->getCycles() < best->getCycles()))
        best = candidate;
    };
    for (size_t count = 1; count <= pads.size(); ++count) {
      SmallVector<Primitive> primitives(ArrayRef(pads).take_back(count));
      llvm::append_range(primitives, map.getPrimitives());
      tryMap(*LayoutMap::get(primitives, [](const Twine &) {}));
    }
    for (const LayoutMap &converted : known)
      if (converted != map)
        tryMap(converted);
    return best;
  }

  std::optional<Candidate> convert(const LaunchStores &stores, const LayoutMap &map) {
    Candidate candidate{stores};
    candidate.stores.inputs[parameter] = map;
    candidate.stores.zeroPadded[parameter] = true;
    std::optional<double> cycles = costs.predict(launch, kernel, candidate.stores);
    if (!cycles)
      return std::nullopt;
    candidate.kernel = *cycles;
    if (!llvm::is_contained(known, map))
      candidate.conversion = costs.predictConversion(data.getSourceType(), map);
    return candidate;
  }

  template <typename Remark>
  void report(Remark &&remark, double asIs, const Candidate &last,
              const std::optional<Candidate> &padded) {
    auto add = [&](StringRef name, double cycles) {
      remark << remark::metric(name, static_cast<int64_t>(cycles));
    };
    remark << remark::metric("Parameter", static_cast<int64_t>(parameter));
    add("CyclesAsIs", asIs);
    add("CyclesConverted", last.kernel);
    add("Conversion", last.conversion);
    if (padded) {
      add("CyclesPadded", padded->kernel);
      add("PaddedConversion", padded->conversion);
    }
  }

  te::LaunchOp launch;
  te::KernelOp kernel;
  te::ReadOp data;
  StoreCosts &costs;
  unsigned parameter;
  SmallVector<LayoutMap, 1> &known; ///< the layouts to which the data is converted
};
} // namespace

void layout::chooseDataStore(te::LaunchOp launch, te::KernelOp kernel, LaunchStores &stores,
                             StoreCosts &costs, KnownConversions &conversions) {
  te::ComputeOp compute = findOnlyExpression(kernel);
  if (!compute || compute.getNumResults() != 1 || llvm::is_contained(compute.getStaticSizes(), 0))
    return;
  Roles roles = getRoles(compute);
  te::ReadOp data = findData(launch, roles, stores);
  if (!data)
    return;
  unsigned rank = data.getSourceType().getRank();
  std::optional<unsigned> channels = findChannels(compute, roles, data);
  if (channels && rank >= 3 && *channels + 1 != rank)
    DataStoreChooser(launch, kernel, data, costs, conversions).choose(stores, *channels);
}
