//===- StringValues.h - strings and maps in a graph -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A tensor of strings is one of indexes into a table that the importer knows. Few operators take
/// it: those that move elements, and those of ai.onnx.ml that look up labels.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_STRINGVALUES_H
#define TSSA_LIB_IMPORT_STRINGVALUES_H

#include "lib/Import/TensorData.h"
#include "tssa/Operators/OperatorRow.h"

namespace tssa {

operators::Tensor makeConstant(operators::Builder &builder, const TensorReader::Constant &constant);

/// Returns the type of a value in ONNX, such as "tensor(float)".
std::string getONNXType(const operators::Tensor &tensor);

/// Refuses strings in the inputs and attributes of a node, except where its operator takes them.
mlir::LogicalResult checkStrings(operators::Builder &builder, const operators::Node &node,
                                 operators::Strings taken);

/// Refuses strings and maps in the results of a body or a branch.
mlir::LogicalResult checkBodyOutputs(operators::Builder &builder,
                                     llvm::ArrayRef<operators::Tensor> outputs);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_STRINGVALUES_H
