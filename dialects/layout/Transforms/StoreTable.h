//===- StoreTable.h - the layouts chosen for the tensors of launches -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_STORETABLE_H
#define DIALECTS_LAYOUT_TRANSFORMS_STORETABLE_H

#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tssa::layout {

/// The layouts in which one launch passes its operands and gets its results. An empty map is the
/// order that the tensor has.
struct LaunchStores {
  std::vector<LayoutMap> inputs, outputs;
  /// For each operand, whether it is known to be converted, so that padding holds zeros.
  std::vector<bool> zeroPadded;

  /// The layouts in which all tensors are as they are.
  LaunchStores(size_t numInputs, size_t numOutputs)
      : inputs(numInputs), outputs(numOutputs), zeroPadded(numInputs) {}
  explicit LaunchStores(te::LaunchOp launch)
      : LaunchStores(launch.getInputs().size(), launch.getNumResults()) {}

  bool isEmpty() const;
  /// Returns a text that is equal for equal layouts only.
  std::string describe() const;
};

/// Returns which operands of `launch` are constants, one letter for each.
std::string describeConstants(te::LaunchOp launch);

/// Adds the stores of `stores` to the schedule of `kernel`.
void addStores(te::KernelOp kernel, const LaunchStores &stores);

/// What a chooser has chosen: a row for each launch that it changes.
class StoreTable {
public:
  /// Returns the row of `launch`, which is new if there is none.
  LaunchStores &getRow(te::LaunchOp launch) {
    return rows.try_emplace(launch, launch).first->second;
  }

  /// Says that the kernel of `launch` must be another one than that of launches with another
  /// `note`.
  void keepApart(te::LaunchOp launch, std::string note) { notes[launch] = std::move(note); }

  /// Writes the table into the schedules of the kernels. Launches of one kernel that have different
  /// rows or notes get kernels of their own.
  void apply(ModuleOp module);

private:
  llvm::MapVector<te::LaunchOp, LaunchStores> rows;
  DenseMap<te::LaunchOp, std::string> notes;
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_STORETABLE_H
