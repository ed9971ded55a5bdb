//===- WorkerExit.h - the exit codes of a worker ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_WORKEREXIT_H
#define LIB_TUNER_WORKEREXIT_H

namespace tssa::tuner {

constexpr int exitOutOfMemory = 71; ///< more memory than the limit
constexpr int exitCannotStart = 72; ///< the program of the worker does not run
constexpr int exitCutOff = 255;     ///< the connection to a worker elsewhere is lost

} // namespace tssa::tuner

#endif // LIB_TUNER_WORKEREXIT_H
