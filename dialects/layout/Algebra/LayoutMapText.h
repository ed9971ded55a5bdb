//===- LayoutMapText.h - the text form of layout maps -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The grammar of layout maps, once for strings and for attributes:
///
///     map       ::= `<` (primitive (`,` primitive)*)? `>`
///     primitive ::= `split` `(` dim `,` `[` factor (`,` factor)* `]` `)`
///                 | `reorder` `(` dim (`,` dim)* `)`
///                 | `fuse` `(` dim (`,` dim)+ `)`
///                 | `pad` `(` dim `,` (low `,` high | `to` multiple) `)`
///                 | `unpad` `(` dim `,` low `,` high `)`
///                 | `unfold` `(` dim `,` tile `,` stride `)`
///                 | `fold` `(` dim `,` size `,` stride `)`
///     factor    ::= integer | `*`
///
/// In a string, the word `map` precedes the `<`.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ALGEBRA_LAYOUTMAPTEXT_H
#define DIALECTS_LAYOUT_ALGEBRA_LAYOUTMAPTEXT_H

#include "dialects/layout/Algebra/LayoutMap.h"

namespace mlir::tssa::layout {

/// Reads the tokens of a text for the parser. Implementations skip white space before each token.
/// A method that fails has told the user why.
class TokenReader {
public:
  virtual ~TokenReader() = default;

  /// Takes one of the tokens `<>()[],*`, if it is next.
  virtual bool takeIf(char token) = 0;
  /// Takes the keyword, if it is next.
  virtual bool takeKeywordIf(StringRef keyword) = 0;
  virtual ParseResult readKeyword(StringRef &keyword) = 0;
  virtual ParseResult readInteger(int64_t &value) = 0;
  /// Reports an error at the current position in the text.
  virtual ParseResult fail(const Twine &message) = 0;
};

/// Reads a map from `<` to `>`. Checks only the grammar; LayoutMap::get checks the primitives.
ParseResult parsePrimitives(TokenReader &reader, SmallVectorImpl<Primitive> &primitives);

/// Prints a map from `<` to `>`.
void printPrimitives(raw_ostream &os, ArrayRef<Primitive> primitives);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ALGEBRA_LAYOUTMAPTEXT_H
