//===- Obstacles.h - what loops can be written ------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_OBSTACLES_H
#define DIALECTS_LAYOUT_TEMPLATE_OBSTACLES_H

#include "dialects/layout/IR/MachineModel.h"
#include "dialects/layout/Template/Point.h"
#include "dialects/layout/Template/Roles.h"

namespace mlir::tssa::layout {

/// Returns the number of registers that sums may take: one is for an operand, and one for each
/// vector.
int64_t countFreeRegisters(const Point &point, const MachineModel &machine);

/// Returns whether tiles of `extent` iterations of `dim` contain whole groups or lie in one.
bool fitsGroups(const Roles &roles, unsigned dim, int64_t extent);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_OBSTACLES_H
