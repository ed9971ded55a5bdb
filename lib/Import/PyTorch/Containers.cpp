//===- Containers.cpp - lists and tuples -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lists have a known length and are modified while the program is built. They therefore cannot be
/// modified in loops and branches of the program itself; such a loop is unrolled.
///
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;

namespace tssa::pytorch {

static FailureOr<Values> makeList(Importer &, const Call &call) {
  return Values{Value::list(call.arguments)};
}

static FailureOr<Values> makeTuple(Importer &, const Call &call) {
  return Values{Value::tuple(call.arguments)};
}

static FailureOr<Values> unpack(Importer &importer, const Call &call) {
  if (!call[0].isSequence())
    return importer.b.error("expected a list or tuple, got " + call[0].describe());
  return Values(call[0].getElements());
}

static FailureOr<Values> makeUninitialized(Importer &, const Call &) {
  return Values{Value::uninitialized()};
}

void registerContainers(OperatorTable &table) {
  table.evaluate("prim::ListConstruct", "-", makeList);
  table.evaluate("prim::TupleConstruct", "-", makeTuple);
  table.evaluate("prim::ListUnpack", "-", unpack);
  table.evaluate("prim::Uninitialized", "-", makeUninitialized);
}

} // namespace tssa::pytorch
