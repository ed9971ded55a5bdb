//===- PartitionReport.h - which expressions become one launch ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_PARTITIONREPORT_H
#define TOOLS_TSSA_COMPILE_PARTITIONREPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "tssa/Support/Transforms.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tssa::compile {

/// Returns the partition of `@main` in a module after stage functional (--print-partition): as text
/// or, for a file `output` with the extension `.dot` or `.svg`, as a graph. A picture needs the
/// program `dot` of Graphviz; without it, or if it fails, an error says so. The module changes.
llvm::Expected<std::string> describePartition(mlir::ModuleOp module, const Transforms &transforms,
                                              llvm::StringRef output);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_PARTITIONREPORT_H
