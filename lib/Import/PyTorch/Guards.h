//===- Guards.h - run-time checks of assumptions about sizes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every size of an argument is a symbol. If PyTorch's behaviour depends on a comparison of
/// two sizes whose result is not known, the importer assumes the result that holds for the
/// example's arguments, and builds a check at the program's entry: a guard. This works only for
/// sizes that are computed from the sizes of arguments, and not for other sizes, such as the number
/// of an iteration.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_GUARDS_H
#define TSSA_LIB_IMPORT_PYTORCH_GUARDS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/Builder/Builder.h"
#include <map>

namespace tssa::pytorch {

using operators::Size;

class Guards {
public:
  /// Guards are inserted into `entry`.
  Guards(operators::Builder &builder, mlir::Block *entry) : builder(builder), entry(entry) {}

  /// Records that `size`, which is a single SSA value, is `value` in the example.
  void bind(const Size &size, int64_t value);
  /// Makes the current end of the entry block the insertion point of all guards.
  void start();

  /// Returns whether lhs == rhs, known or assumed with a guard; nothing if the example does
  /// not determine it.
  std::optional<bool> isEqual(const Size &lhs, const Size &rhs);
  std::optional<bool> isAtMost(const Size &lhs, const Size &rhs);
  /// Returns true if lhs <= rhs is known. If it is not known but holds in the example, adds a guard
  /// that assumes it and returns true. Otherwise returns false.
  bool holdsAtMost(const Size &lhs, const Size &rhs);
  /// These return the same as isEqual and isAtMost, but add no guard. They return nothing unless
  /// the result is the same for all sizes or has been assumed before.
  std::optional<bool> isKnownEqual(const Size &lhs, const Size &rhs);
  std::optional<bool> isKnownAtMost(const Size &lhs, const Size &rhs);

private:
  std::optional<int64_t> evaluate(const Size &size);
  mlir::Value build(mlir::OpBuilder &ops, const Size &size);
  void check(mlir::arith::CmpIPredicate predicate, const Size &lhs, const Size &rhs);

  operators::Builder &builder;
  mlir::Block *entry;
  /// The op after which guards are inserted.
  mlir::Operation *last = nullptr;
  llvm::DenseMap<mlir::Value, int64_t> example;
  std::map<Size, bool> equal, atMost; ///< the assumed results, by the difference of the sizes
};

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_GUARDS_H
