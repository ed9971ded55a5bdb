//===- Labels.cpp - checks the labels of a kernel's expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/Labels.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// Returns the label of the expression that `op`, an op of a schedule, names, or null.
static FlatSymbolRefAttr getNamedLabel(Operation &op) {
  return llvm::TypeSwitch<Operation *, FlatSymbolRefAttr>(&op)
      .Case<layout::LoopsOp, layout::ComputeAtOp, layout::ComputeAfterOp, layout::InlineOp>(
          [](auto named) { return named.getLabelAttr(); })
      .Default(FlatSymbolRefAttr());
}

Operation *layout::findUnknownLabel(te::KernelOp kernel) {
  llvm::StringSet<> known;
  for (auto expression : kernel.getBodyBlock().getOps<te::ComputeOp>())
    known.insert(expression.getLabel().value_or(""));
  for (Operation &op : kernel.getSchedule().getOps())
    if (FlatSymbolRefAttr label = getNamedLabel(op); label && !known.contains(label.getValue()))
      return &op;
  return nullptr;
}

LogicalResult layout::checkScheduledLabels(te::KernelOp kernel) {
  Operation *op = findUnknownLabel(kernel);
  return op ? op->emitOpError("names '") << getNamedLabel(*op).getValue() << "', but kernel '"
                                         << kernel.getSymName() << "' has no such expression"
            : success();
}
