//===- GraphImporter.h - from nodes to te ops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_GRAPHIMPORTER_H
#define TSSA_LIB_IMPORT_GRAPHIMPORTER_H

#include "lib/Import/Limits.h"
#include "lib/Import/ModelChecker.h"
#include "lib/Import/TensorData.h"
#include "tssa/Operators/Node.h"

namespace tssa {

/// Builds the nodes of graphs and functions, each in the scope of its names. A node that is
/// not supported is collected and its results are unknown; what uses them is passed over,
/// so that all such nodes are found at once.
class GraphImporter {
public:
  /// A tensor and the node that made it, for errors.
  struct Entry {
    operators::Tensor tensor;
    std::string producer;
    /// What it would be depends on something that is not supported.
    bool isUnknown = false;
  };
  struct Scope;
  /// An attribute as written where it was written: a function's attribute may be a
  /// graph that uses names of the caller.
  struct Attribute {
    const tssa_onnx::AttributeProto *proto;
    Scope *scope;
  };
  struct Scope {
    Scope *parent = nullptr;
    llvm::StringMap<Entry> entries;
    const Opsets *opsets = nullptr;
    /// Where the types of values are declared; null inside of functions.
    const tssa_onnx::GraphProto *graph = nullptr;
    /// Attributes of the function call this scope belongs to; null outside of functions.
    const llvm::StringMap<Attribute> *attributes = nullptr;
    /// Whether it belongs to a function of the standard, whose nodes no function of the model
    /// replaces.
    bool isStandard = false;
    /// Names of the calls around it, each followed by '/'.
    std::string prefix;
    Entry *find(llvm::StringRef name);
    /// An empty scope for nodes that stand in this one's place and see its names.
    Scope nest();
  };

  GraphImporter(operators::Builder &builder, TensorReader &reader, const FunctionTable &functions,
                llvm::StringRef fileName, UnsupportedUses &unsupported, ImportReport &report)
      : builder(&builder), reader(reader), functions(functions), fileName(fileName),
        unsupported(unsupported), report(report) {}

  /// Makes the initializers of `graph` tensors of `scope`.
  mlir::LogicalResult importInitializers(const tssa_onnx::GraphProto &graph, Scope &scope);
  /// Builds all nodes; their inputs are in `scope` or around it. Afterwards the outputs are
  /// in `scope`, but not always the results of every node: some may belong to branches that
  /// an If goes on with.
  mlir::LogicalResult importNodes(const NodeList &nodes, llvm::ArrayRef<llvm::StringRef> outputs,
                                  Scope &scope);
  /// Builds a body in a scope of its own.
  mlir::FailureOr<operators::Tensors> importBody(const tssa_onnx::GraphProto &graph, Scope &parent,
                                                 llvm::ArrayRef<operators::Tensor> inputs);

private:
  /// Nodes of a graph that are not built yet, in an order to build them in.
  struct Rest {
    const NodeList &nodes;
    llvm::ArrayRef<int> order;
    llvm::ArrayRef<llvm::StringRef> outputs;
  };
  mlir::LogicalResult importRest(Rest rest, Scope &scope);
  /// Takes the first node of `rest` and builds it; if its branches go on to the end of the
  /// graph, they take all.
  mlir::LogicalResult importNode(Rest &rest, Scope &scope);
  mlir::LogicalResult buildNode(const tssa_onnx::NodeProto &proto, int index, Rest &rest,
                                Scope &scope, operators::Node &node);
  /// Builds `rest` for these results of the node before it.
  mlir::FailureOr<operators::Continuation> continueGraph(const tssa_onnx::NodeProto &proto,
                                                         int index, const Rest &rest, Scope &scope,
                                                         llvm::ArrayRef<operators::Tensor> results);
  mlir::FailureOr<operators::Tensors> findOutputs(llvm::ArrayRef<llvm::StringRef> outputs,
                                                  Scope &scope);
  /// Whether a node that failed lacks something that is collected, now or before.
  bool collectFault(const tssa_onnx::NodeProto &proto, int index);
  /// Whether nodes may still be built, a body or a function deeper.
  mlir::LogicalResult checkDepth();
  mlir::FailureOr<operators::Tensors> build(const tssa_onnx::NodeProto &proto, int index,
                                            operators::Node &node, Scope &scope);
  /// Collects an operator that is not there.
  mlir::LogicalResult skipOperator(const tssa_onnx::NodeProto &proto, int index, int64_t version);
  /// `schema` gives the defaults of attributes, for a function of the standard.
  mlir::FailureOr<operators::Tensors> callFunction(const tssa_onnx::FunctionProto &function,
                                                   const tssa_onnx::NodeProto &proto,
                                                   const operators::Node &node, Scope &scope,
                                                   const tssa_onnx::OpSchema *schema);
  mlir::FailureOr<operators::Tensors> expandSchema(const tssa_onnx::OpSchema &schema,
                                                   const tssa_onnx::NodeProto &proto, int index,
                                                   const operators::Node &node, Scope &scope);
  mlir::LogicalResult readAttributes(const tssa_onnx::NodeProto &proto, operators::Node &node,
                                     Scope &scope);
  mlir::LogicalResult readAttribute(llvm::StringRef name, Attribute attribute,
                                    operators::Node &node);
  mlir::LogicalResult checkAttributes(const tssa_onnx::OpSchema &schema,
                                      const tssa_onnx::NodeProto &proto, Scope &scope);
  mlir::LogicalResult checkTypes(const tssa_onnx::OpSchema &schema, const operators::Node &node);
  /// Adds the node and its inputs to the builder's error.
  mlir::LogicalResult reportNode(const tssa_onnx::NodeProto &proto, int index,
                                 const operators::Node &node, Scope &scope);
  mlir::Location getLocation(const tssa_onnx::NodeProto &proto, int index, const Scope &scope);

  operators::Builder *builder;
  TensorReader &reader;
  const FunctionTable &functions;
  std::string fileName;
  size_t numNodes = 0, depth = 0, numContinued = 0;
  UnsupportedUses &unsupported;
  ImportReport &report;
  /// Set with the failure of a body or a function that has unknown results.
  bool metUnknown = false;
};

/// The attribute that an attribute of a node in `scope` stands for: itself, or what the
/// call gave to the function. Nothing if the call gave none.
std::optional<GraphImporter::Attribute> resolve(const tssa_onnx::AttributeProto &attribute,
                                                GraphImporter::Scope &scope);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_GRAPHIMPORTER_H
