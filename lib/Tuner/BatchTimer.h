//===- BatchTimer.h - how long a call takes ---------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_BATCHTIMER_H
#define LIB_TUNER_BATCHTIMER_H

#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <vector>

namespace tssa::tuner {

/// Times a function in batches of at least a millisecond and two calls. With one thread, time is
/// that of the calling thread's CPU clock, else of the wall clock.
class BatchTimer {
public:
  /// `call` uses `threads` threads. At most `repeats` batches are repeated because something else
  /// ran meanwhile.
  BatchTimer(std::function<void()> call, unsigned threads, unsigned repeats);

  /// Finds out how many calls make a batch; they also warm the caches.
  void calibrate();
  /// Runs one batch. If another thread had the CPU meanwhile, runs it again.
  void run();

  unsigned getNumBatches() const { return times.size(); }
  /// The following need at least one batch. Times are those of a call, in seconds.
  double getMedian() const;
  double getLeast() const;
  /// Returns half the width of the interval of order statistics that holds the median with a
  /// probability of about 95 %, relative to the median.
  double getHalfWidth() const;
  double getCPUOverWall() const { return wall > 0 ? cpu / wall : 0; }

private:
  /// The clocks during a batch, in seconds.
  struct Batch {
    double wall = 0, cpu = 0;
    bool isDisturbed = false;
  };
  Batch runBatch() const;
  std::vector<double> sortTimes() const;

  std::function<void()> call;
  unsigned threads, repeats;
  int64_t calls = 1;
  std::vector<double> times;
  double wall = 0, cpu = 0;
};

} // namespace tssa::tuner

#endif // LIB_TUNER_BATCHTIMER_H
