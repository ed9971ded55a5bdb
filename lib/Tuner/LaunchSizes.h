//===- LaunchSizes.h - the sizes with which kernels are launched --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_LAUNCHSIZES_H
#define LIB_TUNER_LAUNCHSIZES_H

#include "dialects/te/Analysis/Signature.h"
#include "tssa/Tuner/ModelTasks.h"
#include "llvm/ADT/DenseMap.h"

namespace tssa::tuner {

/// Computes the values of sizes in a host program whose arguments have given sizes. Loops keep the
/// sizes of the tensors that they carry.
class LaunchSizes {
public:
  LaunchSizes(mlir::func::FuncOp main, const SizePoint &sizes)
      : main(main), symbols(main), sizes(sizes) {}

  /// Returns the value of an index, or nothing if it depends on more than sizes.
  std::optional<int64_t> get(mlir::Value index);

private:
  std::optional<int64_t> compute(mlir::Value index);
  std::optional<int64_t> getDim(mlir::Value tensor, unsigned dim);
  std::optional<int64_t> getDimOfArgument(mlir::BlockArgument argument, unsigned dim);

  mlir::func::FuncOp main;
  mlir::tssa::te::EntrySymbols symbols;
  const SizePoint &sizes;
  llvm::DenseMap<mlir::Value, std::optional<int64_t>> known;
};

} // namespace tssa::tuner

#endif // LIB_TUNER_LAUNCHSIZES_H
