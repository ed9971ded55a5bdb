//===- Signature.h - inputs and results of the program -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_SIGNATURE_H
#define TSSA_LIB_IMPORT_SIGNATURE_H

#include "lib/Import/GraphImporter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tssa/Import/Options.h"

namespace tssa {

/// One dim of an input: a constant, or the symbol that names its size.
struct InputDim {
  std::optional<int64_t> size;
  std::string symbol;
};

/// An input of the program.
struct Input {
  std::string name;
  operators::DType type;
  llvm::SmallVector<InputDim> dims;
};

/// The inputs of `graph` that are no initializers and have a type that is supported, with
/// what the options say put in.
mlir::FailureOr<std::vector<Input>> readInputs(const tssa_onnx::GraphProto &graph,
                                               const ImportOptions &options, ImportReport &report);

/// Makes the arguments of `function` and their tensors; every symbol is read once, by
/// one tensor.dim.
void importInputs(mlir::func::FuncOp function, llvm::ArrayRef<Input> inputs,
                  operators::Builder &builder, GraphImporter::Scope &scope);

/// Checks the results against what the graph says of them, returns them and completes
/// the type of `function`.
mlir::LogicalResult importOutputs(mlir::func::FuncOp function, const tssa_onnx::GraphProto &graph,
                                  operators::Builder &builder, GraphImporter::Scope &scope,
                                  ImportReport &report);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_SIGNATURE_H
