//===- LayoutAttributes.cpp - how tensors are stored -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/LayoutAttributes.h"
#include "dialects/layout/Algebra/LayoutMapText.h"
#include "mlir/IR/DialectImplementation.h"

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
