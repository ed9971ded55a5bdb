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

/// A body of a control-flow operator. Building it twice makes two copies.
class Subgraph {
public:
  virtual ~Subgraph() = default;
  virtual unsigned numInputs() const = 0;
  virtual unsigned numOutputs() const = 0;
  /// The input that output `i` is, if it is one.
  virtual std::optional<unsigned> getForwardedInput(unsigned i) const = 0;
  /// Whether output `i` is a constant that is true.
  virtual bool isAlwaysTrue(unsigned i) const = 0;
  /// Builds the body at the builder for these inputs.
  virtual mlir::FailureOr<Tensors> build(Builder &builder, llvm::ArrayRef<Tensor> inputs) = 0;
};

} // namespace tssa::operators

#endif // TSSA_BUILDER_SUBGRAPH_H
