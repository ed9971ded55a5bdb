//===- Canary.cpp - whether the core is as fast as it was -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canary.h"
#include "tssa/Tuner/Roof.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace tssa::tuner;

double Canary::wait() {
  constexpr double enough = 0.93;
  constexpr int mostBursts = 30;
  constexpr std::chrono::milliseconds pause(10);
  double share = 1;
  for (int burst = 0; burst < mostBursts; ++burst) {
    double rate = measureBurst(vectorBytes);
    best = std::max(best, rate);
    share = best > 0 ? rate / best : 1;
    if (share >= enough)
      break;
    std::this_thread::sleep_for(pause);
  }
  return share;
}
