//===- RunPage.h - the report of runs as a page --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_RUNPAGE_H
#define TSSA_TOOLS_TSSA_RUN_RUNPAGE_H

#include "Report.h"

#include "tssa/Runtime/Trace.h"
#include "tssa/Tuner/Roof.h"

namespace tssa::run {

/// What a page shows of runs.
struct RunPage {
  /// Has times of the runs and of the launches, and outputs.
  const Report &report;
  /// Has at least one run, whose memory is shown.
  const runtime::Trace &trace;
  const std::vector<runtime::NamedTensor> &inputs;
  tuner::Roof roof; ///< of one thread of this machine; empty for devices
  int64_t when = 0; ///< seconds since 1970
};

/// Measures the roof of this machine for the program; returns an empty one for devices.
tuner::Roof measureRoof(const Report &report);

/// Returns the page, one file of HTML.
std::string printPage(const RunPage &page);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_RUNPAGE_H
