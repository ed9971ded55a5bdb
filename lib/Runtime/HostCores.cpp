//===- HostCores.cpp -----------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostCores.h"

#include "tssa/Runtime/ThreadPool.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <set>
#include <string>

using namespace tssa::runtime;

static std::string readLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<int> tssa::runtime::getAllowedCores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return cores;
  std::set<std::string> seen;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed))
      continue;
    std::string siblings = readLine("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                                    "/topology/thread_siblings_list");
    if (siblings.empty() || seen.insert(siblings).second)
      cores.push_back(cpu);
  }
  return cores;
}

/// Reads the quota, "QUOTA PERIOD", of one cgroup v2 directory.
static std::optional<double> readQuota(const std::string &directory) {
  std::ifstream file(directory + "/cpu.max");
  double quota, period;
  if (file >> quota >> period && quota > 0 && period > 0)
    return quota / period;
  return std::nullopt;
}

std::optional<double> tssa::runtime::getQuota() {
  std::optional<double> least;
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    if (line.compare(0, 3, "0::") != 0)
      continue;
    // The limits of all enclosing groups apply.
    std::string group = line.substr(3);
    while (true) {
      std::optional<double> quota = readQuota("/sys/fs/cgroup" + group);
      if (quota && (!least || *quota < *least))
        least = quota;
      size_t slash = group.rfind('/');
      if (slash == std::string::npos)
        break;
      group.resize(slash);
    }
  }
  return least;
}

void tssa::runtime::pinThread(pthread_t thread, int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  // Best effort: an unpinned worker is only slower.
  (void)pthread_setaffinity_np(thread, sizeof(set), &set);
}

unsigned tssa::runtime::getDefaultThreadCount() {
  unsigned count = unsigned(getAllowedCores().size());
  if (std::optional<double> quota = getQuota())
    count = std::min(count, unsigned(std::ceil(*quota)));
  return std::max(count, 1u);
}
