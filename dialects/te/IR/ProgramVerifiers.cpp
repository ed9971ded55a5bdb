//===- ProgramVerifiers.cpp - verifies the attributes in Program.h -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/ProgramNames.h"
#include "dialects/te/IR/TEDialect.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa::te;

static InFlightDiagnostic emitUnknown(Operation *op, NamedAttribute attribute, StringRef of) {
  return op->emitError() << "has an attribute " << attribute.getName() << " of " << of
                         << " that the dialect does not know";
}

template <typename Attr>
static LogicalResult verifyTable(Operation *op, NamedAttribute attribute, StringRef entry) {
  auto table = dyn_cast<ArrayAttr>(attribute.getValue());
  if (isa<ModuleOp>(op) && table &&
      llvm::all_of(table, [](Attribute value) { return isa<Attr>(value); }))
    return success();
  return op->emitError() << "expects " << attribute.getName() << " to be a list of #te." << entry
                         << " on the module";
}

static LogicalResult verifyLaunches(Operation *op, ArrayAttr launches) {
  auto nodes = op->getAttrOfType<ArrayAttr>(tableName<NodeAttr>);
  int32_t count = nodes ? nodes.size() : 0;
  for (auto launch : launches.getAsRange<LaunchRecordAttr>())
    for (int32_t node : launch.getNodes().asArrayRef())
      if (node >= count)
        return op->emitError() << "has a launch of node " << node << ", but 'te.nodes' has "
                               << count;
  return success();
}

LogicalResult TEDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == tableName<WeightAttr>)
    return verifyTable<WeightAttr>(op, attribute, WeightAttr::getMnemonic());
  if (name == tableName<NodeAttr>)
    return verifyTable<NodeAttr>(op, attribute, NodeAttr::getMnemonic());
  if (name == tableName<DeviceKernelAttr>)
    return verifyTable<DeviceKernelAttr>(op, attribute, DeviceKernelAttr::getMnemonic());
  if (name == tableName<LaunchRecordAttr>)
    return failed(verifyTable<LaunchRecordAttr>(op, attribute, LaunchRecordAttr::getMnemonic()))
               ? failure()
               : verifyLaunches(op, cast<ArrayAttr>(value));
  if (name == separateName && isa<ModuleOp>(op) && isa<UnitAttr>(value))
    return success();
  if (name == compiledName && isa<KernelOp>(op) && isa<UnitAttr>(value))
    return success();
  if (name == blockName && isa<FunctionOpInterface>(op) && isa<BlockAttr>(value))
    return success();
  if (name == tf32Name && isa<arith::MulFOp>(op) && isa<UnitAttr>(value) &&
      op->getResult(0).getType().isF32() && op->getParentOp() &&
      isa<TEDialect>(op->getParentOp()->getDialect()))
    return success();
  return op->emitError() << "has the attribute " << attribute.getName()
                         << ", which the dialect does not know here or in this form";
}

/// Checks that `port` fits `type`, the type of its argument or result.
static LogicalResult verifyPort(Operation *op, PortAttr port, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return success();
  auto emit = [&] { return op->emitError() << "has the port '" << getName(port, "") << "'"; };
  if (port.getDims() && static_cast<int64_t>(port.getDims().size()) != shaped.getRank())
    return emit() << " of rank " << port.getDims().size() << " on " << type;
  for (auto [dim, size] : llvm::enumerate(shaped.getShape()))
    if (auto known = dyn_cast_or_null<IntegerAttr>(port.getDim(dim));
        known && ShapedType::isStatic(size) && known.getInt() != size)
      return emit() << " with size " << known.getInt() << " for dim " << dim << " of " << type;
  if (ArrayAttr keys = port.getKeys())
    if (shaped.getRank() != 2 || (ShapedType::isStatic(shaped.getDimSize(1)) &&
                                  shaped.getDimSize(1) != static_cast<int64_t>(keys.size())))
      return emit() << " with " << keys.size() << " keys on " << type
                    << ", expected rank 2 and a column for each key";
  Type element = port.getType();
  if (!element || element == shaped.getElementType())
    return success();
  unsigned stored = std::max(element.getIntOrFloatBitWidth(), 8u);
  if (!shaped.getElementType().isInteger(stored))
    return emit() << " of type " << element << " on " << type;
  return success();
}

static LogicalResult verifyBytes(Operation *op, NamedAttribute attribute, Type type) {
  auto memory = dyn_cast<MemRefType>(type);
  if (isa<UnitAttr>(attribute.getValue()) && memory && memory.getRank() == 1 &&
      memory.getElementType().isInteger(8))
    return success();
  return op->emitError() << "expects " << attribute.getName()
                         << " to be a unit attribute of an argument memref<?xi8>";
}

LogicalResult TEDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                  NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return emitUnknown(op, attribute, "an argument");
  Type type = function.getArgumentTypes()[argument];
  if (attribute.getName() == weightsName || attribute.getName() == arenaName)
    return verifyBytes(op, attribute, type);
  auto port = dyn_cast<PortAttr>(attribute.getValue());
  if (attribute.getName() != portName || !port)
    return emitUnknown(op, attribute, "an argument");
  if (port.getWritesBack() || port.getAliasOf())
    return op->emitError() << "has the port '" << getName(port, "")
                           << "' on an argument, but with 'writes_back' or 'alias_of', which only "
                              "a result may have";
  if (port.getStrings() || port.getKeys())
    return op->emitError() << "has the port '" << getName(port, "")
                           << "' on an argument, but with 'strings' or 'keys', which only a "
                              "result may have";
  return verifyPort(op, port, type);
}

LogicalResult TEDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned result,
                                                     NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto port = dyn_cast<PortAttr>(attribute.getValue());
  if (attribute.getName() != portName || !port || !function)
    return emitUnknown(op, attribute, "a result");
  for (std::optional<unsigned> argument : {port.getWritesBack(), port.getAliasOf()})
    if (argument && *argument >= function.getNumArguments())
      return op->emitError() << "has the port '" << getName(port, "") << "' for argument "
                             << *argument << " of " << function.getNumArguments();
  if (port.getIndexes().value_or(0) >= function.getNumResults())
    return op->emitError() << "has the port '" << getName(port, "") << "' with indexes in result "
                           << *port.getIndexes() << " of " << function.getNumResults();
  return verifyPort(op, port, function.getResultTypes()[result]);
}
