//===- AssumedSize.h - numbers for open sizes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_ASSUMEDSIZE_H
#define DIALECTS_TE_IR_ASSUMEDSIZE_H

#include "mlir/IR/BuiltinTypeInterfaces.h"

namespace mlir::tssa::te {

/// What a number stands for that is assumed for an open size.
enum class SizeRole {
  Any,     ///< An image, a sequence, the rows of a matrix, the iterations of a loop.
  Batch,   ///< What is computed several times; it is short.
  Threads, ///< What the threads of a device share: enough for some warps.
  Large,   ///< Not small: no distance in memory over it looks contiguous, no loop over it short.
};

/// The number that is assumed for an open size where one is needed.
constexpr int64_t getAssumedSize(SizeRole role) {
  switch (role) {
  case SizeRole::Batch:
    return 4;
  case SizeRole::Threads:
    return 256;
  case SizeRole::Large:
    return 1009;
  case SizeRole::Any:
    return 64;
  }
}

inline constexpr int64_t assumedSize = getAssumedSize(SizeRole::Any);

/// Returns `size`, or if it is open what is assumed for it.
inline int64_t assumeSize(int64_t size, SizeRole role) {
  return ShapedType::isDynamic(size) ? getAssumedSize(role) : size;
}

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_ASSUMEDSIZE_H
