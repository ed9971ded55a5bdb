//===- SequenceLoops.h - loops that carry sequences -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_SEQUENCELOOPS_H
#define TSSA_LIB_OPERATORS_ONNX_SEQUENCELOOPS_H

#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// Builds a Loop that carries a sequence or an absent optional. A loop that runs a small known
/// number of times is unrolled. Any other loop may only append to its sequences. The new parts are
/// then scan outputs of a loop without sequences, which `buildPlain` builds.
mlir::FailureOr<Tensors>
buildSequenceLoop(Builder &builder, const Node &node, Subgraph &body,
                  llvm::function_ref<mlir::FailureOr<Tensors>(Builder &, const Node &)> buildPlain);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_SEQUENCELOOPS_H
