//===- SquaredLoss.h - an operator of the tutorial -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_TUTORIAL_SQUAREDLOSS_H
#define TEST_TUTORIAL_SQUAREDLOSS_H

#include "tssa/Operators/OperatorRow.h"

namespace tssa::operators {

/// The operator `SquaredLoss` of a domain of its own, `tutorial`.
OperatorRows getSquaredLossRows();

} // namespace tssa::operators

#endif // TEST_TUTORIAL_SQUAREDLOSS_H
