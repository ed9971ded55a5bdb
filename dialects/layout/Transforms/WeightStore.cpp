//===- WeightStore.cpp - the order of constant weights on a GPU -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/WeightStore.h"
#include "dialects/layout/Template/DeviceProduct.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "dialects/layout/Transforms/StoreCosts.h"
#include "dialects/te/IR/Contraction.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns the map that moves the dims of `read` that are indexed by `windows` to the front, or an
/// empty map if they are there.
static LayoutMap moveFirst(te::ReadOp read, ArrayRef<unsigned> windows) {
  ArrayRef<AffineExpr> indexes = read.getMap().getResults();
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, indexes.size()));
  auto isWindow = [&](int64_t position) {
    auto dim = dyn_cast<AffineDimExpr>(indexes[position]);
    return dim && llvm::is_contained(windows, dim.getPosition());
  };
  llvm::stable_sort(order, [&](int64_t a, int64_t b) { return isWindow(a) && !isWindow(b); });
  return llvm::is_sorted(order) ? LayoutMap()
                                : *LayoutMap::get(Primitive::reorder(order), [](const Twine &) {});
}

void layout::storeWindowsFirst(te::LaunchOp launch, te::KernelOp kernel, LaunchStores &stores) {
  for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>()) {
    std::optional<te::Contraction> contraction = te::matchContraction(compute);
    std::optional<DeviceProduct> product = contraction ? matchDeviceProduct(compute) : std::nullopt;
    if (!product || product->windows.empty())
      continue;
    for (te::ReadOp read : {contraction->lhs, contraction->rhs}) {
      if (!readsConstant(launch, read))
        continue;
      unsigned parameter = cast<BlockArgument>(read.getSource()).getArgNumber();
      LayoutMap map = moveFirst(read, product->windows);
      if (stores.inputs[parameter].isEmpty() && !map.isEmpty() && canStore(kernel, parameter, map))
        stores.inputs[parameter] = map;
    }
  }
}
