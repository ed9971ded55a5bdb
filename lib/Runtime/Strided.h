//===- Strided.h - tensors with strides ----------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_STRIDED_H
#define TSSA_LIB_RUNTIME_STRIDED_H

#include "tssa/abi.h"

namespace tssa::runtime {

/// Returns whether the tensor is row-major without gaps. The strides of dimensions of size 1
/// do not matter.
bool isContiguous(const tssa_tensor &tensor);

/// Copies the elements of `from` to `to` in row-major order. Strides may be zero or negative.
void copyStrided(const tssa_tensor &from, unsigned elementBytes, void *to);

/// Copies row-major elements at `from` to the elements of the tensor `to`.
void scatterStrided(const void *from, unsigned elementBytes, const tssa_tensor &to);

/// Returns whether two elements of `tensor` may share memory. False is certain; true is not.
bool mayOverlapItself(const tssa_tensor &tensor);

/// Returns whether a byte may belong to both tensors. False is certain, because the
/// tensors are disjoint or interleave as two columns of a matrix do. True is not certain.
bool mayOverlap(const tssa_tensor &a, unsigned aElementBytes, const tssa_tensor &b,
                unsigned bElementBytes);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_STRIDED_H
