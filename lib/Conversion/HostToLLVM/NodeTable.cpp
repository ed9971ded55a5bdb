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

int32_t NodeTable::addLaunch(StringAttr kernel, func::FuncOp extent, Location loc) {
  MLIRContext *context = kernel.getContext();
  auto numbers = DenseI32ArrayAttr::get(context, getNodes(loc));
  std::optional<int64_t> flops;
  APInt known;
  Value count = extent.getBody().front().getTerminator()->getOperand(2);
  if (matchPattern(count, m_ConstantInt(&known)) && known.isNonNegative())
    flops = known.getSExtValue();
  launches.push_back(te::LaunchRecordAttr::get(context, kernel, numbers, flops));
  return launches.size() - 1;
}

SmallVector<te::NodeAttr> NodeTable::getNodes() const {
  return llvm::map_to_vector(operators, [](auto &node) {
    return te::NodeAttr::get(node.first.getContext(), node.first, node.second);
  });
}

} // namespace tssa
