//===- TEAttributes.h - attributes of the te dialect ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_TEATTRIBUTES_H
#define DIALECTS_TE_IR_TEATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"

#define GET_ATTRDEF_CLASSES
#include "dialects/te/IR/TEAttributes.h.inc"

#endif // DIALECTS_TE_IR_TEATTRIBUTES_H
