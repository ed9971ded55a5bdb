//===- BatchLimits.h - how much memory a batched tensor may take -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A tensor of all iterations takes memory that the loop did not need. The limits keep it small
/// beside the tensors that the loop works on anyway.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_BATCHLIMITS_H
#define DIALECTS_TSSA_TRANSFORMS_BATCHLIMITS_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tssa::refs {

/// Returns the bytes that tensors of the element types of `types` and the sizes `sizes` take for all
/// iterations of `loop`. A size that only the run knows counts as 1.
uint64_t getBatchBytes(scf::ForOp loop, TypeRange types, ArrayRef<OpFoldResult> sizes);

/// Returns why these tensors take too much memory, or an empty string if they do not.
std::string findExcess(scf::ForOp loop, TypeRange types, ArrayRef<OpFoldResult> sizes);

/// Returns why the results of all iterations of `compute`, in the body of `loop`, take too much
/// memory, also in comparison with what `compute` reads; or an empty string if they do not.
std::string findExcess(scf::ForOp loop, te::ComputeOp compute);

/// Returns why the results of all iterations of `compute`, in the body of `loop`, take too much
/// memory for a loop that becomes one expression; or an empty string if they do not. They may take
/// some times the memory of a tensor of the types `carried`, and any if its size is open.
std::string findExcess(scf::ForOp loop, te::ComputeOp compute, TypeRange carried);

/// Returns the number of iterations of `loop` for a remark: "open" if only the run knows it.
std::string describeIterations(scf::ForOp loop);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_BATCHLIMITS_H
