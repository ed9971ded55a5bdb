//===- NoVersionConverter.cpp - what onnx's inliner finds instead --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// onnx's inliner refers to the version converter for functions whose opset
/// differs from the model's. The importer honours schema versions itself and
/// never asks for a conversion, so the converter is left out; this refuses if
/// it is reached all the same.
///
//===----------------------------------------------------------------------===//

#include "onnx/onnx_pb.h"

#include <stdexcept>
#include <string>

namespace ONNX_NAMESPACE {
namespace version_conversion {

/// The declaration that onnx/version_converter/convert.h would give.
ModelProto ConvertVersion(const ModelProto &model, int targetVersion);

ModelProto ConvertVersion(const ModelProto &, int targetVersion) {
  throw std::runtime_error("conversion of a function to opset " + std::to_string(targetVersion) +
                           " is not supported");
}

} // namespace version_conversion
} // namespace ONNX_NAMESPACE
