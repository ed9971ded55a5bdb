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

/// The layouts to which tensors are converted. Launches that read a tensor share its conversions.
using KnownConversions = DenseMap<Value, SmallVector<LayoutMap, 1>>;

/// If `kernel` is a sum of products of data and constant weights, stores the data of `launch` with
/// the input channels last in `stores`, provided that the draft model predicts a shorter time with
/// it, with the conversion that `launch` then needs. Where the data is read beyond its bounds, as
/// zeros, some of its dims may also be padded by what the reads need: the kernel then has no guards
/// along these dims, and the conversion writes more. A conversion that is in `conversions` takes no
/// time; one that is chosen is added.
void chooseDataStore(te::LaunchOp launch, te::KernelOp kernel, LaunchStores &stores,
                     StoreCosts &costs, KnownConversions &conversions);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_DATASTORE_H
