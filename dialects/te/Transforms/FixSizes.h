//===- FixSizes.h - a kernel for given sizes --------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_FIXSIZES_H
#define DIALECTS_TE_TRANSFORMS_FIXSIZES_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::tssa::te {

/// Returns the numbers of the parameters that are sizes of tensors or of domains, ascending.
SmallVector<unsigned> getSizeParameters(KernelOp kernel);

/// Returns a copy of `kernel` for launches in which the parameters `getSizeParameters` have these
/// values: the copy does not have them, its types are static, and its index expressions are
/// simplified. It has no schedule. Returns null if a size is still open, or if the kernel has
/// expressions other than te.compute. `values` are not negative, one for each such parameter.
OwningOpRef<KernelOp> fixSizes(KernelOp kernel, ArrayRef<int64_t> values);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_FIXSIZES_H
