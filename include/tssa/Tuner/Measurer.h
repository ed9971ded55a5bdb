//===- Measurer.h - who builds, checks and times candidates -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_MEASURER_H
#define TSSA_TUNER_MEASURER_H

#include "tssa/Tuner/Outcome.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace tssa::tuner {

/// No worker is left that could measure. It says nothing about a candidate or a kernel.
class WorkersLost : public llvm::ErrorInfo<WorkersLost> {
public:
  static char ID;

  explicit WorkersLost(std::string message) : message(std::move(message)) {}
  void log(llvm::raw_ostream &stream) const override { stream << message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string message;
};

/// Measures points of tasks. A point is the text of its loops (tuner::print of a KernelPoint).
class Measurer {
public:
  virtual ~Measurer() = default;

  /// Says which task the following points are of, and which point is its default. Fails with a
  /// sentence if the kernel cannot be measured alone, or with WorkersLost, like the others.
  virtual llvm::Error open(const search::Task &task, llvm::StringRef defaultPoint) = 0;
  /// Builds points on all cores, then checks and times them one by one. `bestSeconds` is the least
  /// time so far: a candidate that is far slower is timed less exactly. A point that fails is an
  /// outcome, not an error.
  virtual llvm::Expected<std::vector<Outcome>> measure(llvm::ArrayRef<std::string> points,
                                                       std::optional<double> bestSeconds) = 0;
  /// Times several points in turns, so that they can be compared.
  virtual llvm::Expected<std::vector<Outcome>> compare(llvm::ArrayRef<std::string> points) = 0;
};

} // namespace tssa::tuner

#endif // TSSA_TUNER_MEASURER_H
