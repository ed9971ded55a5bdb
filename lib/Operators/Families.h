//===- Families.h - the rows of each family of operators -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_FAMILIES_H
#define TSSA_LIB_OPERATORS_FAMILIES_H

#include "tssa/Operators/OperatorRow.h"

namespace tssa::operators {

#define FAMILY(DOMAIN, NAME) OperatorRows get##NAME##Rows();
#include "lib/Operators/Families.def"

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_FAMILIES_H
