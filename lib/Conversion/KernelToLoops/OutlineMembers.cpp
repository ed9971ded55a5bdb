//===- OutlineMembers.cpp - functions for what an iteration computes -----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutlineMembers.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

static constexpr StringLiteral memberAttr = "member";

namespace tssa::conversion {

LogicalResult buildOutlined(OpBuilder &builder, Location loc, StringRef label,
                            function_ref<LogicalResult()> body) {
  auto region = scf::ExecuteRegionOp::create(builder, loc, TypeRange());
  region->setAttr(memberAttr, builder.getStringAttr(label));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&region.getRegion());
  if (failed(body()))
    return failure();
  scf::YieldOp::create(builder, loc);
  return success();
}

Operation *findFunction(Block *block) {
  Operation *op = block->getParentOp();
  while (!isa<func::FuncOp>(op) && !op->hasAttr(memberAttr))
    op = op->getParentOp();
  return op;
}

/// Moves the code of `region` to `function`, whose arguments are `captured`.
static void moveBody(scf::ExecuteRegionOp region, func::FuncOp function, ArrayRef<Value> captured) {
  function.getBody().takeBody(region.getRegion());
  Block &entry = function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(&entry);
  Operation *yield = entry.getTerminator();
  func::ReturnOp::create(builder, yield->getLoc());
  yield->erase();
  for (Value value : captured) {
    BlockArgument argument = entry.addArgument(value.getType(), value.getLoc());
    value.replaceUsesWithIf(
        argument, [&](OpOperand &use) { return function->isProperAncestor(use.getOwner()); });
  }
}

static void outline(scf::ExecuteRegionOp region, func::FuncOp func, unsigned number) {
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(region.getRegion(), above);
  OpBuilder builder(region.getContext());
  SmallVector<Value> captured;
  for (Value value : above) {
    Operation *op = value.getDefiningOp();
    if (!op || !op->hasTrait<OpTrait::ConstantLike>()) {
      captured.push_back(value);
      continue;
    }
    builder.setInsertionPointToStart(&region.getRegion().front());
    Value copy = builder.clone(*op)->getResult(0);
    value.replaceUsesWithIf(
        copy, [&](OpOperand &use) { return region->isProperAncestor(use.getOwner()); });
  }
  SmallVector<Type> types = llvm::map_to_vector(captured, [](Value v) { return v.getType(); });
  auto label = region->getAttrOfType<StringAttr>(memberAttr).getValue();
  builder.setInsertionPoint(func);
  auto function = func::FuncOp::create(
      builder, region.getLoc(), (func.getSymName() + "." + label + "." + Twine(number)).str(),
      builder.getFunctionType(types, {}));
  function.setPrivate();
  function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
  moveBody(region, function, captured);
  builder.setInsertionPoint(region);
  func::CallOp::create(builder, region.getLoc(), function, captured);
  region.erase();
}

void outlineMembers(func::FuncOp func) {
  SmallVector<scf::ExecuteRegionOp> regions; // inner ones first
  func.walk([&](scf::ExecuteRegionOp region) {
    if (region->hasAttr(memberAttr))
      regions.push_back(region);
  });
  for (auto [number, region] : llvm::enumerate(regions))
    outline(region, func, number);
}

} // namespace tssa::conversion
