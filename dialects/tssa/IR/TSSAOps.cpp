//===- TSSAOps.cpp - the tssa dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "tssa/Support/VerifySizes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

//===----------------------------------------------------------------------===//
// Text of steps and paths
//===----------------------------------------------------------------------===//

/// Parses integers such as `1, ?, 3`.
static ParseResult parseIntegers(AsmParser &parser, SmallVectorImpl<int64_t> &integers) {
  auto parseOne = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      integers.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(integers.emplace_back());
  };
  int64_t first;
  if (succeeded(parser.parseOptionalQuestion())) {
    integers.push_back(ShapedType::kDynamic);
  } else {
    OptionalParseResult parsed = parser.parseOptionalInteger(first);
    if (!parsed.has_value())
      return success();
    if (failed(*parsed))
      return failure();
    integers.push_back(first);
  }
  while (succeeded(parser.parseOptionalComma()))
    if (parseOne())
      return failure();
  return success();
}

static ParseResult parseStepIntegers(AsmParser &parser, SmallVector<int64_t> &integers) {
  return parseIntegers(parser, integers);
}

static void printIntegers(raw_ostream &stream, ArrayRef<int64_t> integers) {
  llvm::interleaveComma(integers, stream, [&](int64_t integer) {
    if (ShapedType::isDynamic(integer))
      stream << '?';
    else
      stream << integer;
  });
}

static void printStepIntegers(AsmPrinter &printer, ArrayRef<int64_t> integers) {
  printIntegers(printer.getStream(), integers);
}

/// Returns the view step called `name`. If there is no such step, emits an error and returns null.
static Attribute makeStep(AsmParser &parser, SMLoc loc, StringRef name,
                          ArrayRef<int64_t> integers) {
  MLIRContext *context = parser.getContext();
  auto emitError = [&] { return parser.emitError(loc); };
  return llvm::StringSwitch<function_ref<Attribute()>>(name)
      .Case("select",
            [&]() -> Attribute { return SelectAttr::getChecked(emitError, context, integers); })
      .Case("slice",
            [&]() -> Attribute { return SliceAttr::getChecked(emitError, context, integers); })
      .Case("permute",
            [&]() -> Attribute { return PermuteAttr::getChecked(emitError, context, integers); })
      .Case("unsqueeze",
            [&]() -> Attribute { return UnsqueezeAttr::getChecked(emitError, context, integers); })
      .Case("squeeze",
            [&]() -> Attribute { return SqueezeAttr::getChecked(emitError, context, integers); })
      .Case("expand",
            [&]() -> Attribute { return ExpandAttr::getChecked(emitError, context, integers); })
      .Case("reshape",
            [&]() -> Attribute { return ReshapeAttr::getChecked(emitError, context, integers); })
      .Default([&]() -> Attribute {
        return emitError() << "unknown view step '" << name << "'", Attribute();
      })();
}

static ParseResult parsePath(OpAsmParser &parser, ArrayAttr &path) {
  SmallVector<Attribute> steps;
  auto parseStep = [&]() -> ParseResult {
    StringRef name;
    SmallVector<int64_t> integers;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseLParen() || parseIntegers(parser, integers) ||
        parser.parseRParen())
      return failure();
    steps.push_back(makeStep(parser, loc, name, integers));
    return success(steps.back() != nullptr);
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseStep))
    return failure();
  path = parser.getBuilder().getArrayAttr(steps);
  return success();
}

static void printPath(OpAsmPrinter &printer, Operation *, ArrayAttr path) {
  refs::writePath(printer.getStream(), path);
}

void refs::writePath(raw_ostream &stream, ArrayAttr path) {
  stream << '[';
  llvm::interleaveComma(path.getAsRange<ViewStep>(), stream, [&](ViewStep step) {
    stream << step.getStepName() << '(';
    printIntegers(stream, step.getIntegers());
    stream << ')';
  });
  stream << ']';
}

//===----------------------------------------------------------------------===//
// The dialect
//===----------------------------------------------------------------------===//

#include "dialects/tssa/IR/TSSADialect.cpp.inc"
#include "dialects/tssa/IR/ViewStep.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tssa/IR/TSSATypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tssa/IR/TSSAAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/tssa/IR/TSSAOps.cpp.inc"

namespace {
/// tssa ops may be moved into any region.
struct TSSAInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TSSADialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tssa/IR/TSSATypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tssa/IR/TSSAAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tssa/IR/TSSAOps.cpp.inc"
      >();
  addInterfaces<TSSAInlinerInterface>();
}

Type RefType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(elementType) ||
      parser.parseGreater())
    return {};
  return RefType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape,
                             elementType);
}

void RefType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getShape()) {
    if (ShapedType::isDynamic(size))
      printer << '?';
    else
      printer << size;
    printer << 'x';
  }
  printer << getElementType() << '>';
}

LogicalResult RefType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t>,
                              Type elementType) {
  if (!elementType.isIntOrIndexOrFloat())
    return emitError() << "expected integers or floats as elements, got " << elementType;
  return success();
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

void AllocOp::build(OpBuilder &builder, OperationState &state, Value source) {
  build(builder, state, RefType::get(cast<RankedTensorType>(source.getType())), source);
}

void ReadOp::build(OpBuilder &builder, OperationState &state, Value ref) {
  build(builder, state, cast<RefType>(ref.getType()).getTensorType(), ref);
}

void ViewOp::build(OpBuilder &builder, OperationState &state, Value source, const Path &path) {
  SmallVector<Value> operands;
  ArrayAttr steps = splitPath(builder.getContext(), path, operands);
  RankedTensorType type = inferType(path, cast<RefType>(source.getType()).getTensorType());
  build(builder, state, RefType::get(type), source, steps, operands);
}

void AccessOp::build(OpBuilder &builder, OperationState &state, Value base, const Path &path) {
  SmallVector<Value> operands;
  ArrayAttr steps = splitPath(builder.getContext(), path, operands);
  build(builder, state, inferType(path, cast<RankedTensorType>(base.getType())), base, steps,
        operands);
}

void AssignOp::build(OpBuilder &builder, OperationState &state, Value source, Value base,
                     const Path &path) {
  SmallVector<Value> operands;
  ArrayAttr steps = splitPath(builder.getContext(), path, operands);
  build(builder, state, base.getType(), source, base, steps, operands);
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Checks that `path`, with `indexes` for each `?`, leads from type `base` to type `view`.
static LogicalResult verifyPath(Operation *op, ArrayAttr path, ValueRange indexes,
                                RankedTensorType base, RankedTensorType view) {
  auto emitError = [&] { return op->emitOpError(); };
  if (!llvm::all_of(path, [](Attribute step) { return isa<ViewStep>(step); }))
    return emitError() << "expected view steps in the path";
  if (countDynamic(path) != indexes.size()) // C1
    return emitError() << "expected " << countDynamic(path) << " indexes, got " << indexes.size();
  FailureOr<SmallVector<int64_t>> shape = inferShape(path, base.getShape(), emitError); // C2
  if (failed(shape))
    return failure();
  auto expected = RankedTensorType::get(*shape, base.getElementType());
  if (expected != view) // C3
    return emitError() << "expected a view of type " << expected << ", got " << view;
  return ::tssa::verifyElementCounts(op, {base, view});
}

LogicalResult ViewOp::verify() {
  return verifyPath(*this, getPath(), getIndexes(), getSource().getType().getTensorType(),
                    getRef().getType().getTensorType());
}

LogicalResult AccessOp::verify() {
  return verifyPath(*this, getPath(), getIndexes(), cast<RankedTensorType>(getBase().getType()),
                    cast<RankedTensorType>(getResult().getType()));
}

LogicalResult AssignOp::verify() {
  if (failed(verifyPath(*this, getPath(), getIndexes(), cast<RankedTensorType>(getBase().getType()),
                        cast<RankedTensorType>(getSource().getType()))))
    return failure();
  if (!isInjective(getBoundPath())) // C4
    return emitOpError("expected a path without repeated elements");
  return success();
}

LogicalResult DimOp::verify() {
  int64_t rank = getRef().getType().getRank(), dim = getDim();
  if (dim < 0 || dim >= rank) // C1
    return emitOpError("expected a dim below ") << rank << ", got " << dim;
  return success();
}
