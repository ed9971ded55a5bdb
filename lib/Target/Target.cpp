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

/// Architectures for whose instruction sets kernels can be compiled. Emulated kernels may use the
/// instructions of the first one.
static constexpr int architectures[] = {80, 86, 87, 89, 90, 100, 120};

std::string Target::getName() const {
  switch (kind) {
  case CPU:
    return "cpu";
  case CUDA:
    return "cuda:sm_" + std::to_string(arch);
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
    return Target{Target::CPU, 0};
  if (name == "cuda-emu")
    return Target{Target::Emulator, architectures[0]};
  StringRef rest = name;
  if (!rest.consume_front("cuda:"))
    return makeError("expected cpu, cuda:sm_NN or cuda-emu, got '" + name + "'" +
                     adviseTarget(name));
  Target target{Target::CUDA, 0};
  if (!rest.consume_front("sm_") || rest.getAsInteger(10, target.arch) ||
      !is_contained(architectures, target.arch)) {
    auto names = map_range(architectures, [](int arch) { return "sm_" + std::to_string(arch); });
    return makeError("expected one of " + join(names, ", ") + " after cuda:, got '" + name + "'");
  }
  return target;
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
