//===- ListOperators.h - prints the supported operators ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_LISTOPERATORS_H
#define TOOLS_TSSA_COMPILE_LISTOPERATORS_H

#include "llvm/Support/raw_ostream.h"

namespace tssa::compile {

/// Prints the supported operators as JSON:
///   {"element_types": ["f32", ...],
///    "operators": [{"domain": "", "name": "Add", "since": 1, "until": null,
///                   "inputs": "", "extern": false}, ...],
///    "torch": ["aten::add.Tensor", ...]}
/// For an operator without a schema in onnx, `inputs` lists the inputs and their types; for other
/// operators it is empty.
void listOperators(llvm::raw_ostream &stream);

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_LISTOPERATORS_H
