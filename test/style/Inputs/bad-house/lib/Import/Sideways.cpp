#include "tssa/Conversion/Passes.h"
#include "../Conversion/Passes.h"
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
