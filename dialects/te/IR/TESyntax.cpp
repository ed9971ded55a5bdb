//===- TESyntax.cpp - shared syntax of te ops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/TESyntax.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

static std::vector<std::string> makeNames(StringRef kind, unsigned count) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < count; ++i)
    names.push_back((kind + Twine(i)).str());
  return names;
}

ExprParser::ExprParser(OpAsmParser &parser) : parser(parser) {
  static const std::vector<std::string> dims = makeNames("d", maxDims);
  static const std::vector<std::string> symbols = makeNames("s", maxSymbols);
  for (auto [i, name] : llvm::enumerate(dims))
    table.push_back({name, getAffineDimExpr(i, parser.getContext())});
  for (auto [i, name] : llvm::enumerate(symbols))
    table.push_back({name, getAffineSymbolExpr(i, parser.getContext())});
}

ParseResult ExprParser::parse(AffineExpr &expr) {
  if (parser.parseAffineExpr(table, expr))
    return failure();
  expr.walk([&](AffineExpr e) {
    if (auto dim = dyn_cast<AffineDimExpr>(e))
      numDims = std::max(numDims, dim.getPosition() + 1);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
      numSymbols = std::max(numSymbols, symbol.getPosition() + 1);
  });
  return success();
}

ParseResult ExprParser::parseMap(SmallVectorImpl<AffineExpr> &results) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                        [&] { return parse(results.emplace_back()); });
}

ParseResult ExprParser::parseConstraints(SmallVectorImpl<AffineExpr> &constraints,
                                         SmallVectorImpl<bool> &equalities) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    if (parse(constraints.emplace_back()))
      return failure();
    bool equality = succeeded(parser.parseOptionalEqual());
    if (!equality && parser.parseGreater())
      return failure();
    int64_t zero;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseEqual() || parser.parseInteger(zero))
      return failure();
    if (zero != 0)
      return parser.emitError(loc, "expected a comparison with 0");
    equalities.push_back(equality);
    return success();
  });
}

void te::printExprs(OpAsmPrinter &p, ArrayRef<AffineExpr> exprs) {
  p << '[';
  llvm::interleaveComma(exprs, p, [&](AffineExpr expr) { expr.print(p.getStream()); });
  p << ']';
}

void te::printConstraints(OpAsmPrinter &p, IntegerSet set) {
  p << '(';
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    if (i)
      p << ", ";
    set.getConstraint(i).print(p.getStream());
    p << (set.isEq(i) ? " == 0" : " >= 0");
  }
  p << ')';
}

IntegerSet te::makeSet(unsigned numDims, unsigned numSymbols, ArrayRef<AffineExpr> constraints,
                       ArrayRef<bool> equalities, MLIRContext *context) {
  if (constraints.empty())
    return IntegerSet::get(numDims, numSymbols, {getAffineConstantExpr(0, context)}, {true});
  return IntegerSet::get(numDims, numSymbols, constraints, equalities);
}

ParseResult te::parseSymbols(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  return failure(
      parser.parseOperandList(operands, OpAsmParser::Delimiter::OptionalParen) ||
      parser.resolveOperands(operands, parser.getBuilder().getIndexType(), result.operands));
}

void te::printSymbols(OpAsmPrinter &p, ValueRange symbols) {
  if (!symbols.empty())
    p << '(' << symbols << ')';
}

//===----------------------------------------------------------------------===//
// Domains, labels, combiners
//===----------------------------------------------------------------------===//

ParseResult te::parseDomain(OpAsmParser &parser, SmallVectorImpl<int64_t> &staticSizes,
                            SmallVectorImpl<OpAsmParser::UnresolvedOperand> &dynamicSizes) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseColon())
      return failure();
    if (name != "d" + std::to_string(staticSizes.size()))
      return parser.emitError(loc)
             << "expected dim 'd" << staticSizes.size() << "', got '" << name << "'";
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult dynamic = parser.parseOptionalOperand(operand);
    if (dynamic.has_value()) {
      dynamicSizes.push_back(operand);
      staticSizes.push_back(ShapedType::kDynamic);
      return *dynamic;
    }
    return parser.parseInteger(staticSizes.emplace_back());
  });
}

void te::printDomain(OpAsmPrinter &p, ArrayRef<OpFoldResult> sizes, unsigned firstDim) {
  p << '(';
  for (auto [index, size] : llvm::enumerate(sizes)) {
    p << (index ? ", d" : "d") << firstDim + index << ": ";
    if (auto value = dyn_cast<Value>(size))
      p << value;
    else
      p << cast<IntegerAttr>(cast<Attribute>(size)).getInt();
  }
  p << ')';
}

ParseResult te::parseLabel(OpAsmParser &parser, StringAttr &label) {
  (void)parser.parseOptionalSymbolName(label);
  return success();
}

void te::printLabel(OpAsmPrinter &p, StringAttr label) {
  if (label) {
    p << ' ';
    p.printSymbolName(label.getValue());
  }
}

ParseResult te::parseCombiner(OpAsmParser &parser, Region &region, Type elementType) {
  Builder &builder = parser.getBuilder();
  if (succeeded(parser.parseOptionalLParen())) {
    SmallVector<OpAsmParser::Argument> args;
    if (parser.parseArgumentList(args, OpAsmParser::Delimiter::None, /*allowType=*/true) ||
        parser.parseRParen())
      return failure();
    return parser.parseRegion(region, args);
  }
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<OperationName> name = parser.parseCustomOperationName();
  if (failed(name))
    return failure();
  if (!name->isRegistered() || !elementType)
    return parser.emitError(loc, "expected an operation on two accumulators");
  Location opLoc = parser.getEncodedSourceLoc(loc);
  Block &block = region.emplaceBlock();
  block.addArguments({elementType, elementType}, {opLoc, opLoc});
  OpBuilder b(builder.getContext());
  b.setInsertionPointToStart(&block);
  Operation *op = b.create(opLoc, name->getIdentifier(), block.getArguments(), elementType);
  YieldOp::create(b, opLoc, op->getResults());
  return success();
}

/// Returns whether the combiner is one op without attributes or flags on its two arguments, so that
/// the name of the op is enough.
static bool isShortCombiner(Region &region) {
  if (!matchCombiner(region))
    return false;
  Operation &op = region.front().front();
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
      fast && fast.getFastMathFlagsAttr().getValue() != arith::FastMathFlags::none)
    return false;
  if (auto overflow = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
      overflow && overflow.getOverflowAttr().getValue() != arith::IntegerOverflowFlags::none)
    return false;
  return op.getDiscardableAttrDictionary().empty() &&
         region.front().back().getDiscardableAttrDictionary().empty();
}

void te::printCombiner(OpAsmPrinter &p, Region &region) {
  p << " combine ";
  if (isShortCombiner(region)) {
    p << region.front().front().getName().getStringRef();
    return;
  }
  p << '(';
  llvm::interleaveComma(region.getArguments(), p,
                        [&](BlockArgument arg) { p.printRegionArgument(arg); });
  p << ") ";
  p.printRegion(region, /*printEntryBlockArgs=*/false);
}
