//===- LaunchTimes.cpp - measured times of launches -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchTimes.h"
#include "tssa/Pipeline/CheckText.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace llvm;

namespace tssa::compile {

static Error fail(StringRef path, const Twine &text) {
  return createStringError(inconvertibleErrorCode(), "--times: '" + path + "' " + text);
}

static bool read(const json::Value &value, size_t number, LaunchTime &time) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return false;
  std::optional<StringRef> kernel = object->getString("kernel");
  std::optional<double> ms = object->getNumber("ms");
  if (!kernel || !ms || !std::isfinite(*ms) || *ms < 0 ||
      object->getInteger("launch") != static_cast<int64_t>(number))
    return false;
  time = {kernel->str(), *ms};
  return true;
}

Expected<std::vector<LaunchTime>> readLaunchTimes(StringRef path) {
  constexpr uint64_t mostBytes = uint64_t(64) << 20;
  auto file = MemoryBuffer::getFile(path);
  if (!file)
    return fail(path, "cannot be read: " + file.getError().message());
  StringRef text = (*file)->getBuffer();
  if (text.size() > mostBytes)
    return fail(path, "is too long");
  if (Error error = checkText(text))
    return fail(path, "is no profile: " + toString(std::move(error)));
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return fail(path, "is no profile: " + toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  const json::Array *profile = object ? object->getArray("profile") : nullptr;
  if (!profile)
    return fail(path, "has no profile: write it with tssa-run MODEL --profile --json");
  std::vector<LaunchTime> times(profile->size());
  for (auto [number, entry] : enumerate(*profile))
    if (!read(entry, number, times[number]))
      return fail(path, "has no kernel or time of launch " + Twine(number));
  return times;
}

} // namespace tssa::compile
