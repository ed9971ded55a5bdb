//===- Machine.cpp - the features of a CPU --------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineModels.h"
#include "tssa/Runtime/NearName.h"
#include "tssa/Target/CPU.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace llvm;

namespace tssa::cpu {

static constexpr const char *targetTriple = "x86_64-unknown-linux-gnu";

/// Instruction sets that code generation uses. Other instruction sets (for operating systems, for
/// cryptography) would needlessly tie an artifact to one machine.
static constexpr const char *usedFeatures[] = {
    "64bit",      "adx",         "amx-bf16",   "amx-int8",     "amx-tile",
    "avx",        "avx2",        "avx512bf16", "avx512bitalg", "avx512bw",
    "avx512cd",   "avx512dq",    "avx512f",    "avx512fp16",   "avx512ifma",
    "avx512vbmi", "avx512vbmi2", "avx512vl",   "avx512vnni",   "avx512vpopcntdq",
    "avxvnni",    "bmi",         "bmi2",       "cmov",         "cx8",
    "f16c",       "fma",         "fxsr",       "lzcnt",        "mmx",
    "movbe",      "popcnt",      "sse",        "sse2",         "sse3",
    "sse4.1",     "sse4.2",      "ssse3",      "x87"};

static Error makeError(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

/// Registers the target with LLVM, whose registry is not safe with several threads.
static void registerTarget() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
}

static Expected<const Target *> getTarget() {
  static std::once_flag once;
  std::call_once(once, registerTarget);
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

StringRef getGenericCPU(const Machine &machine) {
  return machine.vectorBytes == 64 ? "x86-64-v4" : "x86-64-v3";
}

/// Returns what LLVM knows of a CPU, with `features` added or removed. `name` is that of the CPU
/// itself, which must be known too.
static Expected<std::unique_ptr<MCSubtargetInfo>> getSubtarget(StringRef name, StringRef cpu,
                                                               ArrayRef<std::string> features) {
  Expected<const Target *> target = getTarget();
  if (!target)
    return target.takeError();
  auto makeSubtarget = [&](StringRef cpu, const std::string &features) {
    return std::unique_ptr<MCSubtargetInfo>(
        (*target)->createMCSubtargetInfo(Triple(targetTriple), cpu, features));
  };
  // LLVM prints a message where it makes a subtarget for an unknown CPU.
  std::unique_ptr<MCSubtargetInfo> any = makeSubtarget("x86-64", "");
  auto makeNameError = [&](const std::string &suggestion) {
    return makeError("expected an x86-64 CPU, such as x86-64-v3 or x86-64-v4; got '" + name + "'" +
                     suggestion);
  };
  if (!any->isCPUStringValid(name)) {
    std::vector<std::string> names;
    for (const SubtargetSubTypeKV &known : any->getAllProcessorDescriptions())
      names.push_back(known.Key);
    return makeNameError(runtime::suggestName(name, names));
  }
  std::unique_ptr<MCSubtargetInfo> subtarget = makeSubtarget(cpu, llvm::join(features, ","));
  if (!subtarget->checkFeatures("+64bit"))
    return makeNameError("");
  return subtarget;
}

/// Sets the size of the vector registers by the features. Fails if these are too few.
static Error setVectorBytes(Machine &machine) {
  auto has = [&](const char *feature) { return llvm::is_contained(machine.features, feature); };
  // Without these features, conversions and fused multiply-adds would call a library.
  for (const char *feature : {"avx2", "fma", "f16c"})
    if (!has(feature))
      return makeError("expected a CPU with AVX2, FMA and F16C, such as x86-64-v3; '" +
                       machine.cpu + "' has no " + feature);
  machine.vectorBytes = has("avx512f") && has("avx512vl") ? 64 : 32;
  return Error::success();
}

Expected<Machine> resolveMachine(StringRef mcpu) {
  Machine machine;
  machine.triple = targetTriple;
  bool isNative = mcpu == "native";
  std::vector<std::string> hostFeatures;
  if (isNative) {
    if (!Triple(sys::getProcessTriple()).isX86())
      return makeError("--mcpu=native needs an x86-64 machine; name a CPU, such as x86-64-v3");
    for (auto &feature : sys::getHostCPUFeatures())
      hostFeatures.push_back((feature.second ? "+" : "-") + feature.first().str());
  }
  bool hasFP16 = llvm::is_contained(hostFeatures, "+avx512fp16");
  machine.cpu = (isNative ? nameHost(sys::getHostCPUName(), hasFP16) : mcpu).str();
  llvm::sort(hostFeatures);
  Expected<std::unique_ptr<MCSubtargetInfo>> subtarget =
      getSubtarget(machine.cpu, isNative ? "x86-64" : machine.cpu, hostFeatures);
  if (!subtarget)
    return subtarget.takeError();
  for (const char *feature : usedFeatures)
    if ((*subtarget)->checkFeatures("+" + std::string(feature)))
      machine.features.push_back(feature);
  if (Error error = setVectorBytes(machine))
    return error;
  auto model = lookupMachineModel(machine.cpu, machine.vectorBytes);
  machine.isGenericModel = !model;
  if (!model)
    model = lookupMachineModel(getGenericCPU(machine), machine.vectorBytes);
  machine.model = *model;
  setDotProducts(machine.cpu, machine.features, machine.model);
  if (isNative)
    readCaches("/sys/devices/system/cpu/cpu0/cache", machine.model);
  return machine;
}

Expected<Machine> restoreMachine(StringRef cpu, std::vector<std::string> features,
                                 const mlir::tssa::layout::MachineModel &model) {
  Machine machine;
  machine.triple = targetTriple;
  machine.cpu = cpu.str();
  machine.features = std::move(features);
  machine.model = model;
  if (auto subtarget = getSubtarget(cpu, "x86-64", {}); !subtarget)
    return subtarget.takeError();
  for (const std::string &feature : machine.features)
    if (!llvm::is_contained(usedFeatures, feature))
      return makeError("no feature that code may use has the name '" + feature + "'");
  if (!llvm::is_sorted(machine.features, std::less_equal<std::string>()))
    return makeError("expected features that are sorted and not repeated");
  if (Error error = setVectorBytes(machine))
    return error;
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
