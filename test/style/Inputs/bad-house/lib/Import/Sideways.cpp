#include "../Conversion/Passes.h"
#include "tssa/Conversion/Passes.h"
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
