//===- LayoutAttributes.h - how tensors are stored -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_IR_LAYOUTATTRIBUTES_H
#define DIALECTS_LAYOUT_IR_LAYOUTATTRIBUTES_H

#include "dialects/layout/Algebra/LayoutMap.h"
#include "dialects/layout/IR/DeviceModel.h"
#include "dialects/layout/IR/MachineModel.h"
#include "mlir/IR/Attributes.h"

#include "dialects/layout/IR/LayoutEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/layout/IR/LayoutAttributes.h.inc"

#endif // DIALECTS_LAYOUT_IR_LAYOUTATTRIBUTES_H
