//===- OperandStores.cpp - the order of an operand of a product -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/OperandStores.h"
#include "dialects/layout/Template/DeviceProduct.h"
#include "dialects/layout/Template/Roles.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "dialects/layout/Transforms/KernelVariants.h"
#include "dialects/te/IR/AssumedSize.h"
#include "dialects/te/IR/Contraction.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns the positions of the indexes of `read` that are parallel dims along which the lanes of
/// `compute` may run: those on which the other factor does not depend, and that fill a vector. On a
/// GPU, copies bring runs of a factor along any dim.
static SmallVector<unsigned> findLanes(te::ComputeOp compute, te::ReadOp read, te::ReadOp other,
                                       const StoreCosts &costs) {
  SmallVector<unsigned> positions;
  unsigned numDims = costs.isDevice() ? compute.getNumDims() : compute.getNumParallel();
  for (unsigned dim = 0; dim < numDims; ++dim) {
    int64_t size = te::assumeSize(compute.getStaticSizes()[dim], te::SizeRole::Large);
    if (!te::dependsOn(read, dim) || size < costs.getLanes() ||
        (!costs.isDevice() && te::dependsOn(other, dim)))
      continue;
    std::optional<unsigned> position = te::findPlainIndex(read, dim);
    if (position && *position + 1 != read.getSourceType().getRank())
      positions.push_back(*position);
  }
  return positions;
}

/// Returns whether it is known how often each element of `read` is read. A size along which all is
/// read again may be one if it is open, and then no conversion pays, unless there is just as little
/// to convert: `read` has the same size, as keys have that of queries where both are the sequence.
static bool isReuseKnown(te::ComputeOp compute, te::ReadOp read) {
  SmallVector<OpFoldResult> sizes = compute.getParallelSizes();
  auto isOwn = [&](unsigned dim) { return te::dependsOn(read, dim); };
  return llvm::all_of(llvm::seq<unsigned>(0, sizes.size()), [&](unsigned dim) {
    return isOwn(dim) || isa<Attribute>(sizes[dim]) ||
           llvm::any_of(llvm::seq<unsigned>(0, sizes.size()),
                        [&](unsigned other) { return isOwn(other) && sizes[other] == sizes[dim]; });
  });
}

/// Returns whether `read` reads a parameter that is no constant, and nothing else does.
static bool isOrderOpen(te::LaunchOp launch, te::ReadOp read) {
  auto parameter = dyn_cast<BlockArgument>(read.getSource());
  return parameter && parameter.hasOneUse() && !readsConstant(launch, read) &&
         read.getSymbols().empty() && read.getSourceType().getRank() >= 2;
}

/// Returns whether `compute` is a product, or several of them, of two reads, and no convolution.
static bool isProduct(te::ComputeOp compute, const Roles &roles) {
  return roles.data.size() == 1 && roles.weights.size() == 1 &&
         llvm::all_of(roles.getDims(Role::Window),
                      [&](unsigned dim) { return compute.getStaticSizes()[dim] == 1; });
}

/// Returns whether `compute` reads its factors as it would like to: on a CPU along lanes of one of
/// them, on a GPU by copies of both.
static bool hasItsOrders(te::ComputeOp compute, te::ReadOp data, te::ReadOp weights,
                         bool isDevice) {
  if (!isDevice)
    return te::hasAdjacentLanes(compute, data, weights) ||
           te::hasAdjacentLanes(compute, weights, data);
  std::optional<DeviceProduct> product = matchDeviceProduct(compute);
  return !product || !product->atom || (product->isCopied[0] && product->isCopied[1]);
}

/// Returns the expression of `kernel` that is a product of two tensors whose orders are open, and
/// are not what it would like; or null.
static te::ComputeOp findProduct(te::LaunchOp launch, te::KernelOp kernel, bool isDevice,
                                 Roles &roles) {
  for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>()) {
    roles = getRoles(compute);
    if (!isProduct(compute, roles) || llvm::is_contained(compute.getStaticSizes(), 0))
      continue;
    te::ReadOp data = roles.data.front(), weights = roles.weights.front();
    if (isOrderOpen(launch, data) && isOrderOpen(launch, weights) &&
        !hasItsOrders(compute, data, weights, isDevice))
      return compute;
  }
  return {};
}

std::optional<OperandOrder> OperandStores::computeOrder(te::LaunchOp launch, te::KernelOp kernel) {
  std::optional<OperandOrder> best;
  Roles roles;
  te::ComputeOp product = findProduct(launch, kernel, costs.isDevice(), roles);
  if (!product)
    return best;
  auto tryLanes = [&](te::ReadOp read, te::ReadOp other) {
    if (!isReuseKnown(product, read))
      return;
    unsigned parameter = cast<BlockArgument>(read.getSource()).getArgNumber();
    for (unsigned position : findLanes(product, read, other, costs)) {
      OperandOrder order{parameter, moveLast(read.getSourceType().getRank(), position)};
      LaunchStores stores(launch);
      stores.inputs[parameter] = order.map;
      std::optional<double> cycles = costs.predictAll(launch, kernel, stores);
      if (!cycles || !canStore(kernel, parameter, order.map))
        continue;
      order.kernel = *cycles;
      order.conversion = costs.predictConversion(read.getSourceType(), order.map);
      if (!best || order.getCycles() < best->getCycles())
        best = order;
    }
  };
  tryLanes(roles.weights.front(), roles.data.front());
  tryLanes(roles.data.front(), roles.weights.front());
  return best;
}

std::optional<OperandOrder> OperandStores::findOrder(te::LaunchOp launch) {
  auto [it, isNew] = orders.try_emplace(launch);
  if (isNew) {
    te::KernelOp kernel = lookupKernel(symbols, launch);
    if (kernel && kernel.getSchedule().empty())
      it->second = computeOrder(launch, kernel);
  }
  return it->second;
}

bool OperandStores::isOrderOfLanes(te::LaunchOp launch, unsigned parameter, const LayoutMap &map) {
  std::optional<OperandOrder> order = findOrder(launch);
  return order && order->parameter == parameter && order->map == map;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

std::optional<double> OperandStores::predictReader(te::LaunchOp launch, Value tensor,
                                                   const LayoutMap &map,
                                                   ChooseResults chooseResults) {
  LaunchStores stores(launch);
  for (auto [number, input] : llvm::enumerate(launch.getInputs()))
    if (input == tensor)
      stores.inputs[number] = map;
  te::KernelOp kernel = lookupKernel(symbols, launch);
  if (chooseResults)
    chooseResults(launch, kernel, stores);
  return costs.predictAll(launch, kernel, stores);
}

/// Returns whether `tensor` is the operand of `launch` for which lanes ask for the order `map`.
bool OperandStores::isOperand(te::LaunchOp launch, Value tensor, const LayoutMap &map) {
  std::optional<OperandOrder> order = findOrder(launch);
  return order && order->map == map && launch.getInputs()[order->parameter] == tensor;
}

std::optional<OperandStores::Readers> OperandStores::predictReaders(Value tensor,
                                                                    const LayoutMap &asIs,
                                                                    const LayoutMap &map,
                                                                    ChooseResults chooseResults) {
  Readers sum;
  llvm::SmallSetVector<Operation *, 4> users(tensor.user_begin(), tensor.user_end());
  for (Operation *user : users) {
    auto launch = dyn_cast<te::LaunchOp>(user);
    bool converts = launch && isOperand(launch, tensor, map);
    if (!converts && !chooseResults) // a conversion changes nothing for this one
      continue;
    std::optional<double> before = predictReader(launch, tensor, asIs, chooseResults);
    std::optional<double> after = predictReader(launch, tensor, map, chooseResults);
    if (!before || !after)
      return std::nullopt;
    sum.asIs += *before;
    sum.stored += *after;
    sum.best += converts ? std::min(*before, *after) : *before;
  }
  return sum;
}

double OperandStores::predictConversion(Value tensor, const LayoutMap &map) {
  return llvm::is_contained(conversions[tensor], map)
             ? 0
             : costs.predictConversion(cast<RankedTensorType>(tensor.getType()), map);
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Emits a remark that says whether the order was taken.
static void report(te::LaunchOp launch, bool pays, StringRef name, ArrayRef<StringRef> names,
                   ArrayRef<double> cycles) {
  auto options = remark::RemarkOpts::name(name).category("layout-choose-stores");
  auto add = [&](auto &&remark) {
    for (auto [metric, value] : llvm::zip_equal(names, cycles))
      remark << remark::metric(metric, static_cast<int64_t>(value));
  };
  if (pays)
    add(remark::passed(launch.getLoc(), options));
  else
    add(remark::missed(launch.getLoc(), options));
}

void OperandStores::chooseConversion(te::LaunchOp launch, LaunchStores &stores) {
  std::optional<OperandOrder> order = findOrder(launch);
  auto isStored = [](const LayoutMap &map) { return !map.isEmpty(); };
  if (!order || llvm::any_of(stores.inputs, isStored))
    return;
  unsigned parameter = order->parameter;
  Value tensor = launch.getInputs()[parameter];
  std::optional<double> own = predictReader(launch, tensor, LayoutMap(), nullptr);
  std::optional<Readers> readers = predictReaders(tensor, LayoutMap(), order->map, nullptr);
  if (!own || !readers)
    return;
  double conversion = predictConversion(tensor, order->map);
  bool pays = order->kernel < *own && readers->best + conversion < mostOfAsIs * readers->asIs;
  report(launch, pays, "operand", {"Parameter", "ReadersAsIs", "ReadersConverted", "Conversion"},
         {static_cast<double>(parameter), readers->asIs, readers->best, conversion});
  if (!pays)
    return;
  stores.inputs[parameter] = order->map;
  if (conversion != 0)
    conversions[tensor].push_back(order->map);
}

LayoutMap OperandStores::chooseResult(te::LaunchOp launch, const LaunchStores &stores,
                                      ChooseResults chooseResults) {
  Value result = launch.getResult(0);
  te::KernelOp kernel = lookupKernel(symbols, launch);
  for (OpOperand &use : result.getUses()) {
    std::optional<OperandOrder> found = findOrder(cast<te::LaunchOp>(use.getOwner()));
    if (!found || found->parameter != use.getOperandNumber())
      continue;
    LayoutMap map = found->map;
    LaunchStores stored = stores;
    stored.outputs.front() = map;
    std::optional<double> ownAsIs = costs.predictAll(launch, kernel, stores);
    std::optional<double> ownStored = costs.predictAll(launch, kernel, stored);
    std::optional<Readers> readers =
        predictReaders(result, stores.outputs.front(), map, chooseResults);
    if (!ownAsIs || !ownStored || !readers)
      continue;
    double converted = readers->best + predictConversion(result, map);
    double before = *ownAsIs + std::min(readers->asIs, converted);
    bool pays = *ownStored + readers->stored < before;
    report(launch, pays, "ordered",
           {"CyclesAsIs", "CyclesStored", "ReadersAsIs", "ReadersConverted", "ReadersStored"},
           {*ownAsIs, *ownStored, readers->asIs, converted, readers->stored});
    if (pays)
      return map;
  }
  return {};
}
