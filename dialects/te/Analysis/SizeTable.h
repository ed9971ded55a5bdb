//===- SizeTable.h - products and sums of sizes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_SIZETABLE_H
#define DIALECTS_TE_ANALYSIS_SIZETABLE_H

#include "dialects/te/Analysis/Polynomial.h"
#include "dialects/te/IR/AssumedSize.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::tssa::te {

/// The open sizes that occur in polynomials, each as a symbol.
class SizeTable {
public:
  explicit SizeTable(MLIRContext *context) : context(context) {}

  /// Returns `size` as a polynomial. A null size is an open size of its own.
  Polynomial get(OpFoldResult size);
  /// Returns the product of sizes.
  Polynomial getProduct(ArrayRef<OpFoldResult> sizes);
  /// Returns the values of the symbols, null for those of null sizes.
  ArrayRef<Value> getValues() const { return values; }

private:
  MLIRContext *context;
  SmallVector<Value> values;
  llvm::DenseMap<Value, AffineExpr> symbols;
};

/// Returns the value of `polynomial` where each open size is `assumedSize`. An invalid polynomial,
/// whose coefficients are too large, is infinite.
double assumeSizes(const Polynomial &polynomial);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_SIZETABLE_H
