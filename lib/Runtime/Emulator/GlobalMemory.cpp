//===- GlobalMemory.cpp - the device's memory in one launch ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"

#include <algorithm>

using namespace tssa::runtime::emulator;

GlobalMemory::GlobalMemory(const EmulatedLaunch &launch, bool watch) : launch(launch) {
  findParameters();
  makeRegions();
  if (watch)
    watchWrites();
}

/// Returns the allocation that contains `address`, or null.
static const Allocation *findAllocation(const EmulatedLaunch &launch, uintptr_t address) {
  if (!launch.allocations)
    return nullptr;
  for (const Allocation &allocation : *launch.allocations)
    if (address - reinterpret_cast<uintptr_t>(allocation.begin) < allocation.bytes)
      return &allocation;
  return nullptr;
}

/// Finds the parameters that point to memory: those for which the launch gives a number of bytes,
/// and those that some site uses as an address. If the launch gives no number of bytes, the
/// parameter's memory extends to the end of the allocation that contains the address.
void GlobalMemory::findParameters() {
  const tssa_emulated_kernel &kernel = *launch.kernel;
  parameters.resize(kernel.num_params);
  std::vector<bool> isPointer(kernel.num_params);
  for (int32_t i = 0; i < kernel.num_sites; ++i)
    if (isAccess(kernel.sites[i]) && kernel.sites[i].parameter >= 0)
      isPointer[kernel.sites[i].parameter] = true;
  for (int32_t i = 0; i < kernel.num_params; ++i) {
    const void *size = launch.params[kernel.num_params + i];
    if (!size && !isPointer[i])
      continue;
    Parameter &parameter = parameters[i];
    parameter.begin = *static_cast<const uintptr_t *>(launch.params[i]);
    parameter.end = parameter.begin;
    if (size)
      parameter.end += *static_cast<const int64_t *>(size);
    else if (const Allocation *allocation = findAllocation(launch, parameter.begin))
      parameter.end = reinterpret_cast<uintptr_t>(allocation->begin) + allocation->bytes;
  }
}

void GlobalMemory::makeRegions() {
  std::vector<Range> ranges;
  for (const Parameter &parameter : parameters)
    if (parameter.begin != parameter.end)
      ranges.push_back(parameter);
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  for (const Range &range : ranges) {
    if (!regions.empty() && range.begin < regions.back().end) {
      regions.back().end = std::max(regions.back().end, range.end);
      continue;
    }
    Region &region = regions.emplace_back();
    region.begin = range.begin;
    region.end = range.end;
  }
  for (Parameter &parameter : parameters)
    if (parameter.begin != parameter.end)
      parameter.region = find(parameter.begin);
}

void GlobalMemory::watchWrites() {
  const tssa_emulated_kernel &kernel = *launch.kernel;
  for (Region &region : regions) {
    auto touches = [&](const tssa_emulator_site &site) {
      if (!isAccess(site) || site.space == TSSA_EMU_SHARED)
        return false;
      return site.parameter < 0 || parameters[site.parameter].region == &region;
    };
    bool written = false;
    for (int32_t i = 0; i < kernel.num_sites; ++i)
      written |= touches(kernel.sites[i]) && kernel.sites[i].operation != TSSA_EMU_LOAD;
    if (!written)
      continue;
    region.granuleShift = getGranuleShift(kernel, touches);
    uintptr_t first = region.begin >> region.granuleShift;
    region.cells = Cells(((region.end - 1) >> region.granuleShift) - first + 1);
  }
}

Region *GlobalMemory::find(uintptr_t address) {
  auto after = std::upper_bound(
      regions.begin(), regions.end(), address,
      [](uintptr_t address, const Region &region) { return address < region.begin; });
  if (after == regions.begin() || address >= std::prev(after)->end)
    return nullptr;
  return &*std::prev(after);
}

static std::string describeOffset(const std::string &name, const Range &range, uintptr_t address) {
  std::string text = name;
  if (address < range.begin)
    text += " - " + std::to_string(range.begin - address);
  else
    text += " + " + std::to_string(address - range.begin);
  return text + " (of " + std::to_string(range.end - range.begin) + " bytes)";
}

std::string GlobalMemory::describe(uintptr_t address, int32_t parameter) const {
  if (parameter < 0)
    for (size_t i = 0; i < parameters.size() && parameter < 0; ++i)
      if (parameters[i].contains(address, 1))
        parameter = static_cast<int32_t>(i);
  std::string text;
  if (parameter >= 0)
    text = describeOffset("parameter " + std::to_string(parameter), parameters[parameter], address);
  if (const Allocation *allocation = findAllocation(launch, address)) {
    auto begin = reinterpret_cast<uintptr_t>(allocation->begin);
    std::string where = "'" + allocation->name + "' + " + std::to_string(address - begin);
    text += text.empty() ? where : " (" + where + ")";
  }
  return text.empty() ? "no memory of the device" : text;
}
