//===- Progress.h - what a long job does at the moment ---------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_SUPPORT_PROGRESS_H
#define TSSA_SUPPORT_PROGRESS_H

#include <functional>
#include <string>

namespace tssa {

/// The begin of a step of a job, or a kernel that a step has done.
struct ProgressEvent {
  /// Such as `layout`, the name of a stage; with several targets `cuda:sm_90 layout`.
  std::string step;
  /// How many kernels the step has done, and of how many. `kernels` is 0 if the program has no
  /// kernels yet.
  size_t done = 0, kernels = 0;
};

/// Takes the events of a job. May be called by several threads at the same time; empty if nobody
/// wants to know.
using ProgressFunction = std::function<void(const ProgressEvent &)>;

} // namespace tssa

#endif // TSSA_SUPPORT_PROGRESS_H
