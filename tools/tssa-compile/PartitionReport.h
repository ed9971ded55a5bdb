//===- PartitionReport.h - implements --print-partition ---------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_PARTITIONREPORT_H
#define TOOLS_TSSA_COMPILE_PARTITIONREPORT_H

#include "LaunchList.h"

namespace tssa::compile {

/// Returns which nodes of the model are one launch, and what part of the time each takes. The
/// extension of `output` says in which form: `.dot` is a graph, `.svg` the graph as a picture that
/// Graphviz draws, and any other one text. A step is the redder, the greater its part is. Fails
/// with a sentence.
llvm::Expected<std::string> describePartition(const LaunchList &launches, llvm::StringRef output);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_PARTITIONREPORT_H
