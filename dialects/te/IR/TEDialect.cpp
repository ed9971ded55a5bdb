//===- TEDialect.cpp - the te dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/TEDialect.h"
#include "dialects/te/IR/TEAttributes.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tssa::te;

#include "dialects/te/IR/TEDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/te/IR/TEAttributes.cpp.inc"

namespace {
/// te ops may be moved into any region: they have no effects of their own.
struct TEInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TEDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/te/IR/TEOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/te/IR/TEAttributes.cpp.inc"
      >();
  addInterfaces<TEInlinerInterface>();
}
