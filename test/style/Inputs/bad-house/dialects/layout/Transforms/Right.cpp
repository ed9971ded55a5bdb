#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/Builders.h"
#include "tssa/Support/Errors.h"
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
