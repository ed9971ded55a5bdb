//===- DataStore.h - whether the data of a convolution is converted -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_DATASTORE_H
#define DIALECTS_LAYOUT_TRANSFORMS_DATASTORE_H

#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/layout/IR/MachineModel.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// The map that moves dim `last` of a tensor of rank `rank` to the end.
LayoutMap moveLast(unsigned rank, unsigned last);

/// Returns the number of elements, with an assumed extent for each dynamic size.
int64_t countElements(RankedTensorType type);

/// A parameter of a kernel, and the map by which it should be stored.
struct DataStore {
  unsigned parameter = 0;
  LayoutMap map;
};

/// If `kernel` is a sum of products of data and constant weights, returns the store of the data with
/// the input channels last, provided that the draft model predicts a shorter time with it, with the
/// conversion that `launch` then needs. `inputs` are the maps in which `launch` passes its operands;
/// empty ones are as they are.
std::optional<DataStore> chooseDataStore(te::LaunchOp launch, te::KernelOp kernel,
                                         ArrayRef<LayoutMap> inputs, const MachineModel &machine);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_DATASTORE_H
