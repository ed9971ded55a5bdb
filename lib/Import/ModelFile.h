//===- ModelFile.h - an ONNX file in memory -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_MODELFILE_H
#define TSSA_LIB_IMPORT_MODELFILE_H

#include "lib/Import/Failure.h"
#include "onnx/onnx_pb.h"
#include <memory>

namespace tssa {

/// Reads and parses the model at `path`. Returns null on failure and fills `report`. Tensors
/// that are built from the model may point into it.
std::shared_ptr<tssa_onnx::ModelProto> readModel(llvm::StringRef path, ImportReport &report);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_MODELFILE_H
