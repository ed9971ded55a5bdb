//===- DataStore.cpp - whether the data of a convolution is converted -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/DataStore.h"
#include "dialects/layout/Template/Roles.h"
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

/// Returns whether the kernel with the converted data is predicted to be faster, with the conversion.
static bool pays(te::LaunchOp launch, te::KernelOp kernel, const LaunchStores &stores,
                 const LaunchStores &converted, unsigned parameter, StoreCosts &costs) {
  std::optional<double> before = costs.predict(launch, kernel, stores);
  std::optional<double> after = costs.predict(launch, kernel, converted);
  if (!before || !after)
    return false;
  double conversion = costs.predictConversion(
      cast<RankedTensorType>(launch.getInputs()[parameter].getType()));
  // A prediction is not exact: a small gain is none.
  constexpr double leastGain = 0.96;
  bool isFaster = *after + conversion < leastGain * *before;
  auto options = remark::RemarkOpts::name("converted").category("layout-choose-stores");
  auto report = [&](auto &&remark) {
    remark << remark::metric("Parameter", static_cast<int64_t>(parameter))
           << remark::metric("CyclesAsIs", static_cast<int64_t>(*before))
           << remark::metric("CyclesConverted", static_cast<int64_t>(*after))
           << remark::metric("Conversion", static_cast<int64_t>(conversion));
  };
  if (isFaster)
    report(remark::passed(launch.getLoc(), options));
  else
    report(remark::missed(launch.getLoc(), options));
  return isFaster;
}

void layout::chooseDataStore(te::LaunchOp launch, te::KernelOp kernel, LaunchStores &stores,
                             StoreCosts &costs) {
  te::ComputeOp compute = findOnlyExpression(kernel);
  if (!compute || compute.getNumResults() != 1 || llvm::is_contained(compute.getStaticSizes(), 0))
    return;
  Roles roles = getRoles(compute);
  te::ReadOp data = findData(launch, roles, stores);
  if (!data)
    return;
  unsigned rank = data.getSourceType().getRank();
  std::optional<unsigned> channels = findChannels(compute, roles, data);
  if (!channels || rank < 3 || *channels + 1 == rank)
    return;
  unsigned parameter = cast<BlockArgument>(data.getSource()).getArgNumber();
  LaunchStores converted = stores;
  converted.inputs[parameter] = moveLast(rank, *channels);
  if (pays(launch, kernel, stores, converted, parameter, costs))
    stores = converted;
}
