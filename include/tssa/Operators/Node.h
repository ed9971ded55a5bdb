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

/// What a graph results in when a node's results are given ones; or, if what follows the
/// node is wrong with them, why.
struct Continuation {
  Tensors results;
  std::string error;
};
using ContinueFn =
    std::function<mlir::FailureOr<Continuation>(Builder &, llvm::ArrayRef<Tensor> results)>;

/// One use of an operator.
class Node {
public:
  std::string op, domain, name;
  /// Version of the operator set of `domain` that the model uses.
  int64_t version = 0;
  /// An absent optional input is a null Tensor.
  Tensors inputs;
  /// Whether output i is used at all.
  llvm::SmallVector<bool> outputs;
  /// Integers, floats, strings and arrays of them.
  mlir::NamedAttrList attributes;
  llvm::StringMap<Tensor> tensors;
  llvm::StringMap<std::shared_ptr<Subgraph>> subgraphs;
  /// Builds what follows the node in its graph. For a node whose branches give results of
  /// different ranks: each branch goes on to the end of the graph, and the node's function
  /// gives the graph's results. Null where that is not possible.
  ContinueFn continueGraph;

  /// Input i, null when it is absent.
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
