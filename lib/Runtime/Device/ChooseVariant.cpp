//===- ChooseVariant.cpp --------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ChooseVariant.h"

#include "CUDADevice.h"

#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/NearName.h"

#include <charconv>

using namespace tssa::runtime;

static constexpr std::string_view cudaPrefix = "cuda:";

static bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

static std::string listTargets(const Manifest &manifest) {
  std::string text;
  for (const Variant &variant : manifest.variants)
    text += (text.empty() ? "" : ", ") + printable(variant.target);
  return text;
}

static Status missing(const Manifest &manifest, const std::string &target) {
  return makeError(TSSA_INCOMPATIBLE, "the program has no variant for " + target + ", it has " +
                                          listTargets(manifest) +
                                          "; compile one with tssa-compile --target=" + target);
}

/// The variant for `target` if the host can run its code.
static Status chooseTarget(const Manifest &manifest, const std::string &target,
                           DeviceChoice &choice) {
  for (size_t i = 0; i < manifest.variants.size(); ++i) {
    if (manifest.variants[i].target != target)
      continue;
    choice.variant = i;
    return checkHost(manifest, manifest.variants[i]);
  }
  return missing(manifest, target);
}

static bool hasCUDA(const Manifest &manifest) {
  for (const Variant &variant : manifest.variants)
    if (startsWith(variant.target, cudaPrefix))
      return true;
  return false;
}

static std::string describeDevice(const CUDADriver &driver, size_t ordinal) {
  return "cuda:" + std::to_string(ordinal) + " (" + driver.devices[ordinal].name + ", sm_" +
         std::to_string(driver.devices[ordinal].arch) + ")";
}

/// The latest arch among images of a variant that the device runs, 0 for none.
static int getBestArch(const Variant &variant, int device) {
  int best = 0;
  for (const Image &image : variant.images)
    if (runsOn(image, device))
      best = std::max(best, image.arch);
  return best;
}

/// The variant that is nearest to a device.
static Status chooseForDevice(const Manifest &manifest, const CUDADriver &driver, size_t ordinal,
                              DeviceChoice &choice) {
  int device = driver.devices[ordinal].arch, best = 0;
  for (size_t i = 0; i < manifest.variants.size(); ++i) {
    const Variant &variant = manifest.variants[i];
    if (!startsWith(variant.target, cudaPrefix) || getBestArch(variant, device) <= best)
      continue;
    best = getBestArch(variant, device);
    choice.variant = i;
  }
  if (best == 0)
    return makeError(TSSA_INCOMPATIBLE,
                     describeDevice(driver, ordinal) +
                         " runs none of the program's variants: it has " + listTargets(manifest) +
                         "; compile one with tssa-compile --target=cuda:sm_" +
                         std::to_string(device));
  choice.kind = DeviceChoice::CUDA;
  choice.ordinal = int32_t(ordinal);
  return checkHost(manifest, manifest.variants[choice.variant]);
}

/// Device `wanted`, or the first that a variant runs on.
static Status chooseCUDA(const Manifest &manifest, std::optional<size_t> wanted,
                         DeviceChoice &choice) {
  if (!hasCUDA(manifest))
    return missing(manifest, "cuda:sm_90");
  const CUDADriver *driver;
  if (Status status = CUDADriver::get(driver); !status.ok())
    return status;
  if (wanted && *wanted >= driver->devices.size())
    return makeError(TSSA_INCOMPATIBLE, "there is no CUDA device " + std::to_string(*wanted) +
                                            ", there are " +
                                            std::to_string(driver->devices.size()) + ", from " +
                                            describeDevice(*driver, 0) + " on");
  if (wanted)
    return chooseForDevice(manifest, *driver, *wanted, choice);
  Status first;
  for (size_t i = 0; i < driver->devices.size(); ++i) {
    Status status = chooseForDevice(manifest, *driver, i, choice);
    if (status.ok())
      return status;
    if (first.ok())
      first = std::move(status);
  }
  return first;
}

static Status chooseEmulator(const Manifest &manifest, DeviceChoice &choice) {
  choice.kind = DeviceChoice::Emulator;
  return chooseTarget(manifest, "cuda-emu", choice);
}

/// The first that works of CUDA, CPU and emulator.
static Status chooseAny(const Manifest &manifest, DeviceChoice &choice) {
  std::string reasons;
  auto works = [&](bool there, auto choose) {
    if (!there)
      return false;
    choice = {};
    Status status = choose();
    if (!status.ok())
      reasons += (reasons.empty() ? "" : "; ") + status.message;
    return status.ok();
  };
  auto has = [&](const char *target) {
    for (const Variant &variant : manifest.variants)
      if (variant.target == target)
        return true;
    return false;
  };
  if (works(hasCUDA(manifest), [&] { return chooseCUDA(manifest, std::nullopt, choice); }) ||
      works(has("cpu"), [&] { return chooseTarget(manifest, "cpu", choice); }) ||
      works(has("cuda-emu"), [&] { return chooseEmulator(manifest, choice); }))
    return Status::success();
  if (!has("cpu"))
    reasons += (reasons.empty() ? "" : "; ") + missing(manifest, "cpu").message;
  return makeError(TSSA_INCOMPATIBLE, reasons);
}

Status tssa::runtime::chooseVariant(const Manifest &manifest, const std::string &device,
                                    DeviceChoice &choice) {
  choice = {};
  if (device.empty() || device == "auto")
    return chooseAny(manifest, choice);
  if (device == "cpu")
    return chooseTarget(manifest, "cpu", choice);
  if (device == "cuda-emu")
    return chooseEmulator(manifest, choice);
  size_t ordinal = 0;
  const char *end = device.data() + device.size();
  if (startsWith(device, cudaPrefix) && device.size() > cudaPrefix.size()) {
    auto number = std::from_chars(device.data() + cudaPrefix.size(), end, ordinal);
    if (number.ec == std::errc() && number.ptr == end)
      return chooseCUDA(manifest, ordinal, choice);
  }
  return makeError(TSSA_INVALID_ARGUMENT, "device '" + printable(device) +
                                              "': expected auto, cpu, cuda:<number> or cuda-emu");
}
