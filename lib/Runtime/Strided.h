//===- Strided.h - tensors that are not laid out as compiled code wants --===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_STRIDED_H
#define TSSA_LIB_RUNTIME_STRIDED_H

#include "tssa/abi.h"

namespace tssa::runtime {

/// Row-major without gaps. Strides of dimensions of size 1 do not matter.
bool isContiguous(const tssa_tensor &tensor);

/// Writes the elements row-major to `to`. Strides may be zero or negative.
void copyStrided(const tssa_tensor &from, unsigned elementBytes, void *to);

/// Writes row-major elements at `from` to where the tensor has them.
void scatterStrided(const void *from, unsigned elementBytes, const tssa_tensor &to);

/// False when it is certain that no two elements share memory.
bool mayOverlapItself(const tssa_tensor &tensor);

/// False when it is certain that no byte belongs to both: the tensors lie apart, or
/// interleave as two columns of a matrix do.
bool mayOverlap(const tssa_tensor &a, unsigned aElementBytes, const tssa_tensor &b,
                unsigned bElementBytes);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_STRIDED_H
