//===- Program.cpp - attributes of the functions of a program ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/ProgramNames.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

//===----------------------------------------------------------------------===//
// Arguments and results of the host program
//===----------------------------------------------------------------------===//

PortAttr te::getArgumentPort(FunctionOpInterface function, unsigned argument) {
  return function.getArgAttrOfType<PortAttr>(argument, portName);
}

PortAttr te::getResultPort(FunctionOpInterface function, unsigned result) {
  return function.getResultAttrOfType<PortAttr>(result, portName);
}

void te::setArgumentPort(FunctionOpInterface function, unsigned argument, PortAttr port) {
  function.setArgAttr(argument, portName, port);
}

void te::setResultPort(FunctionOpInterface function, unsigned result, PortAttr port) {
  function.setResultAttr(result, portName, port);
}

std::string te::getName(PortAttr port, const Twine &fallback) {
  return port && port.getName() ? port.getName().str() : fallback.str();
}

DictionaryAttr te::makeAttributes(PortAttr port) {
  Builder builder(port.getContext());
  return builder.getDictionaryAttr(builder.getNamedAttr(portName, port));
}

bool te::isWeights(FunctionOpInterface function, unsigned argument) {
  return static_cast<bool>(function.getArgAttr(argument, weightsName));
}

bool te::isArena(FunctionOpInterface function, unsigned argument) {
  return static_cast<bool>(function.getArgAttr(argument, arenaName));
}

void te::markWeights(FunctionOpInterface function, unsigned argument) {
  function.setArgAttr(argument, weightsName, UnitAttr::get(function.getContext()));
}

void te::markArena(FunctionOpInterface function, unsigned argument) {
  function.setArgAttr(argument, arenaName, UnitAttr::get(function.getContext()));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool te::isCompiled(Operation *kernel) { return kernel->hasAttr(compiledName); }

void te::setCompiled(Operation *kernel) {
  kernel->setAttr(compiledName, UnitAttr::get(kernel->getContext()));
}

BlockAttr te::getBlock(FunctionOpInterface function) {
  return function->getAttrOfType<BlockAttr>(blockName);
}

void te::setBlock(FunctionOpInterface function, BlockAttr block) {
  function->setAttr(blockName, block);
}

//===----------------------------------------------------------------------===//
// Tables of the module
//===----------------------------------------------------------------------===//

bool te::hasSeparateBuffers(ModuleOp module) { return module->hasAttr(separateName); }

void te::setSeparateBuffers(ModuleOp module) {
  module->setAttr(separateName, UnitAttr::get(module.getContext()));
}

template <typename Attr> SmallVector<Attr> te::getTable(ModuleOp module) {
  auto table = module->getAttrOfType<ArrayAttr>(tableName<Attr>);
  return table ? llvm::to_vector(table.template getAsRange<Attr>()) : SmallVector<Attr>();
}

template <typename Attr> void te::setTable(ModuleOp module, ArrayRef<Attr> entries) {
  SmallVector<Attribute> table(entries.begin(), entries.end());
  module->setAttr(tableName<Attr>, ArrayAttr::get(module.getContext(), table));
}

template <typename Attr> bool te::hasTable(ModuleOp module) {
  return module->hasAttr(tableName<Attr>);
}

namespace mlir::tssa::te {
#define INSTANTIATE_TABLE(Attr)                                                                    \
  template SmallVector<Attr> getTable<Attr>(ModuleOp);                                             \
  template void setTable<Attr>(ModuleOp, ArrayRef<Attr>);                                          \
  template bool hasTable<Attr>(ModuleOp);
INSTANTIATE_TABLE(WeightAttr)
INSTANTIATE_TABLE(NodeAttr)
INSTANTIATE_TABLE(LaunchRecordAttr)
INSTANTIATE_TABLE(DeviceKernelAttr)
#undef INSTANTIATE_TABLE
} // namespace mlir::tssa::te
