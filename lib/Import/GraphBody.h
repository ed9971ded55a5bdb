//===- GraphBody.h - a graph as the body of an operator -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_GRAPHBODY_H
#define TSSA_LIB_IMPORT_GRAPHBODY_H

#include "lib/Import/GraphImporter.h"

namespace tssa {

/// The graph attribute of a control-flow node.
class GraphBody : public operators::Subgraph {
public:
  GraphBody(GraphImporter &importer, const tssa_onnx::GraphProto &graph,
            GraphImporter::Scope &scope);

  unsigned numInputs() const override { return graph.input_size(); }
  unsigned numOutputs() const override { return graph.output_size(); }
  std::optional<unsigned> getForwardedInput(unsigned i) const override;
  bool isAlwaysTrue(unsigned i) const override;
  mlir::FailureOr<operators::Tensors> build(operators::Builder &builder,
                                            llvm::ArrayRef<operators::Tensor> inputs) override;

private:
  /// Returns the name of the value that output `i` has before any Identity and Cast nodes. Sets
  /// `producer` to the node that produces it, or to null if no node of this graph does.
  std::string findSource(unsigned i, const tssa_onnx::NodeProto *&producer) const;

  GraphImporter &importer;
  const tssa_onnx::GraphProto &graph;
  GraphImporter::Scope &scope;
  llvm::StringMap<const tssa_onnx::NodeProto *> producers;
};

} // namespace tssa

#endif // TSSA_LIB_IMPORT_GRAPHBODY_H
