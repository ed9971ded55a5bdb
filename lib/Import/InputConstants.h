//===- InputConstants.h - inputs that the options make constants -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_INPUTCONSTANTS_H
#define TSSA_LIB_IMPORT_INPUTCONSTANTS_H

#include "lib/Import/Failure.h"
#include "mlir/IR/Value.h"
#include "onnx/onnx_pb.h"
#include "tssa/Import/Options.h"

namespace tssa {

/// Replaces each input that `options` give a value by an initializer. Sizes that follow for named
/// dims of other inputs, and names of shapes and dims that no input has any more, are brought up
/// to date in `options`.
mlir::LogicalResult bindConstants(tssa_onnx::GraphProto &graph, ImportOptions &options,
                                  ImportReport &report);

/// Returns an advice to make the input a constant from which `value` is computed, or "" if `value`
/// comes from no input or from several, or if the input has many elements.
std::string adviseConstant(mlir::Value value);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_INPUTCONSTANTS_H
