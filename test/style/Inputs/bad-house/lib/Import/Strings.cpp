// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
bool isArena(Operation *op) { return op->hasAttr("te.arena"); }
