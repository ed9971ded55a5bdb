//===- NodeTable.cpp - names of the model's nodes ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeTable.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tssa {

NodeTable::NodeTable(MLIRContext *context, ArrayAttr known) : context(context) {
  if (!known)
    return;
  for (auto node : known.getAsRange<ArrayAttr>()) {
    numbers[node[0]] = operators.size();
    operators.insert({node[0], node[1]});
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
  collect(loc, StringAttr::get(context), found);
  return found;
}

int32_t NodeTable::getNode(Location loc) {
  SmallVector<int32_t> found = getNodes(loc);
  return found.empty() ? -1 : found.front();
}

int32_t NodeTable::addLaunch(StringAttr kernel, func::FuncOp extent, Location loc) {
  Builder builder(context);
  auto flops = extent->getAttrOfType<IntegerAttr>("te.flops");
  launches.push_back(builder.getArrayAttr({kernel, builder.getDenseI32ArrayAttr(getNodes(loc)),
                                           flops ? flops : builder.getI64IntegerAttr(-1)}));
  return launches.size() - 1;
}

ArrayAttr NodeTable::getNodes() const {
  SmallVector<Attribute> list;
  for (auto [name, op] : operators)
    list.push_back(ArrayAttr::get(context, {name, op}));
  return ArrayAttr::get(context, list);
}

ArrayAttr NodeTable::getLaunches() const { return ArrayAttr::get(context, launches); }

} // namespace tssa
