//===- DataStore.h - whether the data of a convolution is converted -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_DATASTORE_H
#define DIALECTS_LAYOUT_TRANSFORMS_DATASTORE_H

#include "dialects/layout/Transforms/StoreCosts.h"

namespace mlir::tssa::layout {

/// If `kernel` is a sum of products of data and constant weights, stores the data of `launch` with
/// the input channels last in `stores`, provided that the draft model predicts a shorter time with
/// it, with the conversion that `launch` then needs. Where the data is read beyond its bounds, as
/// zeros, some of its dims may also be padded by what the reads need: the kernel then has no guards
/// along these dims, and the conversion writes more.
void chooseDataStore(te::LaunchOp launch, te::KernelOp kernel, LaunchStores &stores,
                     StoreCosts &costs);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_DATASTORE_H
