//===- StoreCosts.cpp - predicts kernels with layouts -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/StoreCosts.h"
#include "dialects/layout/Template/DeviceDraft.h"
#include "dialects/layout/Template/Space.h"
#include "dialects/layout/Transforms/ApplyStores.h"
#include "dialects/layout/Transforms/Copies.h"
#include "dialects/layout/Transforms/WeightStore.h"
#include "dialects/te/IR/AssumedSize.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/ElementBytes.h"
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
    count = llvm::SaturatingMultiply<uint64_t>(count, te::assumeSize(size, te::SizeRole::Any));
  return count;
}

te::ComputeOp layout::findOnlyExpression(te::KernelOp kernel) {
  auto expressions = kernel.getBodyBlock().getOps<te::ComputeOp>();
  return llvm::hasSingleElement(expressions) ? *expressions.begin() : te::ComputeOp();
}

bool layout::readsConstant(te::LaunchOp launch, te::ReadOp read) {
  auto parameter = dyn_cast<BlockArgument>(read.getSource());
  return parameter && launch.getInputs()[parameter.getArgNumber()].getDefiningOp<te::ConstantOp>();
}

StoreCosts::StoreCosts(ModuleOp module) : machine(getMachineModel(module)) {
  if (hasDeviceModel(module))
    device = getDeviceModel(module);
}

double StoreCosts::predictConversion(RankedTensorType type, const LayoutMap &map) const {
  constexpr double perElement = 0.6, perDistantElement = 1.1;
  FailureOr<TensorLayout> layout = getLayout(map, type, [](const Twine &) {});
  std::optional<Growth> growth = succeeded(layout) ? layout->getGrowth() : std::nullopt;
  double cells = static_cast<double>(countElements(type)) * (growth ? growth->asRatio() : 1);
  double bytes = 2 * cells * te::getElementBytes(type.getElementType());
  if (device)
    return predictTransposition(bytes, *device) * static_cast<double>(device->megahertz);
  return cells * (bytes <= static_cast<double>(machine.l2Bytes) ? perElement : perDistantElement);
}

double StoreCosts::predictExpression(te::LaunchOp launch, te::ComputeOp compute) const {
  SmallVector<Access> accesses = getAccesses(compute);
  if (device)
    return predictMicroseconds(compute, accesses, *device) * static_cast<double>(device->megahertz);
  for (Access &access : accesses)
    if (!access.isWrite() && readsConstant(launch, access.getRead()))
      access.setPackable(access.getRead().getSource().hasOneUse());
  return rankPoints(compute, accesses, machine).front().cycles;
}

std::optional<double> StoreCosts::predictCopy(te::LaunchOp launch, te::KernelOp copy,
                                              const std::vector<bool> &zeroPadded) const {
  OwningOpRef<te::KernelOp> applied = applyStoresToCopy(copy, zeroPadded);
  if (!applied || applied->getBodyBlock().getOps<te::ComputeOp>().empty())
    return std::nullopt;
  if (findCopiedParameter(*applied)) // which layout-drop-copies drops
    return 0;
  double sum = 0;
  for (auto compute : applied->getBodyBlock().getOps<te::ComputeOp>())
    sum += predictExpression(launch, compute);
  return sum;
}

std::optional<double> StoreCosts::predict(te::LaunchOp launch, te::KernelOp kernel,
                                          const LaunchStores &stores) {
  auto isProduct = [](te::ComputeOp op) { return te::matchContraction(op).has_value(); };
  return findOnlyExpression(kernel) ||
                 llvm::any_of(kernel.getBodyBlock().getOps<te::ComputeOp>(), isProduct)
             ? predictAll(launch, kernel, stores)
             : std::nullopt;
}

std::optional<double> StoreCosts::predictAll(te::LaunchOp launch, te::KernelOp kernel,
                                             const LaunchStores &stores) {
  std::string key = (kernel.getSymName() + describeConstants(launch) + stores.describe()).str();
  auto [entry, isNew] = known.try_emplace(key);
  if (isNew) {
    OwningOpRef<te::KernelOp> copy = kernel.clone();
    LaunchStores all = stores;
    if (device)
      storeWindowsFirst(launch, kernel, all);
    addStores(*copy, all);
    entry->second = predictCopy(launch, *copy, all.zeroPadded);
  }
  return entry->second;
}
