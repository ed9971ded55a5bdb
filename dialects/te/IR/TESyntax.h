//===- TESyntax.h - shared syntax of te ops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_TESYNTAX_H
#define DIALECTS_TE_IR_TESYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::tssa::te {

/// Parses index expressions over dims d0, d1, ... and symbols s0, s1, ..., and counts both.
class ExprParser {
public:
  explicit ExprParser(OpAsmParser &parser);

  ParseResult parse(AffineExpr &expr);
  /// Parses `[expr, expr]`.
  ParseResult parseMap(SmallVectorImpl<AffineExpr> &results);
  /// Parses `(expr >= 0, expr == 0)`.
  ParseResult parseConstraints(SmallVectorImpl<AffineExpr> &constraints,
                               SmallVectorImpl<bool> &equalities);

  unsigned numDims = 0, numSymbols = 0; ///< one more than the greatest number that was parsed

private:
  OpAsmParser &parser;
  SmallVector<std::pair<StringRef, AffineExpr>> table;
};

void printExprs(OpAsmPrinter &p, ArrayRef<AffineExpr> exprs);
void printConstraints(OpAsmPrinter &p, IntegerSet set);

/// Returns the set with the given constraints, or the set of all points if there are none.
IntegerSet makeSet(unsigned numDims, unsigned numSymbols, ArrayRef<AffineExpr> constraints,
                   ArrayRef<bool> equalities, MLIRContext *context);

/// Parse and print symbol operands `(%a, %b)` of type index, or nothing.
ParseResult parseSymbols(OpAsmParser &parser, OperationState &result);
void printSymbols(OpAsmPrinter &p, ValueRange symbols);

/// Parse and print `(d0: 16, d1: %n)`. The first dim is dk, where k is the number of sizes that
/// `staticSizes` already has when parsing, and `firstDim` when printing.
ParseResult parseDomain(OpAsmParser &parser, SmallVectorImpl<int64_t> &staticSizes,
                        SmallVectorImpl<OpAsmParser::UnresolvedOperand> &dynamicSizes);
void printDomain(OpAsmPrinter &p, ArrayRef<OpFoldResult> sizes, unsigned firstDim);

/// Parse and print `@label`, or nothing.
ParseResult parseLabel(OpAsmParser &parser, StringAttr &label);
void printLabel(OpAsmPrinter &p, StringAttr label);

/// Parse and print a combiner: `combine arith.addf` if it is one op on its two arguments, and
/// `combine (%a: f32, %b: f32) {...}` otherwise. The caller parses the keyword `combine`.
ParseResult parseCombiner(OpAsmParser &parser, Region &region, Type elementType);
void printCombiner(OpAsmPrinter &p, Region &region);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_TESYNTAX_H
