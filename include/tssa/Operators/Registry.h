//===- Registry.h - which function builds which operator -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of operators: name, domain and versions to the function that builds it.
/// Families add their lines in `register<Family>`; `Registry::get()` holds them all.
///
/// What is already checked when an operator's function is called: the number of
/// inputs, outputs, required attributes and their kinds, and the element types of
/// inputs, against the operator's schema.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_OPERATORS_REGISTRY_H
#define TSSA_OPERATORS_REGISTRY_H

#include "mlir/IR/OperationSupport.h"
#include "tssa/Builder/Subgraph.h"
#include "llvm/ADT/StringSet.h"
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

/// Builds all outputs of a node; one that is not used may be a null Tensor.
using OperatorFn = std::function<mlir::FailureOr<Tensors>(Builder &, const Node &)>;

class Registry {
public:
  /// All operators of this library.
  static const Registry &get();

  /// `fn` builds versions `since` to `until` of an operator of the standard domain.
  void add(llvm::StringRef op, OperatorFn fn, int64_t since = 1, int64_t until = INT64_MAX);
  void addIn(llvm::StringRef domain, llvm::StringRef op, OperatorFn fn, int64_t since = 1,
             int64_t until = INT64_MAX);
  /// Says what to do instead of using an operator, or, with an empty name, any of a domain.
  void refuse(llvm::StringRef domain, llvm::StringRef op, llvm::StringRef hint);
  /// The function for an operator, null if there is none.
  const OperatorFn *find(llvm::StringRef domain, llvm::StringRef op, int64_t version) const;
  /// What was said to `refuse` an operator; empty if nothing was.
  llvm::StringRef findHint(llvm::StringRef domain, llvm::StringRef op) const;

  /// Says that an operator, of the standard domain, calls a routine of the host.
  void markExtern(llvm::StringRef op);
  /// Keeps the inputs, as for people, of an operator that onnx has no schema of.
  void describeInputs(llvm::StringRef domain, llvm::StringRef op, llvm::StringRef inputs);

  /// One line of the table, for people and generators of documentation.
  struct Listed {
    std::string domain, op; ///< the standard domain is ""
    int64_t since, until;
    std::string inputs;
    bool usesExtern;
  };
  /// All lines, sorted by domain, name and version.
  std::vector<Listed> list() const;

private:
  struct Entry {
    int64_t since, until;
    OperatorFn fn;
  };
  llvm::StringMap<std::vector<Entry>> entries;
  llvm::StringMap<std::string> hints, inputs;
  llvm::StringSet<> externs;
};

// One per family, in the file of that name.
void registerActivations(Registry &registry);
void registerArgReduction(Registry &registry);
void registerBatchNormalization(Registry &registry);
void registerConstants(Registry &registry);
void registerContrib(Registry &registry);
void registerControlFlow(Registry &registry);
void registerConvTranspose(Registry &registry);
void registerConvolution(Registry &registry);
void registerDeformConv(Registry &registry);
void registerEinsum(Registry &registry);
void registerElementwise(Registry &registry);
void registerGather(Registry &registry);
void registerGridSample(Registry &registry);
void registerLocalNormalization(Registry &registry);
void registerML(Registry &registry);
void registerMatMul(Registry &registry);
void registerMovement(Registry &registry);
void registerNormalization(Registry &registry);
void registerPad(Registry &registry);
void registerPooling(Registry &registry);
void registerQuantization(Registry &registry);
void registerRearrangement(Registry &registry);
void registerRecurrent(Registry &registry);
void registerReduction(Registry &registry);
void registerRegions(Registry &registry);
void registerResize(Registry &registry);
void registerScanLoops(Registry &registry);
void registerScan(Registry &registry);
void registerScatter(Registry &registry);
void registerSequences(Registry &registry);
void registerShape(Registry &registry);
void registerSignal(Registry &registry);
void registerSoftmax(Registry &registry);
void registerSorting(Registry &registry);
void registerTermCounts(Registry &registry);
void registerTraining(Registry &registry);
void registerUnpooling(Registry &registry);

} // namespace tssa::operators

#endif // TSSA_OPERATORS_REGISTRY_H
