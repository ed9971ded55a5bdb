//===- ExpandUpdate.h - updates of windows as expressions with pieces ----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An update that writes a window of its base, a box with constant bounds, has the same result as
/// an expression with pieces: the body of the update in the window, and the base elsewhere. So has
/// a chain of such updates. As an expression, it can be merged with the expression that computes the
/// base and with its readers, and elements that are written again are never computed. This is the
/// vertical fusion of access and assign of TensorSSA (section 4).
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_EXPANDUPDATE_H
#define DIALECTS_TE_TRANSFORMS_EXPANDUPDATE_H

#include "dialects/te/IR/TEOps.h"
#include "tssa/Support/Transforms.h"

namespace mlir::tssa::te {

/// Builds before `last` an expression with the same result as the chain of updates that ends with
/// `last`, and replaces the chain. If `last` should stay an update, for example because the base
/// would be stored nevertheless, returns null and sets `obstacle`. `apply`: whether what it costs
/// decides.
ComputeOp expandUpdates(RewriterBase &rewriter, UpdateOp last, ::tssa::Apply apply,
                        StringRef &obstacle);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_EXPANDUPDATE_H
