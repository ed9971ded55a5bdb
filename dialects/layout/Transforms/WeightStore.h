//===- WeightStore.h - the order of constant weights on a GPU ---*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_WEIGHTSTORE_H
#define DIALECTS_LAYOUT_TRANSFORMS_WEIGHTSTORE_H

#include "dialects/layout/Transforms/StoreTable.h"

namespace mlir::tssa::layout {

/// Stores the constant weights of a convolution that blocks of a GPU compute as tiles of a product
/// (Template/DeviceProduct.h) with the dims of the window first. The tiles of each position of the
/// window then lie in runs of channels. Weights that have a layout in `stores` keep it.
void storeWindowsFirst(te::LaunchOp launch, te::KernelOp kernel, LaunchStores &stores);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_WEIGHTSTORE_H
