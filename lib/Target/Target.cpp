//===- Target.cpp - the targets of compilation ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tssa {

std::string Target::getName() const {
  switch (kind) {
  case CPU:
    return "cpu";
  case CUDA:
    return "cuda:" + arch.getName();
  case Emulator:
    return "cuda-emu";
  }
  llvm_unreachable("a kind of target");
}

static Error makeError(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

/// Returns what was probably meant by `name`, or "".
static std::string adviseTarget(StringRef name) {
  if (name.starts_with("sm_"))
    return ("; did you mean 'cuda:" + name + "'?").str();
  if (is_contained({"cuda", "gpu", "nvidia"}, name.lower()))
    return ": write cuda for the GPU of this machine, or the architecture of another one, such as "
           "cuda:sm_90";
  return is_contained({"x86", "x86-64", "x86_64", "native", "host"}, name.lower())
             ? "; did you mean 'cpu'?"
             : "";
}

Expected<Target> parseTarget(StringRef name) {
  if (name == "cpu")
    return Target{Target::CPU};
  if (name == "cuda-emu")
    return Target{Target::Emulator, {compiledArchs[0]}};
  StringRef rest = name;
  if (!rest.consume_front("cuda:"))
    return makeError("expected cpu, cuda:sm_NN or cuda-emu, got '" + name + "'" +
                     adviseTarget(name));
  std::optional<GPUArch> arch = GPUArch::parse(rest);
  if (!arch || !is_contained(compiledArchs, arch->number) ||
      (arch->isSpecific && !hasSpecificCode(arch->number))) {
    SmallVector<std::string> names;
    for (int number : compiledArchs)
      names.push_back(GPUArch{number}.getName() + (hasSpecificCode(number) ? "[a]" : ""));
    return makeError("expected one of " + join(names, ", ") + " after cuda:, got '" + name + "'");
  }
  return Target{Target::CUDA, *arch};
}

Expected<std::vector<Target>> parseTargets(StringRef list) {
  std::vector<Target> targets;
  for (StringRef name : split(list, ',')) {
    Expected<Target> target = parseTarget(name);
    if (!target)
      return target.takeError();
    if (is_contained(targets, *target))
      return makeError("'" + name + "' is given twice");
    targets.push_back(*target);
  }
  return targets;
}

} // namespace tssa
