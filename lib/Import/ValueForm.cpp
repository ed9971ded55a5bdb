//===- ValueForm.cpp - tensors, sequences and optionals -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/ValueForm.h"

namespace tssa {

std::optional<std::pair<Form, const tssa_onnx::TypeProto_Tensor *>>
findForm(const tssa_onnx::TypeProto &type) {
  auto make = [](Form form, const tssa_onnx::TypeProto &element) {
    return std::pair(form, &element.tensor_type());
  };
  if (type.has_tensor_type())
    return make(Form::Tensor, type);
  if (type.sequence_type().elem_type().has_tensor_type())
    return make(Form::Sequence, type.sequence_type().elem_type());
  if (type.optional_type().elem_type().has_tensor_type())
    return make(Form::Optional, type.optional_type().elem_type());
  return std::nullopt;
}

} // namespace tssa
