//===- TEAssembly.cpp - parsers and printers of te ops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/IR/TESyntax.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

//===----------------------------------------------------------------------===//
// read, index, inside
//===----------------------------------------------------------------------===//

ParseResult ReadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  SmallVector<OpAsmParser::UnresolvedOperand> symbols;
  SmallVector<AffineExpr> exprs, constraints;
  SmallVector<bool> equalities;
  RankedTensorType type;
  ExprParser exprParser(parser);
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(source) || exprParser.parseMap(exprs) ||
      parser.parseOperandList(symbols, OpAsmParser::Delimiter::OptionalParen) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(source, type, result.operands) ||
      parser.resolveOperands(symbols, builder.getIndexType(), result.operands))
    return failure();
  bool guarded = succeeded(parser.parseOptionalKeyword("where"));
  TypedAttr pad;
  if (guarded && (exprParser.parseConstraints(constraints, equalities) ||
                  parser.parseKeyword("else") || parser.parseAttribute(pad, type.getElementType())))
    return failure();
  unsigned numSymbols = std::max<unsigned>(exprParser.numSymbols, symbols.size());
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.map = AffineMapAttr::get(
      AffineMap::get(exprParser.numDims, numSymbols, exprs, parser.getContext()));
  if (guarded) {
    properties.guard = IntegerSetAttr::get(
        makeSet(exprParser.numDims, numSymbols, constraints, equalities, parser.getContext()));
    properties.pad = pad;
  }
  result.addTypes(type.getElementType());
  return success();
}

void ReadOp::print(OpAsmPrinter &p) {
  p << ' ' << getSource();
  printExprs(p, getMap().getResults());
  printSymbols(p, getSymbols());
  p.printOptionalAttrDict((*this)->getAttrs(), {"map", "guard", "pad"});
  p << " : " << getSource().getType();
  if (!getGuard())
    return;
  p << " where ";
  printConstraints(p, *getGuard());
  p << " else ";
  p.printAttributeWithoutType(getPadAttr());
}

ParseResult IndexOp::parse(OpAsmParser &parser, OperationState &result) {
  AffineExpr expr;
  ExprParser exprParser(parser);
  if (exprParser.parse(expr) || parseSymbols(parser, result) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  unsigned numSymbols = std::max<unsigned>(exprParser.numSymbols, result.operands.size());
  result.getOrAddProperties<Properties>().map =
      AffineMapAttr::get(AffineMap::get(exprParser.numDims, numSymbols, expr));
  result.addTypes(parser.getBuilder().getIndexType());
  return success();
}

void IndexOp::print(OpAsmPrinter &p) {
  p << ' ';
  getMap().getResult(0).print(p.getStream());
  printSymbols(p, getSymbols());
  p.printOptionalAttrDict((*this)->getAttrs(), {"map"});
}

ParseResult InsideOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> equalities;
  ExprParser exprParser(parser);
  if (exprParser.parseConstraints(constraints, equalities) || parseSymbols(parser, result) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  unsigned numSymbols = std::max<unsigned>(exprParser.numSymbols, result.operands.size());
  result.getOrAddProperties<Properties>().set = IntegerSetAttr::get(
      makeSet(exprParser.numDims, numSymbols, constraints, equalities, parser.getContext()));
  result.addTypes(parser.getBuilder().getI1Type());
  return success();
}

void InsideOp::print(OpAsmPrinter &p) {
  p << ' ';
  printConstraints(p, getSet());
  printSymbols(p, getSymbols());
  p.printOptionalAttrDict((*this)->getAttrs(), {"set"});
}

//===----------------------------------------------------------------------===//
// compute
//===----------------------------------------------------------------------===//

/// Parses `(0.0 : f32, ...)`.
static ParseResult parseInit(OpAsmParser &parser, SmallVectorImpl<Attribute> &init) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    TypedAttr value;
    if (parser.parseAttribute(value))
      return failure();
    init.push_back(value);
    return success();
  });
}

/// Parses `{body}`, or pieces: `where (...) {body} where (...) {body}`.
static ParseResult parsePieces(OpAsmParser &parser, OperationState &result, unsigned numParallel,
                               unsigned numDims, unsigned numSymbols,
                               SmallVectorImpl<Attribute> &where) {
  SmallVector<std::unique_ptr<Region>> pieces;
  while (succeeded(parser.parseOptionalKeyword("where"))) {
    ExprParser exprParser(parser);
    SmallVector<AffineExpr> constraints;
    SmallVector<bool> equalities;
    SMLoc loc = parser.getCurrentLocation();
    if (exprParser.parseConstraints(constraints, equalities) ||
        parser.parseRegion(*pieces.emplace_back(std::make_unique<Region>())))
      return failure();
    if (exprParser.numSymbols > numSymbols || exprParser.numDims > numParallel)
      return parser.emitError(
          loc, "expected the set of a piece to use the parallel dims and the symbols only");
    where.push_back(IntegerSetAttr::get(
        makeSet(numParallel, numSymbols, constraints, equalities, parser.getContext())));
  }
  if (pieces.empty() && parser.parseRegion(*pieces.emplace_back(std::make_unique<Region>())))
    return failure();
  for (std::unique_ptr<Region> &piece : pieces) {
    setNumDims(*piece, numDims);
    result.addRegion(std::move(piece));
  }
  return success();
}

ParseResult ComputeOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr label;
  SmallVector<int64_t> staticSizes;
  SmallVector<OpAsmParser::UnresolvedOperand> dynamicSizes, symbols;
  SmallVector<Attribute> init, where;
  Builder &builder = parser.getBuilder();
  Region *combiner = result.addRegion(), *epilogue = result.addRegion();
  if (parseLabel(parser, label) || parseDomain(parser, staticSizes, dynamicSizes))
    return failure();
  unsigned numParallel = staticSizes.size();
  if (succeeded(parser.parseOptionalKeyword("reduce")) &&
      (parseDomain(parser, staticSizes, dynamicSizes) || parser.parseKeyword("init") ||
       parseInit(parser, init)))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("symbols")) &&
      parser.parseOperandList(symbols, OpAsmParser::Delimiter::Paren))
    return failure();
  if (parsePieces(parser, result, numParallel, staticSizes.size(), symbols.size(), where))
    return failure();
  Type accumulator = init.size() == 1 ? cast<TypedAttr>(init[0]).getType() : Type();
  if (succeeded(parser.parseOptionalKeyword("combine")) &&
      parseCombiner(parser, *combiner, accumulator))
    return failure();
  setNumDims(*combiner, staticSizes.size());
  if (succeeded(parser.parseOptionalKeyword("then"))) {
    SmallVector<OpAsmParser::Argument> args;
    if (parser.parseArgumentList(args, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
        parser.parseRegion(*epilogue, args))
      return failure();
    setNumDims(*epilogue, numParallel);
  }
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonTypeList(result.types) ||
      parser.resolveOperands(dynamicSizes, builder.getIndexType(), result.operands) ||
      parser.resolveOperands(symbols, builder.getIndexType(), result.operands))
    return failure();
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {static_cast<int32_t>(dynamicSizes.size()),
                                    static_cast<int32_t>(symbols.size())};
  properties.static_sizes = builder.getDenseI64ArrayAttr(staticSizes);
  properties.num_parallel = builder.getI64IntegerAttr(numParallel);
  properties.label = label;
  if (!init.empty())
    properties.init = builder.getArrayAttr(init);
  if (!where.empty())
    properties.where = builder.getArrayAttr(where);
  return success();
}

void ComputeOp::print(OpAsmPrinter &p) {
  printLabel(p, getLabelAttr());
  p << ' ';
  printDomain(p, getParallelSizes(), 0);
  if (hasReduction()) {
    p << " reduce ";
    printDomain(p, getReductionSizes(), getNumParallel());
    p << " init (";
    if (getInitAttr())
      llvm::interleaveComma(getInitAttr(), p);
    p << ')';
  }
  if (!getSymbols().empty()) {
    p << " symbols (";
    p.printOperands(getSymbols());
    p << ')';
  }
  for (unsigned piece = 0; piece < getPieces().size(); ++piece) {
    p << ' ';
    if (IntegerSet set = getPieceSet(piece)) {
      p << "where ";
      printConstraints(p, set);
      p << ' ';
    }
    p.printRegion(getPieces()[piece], /*printEntryBlockArgs=*/false);
  }
  if (!getCombiner().empty())
    printCombiner(p, getCombiner());
  if (hasEpilogue()) {
    p << " then (";
    llvm::interleaveComma(getEpilogue().getArguments(), p,
                          [&](BlockArgument arg) { p.printRegionArgument(arg); });
    p << ") ";
    p.printRegion(getEpilogue(), /*printEntryBlockArgs=*/false);
  }
  p.printOptionalAttrDict((*this)->getAttrs(), {"static_sizes", "num_parallel", "init", "where",
                                                "label", "operandSegmentSizes"});
  p << " : " << getResultTypes();
}

//===----------------------------------------------------------------------===//
// update, scan
//===----------------------------------------------------------------------===//

/// Returns the types that the body of an update yields; empty if the region has no te.yield.
static TypeRange getYieldedTypes(Region &body) {
  bool hasYield = body.hasOneBlock() && !body.front().empty() && isa<YieldOp>(body.front().back());
  return hasYield ? TypeRange(body.front().back().getOperandTypes()) : TypeRange();
}

ParseResult UpdateOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr label;
  SmallVector<int64_t> staticSizes;
  SmallVector<OpAsmParser::UnresolvedOperand> dynamicSizes, symbols;
  OpAsmParser::UnresolvedOperand base;
  SmallVector<AffineExpr> exprs, constraints;
  SmallVector<bool> equalities;
  ExprParser exprParser(parser);
  RankedTensorType type;
  Builder &builder = parser.getBuilder();
  Region *body = result.addRegion(), *combiner = result.addRegion();
  SMLoc loc = parser.getCurrentLocation();
  if (parseLabel(parser, label) || parseDomain(parser, staticSizes, dynamicSizes) ||
      parser.parseKeyword("into") || parser.parseOperand(base) || exprParser.parseMap(exprs) ||
      parser.parseOperandList(symbols, OpAsmParser::Delimiter::OptionalParen))
    return failure();
  bool guarded = succeeded(parser.parseOptionalKeyword("where"));
  if (guarded && exprParser.parseConstraints(constraints, equalities))
    return failure();
  if (exprParser.numDims > staticSizes.size())
    return parser.emitError(loc) << "expected index expressions over " << staticSizes.size()
                                 << " dims";
  bool injective = succeeded(parser.parseOptionalKeyword("injective"));
  if (parser.parseRegion(*body))
    return failure();
  setNumDims(*body, staticSizes.size());
  // The short form of the combiner needs the element type, which comes last in the text. Hence the
  // type is taken from the te.yield of the body.
  TypeRange yielded = getYieldedTypes(*body);
  if (succeeded(parser.parseOptionalKeyword("combine"))) {
    if (parseCombiner(parser, *combiner, yielded.empty() ? Type() : yielded.front()))
      return failure();
    setNumDims(*combiner, staticSizes.size());
  }
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(base, type, result.operands) ||
      parser.resolveOperands(dynamicSizes, builder.getIndexType(), result.operands) ||
      parser.resolveOperands(symbols, builder.getIndexType(), result.operands))
    return failure();
  Properties &properties = result.getOrAddProperties<Properties>();
  // The body yields the value and then the opaque indexes, which are the last symbols of the map.
  // The map need not use all of these symbols.
  size_t numOpaque = yielded.empty() ? 0 : yielded.size() - 1;
  unsigned numSymbols = std::max<unsigned>(exprParser.numSymbols, symbols.size() + numOpaque);
  properties.static_sizes = builder.getDenseI64ArrayAttr(staticSizes);
  properties.map = AffineMapAttr::get(
      AffineMap::get(staticSizes.size(), numSymbols, exprs, parser.getContext()));
  if (guarded)
    properties.guard = IntegerSetAttr::get(
        makeSet(staticSizes.size(), numSymbols, constraints, equalities, parser.getContext()));
  if (injective)
    properties.injective = builder.getUnitAttr();
  properties.label = label;
  properties.operandSegmentSizes = {1, static_cast<int32_t>(dynamicSizes.size()),
                                    static_cast<int32_t>(symbols.size())};
  result.addTypes(type);
  return success();
}

void UpdateOp::print(OpAsmPrinter &p) {
  printLabel(p, getLabelAttr());
  p << ' ';
  printDomain(p, getIterationDomain(), 0);
  p << " into " << getBase();
  printExprs(p, getMap().getResults());
  printSymbols(p, getSymbols());
  if (getGuard()) {
    p << " where ";
    printConstraints(p, *getGuard());
  }
  if (getInjective())
    p << " injective";
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  if (hasCombiner())
    printCombiner(p, getCombiner());
  p.printOptionalAttrDict((*this)->getAttrs(), {"static_sizes", "map", "guard", "injective",
                                                "label", "operandSegmentSizes"});
  p << " : " << getResult().getType();
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr label;
  OpAsmParser::UnresolvedOperand source;
  int64_t axis;
  TypedAttr init;
  RankedTensorType type;
  Region *combiner = result.addRegion();
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  if (parseLabel(parser, label) || parser.parseOperand(source) || parser.parseKeyword("axis") ||
      parser.parseInteger(axis) || parser.parseKeyword("init") || parser.parseAttribute(init))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("exclusive")))
    properties.exclusive = builder.getUnitAttr();
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    properties.reverse = builder.getUnitAttr();
  properties.label = label;
  properties.axis = builder.getI64IntegerAttr(axis);
  properties.init = init;
  if (parser.parseKeyword("combine") || parseCombiner(parser, *combiner, init.getType()) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(source, type, result.operands))
    return failure();
  result.addTypes(type);
  return success();
}

void ScanOp::print(OpAsmPrinter &p) {
  printLabel(p, getLabelAttr());
  p << ' ' << getSource() << " axis " << getAxis() << " init " << getInitAttr();
  if (getExclusive())
    p << " exclusive";
  if (getReverse())
    p << " reverse";
  printCombiner(p, getCombiner());
  p.printOptionalAttrDict((*this)->getAttrs(), {"axis", "init", "exclusive", "reverse", "label"});
  p << " : " << getResult().getType();
}

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<Type> resultTypes, argTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  Builder &builder = parser.getBuilder();
  if (parser.parseSymbolName(name) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, args, isVariadic, resultTypes, resultAttrs) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (OpAsmParser::Argument &arg : args)
    argTypes.push_back(arg.type);
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.sym_name = name;
  properties.function_type = TypeAttr::get(builder.getFunctionType(argTypes, resultTypes));
  call_interface_impl::addArgAndResultAttrs(builder, result, args, resultAttrs,
                                            getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  Region *body = result.addRegion(), *schedule = result.addRegion();
  if (parser.parseRegion(*body, args))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("schedule")))
    return parser.parseRegion(*schedule);
  return success();
}

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  call_interface_impl::printFunctionSignature(p, getArgumentTypes(), getArgAttrsAttr(),
                                              /*isVariadic=*/false, getResultTypes(),
                                              getResAttrsAttr(), &getBody(),
                                              /*printEmptyResult=*/false);
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                     {getSymNameAttrName(), getFunctionTypeAttrName(),
                                      getArgAttrsAttrName(), getResAttrsAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  if (!getSchedule().empty()) {
    p << " schedule ";
    p.printRegion(getSchedule(), /*printEntryBlockArgs=*/false);
  }
}
