// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
bool isArena(Operation *op) { return op->hasAttr("te.arena"); }
bool isLast(Pass *pass) { return pass->getArgument() == "te-merge"; }
