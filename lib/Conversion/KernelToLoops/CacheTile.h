//===- CacheTile.h - the part of an operand that a block caches -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_CACHETILE_H
#define LIB_CONVERSION_KERNELTOLOOPS_CACHETILE_H

#include "tssa/Conversion/IndexBuilder.h"
#include "tssa/Conversion/TileEmitter.h"

namespace tssa::conversion {

/// Returns the box of points for which a block caches an operand. The operand depends on `dims`.
/// The box spans the thread loops and all loops that are not entered yet. Reports an error and
/// returns nothing if the size of the box is not constant.
std::optional<CacheTile> getCacheTile(IndexBuilder &index, const Schedule &schedule,
                                      llvm::ArrayRef<unsigned> dims, const CachedOperand &cache);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_CACHETILE_H
