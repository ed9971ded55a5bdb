//===- LayoutAttributes.cpp - layout maps, and the machine -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/LayoutAttributes.h"
#include "dialects/layout/Algebra/LayoutMapText.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tssa::layout;

namespace {
/// Reads the tokens of an attribute in the text of IR.
class IRTokenReader : public TokenReader {
public:
  explicit IRTokenReader(AsmParser &parser) : parser(parser) {}

  bool takeIf(char token) override {
    switch (token) {
    case '<':
      return succeeded(parser.parseOptionalLess());
    case '>':
      return succeeded(parser.parseOptionalGreater());
    case '(':
      return succeeded(parser.parseOptionalLParen());
    case ')':
      return succeeded(parser.parseOptionalRParen());
    case '[':
      return succeeded(parser.parseOptionalLSquare());
    case ']':
      return succeeded(parser.parseOptionalRSquare());
    case '*':
      return succeeded(parser.parseOptionalStar());
    default:
      return succeeded(parser.parseOptionalComma());
    }
  }

  bool takeKeywordIf(StringRef keyword) override {
    return succeeded(parser.parseOptionalKeyword(keyword));
  }
  ParseResult readKeyword(StringRef &keyword) override { return parser.parseKeyword(&keyword); }
  ParseResult readInteger(int64_t &value) override { return parser.parseInteger(value); }
  ParseResult fail(const Twine &message) override {
    return parser.emitError(parser.getCurrentLocation(), message);
  }

private:
  AsmParser &parser;
};
} // namespace

LayoutMap MapAttr::getMap() const {
  return *LayoutMap::fromIntegers(getIntegers(), [](const Twine &) {});
}

Attribute MapAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  IRTokenReader reader(parser);
  SmallVector<Primitive> primitives;
  if (parsePrimitives(reader, primitives))
    return {};
  FailureOr<LayoutMap> map = LayoutMap::get(
      primitives, [&](const Twine &message) { parser.emitError(location, message); });
  return failed(map) ? MapAttr() : MapAttr::get(parser.getContext(), *map);
}

void MapAttr::print(AsmPrinter &printer) const {
  printPrimitives(printer.getStream(), getMap().getPrimitives());
}

LogicalResult MapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> integers) {
  return LayoutMap::fromIntegers(integers, [&](const Twine &message) { emitError() << message; });
}

//===----------------------------------------------------------------------===//
// Models of machines
//===----------------------------------------------------------------------===//

/// Reads `name = number` into `model`. `seen` has the names before.
template <typename Model>
static ParseResult parseField(AsmParser &parser, ArrayRef<ModelField<Model>> fields, Model &model,
                              StringSet<> &seen) {
  SMLoc location = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  const auto *field =
      llvm::find_if(fields, [&](const ModelField<Model> &known) { return known.name == name; });
  if (field == fields.end())
    return parser.emitError(location, "no number of a machine has the name '") << name << "'";
  if (!seen.insert(name).second)
    return parser.emitError(location, "'") << name << "' is given twice";
  return failure(parser.parseEqual() || parser.parseInteger(model.*field->value));
}

template <typename Attr, typename Model>
static Attribute parseModel(AsmParser &parser, ArrayRef<ModelField<Model>> fields) {
  SMLoc location = parser.getCurrentLocation();
  Model model;
  StringSet<> seen;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&]() { return parseField(parser, fields, model, seen); }))
    return {};
  for (const ModelField<Model> &field : fields)
    if (!field.isOptional && !seen.contains(field.name)) {
      parser.emitError(location, "expected the machine to have '") << field.name << "'";
      return {};
    }
  return parser.getChecked<Attr>(location, parser.getContext(), model);
}

Attribute MachineAttr::parse(AsmParser &parser, Type) {
  return parseModel<MachineAttr>(parser, getMachineFields());
}

void MachineAttr::print(AsmPrinter &printer) const {
  printNumbers(printer.getStream(), getModel());
}

LogicalResult MachineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  MachineModel model) {
  return checkMachineModel(model, [&](const Twine &message) { emitError() << message; });
}

Attribute DeviceAttr::parse(AsmParser &parser, Type) {
  return parseModel<DeviceAttr>(parser, getDeviceFields());
}

void DeviceAttr::print(AsmPrinter &printer) const {
  printNumbers(printer.getStream(), getDeviceFields(), getModel());
}

LogicalResult DeviceAttr::verify(function_ref<InFlightDiagnostic()> emitError, DeviceModel model) {
  return checkDeviceModel(model, [&](const Twine &message) { emitError() << message; });
}
