#include "dialects/te/IR/TEOps.h"
#include "tssa/Support/Errors.h"
#include "mlir/IR/Builders.h"
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
