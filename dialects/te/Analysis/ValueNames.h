//===- ValueNames.h - names of values in printed text -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_VALUENAMES_H
#define DIALECTS_TE_ANALYSIS_VALUENAMES_H

#include "dialects/te/Analysis/Polynomial.h"
#include "dialects/te/Analysis/Signature.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::te {

/// The names that analyses print. A value has the name that it has in the printed module, and a
/// size that the caller chooses has the name of its symbol (EntrySymbols).
class ValueNames {
public:
  explicit ValueNames(ModuleOp module);

  /// Returns the name of any value, such as `%3`.
  std::string get(Value value);
  /// Returns the label of an expression, such as `@conv`, or else the name of its first result.
  std::string getStep(Operation *op);
  /// Returns a constant, the name of a symbol or the name of a value; `?` for a null size.
  std::string getSize(OpFoldResult size);
  /// Returns the name of the symbol that a size is on entry, or nothing.
  std::optional<std::string> getEntrySize(Value size) const;
  /// Returns an index expression with the names of `symbols`.
  std::string getExpr(AffineExpr expr, ArrayRef<Value> symbols);
  /// Returns a sum of products such as `64*N + 2`, in which symbol i is `symbols[i]`.
  std::string getSum(const Polynomial &polynomial, ArrayRef<Value> symbols);

private:
  AsmState state;
  llvm::DenseMap<Value, std::string> entrySizes;
};

/// Adds to `nodes` the names of the model's nodes in a location.
void collectNodes(Location loc, llvm::SetVector<StringRef> &nodes);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_VALUENAMES_H
