//===- Signature.h - sizes that a program is called with -------*- C++ -*-===//
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

/// A size that the caller chooses, known by its first occurrence.
struct EntrySymbol {
  std::string name;
  unsigned argument;
  unsigned dim;
};

/// The symbols of a host program, in order of first occurrence in its arguments.
/// A dynamic dim that no port names has a symbol of its own.
class EntrySymbols {
public:
  explicit EntrySymbols(func::FuncOp function);

  ArrayRef<EntrySymbol> get() const { return symbols; }
  /// The symbol that is the size of this dim; none when the dim is known.
  std::optional<unsigned> lookup(unsigned argument, unsigned dim) const;
  /// The size of this dim when the port or the type gives it.
  std::optional<int64_t> lookupStatic(unsigned argument, unsigned dim) const;
  std::optional<unsigned> lookup(StringRef name) const;

private:
  SmallVector<EntrySymbol> symbols;
  /// Per argument and dim: a symbol, or -1 with the size in `sizes`.
  SmallVector<SmallVector<int64_t>> numbers, sizes;
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_SIGNATURE_H
