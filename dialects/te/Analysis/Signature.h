//===- Signature.h - symbolic sizes of a program's arguments ---*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_SIGNATURE_H
#define DIALECTS_TE_ANALYSIS_SIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace mlir::tssa::te {

/// A size that the caller chooses, with the argument and dim of its first occurrence.
struct EntrySymbol {
  std::string name;
  unsigned argument;
  unsigned dim;
};

/// The symbols of a host program, in the order of their first occurrence in its arguments. Dims
/// with the same name in their ports share a symbol; a dynamic dim without a name has its own.
class EntrySymbols {
public:
  explicit EntrySymbols(func::FuncOp function);

  ArrayRef<EntrySymbol> get() const { return symbols; }
  /// Returns the index of the symbol that is the size of this dim, or nothing if the size is
  /// static.
  std::optional<unsigned> lookup(unsigned argument, unsigned dim) const;
  /// Returns the size of this dim if the port or the type gives it.
  std::optional<int64_t> lookupStatic(unsigned argument, unsigned dim) const;
  /// Returns the index of the symbol called `name`, if there is one.
  std::optional<unsigned> lookup(StringRef name) const;

private:
  SmallVector<EntrySymbol> symbols;
  /// For each argument and dim, the index of its symbol, or -1 if its size is in `sizes`.
  SmallVector<SmallVector<int64_t>> numbers, sizes;
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_SIGNATURE_H
