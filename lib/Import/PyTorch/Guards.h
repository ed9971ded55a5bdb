//===- Guards.h - choices that the sizes of the example make -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every size of an argument is a symbol. Where what PyTorch does depends on how two sizes
/// compare, and the program does not say, the example decides and a check at the entry of
/// the program holds the choice. Sizes that depend on anything but arguments, such as the
/// number of an iteration, cannot be decided so.
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
  /// Checks are inserted at the end of `entry` as it is now.
  Guards(operators::Builder &builder, mlir::Block *entry) : builder(builder), entry(entry) {}

  /// `size`, one value of the program, is `value` in the example.
  void bind(const Size &size, int64_t value);
  /// Fixes the place of the checks: behind all ops of the entry that are there now.
  void start();

  /// Whether lhs == rhs; nothing when only a run can say.
  std::optional<bool> isEqual(const Size &lhs, const Size &rhs);
  std::optional<bool> isAtMost(const Size &lhs, const Size &rhs);
  /// Whether lhs <= rhs is known, or holds in the example and is checked from now on.
  bool holdsAtMost(const Size &lhs, const Size &rhs);
  /// The same, but only what holds whatever the sizes are, or was decided before.
  std::optional<bool> isKnownEqual(const Size &lhs, const Size &rhs);
  std::optional<bool> isKnownAtMost(const Size &lhs, const Size &rhs);

private:
  std::optional<int64_t> evaluate(const Size &size);
  mlir::Value build(mlir::OpBuilder &ops, const Size &size);
  void check(mlir::arith::CmpIPredicate predicate, const Size &lhs, const Size &rhs);

  operators::Builder &builder;
  mlir::Block *entry;
  /// What the checks are inserted before; null at the end of an empty rest.
  mlir::Operation *last = nullptr;
  llvm::DenseMap<mlir::Value, int64_t> example;
  std::map<Size, bool> equal, atMost; ///< by the difference
};

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_GUARDS_H
