//===- LaunchSizes.cpp - the sizes with which kernels are launched ------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchSizes.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ::tssa::tuner;
namespace te = mlir::tssa::te;

std::optional<int64_t> LaunchSizes::get(Value index) {
  if (auto found = known.find(index); found != known.end())
    return found->second;
  known[index] = std::nullopt; // while it is computed
  std::optional<int64_t> value = compute(index);
  return known[index] = value;
}

std::optional<int64_t> LaunchSizes::compute(Value index) {
  IntegerAttr constant;
  Operation *op = index.getDefiningOp();
  if (!op || !index.getType().isIndex())
    return std::nullopt;
  if (matchPattern(op, m_Constant(&constant)))
    return constant.getInt();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> number = dim.getConstantIndex();
    return number ? getDim(dim.getSource(), *number) : std::nullopt;
  }
  if (op->getNumRegions() != 0 || op->getNumResults() != 1 || !isPure(op))
    return std::nullopt;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> value = get(operand);
    if (!value && !matchPattern(operand, m_Constant(&operands.emplace_back())))
      return std::nullopt;
    if (value)
      operands.push_back(IntegerAttr::get(operand.getType(), *value));
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return std::nullopt;
  if (auto value = dyn_cast<Value>(results.front()))
    return value == index ? std::nullopt : get(value);
  auto folded = dyn_cast<IntegerAttr>(cast<Attribute>(results.front()));
  return folded ? std::optional(folded.getInt()) : std::nullopt;
}

std::optional<int64_t> LaunchSizes::getDim(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return getDimOfArgument(argument, dim);
  OpFoldResult size = te::findSize(tensor, dim);
  if (auto value = dyn_cast_if_present<Value>(size))
    return get(value);
  return size ? te::getConstantSize(size) : std::nullopt;
}

std::optional<int64_t> LaunchSizes::getDimOfArgument(BlockArgument argument, unsigned dim) {
  if (argument.getOwner() == &main.getBody().front()) {
    std::optional<unsigned> symbol = symbols.lookup(argument.getArgNumber(), dim);
    if (!symbol)
      return symbols.lookupStatic(argument.getArgNumber(), dim);
    auto size = sizes.find(symbols.get()[*symbol].name);
    return size == sizes.end() ? std::nullopt : std::optional(size->second);
  }
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  return loop && argument != loop.getInductionVar()
             ? getDim(loop.getTiedLoopInit(argument)->get(), dim)
             : std::nullopt;
}
