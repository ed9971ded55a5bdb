//===- Node.h - one use of an operator -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_OPERATORS_NODE_H
#define TSSA_OPERATORS_NODE_H

#include "mlir/IR/OperationSupport.h"
#include "tssa/Builder/Subgraph.h"
#include <functional>

namespace tssa::operators {

/// The results of a graph, built from a node to the graph's end for given results of that
/// node; or the error that building the rest of the graph met.
struct Continuation {
  Tensors results;
  std::string error;
};
using ContinueFn =
    std::function<mlir::FailureOr<Continuation>(Builder &, llvm::ArrayRef<Tensor> results)>;

/// One use of an operator in a model.
class Node {
public:
  std::string op, domain, name;
  /// The version of the operator set of `domain` that the model uses.
  int64_t version = 0;
  /// An absent optional input is a null Tensor.
  Tensors inputs;
  /// Whether each output has a use.
  llvm::SmallVector<bool> outputs;
  /// Integers, floats, strings and arrays of them.
  mlir::NamedAttrList attributes;
  llvm::StringMap<Tensor> tensors;
  llvm::StringMap<std::shared_ptr<Subgraph>> subgraphs;
  /// Builds the nodes that follow this one in its graph. An If whose branches yield results
  /// of different ranks calls it once in each branch. Each branch then contains the rest of
  /// the graph, and the node's function returns the graph's results. Null where that is not
  /// possible.
  ContinueFn continueGraph;

  /// Returns input `i`; null if it is absent.
  Tensor input(unsigned i) const { return i < inputs.size() ? inputs[i] : Tensor(); }
  bool hasOutput(unsigned i) const { return i < outputs.size() && outputs[i]; }
  bool has(llvm::StringRef attribute) const;
  int64_t getInt(llvm::StringRef attribute, int64_t otherwise) const;
  double getFloat(llvm::StringRef attribute, double otherwise) const;
  llvm::StringRef getString(llvm::StringRef attribute, llvm::StringRef otherwise) const;
  llvm::SmallVector<int64_t> getInts(llvm::StringRef attribute,
                                     llvm::ArrayRef<int64_t> otherwise = {}) const;
  llvm::SmallVector<double> getFloats(llvm::StringRef attribute,
                                      llvm::ArrayRef<double> otherwise = {}) const;
  llvm::SmallVector<std::string> getStrings(llvm::StringRef attribute) const;
  Tensor getTensor(llvm::StringRef attribute) const { return tensors.lookup(attribute); }
};

} // namespace tssa::operators

#endif // TSSA_OPERATORS_NODE_H
