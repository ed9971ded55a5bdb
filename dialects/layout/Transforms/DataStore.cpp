//===- DataStore.cpp - whether the data of a convolution is converted -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/DataStore.h"
#include "dialects/layout/Template/Roles.h"
#include "dialects/layout/Template/Space.h"
#include "dialects/layout/Transforms/ApplyStores.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

LayoutMap layout::moveLast(unsigned rank, unsigned last) {
  SmallVector<int64_t> order;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim != last)
      order.push_back(dim);
  order.push_back(last);
  return *LayoutMap::get(Primitive::reorder(order), [](const Twine &) {});
}

int64_t layout::countElements(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size : type.getShape())
    count = llvm::SaturatingMultiply<uint64_t>(
        count, ShapedType::isDynamic(size) ? assumedExtent : size);
  return count;
}

namespace {
class DataStoreChooser {
public:
  DataStoreChooser(te::LaunchOp launch, te::KernelOp kernel, ArrayRef<LayoutMap> inputs,
                   const MachineModel &machine)
      : launch(launch), kernel(kernel), inputs(inputs), machine(machine) {}

  std::optional<DataStore> choose() {
    std::optional<DataStore> store = findCandidate();
    if (!store)
      return std::nullopt;
    std::vector<LayoutMap> converted(inputs);
    converted[store->parameter] = store->map;
    double before = predict(inputs), after = predict(converted);
    double conversion = predictConversion(kernel.getArgumentTypes()[store->parameter]);
    // A prediction is not exact: a small gain is none.
    constexpr double leastGain = 0.98;
    bool pays = after + conversion < leastGain * before;
    auto options = remark::RemarkOpts::name("converted").category("layout-choose-stores");
    auto report = [&](auto &&remark) {
      remark << remark::metric("Parameter", static_cast<int64_t>(store->parameter))
             << remark::metric("CyclesAsIs", static_cast<int64_t>(before))
             << remark::metric("CyclesConverted", static_cast<int64_t>(after))
             << remark::metric("Conversion", static_cast<int64_t>(conversion));
    };
    if (pays)
      report(remark::passed(launch.getLoc(), options));
    else
      report(remark::missed(launch.getLoc(), options));
    return pays ? store : std::nullopt;
  }

private:
  /// Returns the only expression of `of`, or null.
  static te::ComputeOp findOnlyExpression(te::KernelOp of) {
    auto expressions = of.getBodyBlock().getOps<te::ComputeOp>();
    return llvm::hasSingleElement(expressions) ? *expressions.begin() : te::ComputeOp();
  }

  bool isConstant(te::ReadOp read) {
    auto parameter = dyn_cast<BlockArgument>(read.getSource());
    return parameter &&
           launch.getInputs()[parameter.getArgNumber()].getDefiningOp<te::ConstantOp>();
  }

  std::optional<DataStore> findCandidate() {
    te::ComputeOp compute = findOnlyExpression(kernel);
    if (!compute || compute.getNumResults() != 1 || llvm::is_contained(compute.getStaticSizes(), 0))
      return std::nullopt;
    Roles roles = getRoles(compute);
    if (roles.data.size() != 1 || roles.weights.empty() ||
        !llvm::all_of(roles.weights, [&](te::ReadOp read) { return isConstant(read); }))
      return std::nullopt;
    te::ReadOp data = roles.data.front();
    auto parameter = dyn_cast<BlockArgument>(data.getSource());
    if (!parameter || isConstant(data) || !parameter.hasOneUse() || !data.getSymbols().empty() ||
        !inputs[parameter.getArgNumber()].isEmpty())
      return std::nullopt;
    std::optional<unsigned> channels = findChannels(compute, roles, data);
    unsigned rank = data.getSourceType().getRank();
    if (!channels || rank < 3 || *channels + 1 == rank)
      return std::nullopt;
    return DataStore{parameter.getArgNumber(), moveLast(rank, *channels)};
  }

  /// Returns the dim of the data that the input channels index, or the groups of a depthwise
  /// convolution, if it is one.
  static std::optional<unsigned> findChannels(te::ComputeOp compute, const Roles &roles,
                                              te::ReadOp data) {
    std::optional<unsigned> found;
    for (unsigned dim :
         roles.getDims(roles.kind == Kind::DepthwiseConvolution ? Role::Group : Role::In))
      for (auto [position, index] : llvm::enumerate(data.getMap().getResults()))
        if (compute.getStaticSizes()[dim] != 1 && index.isFunctionOfDim(dim)) {
          if (found)
            return std::nullopt;
          found = position;
        }
    return found;
  }

  /// Returns the cycles of the kernel if its parameters are stored by `maps`.
  double predict(ArrayRef<LayoutMap> maps) {
    OwningOpRef<te::KernelOp> stored = kernel.clone();
    for (auto [parameter, map] : llvm::enumerate(maps))
      if (!map.isEmpty())
        addStore(*stored, parameter, map);
    OwningOpRef<te::KernelOp> applied = applyStoresToCopy(*stored);
    te::ComputeOp compute = applied ? findOnlyExpression(*applied) : te::ComputeOp();
    if (!compute)
      return std::numeric_limits<double>::infinity();
    SmallVector<Access> accesses = getAccesses(compute);
    for (Access &access : accesses)
      if (!access.isWrite() && isConstant(access.getRead()))
        access.setPackable(access.getRead().getSource().hasOneUse());
    return rankPoints(compute, accesses, machine).front().cycles;
  }

  /// Returns the cycles of the kernel that converts a tensor of `type`.
  static double predictConversion(Type type) {
    constexpr double perElement = 1.2;
    return perElement * static_cast<double>(countElements(cast<RankedTensorType>(type)));
  }

  te::LaunchOp launch;
  te::KernelOp kernel;
  ArrayRef<LayoutMap> inputs;
  const MachineModel &machine;
};
} // namespace

std::optional<DataStore> layout::chooseDataStore(te::LaunchOp launch, te::KernelOp kernel,
                                                 ArrayRef<LayoutMap> inputs,
                                                 const MachineModel &machine) {
  return DataStoreChooser(launch, kernel, inputs, machine).choose();
}
