//===- StoredConstant.h - constants stored by a layout -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_STOREDCONSTANT_H
#define DIALECTS_LAYOUT_TRANSFORMS_STOREDCONSTANT_H

#include "dialects/layout/Algebra/TensorLayout.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::tssa::layout {

/// Returns whether `value` has a byte sequence for each element: it is no splat, its bytes are
/// accessible, and an element is a whole number of bytes.
bool hasBytesOfElements(ElementsAttr value);

/// Returns the cells of `value` in `layout`. Cells without an element are zero; in a splat, all
/// cells have the value of the splat. Returns null for other values for which hasBytesOfElements
/// is false, and if the address of an element is not a sum of functions of one dim of the cell
/// each.
ElementsAttr store(ElementsAttr value, const TensorLayout &layout);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_STOREDCONSTANT_H
