//===- Signature.h - inputs and results of the program -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_SIGNATURE_H
#define TSSA_LIB_IMPORT_SIGNATURE_H

#include "lib/Import/GraphImporter.h"
#include "lib/Import/ValueForm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tssa/Import/Options.h"

namespace tssa {

/// One dim of an input: a constant size, or the name of a symbol.
struct InputDim {
  std::optional<int64_t> size;
  std::string symbol;
};

/// An input of the program.
struct Input {
  std::string name;
  operators::DType type;
  llvm::SmallVector<InputDim> dims; ///< of the program's tensor
  Form form = Form::Tensor;
};

/// Returns the inputs of `graph` that are not initializers and have a supported type, with the
/// sizes that `options` give.
mlir::FailureOr<std::vector<Input>> readInputs(const tssa_onnx::GraphProto &graph,
                                               const ImportOptions &options, ImportReport &report);

/// Adds the arguments to `function` and defines their tensors in `scope`. Each symbol is read
/// by one tensor.dim. Requires that an optional has one row at most.
mlir::LogicalResult importInputs(mlir::func::FuncOp function, llvm::ArrayRef<Input> inputs,
                                 operators::Builder &builder, GraphImporter::Scope &scope);

/// Checks the results against the types that the graph declares, builds the return op, and
/// completes the type of `function`.
mlir::LogicalResult importOutputs(mlir::func::FuncOp function, const tssa_onnx::GraphProto &graph,
                                  operators::Builder &builder, GraphImporter::Scope &scope,
                                  ImportReport &report);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_SIGNATURE_H
