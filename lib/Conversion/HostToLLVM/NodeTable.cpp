//===- NodeTable.cpp - names of the model's nodes ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeTable.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

NodeTable::NodeTable(ArrayRef<te::NodeAttr> known) {
  for (te::NodeAttr node : known) {
    numbers[node.getName()] = operators.size();
    operators.insert({node.getName(), node.getOp()});
  }
}

void NodeTable::collect(Location loc, StringAttr op, SmallVectorImpl<int32_t> &found) {
  llvm::TypeSwitch<LocationAttr>(loc)
      .Case<NameLoc>([&](NameLoc name) {
        auto [entry, isNew] = numbers.try_emplace(name.getName(), operators.size());
        if (isNew)
          operators.insert({name.getName(), op});
        else if (op.size())
          operators[name.getName()] = op;
        if (!llvm::is_contained(found, entry->second))
          found.push_back(entry->second);
      })
      .Case<FusedLoc>([&](FusedLoc fused) {
        auto metadata = dyn_cast_or_null<StringAttr>(fused.getMetadata());
        for (Location nested : fused.getLocations())
          collect(nested, metadata ? metadata : op, found);
      })
      .Case<CallSiteLoc>([&](CallSiteLoc call) { collect(call.getCallee(), op, found); });
}

SmallVector<int32_t> NodeTable::getNodes(Location loc) {
  SmallVector<int32_t> found;
  collect(loc, StringAttr::get(loc.getContext()), found);
  return found;
}

int32_t NodeTable::getNode(Location loc) {
  SmallVector<int32_t> found = getNodes(loc);
  return found.empty() ? -1 : found.front();
}

void NodeTable::numberLaunches(func::FuncOp main) {
  main.walk([&](te::LaunchOp launch) {
    MLIRContext *context = launch.getContext();
    auto numbers = DenseI32ArrayAttr::get(context, getNodes(launch.getLoc()));
    launchNumbers[launch] = launches.size();
    launches.push_back(te::LaunchRecordAttr::get(context, launch.getKernelAttr().getAttr(), numbers,
                                                 /*flops=*/std::nullopt));
  });
}

int32_t NodeTable::describeLaunch(te::LaunchOp launch, func::FuncOp extent) {
  int32_t number = launchNumbers.at(launch);
  APInt flops;
  Value count = extent.getBody().front().getTerminator()->getOperand(2);
  te::LaunchRecordAttr &record = launches[number];
  if (matchPattern(count, m_ConstantInt(&flops)) && flops.isNonNegative())
    record = te::LaunchRecordAttr::get(launch.getContext(), record.getKernel(), record.getNodes(),
                                       flops.getSExtValue());
  return number;
}

SmallVector<te::NodeAttr> NodeTable::getNodes() const {
  return llvm::map_to_vector(operators, [](auto &node) {
    return te::NodeAttr::get(node.first.getContext(), node.first, node.second);
  });
}

} // namespace tssa
