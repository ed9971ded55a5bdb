//===- PointText.h - dims and counts in the texts of points -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_POINTTEXT_H
#define DIALECTS_LAYOUT_TEMPLATE_POINTTEXT_H

#include "dialects/layout/Template/Roles.h"

namespace mlir::tssa::layout {

/// Prints `dim` and the `fused` dims before it as a product, such as `d1*d2`.
void printFused(raw_ostream &stream, unsigned dim, unsigned fused);
/// Prints the same with the role of the last dim, such as `d1*d2 (out)`.
void describeFused(raw_ostream &stream, unsigned dim, unsigned fused, const Roles &roles);

/// Prints an order, such as `, outer d0 d1`, unless it has no dims.
void printDims(raw_ostream &stream, StringRef name, ArrayRef<unsigned> dims);
/// Prints the dims of an order that are larger than 1 behind `begin`, if there are any.
void describeOrder(raw_ostream &stream, StringRef begin, ArrayRef<unsigned> dims, te::ComputeOp op,
                   const Roles &roles);

// Each of these takes something from the front of `rest`, or returns false if it has another form.

bool parseDim(StringRef &rest, unsigned &dim);
/// Parses dims up to the end, at least one.
bool parseDims(StringRef &rest, SmallVectorImpl<unsigned> &dims);
/// Parses a product of adjacent dims.
bool parseFused(StringRef &rest, unsigned &dim, unsigned &fused);
/// Parses a number larger than 0.
bool parseCount(StringRef &rest, int64_t &count);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_POINTTEXT_H
