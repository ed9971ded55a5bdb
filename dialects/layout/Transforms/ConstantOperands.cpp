//===- ConstantOperands.cpp - the weights of kernels -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/ConstantOperands.h"
#include "dialects/layout/Transforms/StoredConstant.h"
#include "dialects/te/IR/Contraction.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Constants of fewer elements than this are not packed.
static constexpr int64_t fewElements = 64;

ConstantOperands::ConstantOperands(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::SmallDenseSet<Value> others; // parameters that are not constant in some launch
  module.walk([&](te::LaunchOp launch) {
    auto kernel = symbols.lookup<te::KernelOp>(launch.getKernel());
    if (!kernel)
      return;
    for (auto [number, input] : llvm::enumerate(launch.getInputs())) {
      Value parameter = kernel.getArgument(number);
      if (auto constant = input.getDefiningOp<te::ConstantOp>())
        constants[parameter].push_back(constant);
      else
        others.insert(parameter);
    }
  });
  for (Value parameter : others)
    constants.erase(parameter);
}

te::ConstantOp ConstantOperands::lookup(te::ReadOp read) const {
  auto found = constants.find(read.getSource());
  return found == constants.end() ? te::ConstantOp() : found->second.front();
}

std::optional<Weights> ConstantOperands::findWeights(te::ComputeOp compute) const {
  std::optional<te::FactorReads> factors = te::findFactorReads(compute);
  if (!factors)
    return std::nullopt;
  auto isConstant = [&](te::ReadOp read) { return lookup(read) != nullptr; };
  auto [data, weights] = *factors;
  if (data == weights)
    llvm::erase_if(weights, [&](te::ReadOp read) { return !isConstant(read); });
  if (!llvm::all_of(weights, isConstant))
    std::swap(weights, data);
  auto other = llvm::find_if_not(data, isConstant);
  if (other == data.end() || weights.empty() || !llvm::all_of(weights, isConstant))
    return std::nullopt;
  return Weights{weights, *other};
}

StringRef ConstantOperands::findObstacleToPacking(te::ReadOp read) const {
  if (lookup(read).getType().getNumElements() < fewElements)
    return "it is small";
  if (!read.getSource().hasOneUse())
    return "its kernel reads it in more than one way";
  if (read.getGuard() || !read.getSymbols().empty())
    return "it is read with a guard or at opaque indexes";
  for (te::ConstantOp constant : constants.lookup(read.getSource()))
    if (!hasBytesOfElements(constant.getValue()))
      return "its elements are equal or not whole bytes";
  return {};
}

SmallVector<Access> ConstantOperands::getAccesses(te::ComputeOp compute) const {
  SmallVector<Access> accesses = layout::getAccesses(compute);
  if (std::optional<Weights> weights = findWeights(compute))
    for (Access &access : accesses)
      if (llvm::is_contained(weights->reads, access.getRead()) &&
          findObstacleToPacking(access.getRead()).empty())
        access.setPackable();
  return accesses;
}
