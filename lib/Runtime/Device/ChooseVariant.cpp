//===- ChooseVariant.cpp --------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ChooseVariant.h"

#include "CUDADevice.h"

#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/DeviceCheck.h"
#include "tssa/Runtime/NearName.h"
#include "tssa/Support/GPUArch.h"

#include <charconv>

using namespace tssa;
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

/// Chooses the first variant for `target` whose code the host can run.
static Status chooseTarget(const Manifest &manifest, const std::string &target,
                           DeviceChoice &choice) {
  std::string reasons;
  for (size_t i = 0; i < manifest.variants.size(); ++i) {
    if (manifest.variants[i].target != target)
      continue;
    choice.variant = i;
    Status status = checkHost(manifest, manifest.variants[i]);
    if (status.ok() || status.code != TSSA_INCOMPATIBLE)
      return status;
    reasons += (reasons.empty() ? "" : "; ") + status.message;
  }
  return reasons.empty() ? missing(manifest, target) : makeError(TSSA_INCOMPATIBLE, reasons);
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

/// Returns the latest arch of a variant's images that the device can run.
static std::optional<GPUArch> getBestArch(const Variant &variant, int device) {
  std::optional<GPUArch> best;
  for (const Image &image : variant.images)
    if (runsOn(image, device))
      best = std::max(best, GPUArch::parse(image.arch));
  return best;
}

/// Returns the latest arch in `compiledArchs` that the device can run; 0 if there is none.
static int getBestTarget(int device) {
  int best = 0;
  for (int arch : compiledArchs)
    if (arch <= device)
      best = arch;
  return best;
}

static std::string adviseTarget(int device) {
  if (int best = getBestTarget(device))
    return "compile one with tssa-compile --target=cuda:sm_" + std::to_string(best);
  return "the oldest that programs are compiled for is sm_" + std::to_string(compiledArchs[0]);
}

/// Chooses the variant with the latest arch that the device can run.
static Status chooseForDevice(const Manifest &manifest, const CUDADriver &driver, size_t ordinal,
                              DeviceChoice &choice) {
  int device = driver.devices[ordinal].arch;
  std::optional<GPUArch> best;
  for (size_t i = 0; i < manifest.variants.size(); ++i) {
    const Variant &variant = manifest.variants[i];
    std::optional<GPUArch> own = getBestArch(variant, device);
    if (!startsWith(variant.target, cudaPrefix) || !(best < own))
      continue;
    best = own;
    choice.variant = i;
  }
  if (!best)
    return makeError(TSSA_INCOMPATIBLE, describeDevice(driver, ordinal) +
                                            " runs none of the program's variants: it has " +
                                            listTargets(manifest) + "; " + adviseTarget(device));
  choice.kind = DeviceChoice::CUDA;
  choice.ordinal = int32_t(ordinal);
  return checkHost(manifest, manifest.variants[choice.variant]);
}

/// Sets `driver`; fails unless the machine has CUDA device `ordinal`.
static Status findDevice(size_t ordinal, const CUDADriver *&driver) {
  if (Status status = CUDADriver::get(driver); !status.ok())
    return status;
  size_t count = driver->devices.size();
  if (ordinal < count)
    return Status::success();
  std::string there = describeDevice(*driver, 0);
  if (count > 1)
    there += " to " + describeDevice(*driver, count - 1);
  return makeError(TSSA_INCOMPATIBLE, "there is no CUDA device " + std::to_string(ordinal) +
                                          ", the driver has " + there);
}

/// Chooses device `wanted`, or the first device that can run a variant.
static Status chooseCUDA(const Manifest &manifest, std::optional<size_t> wanted,
                         DeviceChoice &choice) {
  if (!hasCUDA(manifest))
    return missing(manifest, "cuda:sm_90");
  const CUDADriver *driver;
  if (Status status = findDevice(wanted.value_or(0), driver); !status.ok())
    return status;
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

/// Chooses the first of CUDA, CPU and emulator that can run the program.
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

/// Returns the number in "cuda:<number>"; nothing for other texts.
static std::optional<size_t> parseOrdinal(std::string_view device) {
  if (!startsWith(device, cudaPrefix))
    return std::nullopt;
  size_t ordinal = 0;
  const char *end = device.data() + device.size();
  auto number = std::from_chars(device.data() + cudaPrefix.size(), end, ordinal);
  if (number.ec != std::errc() || number.ptr != end)
    return std::nullopt;
  return ordinal;
}

static Status unknownDevice(const std::string &device) {
  return makeError(TSSA_INVALID_ARGUMENT, "device '" + printable(device) +
                                              "': expected auto, cpu, cuda:<number> or cuda-emu");
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
  if (std::optional<size_t> ordinal = parseOrdinal(device))
    return chooseCUDA(manifest, ordinal, choice);
  return unknownDevice(device);
}

Status tssa::runtime::checkMachine(const Manifest &manifest, const std::string &device,
                                   std::string &name) {
  DeviceChoice choice;
  if (Status status = chooseVariant(manifest, device, choice); !status.ok())
    return status;
  const CUDADriver *driver;
  if (choice.kind != DeviceChoice::CUDA) {
    name = choice.kind == DeviceChoice::CPU ? "cpu" : "cuda-emu";
    return Status::success();
  }
  if (Status status = CUDADriver::get(driver); !status.ok())
    return status;
  name = describeDevice(*driver, size_t(choice.ordinal));
  return Status::success();
}

Status tssa::runtime::findTarget(const std::string &device, std::string &target) {
  std::optional<size_t> ordinal = parseOrdinal(device);
  target = device == "auto" ? "" : device;
  if (device.empty() || device == "auto" || device == "cpu" || device == "cuda-emu")
    return Status::success();
  if (!ordinal)
    return unknownDevice(device);
  const CUDADriver *driver;
  if (Status status = findDevice(*ordinal, driver); !status.ok())
    return status;
  int arch = driver->devices[*ordinal].arch, best = getBestTarget(arch);
  if (best == 0)
    return makeError(TSSA_INCOMPATIBLE,
                     describeDevice(*driver, *ordinal) + ": " + adviseTarget(arch));
  target = "cuda:sm_" + std::to_string(best);
  return Status::success();
}
