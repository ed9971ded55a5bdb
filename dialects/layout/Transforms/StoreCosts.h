//===- StoreCosts.h - predicts kernels with layouts -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_STORECOSTS_H
#define DIALECTS_LAYOUT_TRANSFORMS_STORECOSTS_H

#include "dialects/layout/IR/DeviceModel.h"
#include "dialects/layout/IR/MachineModel.h"
#include "dialects/layout/Transforms/StoreTable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tssa::layout {

/// The map that moves dim `last` of a tensor of rank `rank` to the end.
LayoutMap moveLast(unsigned rank, unsigned last);

/// Returns the number of elements, with an assumed extent for each dynamic size.
int64_t countElements(RankedTensorType type);

/// Returns the only expression of `kernel`, or null.
te::ComputeOp findOnlyExpression(te::KernelOp kernel);

/// Returns whether `read` reads a tensor for which `launch` passes a constant.
bool readsConstant(te::LaunchOp launch, te::ReadOp read);

/// The most that a conversion and what reads it may take of the time without it. A prediction is
/// not exact: a small gain is none.
inline constexpr double mostOfAsIs = 0.98;

/// The draft model's times of kernels whose tensors are stored in given layouts, on the CPU or the
/// GPU for which a module is compiled.
class StoreCosts {
public:
  explicit StoreCosts(ModuleOp module);

  bool isDevice() const { return device.has_value(); }

  /// Returns the number of adjacent elements that are accessed together: by a vector of a CPU, or
  /// by the lanes of a warp.
  int64_t getLanes() const { return device ? DeviceModel::warp : machine.lanes; }

  /// Returns the cycles of `kernel` with the layouts in which `launch` passes and gets tensors, or
  /// nothing if the kernel has several expressions, none of them a product, or cannot have these
  /// layouts. Steps that guards skip take no time. The same question is answered once.
  std::optional<double> predict(te::LaunchOp launch, te::KernelOp kernel,
                                const LaunchStores &stores);

  /// Returns the same for a kernel with one or more expressions: the sum of their cycles, each as
  /// if it were alone.
  std::optional<double> predictAll(te::LaunchOp launch, te::KernelOp kernel,
                                   const LaunchStores &stores);

  /// Returns the cycles of the kernel that converts a tensor of `type` to the layout `map`, which
  /// writes every cell. Both tensors may be in the second-level cache or not.
  double predictConversion(RankedTensorType type, const LayoutMap &map) const;

private:
  double predictExpression(te::LaunchOp launch, te::ComputeOp compute) const;
  std::optional<double> predictCopy(te::LaunchOp launch, te::KernelOp copy,
                                    const std::vector<bool> &zeroPadded) const;

  MachineModel machine;
  std::optional<DeviceModel> device;            ///< if there is one, `machine` has no meaning
  llvm::StringMap<std::optional<double>> known; ///< by kernel, constants and layouts
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_STORECOSTS_H
