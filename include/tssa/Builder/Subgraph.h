//===- Subgraph.h - a body of a control-flow operator -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_SUBGRAPH_H
#define TSSA_BUILDER_SUBGRAPH_H

#include "tssa/Builder/Builder.h"

namespace tssa::operators {

/// A body of a control-flow operator. Each call of `build` makes another copy of the body.
class Subgraph {
public:
  virtual ~Subgraph() = default;
  virtual unsigned numInputs() const = 0;
  virtual unsigned numOutputs() const = 0;
  /// If output `i` is an unchanged input, returns the index of that input; otherwise nothing.
  virtual std::optional<unsigned> getForwardedInput(unsigned i) const = 0;
  /// Returns whether output `i` is known to be the constant true.
  virtual bool isAlwaysTrue(unsigned i) const = 0;
  /// Builds the body for `inputs` at the builder's insertion point. Returns its outputs.
  virtual mlir::FailureOr<Tensors> build(Builder &builder, llvm::ArrayRef<Tensor> inputs) = 0;
};

} // namespace tssa::operators

#endif // TSSA_BUILDER_SUBGRAPH_H
