//===- LoopWords.h - loops and layouts in words -----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_LOOPWORDS_H
#define LIB_TUNER_LOOPWORDS_H

#include "tssa/Tuner/TaskKernel.h"

namespace tssa::tuner {

/// Returns a sentence part for each expression of `kernel` with the loops of `point`, such as
/// `2 x 16 lanes along d2 (out), 13 rows of d1 (image), d3 (in) unrolled 4 times, loops d1 d2, then
/// d3`. Dims of size 1 are left out.
std::string describeLoops(const TaskKernel &kernel, const KernelPoint &point);

/// Returns the ops behind the stores in the text of a record, without the loops' types: for a
/// record whose point is not known.
std::string describeSchedule(llvm::StringRef record);

/// Returns what the text of a task says of the layouts of its ends, such as `@y as reorder(0, 2, 3,
/// 1)`, or `as in the model` if no end is stored otherwise.
std::string describeStores(llvm::StringRef text);

} // namespace tssa::tuner

#endif // LIB_TUNER_LOOPWORDS_H
