//===- Report.h - a recorded session, to be looked at -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a database has of a session, as data and as a page. The database is untrusted: the page
/// escapes every text and limits their number and length.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_REPORT_H
#define TSSA_TUNER_REPORT_H

#include "tssa/Target/CPU.h"
#include "tssa/Tuner/Session.h"

namespace tssa::tuner {

/// A task of a recorded session.
struct TaskReport {
  std::string key, name;
  std::string nodes, types; ///< as in PlannedTask
  double calls = 1;
  /// Seconds of one call with the default loops, with the best ones and at the roof; 0 if unknown.
  double defaultSeconds = 0, bestSeconds = 0, roofSeconds = 0;
  /// The seconds of the trials in their order, none for those that failed. The first `numEarlier`
  /// are of earlier sessions.
  std::vector<std::optional<double>> trials;
  size_t numEarlier = 0;
  std::map<search::TrialStatus, uint64_t> failures; ///< of this session
  bool isTuned = false;
  std::string loops, stores; ///< of the winner, in words
  std::string reason;        ///< why the default stays; empty if it does not

  uint64_t countTrials() const { return trials.size() - numEarlier; } ///< of this session
  uint64_t countFailures() const;
  /// Seconds of one run of the model in this kernel.
  double getDefaultOfModel() const { return calls * defaultSeconds; }
  double getBestOfModel() const { return calls * bestSeconds; }
};

/// A recorded session.
struct SessionReport {
  int64_t number = 0;
  Plan plan;
  /// When its last trial ended, in seconds since 1970; 0 if it has none.
  int64_t when = 0;
  std::optional<search::ProgramTimes> program; ///< of one run, if it was timed
  std::vector<TaskReport> tasks;               ///< the one with the longest time first
};

/// Returns how a trial ended, in a word or two.
llvm::StringRef getName(search::TrialStatus status);

/// Returns a time in a unit that fits, such as `81.2 us`.
std::string printTime(double seconds);

/// Reads a session of `database`. Fails with a sentence if there is none or if its plan is damaged.
/// A damaged task only lacks what cannot be read.
llvm::Expected<SessionReport> readReport(search::Database &database, int64_t number,
                                         mlir::MLIRContext &context, const cpu::Machine &machine);

/// Returns the page of a session: one HTML file that refers to no other one.
std::string printPage(const SessionReport &report);

} // namespace tssa::tuner

#endif // TSSA_TUNER_REPORT_H
