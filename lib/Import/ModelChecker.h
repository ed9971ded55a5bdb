//===- ModelChecker.h - checks a model before it is built -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_MODELCHECKER_H
#define TSSA_LIB_IMPORT_MODELCHECKER_H

#include "lib/Import/Graph.h"
#include "lib/Import/TensorData.h"
#include "lib/Import/UnsupportedUses.h"
#include "lib/Import/UserOperators.h"
#include "tssa/Import/Options.h"
#include "llvm/ADT/StringMap.h"

namespace tssa_onnx {
class OpSchema;
}

namespace tssa {

/// The versions of operator sets, by normalised domain.
using Opsets = llvm::StringMap<int64_t>;

/// Reads `imports`; fails on versions that are negative or unknown.
mlir::FailureOr<Opsets>
readOpsets(const google::protobuf::RepeatedPtrField<tssa_onnx::OperatorSetIdProto> &imports,
           ImportReport &report);

/// Returns the version of `domain`, which is normalised. A model without an import of a domain of
/// ours other than the standard one means version 1, as tools that edit graphs leave such models.
std::optional<int64_t> findOpset(const Opsets &opsets, llvm::StringRef domain);

/// Returns the schema of an operator; null if there is none.
const tssa_onnx::OpSchema *findSchema(const tssa_onnx::NodeProto &node, int64_t version);

/// Returns the schema against which a node is checked. `schema` is the operator's schema in the
/// node's opset. It is returned unless it is deprecated or null; otherwise the newest schema of the
/// operator is returned. Some deprecated versions, such as the first GroupNormalization, still
/// occur in models and have the inputs of a later version. `schema` is null if an optimiser has
/// inserted an operator of a later opset into the model.
const tssa_onnx::OpSchema *findCheckedSchema(const tssa_onnx::NodeProto &node,
                                             const tssa_onnx::OpSchema *schema);

/// The functions that a model defines, by name.
class FunctionTable {
public:
  explicit FunctionTable(const tssa_onnx::ModelProto &model);
  const tssa_onnx::FunctionProto *find(const tssa_onnx::NodeProto &node) const;

private:
  llvm::StringMap<const tssa_onnx::FunctionProto *> functions;
};

/// Checks everything that can be checked without building: names, order, schemas, depth, and
/// tensors with their files. Fails if the model is invalid. Records operators and types that
/// are not supported.
class ModelChecker {
public:
  ModelChecker(const tssa_onnx::ModelProto &model, const FunctionTable &functions,
               const UserOperators &users, TensorReader &reader, const ImportOptions &options,
               UnsupportedUses &unsupported, ImportReport &report)
      : model(model), functions(functions), users(users), reader(reader), options(options),
        unsupported(unsupported), report(report) {}

  mlir::LogicalResult run();

private:
  struct Scope {
    const Scope *parent;
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringMap<bool> defined;
    const Opsets *opsets;
    bool isDefined(llvm::StringRef name) const;
  };
  mlir::LogicalResult define(Scope &scope, llvm::StringRef name);
  mlir::LogicalResult checkGraph(const tssa_onnx::GraphProto &graph, const Scope *parent,
                                 const Opsets &opsets, size_t depth);
  mlir::LogicalResult checkFunction(const tssa_onnx::FunctionProto &function);
  mlir::LogicalResult checkNodes(const NodeList &nodes, const Scope &scope, size_t depth);
  mlir::LogicalResult checkNode(const tssa_onnx::NodeProto &node, int index, const Scope &scope,
                                size_t depth);
  /// Returns the version of the node's operator set. Warns where none is imported; fails if nothing
  /// else says which one it is.
  mlir::FailureOr<int64_t> getOpset(const tssa_onnx::NodeProto &node, int index,
                                    const Opsets &opsets);
  mlir::LogicalResult checkSchemaFunction(const tssa_onnx::OpSchema &schema, int64_t version);
  mlir::LogicalResult checkAttributes(const tssa_onnx::NodeProto &node, int index,
                                      const std::string &location);
  /// Fails if the result of checking a tensor with elements of `type` is a failure, unless the
  /// tensor is only not supported, which is recorded.
  mlir::LogicalResult recordTensor(mlir::LogicalResult checked, int32_t type,
                                   const ModelLocation &location);
  mlir::LogicalResult checkTensor(const tssa_onnx::TensorProto &tensor,
                                  const ModelLocation &location);
  mlir::LogicalResult checkTensor(const tssa_onnx::SparseTensorProto &tensor,
                                  const ModelLocation &location);
  mlir::LogicalResult checkName(const std::string &name);
  mlir::LogicalResult checkTotals();
  void checkValueTypes();

  const tssa_onnx::ModelProto &model;
  const FunctionTable &functions;
  const UserOperators &users;
  TensorReader &reader;
  const ImportOptions &options;
  UnsupportedUses &unsupported;
  ImportReport &report;
  /// The functions that have been checked, with the number of nodes that a call of each builds.
  llvm::DenseMap<const tssa_onnx::FunctionProto *, CheckedSize> checkedFunctions;
  std::vector<const tssa_onnx::FunctionProto *> callStack;
  /// The domains without an import for which a warning was given.
  llvm::StringSet<> assumedDomains;
  /// The number of nodes of the model, where nodes of a function count once per call.
  CheckedSize numNodes = 0;
};

} // namespace tssa

#endif // TSSA_LIB_IMPORT_MODELCHECKER_H
