//===- DeviceReduction.h - who computes the steps of a reduction *- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_DEVICEREDUCTION_H
#define DIALECTS_LAYOUT_TEMPLATE_DEVICEREDUCTION_H

#include "dialects/layout/Analysis/Access.h"
#include "dialects/layout/IR/DeviceModel.h"

namespace mlir::tssa::layout {

/// Returns whether the lanes of a warp or of a block share the steps of `op`, a reduction with the
/// reads and writes `accesses`: it has few results and many steps, or its reads are adjacent along
/// the steps and not along the results. Otherwise, each lane computes a result.
bool lanesShareSteps(te::ComputeOp op, ArrayRef<Access> accesses);

/// Returns into how many parts the steps of `op`, a reduction, should be divided on a GPU, so that
/// more blocks have work: 1 if none, else a power of two. A second launch combines the parts, for
/// which the draft of devices must predict that it pays. Both factors of a product for tensor cores
/// are assumed to be stored as copies need them.
int64_t chooseParts(te::ComputeOp op, const DeviceModel &device);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_DEVICEREDUCTION_H
