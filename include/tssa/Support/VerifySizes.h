//===- VerifySizes.h - checks of the sizes of tensors -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_SUPPORT_VERIFYSIZES_H
#define TSSA_SUPPORT_VERIFYSIZES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "tssa/Support/CheckedSize.h"
#include "llvm/ADT/STLExtras.h"

namespace tssa {

/// Returns the size of a tensor in bytes with each dynamic dim taken as 1. This is a lower bound
/// unless a dim is 0 in a run.
inline CheckedSize countLeastBytes(mlir::ShapedType type) {
  llvm::SmallVector<int64_t> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(mlir::ShapedType::isDynamic(size) ? 1 : size);
  mlir::Type element = type.getElementType();
  return CheckedSize::product(
      sizes, element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : 8);
}

/// Fails if a tensor type in `types` has more bytes than 64 bits can count. `types` are types of
/// `op`. Builtin types do not check this, and everything after the verifier relies on it.
inline mlir::LogicalResult verifyElementCounts(mlir::Operation *op, mlir::TypeRange types) {
  for (mlir::Type type : types)
    if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
        shaped && shaped.hasRank() && !countLeastBytes(shaped).isValid())
      return op->emitOpError("has a tensor with too many elements: ") << type;
  return mlir::success();
}

/// Checks the types of operands and results of `op` in the same way.
inline mlir::LogicalResult verifyElementCounts(mlir::Operation *op) {
  return mlir::success(mlir::succeeded(verifyElementCounts(op, op->getOperandTypes())) &&
                       mlir::succeeded(verifyElementCounts(op, op->getResultTypes())));
}

} // namespace tssa

#endif // TSSA_SUPPORT_VERIFYSIZES_H
