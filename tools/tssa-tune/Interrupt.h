//===- Interrupt.h - ending a search early ----------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_INTERRUPT_H
#define TOOLS_TSSA_TUNE_INTERRUPT_H

namespace tssa::tune {

/// Makes SIGINT end the search after the round that is being measured, so that what was found is
/// recorded. The second one ends the process. A SIGINT that is ignored stays so.
void takeInterrupts();

/// Returns whether there was a SIGINT.
bool isInterrupted();

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_INTERRUPT_H
