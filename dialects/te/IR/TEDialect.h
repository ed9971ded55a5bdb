//===- TEDialect.h - the te dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_TEDIALECT_H
#define DIALECTS_TE_IR_TEDIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialects/te/IR/TEDialect.h.inc"

#endif // DIALECTS_TE_IR_TEDIALECT_H
