//===- LayoutOps.cpp - the layout dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/layout/IR/Atoms.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tssa::layout;

/// Parses a keyword as a string attribute.
static ParseResult parseKeyword(OpAsmParser &parser, StringAttr &attr) {
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  attr = parser.getBuilder().getStringAttr(word);
  return success();
}

static void printKeyword(OpAsmPrinter &p, Operation *, StringAttr attr) { p << attr.getValue(); }

/// Parses the index of a parameter or `@label`.
static ParseResult parseStored(OpAsmParser &parser, IntegerAttr &parameter,
                               FlatSymbolRefAttr &label) {
  StringAttr name;
  if (succeeded(parser.parseOptionalSymbolName(name))) {
    label = FlatSymbolRefAttr::get(name);
    return success();
  }
  int64_t index;
  if (parser.parseInteger(index))
    return failure();
  parameter = parser.getBuilder().getI64IntegerAttr(index);
  return success();
}

static void printStored(OpAsmPrinter &p, Operation *, IntegerAttr parameter,
                        FlatSymbolRefAttr label) {
  if (label)
    p << label;
  else
    p << parameter.getInt();
}

#include "dialects/layout/IR/LayoutDialect.cpp.inc"

#include "dialects/layout/IR/LayoutEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/layout/IR/LayoutAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/layout/IR/LayoutTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/layout/IR/LayoutOps.cpp.inc"

void LayoutDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/layout/IR/LayoutAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/layout/IR/LayoutTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/layout/IR/LayoutOps.cpp.inc"
      >();
}

LogicalResult LayoutDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  auto check = [&](StringRef name, bool isRight, StringRef type) -> LogicalResult {
    if (attribute.getName() != name || (isa<ModuleOp>(op) && isRight))
      return success();
    return op->emitError("expects '") << name << "' to be a " << type << " of a module";
  };
  if (failed(check(getMachineName(), isa<MachineAttr>(attribute.getValue()), "#layout.machine")))
    return failure();
  return check(getDeviceName(), isa<DeviceAttr>(attribute.getValue()), "#layout.device");
}

LogicalResult LaunchesOp::verify() {
  if (getPositions().empty() || getPositions().front() < 0 ||
      !llvm::is_sorted(getPositions(), std::less_equal<int64_t>())) // C1
    return emitOpError("expects ascending positions of at least 0");
  if ((*this)->getPrevNode()) // C2
    return emitOpError("expects to be the first op of the schedule");
  return success();
}

LogicalResult StoreOp::verify() {
  if (getParameter().has_value() == getLabel().has_value()) // C1
    return emitOpError("expects either a parameter or a label");
  if (getParameter() && static_cast<int64_t>(*getParameter()) < 0)
    return emitOpError("expects the index of a parameter, got ")
           << static_cast<int64_t>(*getParameter());
  for (Operation *op = (*this)->getPrevNode(); op; op = op->getPrevNode()) {
    if (isa<LaunchesOp>(op))
      continue;
    auto store = dyn_cast<StoreOp>(op);
    if (!store) // C2
      return emitOpError("expects only other stores before it, got '") << op->getName() << "'";
    if (store.getParameterAttr() == getParameterAttr() && store.getLabelAttr() == getLabelAttr())
      return emitOpError("stores an operand that another op stores"); // C3
  }
  return success();
}

ParseResult SplitOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand loop;
  SmallVector<int64_t> factors;
  Type type = LoopType::get(parser.getContext());
  if (parser.parseOperand(loop) || parser.parseLSquare() || parser.parseStar())
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseInteger(factors.emplace_back()))
      return failure();
  if (parser.parseRSquare() || parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperand(loop, type, result.operands))
    return failure();
  result.getOrAddProperties<Properties>().factors =
      parser.getBuilder().getDenseI64ArrayAttr(factors);
  result.types.assign(factors.size() + 1, type);
  return success();
}

void SplitOp::print(OpAsmPrinter &p) {
  p << ' ' << getLoop() << " [*";
  for (int64_t factor : getFactors())
    p << ", " << factor;
  p << ']';
  p.printOptionalAttrDict((*this)->getAttrs(), {"factors"});
}

LogicalResult SplitOp::verify() {
  for (int64_t factor : getFactors()) // C1
    if (factor < 1)
      return emitOpError("expects factors of at least 1, got ") << factor;
  if (getNumResults() != getFactors().size() + 1)
    return emitOpError("expects ")
           << getFactors().size() + 1 << " results, got " << getNumResults();
  return success();
}

LogicalResult CacheOp::verify() {
  if (static_cast<int64_t>(getOperand()) < 0) // C1
    return emitOpError("expects the index of an operand, got ")
           << static_cast<int64_t>(getOperand());
  if (getLevel() != "shared")
    return emitOpError("expects level shared, got '") << getLevel() << "'";
  return success();
}

LogicalResult AtomOp::verify() {
  const Atom *atom = findAtom(getInstruction());
  if (!atom) // C1
    return emitOpError("expects an instruction, one of ")
           << listAtoms() << ", got '" << getInstruction() << "'";
  size_t expected = atom->hasOneLoop() ? 1 : 3;
  if (getLoops().size() != expected)
    return emitOpError("expects ") << (expected == 1 ? "one loop" : "three loops") << " for '"
                                   << getInstruction() << "', got " << getLoops().size();
  return success();
}

LogicalResult PipelineOp::verify() {
  int64_t depth = static_cast<int64_t>(getDepth());
  if (depth < 2 || depth > 8) // C1
    return emitOpError("expects a depth of 2 to 8, got ") << depth;
  return success();
}

LoopsOp mlir::tssa::layout::getLoopsOp(Value loop) {
  Operation *source = loop.getDefiningOp();
  while (isa_and_nonnull<SplitOp, FuseOp>(source))
    source = source->getOperand(0).getDefiningOp();
  return dyn_cast_if_present<LoopsOp>(source);
}

raw_ostream &mlir::tssa::layout::operator<<(raw_ostream &stream, const MachineModel &model) {
  stream << '#' << LayoutDialect::getDialectNamespace() << '.' << MachineAttr::getMnemonic();
  printNumbers(stream, model);
  return stream;
}

MachineModel mlir::tssa::layout::getMachineModel(ModuleOp module) {
  auto machine = module->getAttrOfType<MachineAttr>(LayoutDialect::getMachineName());
  return machine ? machine.getModel() : MachineModel();
}

void mlir::tssa::layout::setMachineModel(ModuleOp module, const MachineModel &model) {
  module->setAttr(LayoutDialect::getMachineName(), MachineAttr::get(module.getContext(), model));
}

raw_ostream &mlir::tssa::layout::operator<<(raw_ostream &stream, const DeviceModel &model) {
  stream << '#' << LayoutDialect::getDialectNamespace() << '.' << DeviceAttr::getMnemonic();
  printNumbers(stream, getDeviceFields(), model);
  return stream;
}

bool mlir::tssa::layout::hasDeviceModel(ModuleOp module) {
  return module->hasAttrOfType<DeviceAttr>(LayoutDialect::getDeviceName());
}

DeviceModel mlir::tssa::layout::getDeviceModel(ModuleOp module) {
  auto device = module->getAttrOfType<DeviceAttr>(LayoutDialect::getDeviceName());
  return device ? device.getModel() : DeviceModel();
}

void mlir::tssa::layout::setDeviceModel(ModuleOp module, const DeviceModel &model) {
  module->setAttr(LayoutDialect::getDeviceName(), DeviceAttr::get(module.getContext(), model));
}
