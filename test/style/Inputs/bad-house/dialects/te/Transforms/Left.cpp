#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/te/IR/TEOps.h"
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
