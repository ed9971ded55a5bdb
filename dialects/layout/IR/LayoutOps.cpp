//===- LayoutOps.cpp - the layout dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/LayoutOps.h"
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

#include "dialects/layout/IR/LayoutDialect.cpp.inc"

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

LogicalResult BindOp::verify() {
  if (llvm::is_contained({"parallel", "block", "lane"}, getLevel())) // C1
    return success();
  return emitOpError("expects level parallel, block or lane, got '") << getLevel() << "'";
}

LogicalResult CacheOp::verify() {
  if (static_cast<int64_t>(getOperand()) < 0) // C1
    return emitOpError("expects the index of an operand, got ")
           << static_cast<int64_t>(getOperand());
  if (getLevel() != "shared")
    return emitOpError("expects level shared, got '") << getLevel() << "'";
  return success();
}
