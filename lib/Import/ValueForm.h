//===- ValueForm.h - tensors, sequences and optionals -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_VALUEFORM_H
#define TSSA_LIB_IMPORT_VALUEFORM_H

#include "onnx/onnx_pb.h"

#include <optional>
#include <utility>

namespace tssa {

/// What an input or output of a model is. The program has a tensor for each. A sequence has its
/// parts as rows, so that they have one shape; an optional has one row or none.
enum class Form { Tensor, Sequence, Optional };

/// Returns what a value of `type` is, with the type of the tensor, of the parts or of the element.
/// Nothing if it is made of other things than tensors.
std::optional<std::pair<Form, const tssa_onnx::TypeProto_Tensor *>>
findForm(const tssa_onnx::TypeProto &type);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_VALUEFORM_H
