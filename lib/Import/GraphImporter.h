//===- GraphImporter.h - builds te ops for the nodes of a graph -===//
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

/// Builds the nodes of graphs and functions, each with a scope for its names. A node that is
/// not supported is recorded, and its results become unknown. Nodes that use unknown values
/// are skipped, so that one import finds all unsupported nodes.
class GraphImporter {
public:
  /// A tensor and a description of the node that produced it, for errors.
  struct Entry {
    operators::Tensor tensor;
    std::string producer;
    /// Whether the value depends on a node that is not supported.
    bool isUnknown = false;
  };
  struct Scope;
  /// An attribute and the scope in which it was written. An attribute that is passed to a
  /// function may be a graph that uses names of the caller.
  struct Attribute {
    const tssa_onnx::AttributeProto *proto;
    Scope *scope;
  };
  struct Scope {
    Scope *parent = nullptr;
    llvm::StringMap<Entry> entries;
    const Opsets *opsets = nullptr;
    /// The graph that declares the types of values; null inside functions.
    const tssa_onnx::GraphProto *graph = nullptr;
    /// The attributes of the function call that this scope belongs to; null outside functions.
    const llvm::StringMap<Attribute> *attributes = nullptr;
    /// Whether the scope belongs to a function body from the ONNX standard. In such a body,
    /// functions of the model do not replace operators.
    bool isStandard = false;
    /// The names of the enclosing calls, each followed by '/'.
    std::string prefix;
    Entry *find(llvm::StringRef name);
    /// Returns an empty scope nested in this one, with the same properties.
    Scope nest();
  };

  GraphImporter(operators::Builder &builder, TensorReader &reader, const FunctionTable &functions,
                const UserOperators &users, llvm::StringRef fileName, UnsupportedUses &unsupported,
                ImportReport &report)
      : builder(&builder), reader(reader), functions(functions), users(users), fileName(fileName),
        unsupported(unsupported), report(report) {}

  /// Defines the initializers of `graph` in `scope`.
  mlir::LogicalResult importInitializers(const tssa_onnx::GraphProto &graph, Scope &scope);
  /// Builds all nodes. Their inputs are defined in `scope` or an enclosing scope, or by other
  /// nodes. Afterwards `scope` defines `outputs`. `scope` may lack other results: if the branches
  /// of an If contain the rest of the graph, the results of that rest are local to the branches.
  mlir::LogicalResult importNodes(const NodeList &nodes, llvm::ArrayRef<llvm::StringRef> outputs,
                                  Scope &scope);
  /// Builds a body in a new scope.
  mlir::FailureOr<operators::Tensors> importBody(const tssa_onnx::GraphProto &graph, Scope &parent,
                                                 llvm::ArrayRef<operators::Tensor> inputs);

private:
  /// The nodes of a graph that are not built yet, in topological order.
  struct Rest {
    const NodeList &nodes;
    llvm::ArrayRef<int> order;
    llvm::ArrayRef<llvm::StringRef> outputs;
    /// The names that some node or the graph's outputs use.
    const llvm::StringSet<> &read;
  };
  mlir::LogicalResult importRest(Rest rest, Scope &scope);
  /// Removes the first node from `rest` and builds it. If the branches of that node contain the
  /// rest of the graph, removes all nodes.
  mlir::LogicalResult importNode(Rest &rest, Scope &scope);
  /// Defines the initializer `name`, or records that its value is unknown.
  mlir::LogicalResult defineInitializer(const std::string &name,
                                        mlir::FailureOr<TensorReader::Constant> constant,
                                        Scope &scope);
  mlir::LogicalResult buildNode(const tssa_onnx::NodeProto &proto, int index, Rest &rest,
                                Scope &scope, operators::Node &node);
  /// Builds `rest`, the nodes after the node `proto`, from the given results of `proto`.
  mlir::FailureOr<operators::Continuation> continueGraph(const tssa_onnx::NodeProto &proto,
                                                         int index, const Rest &rest, Scope &scope,
                                                         llvm::ArrayRef<operators::Tensor> results);
  mlir::FailureOr<operators::Tensors> findOutputs(llvm::ArrayRef<llvm::StringRef> outputs,
                                                  Scope &scope);
  /// If a node could not be built because of an unsupported feature, records this fault. Returns
  /// whether the fault has been recorded, now or earlier.
  bool collectFault(const tssa_onnx::NodeProto &proto, int index);
  /// Fails if one more level of bodies or functions exceeds the maximal depth.
  mlir::LogicalResult checkDepth();
  mlir::FailureOr<operators::Tensors> build(const tssa_onnx::NodeProto &proto, int index,
                                            operators::Node &node, Scope &scope);
  /// Records a use of an operator that is not supported.
  mlir::LogicalResult skipOperator(const tssa_onnx::NodeProto &proto, int index, int64_t version);
  /// Builds the body of `function` for the call by `proto`. For a function of the standard,
  /// `schema` has the default values of attributes.
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
  /// Reports the builder's error, with a description of the node and its inputs.
  mlir::LogicalResult reportNode(const tssa_onnx::NodeProto &proto, int index,
                                 const operators::Node &node, Scope &scope);
  mlir::Location getLocation(const tssa_onnx::NodeProto &proto, int index, const Scope &scope);

  operators::Builder *builder;
  TensorReader &reader;
  const FunctionTable &functions;
  const UserOperators &users;
  std::string fileName;
  size_t numNodes = 0, depth = 0, numContinued = 0;
  UnsupportedUses &unsupported;
  ImportReport &report;
  /// Whether a body or function failed because of unknown results.
  bool metUnknown = false;
};

/// Resolves an attribute of a node in `scope`: returns the attribute itself or, if it refers
/// to an attribute of the enclosing function, the one that the call passes. Returns nothing
/// if the call passes none.
std::optional<GraphImporter::Attribute> resolve(const tssa_onnx::AttributeProto &attribute,
                                                GraphImporter::Scope &scope);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_GRAPHIMPORTER_H
