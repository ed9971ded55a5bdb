//===- CacheTile.h - the part of an operand that a block keeps -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_CACHETILE_H
#define LIB_CONVERSION_KERNELTOLOOPS_CACHETILE_H

#include "tssa/Conversion/IndexBuilder.h"
#include "tssa/Conversion/Schedule.h"
#include "tssa/Conversion/TileEmitter.h"

namespace tssa::conversion {

/// The box of points, over the loops not entered yet and those of threads, in which
/// an operand that depends on `dims` may differ. Nothing, with an error, when it has
/// no constant size.
std::optional<CacheTile> getCacheTile(IndexBuilder &index, const Schedule &schedule,
                                      llvm::ArrayRef<unsigned> dims, const CachedOperand &cache);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_CACHETILE_H
