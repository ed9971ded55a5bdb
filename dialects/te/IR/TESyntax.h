//===- TESyntax.h - what te ops are written with -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_TESYNTAX_H
#define DIALECTS_TE_IR_TESYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::tssa::te {

/// Parses index expressions, in which dims are d0.. and symbols s0.., and counts both.
class ExprParser {
public:
  explicit ExprParser(OpAsmParser &parser);

  ParseResult parse(AffineExpr &expr);
  /// [expr, expr]
  ParseResult parseMap(SmallVectorImpl<AffineExpr> &results);
  /// (expr >= 0, expr == 0)
  ParseResult parseConstraints(SmallVectorImpl<AffineExpr> &constraints,
                               SmallVectorImpl<bool> &equalities);

  unsigned numDims = 0, numSymbols = 0; ///< one more than the largest that was parsed

private:
  OpAsmParser &parser;
  SmallVector<std::pair<StringRef, AffineExpr>> table;
};

void printExprs(OpAsmPrinter &p, ArrayRef<AffineExpr> exprs);
void printConstraints(OpAsmPrinter &p, IntegerSet set);

/// The set of parsed constraints; without any, that of all points.
IntegerSet makeSet(unsigned numDims, unsigned numSymbols, ArrayRef<AffineExpr> constraints,
                   ArrayRef<bool> equalities, MLIRContext *context);

/// (%a, %b) of type index, or nothing.
ParseResult parseSymbols(OpAsmParser &parser, OperationState &result);
void printSymbols(OpAsmPrinter &p, ValueRange symbols);

/// (d0: 16, d1: %n); the dims go on from those in `staticSizes`.
ParseResult parseDomain(OpAsmParser &parser, SmallVectorImpl<int64_t> &staticSizes,
                        SmallVectorImpl<OpAsmParser::UnresolvedOperand> &dynamicSizes);
void printDomain(OpAsmPrinter &p, ArrayRef<OpFoldResult> sizes, unsigned firstDim);

/// `@label`, or nothing.
ParseResult parseLabel(OpAsmParser &parser, StringAttr &label);
void printLabel(OpAsmPrinter &p, StringAttr label);

/// `combine arith.addf` for a combiner that is one op on its two arguments,
/// `combine (%a: f32, %b: f32) {...}` for any other. The word itself is parsed before.
ParseResult parseCombiner(OpAsmParser &parser, Region &region, Type elementType);
void printCombiner(OpAsmPrinter &p, Region &region);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_TESYNTAX_H
