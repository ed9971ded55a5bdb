#include "dialects/te/IR/TEOps.h"
#include "dialects/layout/IR/LayoutOps.h"
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
