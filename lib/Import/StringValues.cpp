//===- StringValues.cpp - strings and maps in a graph -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/StringValues.h"

using namespace llvm;
using namespace tssa::operators;
using mlir::LogicalResult;
using mlir::success;

namespace tssa {

Tensor makeConstant(Builder &builder, const TensorReader::Constant &constant) {
  Tensor tensor = builder.constant(constant.type, constant.elements);
  return constant.strings ? tensor.withStrings(constant.strings) : tensor;
}

std::string getONNXType(const Tensor &tensor) {
  if (tensor.isMaps())
    return std::string("seq(map(") +
           (tensor.labels()->kind == Labels::IntKeys ? "int64" : "string") + ",tensor(float)))";
  if (tensor.hasStrings())
    return "tensor(string)";
  auto code = static_cast<tssa_onnx::TensorProto::DataType>(toONNX(tensor.dtype()));
  std::string type =
      "tensor(" + StringRef(tssa_onnx::TensorProto::DataType_Name(code)).lower() + ")";
  if (tensor.isSequence())
    return "seq(" + type + ")";
  return tensor.isOptional() || tensor.isAbsent() ? "optional(" + type + ")" : type;
}

/// Returns what `tensor` is made of if that is strings or maps, else "".
static StringRef findText(const Tensor &tensor) {
  if (!tensor || (!tensor.isMaps() && !tensor.hasStrings()))
    return "";
  return tensor.isMaps() ? "maps" : "strings";
}

LogicalResult checkStrings(Builder &builder, const Node &node, Strings taken) {
  if (taken == Strings::Read)
    return success();
  for (const auto &[i, tensor] : llvm::enumerate(node.inputs))
    if (StringRef what = findText(tensor); !what.empty() && (i > 0 || taken == Strings::Refused))
      return builder.unsupported("input " + Twine(i) + " has " + what +
                                 ", which only operators that choose, move or look up labels take");
  for (const auto &entry : node.tensors)
    if (!findText(entry.getValue()).empty())
      return builder.unsupported("attribute " + quote(entry.getKey()) +
                                 " has strings: encode them before the model");
  return success();
}

LogicalResult checkBodyOutputs(Builder &builder, ArrayRef<Tensor> outputs) {
  for (const Tensor &output : outputs)
    if (StringRef what = findText(output); !what.empty())
      return builder.unsupported("an output of a body has " + what +
                                 ": choose labels outside of bodies");
  return success();
}

} // namespace tssa
