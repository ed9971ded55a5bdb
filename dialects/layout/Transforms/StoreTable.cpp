//===- StoreTable.cpp - the layouts chosen for the tensors of launches -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/StoreTable.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "dialects/layout/Transforms/KernelVariants.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

bool LaunchStores::isEmpty() const {
  auto isEmpty = [](const LayoutMap &map) { return map.isEmpty(); };
  return llvm::all_of(inputs, isEmpty) && llvm::all_of(outputs, isEmpty);
}

std::string LaunchStores::describe() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (ArrayRef<LayoutMap> list : {ArrayRef(inputs), ArrayRef(outputs)})
    for (const LayoutMap &map : list)
      stream << '|' << map;
  for (bool isZero : zeroPadded)
    stream << (isZero ? 'z' : '.');
  return text;
}

std::string layout::describeConstants(te::LaunchOp launch) {
  std::string text;
  for (Value input : launch.getInputs())
    text += input.getDefiningOp<te::ConstantOp>() ? 'c' : '.';
  return text;
}

void layout::addStores(te::KernelOp kernel, const LaunchStores &stores) {
  llvm::SmallPtrSet<Operation *, 4> done;
  ValueRange results = kernel.getBodyBlock().getTerminator()->getOperands();
  for (auto [value, map] : llvm::zip_equal(results, stores.outputs)) {
    auto compute = value.getDefiningOp<te::ComputeOp>();
    if (!map.isEmpty() && done.insert(compute).second)
      addStore(kernel, *compute.getLabel(), map);
  }
  for (auto [parameter, map] : llvm::enumerate(stores.inputs))
    if (!map.isEmpty())
      addStore(kernel, parameter, map);
}

void StoreTable::apply(ModuleOp module) {
  KernelVariants kernels(module);
  llvm::MapVector<Operation *, SmallVector<te::LaunchOp>> launches; // by kernel
  module.walk([&](te::LaunchOp launch) {
    if (te::KernelOp kernel = kernels.lookup(launch))
      launches[kernel].push_back(launch);
  });
  auto describe = [&](te::LaunchOp launch) {
    auto row = rows.find(launch);
    bool hasRow = row != rows.end() && !row->second.isEmpty();
    return (hasRow ? row->second.describe() : "") + notes.lookup(launch);
  };
  for (auto &[kernel, all] : launches) {
    std::string first = describe(all.front());
    if (llvm::all_of(all, [&](te::LaunchOp launch) { return describe(launch) == first; })) {
      if (!first.empty())
        addStores(cast<te::KernelOp>(kernel), getRow(all.front()));
      continue;
    }
    for (te::LaunchOp launch : all)
      if (std::string change = describe(launch); !change.empty())
        kernels.change(launch, change, [&](te::KernelOp copy) { addStores(copy, getRow(launch)); });
  }
  kernels.eraseUnused();
}
