//===- Labels.cpp - checks the labels of a kernel's expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/Labels.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tssa;

LogicalResult layout::checkLabels(te::KernelOp kernel) {
  llvm::StringSet<> seen;
  for (auto expression : kernel.getBodyBlock().getOps<te::ComputeOp>())
    if (!expression.getLabel() || !seen.insert(*expression.getLabel()).second)
      return expression.emitOpError(
          "expects a label that is unique in its kernel, for the schedule");
  return success();
}
