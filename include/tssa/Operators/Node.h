//===- Node.h - a node of a model -===//
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

/// The outcome of building the rest of a graph after one of its nodes, given the results of that
/// node: the results of the graph, or the error if the rest is invalid for the given results.
struct Continuation {
  Tensors results;
  std::string error;
};
using ContinueFn =
    std::function<mlir::FailureOr<Continuation>(Builder &, llvm::ArrayRef<Tensor> results)>;

/// A node of a model: an operator with inputs and attributes.
class Node {
public:
  std::string op, domain, name;
  /// The version of the operator set of `domain` that the model uses.
  int64_t version = 0;
  /// An absent optional input is a null Tensor.
  Tensors inputs;
  /// For each output, whether it is used.
  llvm::SmallVector<bool> outputs;
  /// Integers, floats, strings and arrays of them.
  mlir::NamedAttrList attributes;
  llvm::StringMap<Tensor> tensors;
  llvm::StringMap<std::shared_ptr<Subgraph>> subgraphs;
  /// Builds the nodes that follow this node in its graph; null where that is not possible. If the
  /// branches of an If yield results of different ranks, the If calls this function once in each
  /// branch. Each branch then contains the rest of the graph, and the function that builds the If
  /// returns the results of the graph.
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
