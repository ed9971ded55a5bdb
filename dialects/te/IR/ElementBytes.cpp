//===- ElementBytes.cpp - bytes of an element in memory -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/ElementBytes.h"
#include "llvm/Support/MathExtras.h"

int64_t mlir::tssa::te::getElementBytes(Type element) {
  if (element.isIndex())
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}
