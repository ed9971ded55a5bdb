//===- Machine.cpp - the features of a CPU --------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Target/CPU.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

namespace tssa::cpu {

static constexpr const char *targetTriple = "x86_64-unknown-linux-gnu";

/// Instruction sets that code generation uses. Other instruction sets (for operating systems, for
/// cryptography) would needlessly tie an artifact to one machine.
static constexpr const char *usedFeatures[] = {"64bit",
                                               "adx",
                                               "avx",
                                               "avx2",
                                               "avx512bf16",
                                               "avx512bitalg",
                                               "avx512bw",
                                               "avx512cd",
                                               "avx512dq",
                                               "avx512f",
                                               "avx512fp16",
                                               "avx512ifma",
                                               "avx512vbmi",
                                               "avx512vbmi2",
                                               "avx512vl",
                                               "avx512vnni",
                                               "avx512vpopcntdq",
                                               "avxvnni",
                                               "bmi",
                                               "bmi2",
                                               "cmov",
                                               "cx8",
                                               "f16c",
                                               "fma",
                                               "fxsr",
                                               "lzcnt",
                                               "mmx",
                                               "movbe",
                                               "popcnt",
                                               "sse",
                                               "sse2",
                                               "sse3",
                                               "sse4.1",
                                               "sse4.2",
                                               "ssse3",
                                               "x87"};

static Error makeError(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

static Expected<const Target *> getTarget() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
  std::string message;
  if (const Target *target = TargetRegistry::lookupTarget(Triple(targetTriple), message))
    return target;
  return makeError(message);
}

std::string Machine::getFeatureString() const {
  std::string text;
  for (const std::string &feature : features)
    text += (text.empty() ? "+" : ",+") + feature;
  return text;
}

Expected<Machine> resolveMachine(StringRef mcpu) {
  Expected<const Target *> target = getTarget();
  if (!target)
    return target.takeError();
  Machine machine;
  machine.triple = targetTriple;
  SmallVector<std::string> hostFeatures;
  if (mcpu == "native") {
    if (!Triple(sys::getProcessTriple()).isX86())
      return makeError("--mcpu=native needs an x86-64 machine; name a CPU, such as x86-64-v3");
    machine.cpu = sys::getHostCPUName().str();
    for (auto &feature : sys::getHostCPUFeatures())
      hostFeatures.push_back((feature.second ? "+" : "-") + feature.first().str());
  } else {
    machine.cpu = mcpu.str();
  }
  llvm::sort(hostFeatures);
  std::unique_ptr<MCSubtargetInfo> subtarget((*target)->createMCSubtargetInfo(
      Triple(targetTriple), mcpu == "native" ? "x86-64" : machine.cpu,
      llvm::join(hostFeatures, ",")));
  if (!subtarget->isCPUStringValid(machine.cpu) || !subtarget->checkFeatures("+64bit"))
    return makeError("expected an x86-64 CPU for --mcpu, such as native, x86-64-v3 or x86-64-v4; "
                     "got '" +
                     machine.cpu + "'");
  for (const char *feature : usedFeatures)
    if (subtarget->checkFeatures("+" + std::string(feature)))
      machine.features.push_back(feature);
  auto has = [&](const char *feature) { return llvm::is_contained(machine.features, feature); };
  // Without these features, conversions and fused multiply-adds would call a library.
  for (const char *feature : {"avx2", "fma", "f16c"})
    if (!has(feature))
      return makeError("expected a CPU with AVX2, FMA and F16C, such as x86-64-v3; '" +
                       machine.cpu + "' has no " + feature);
  machine.vectorBytes = has("avx512f") && has("avx512vl") ? 64 : 32;
  return machine;
}

Expected<std::unique_ptr<TargetMachine>> createTargetMachine(const Machine &machine) {
  Expected<const Target *> target = getTarget();
  if (!target)
    return target.takeError();
  TargetOptions options;
  options.FunctionSections = true;
  // The name of the CPU only selects the scheduling model; the features decide which instructions
  // are used.
  std::unique_ptr<TargetMachine> result((*target)->createTargetMachine(
      Triple(machine.triple), "x86-64", machine.getFeatureString(), options, Reloc::PIC_,
      CodeModel::Small, CodeGenOptLevel::Aggressive));
  if (!result)
    return makeError("no code generator for " + machine.triple);
  return result;
}

} // namespace tssa::cpu
