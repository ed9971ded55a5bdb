//===- HostCores.h - processors this process may use ---------------------===//
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

/// Logical processors in this thread's affinity mask, one per physical core.
std::vector<int> getAllowedCores();

/// Processors' worth of time that the cgroup allows, if it limits it.
std::optional<double> getQuota();

void pinThread(pthread_t thread, int core);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_HOSTCORES_H
