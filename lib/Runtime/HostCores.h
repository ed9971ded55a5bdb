//===- HostCores.h - the processors that this process may use ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_HOSTCORES_H
#define TSSA_LIB_RUNTIME_HOSTCORES_H

#include <optional>
#include <pthread.h>
#include <vector>

namespace tssa::runtime {

/// Returns the logical processors in this thread's affinity mask, one per physical core.
std::vector<int> getAllowedCores();

/// Returns the CPU quota of the cgroup, in processors; nothing if there is no limit.
std::optional<double> getQuota();

void pinThread(pthread_t thread, int core);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_HOSTCORES_H
