//===- RandomStores.h - random layouts for the tensors of kernels ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_PROGRAMS_RANDOMSTORES_H
#define TEST_PROGRAMS_RANDOMSTORES_H

#include "mlir/IR/BuiltinOps.h"

namespace tssa::reference {

/// Adds random `layout.store` ops to the kernels of `module`, which have no schedules yet. `kind`
/// is the primitive of the maps: `reorder`, `split`, `fuse` or `pad`, or `any` for lists of
/// several. With `template` they are the maps of a random point of the template. Stores that cannot
/// be applied are left out, except for the kind `illegal`: its numbers are random, and one store of
/// the module may be wrong. Returns the number of stores.
unsigned addRandomStores(mlir::ModuleOp module, uint64_t seed, llvm::StringRef kind);

} // namespace tssa::reference

#endif // TEST_PROGRAMS_RANDOMSTORES_H
