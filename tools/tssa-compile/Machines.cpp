//===- Machines.cpp - the machines of --mcpu and --machine ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machines.h"
#include "tssa/Pipeline/CheckText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tssa;
using namespace tssa::compile;

static Expected<cpu::Machine> resolveCPU(const Options &options, StringRef name) {
  Expected<cpu::Machine> machine = cpu::resolveMachine(name);
  if (!machine)
    return machine.takeError();
  if (machine->isGenericModel && name != "native")
    errs() << "tssa-compile: warning: the caches and ports of '" << name
           << "' are not known: those of " << cpu::getGenericCPU(*machine) << " are assumed\n";
  machine->emulatesAtoms = options.emulatesAtoms;
  return machine;
}

/// Returns the CPUs of --mcpu, those with more instructions first: a run takes the first that it
/// can run.
static Expected<Machines> resolveCPUs(const Options &options) {
  Machines machines;
  for (StringRef name : split(options.mcpu, ',')) {
    Expected<cpu::Machine> machine = resolveCPU(options, name);
    if (!machine)
      return machine.takeError();
    for (const cpu::Machine &other : machines.cpus)
      if (other.features == machine->features)
        return createStringError("--mcpu: '" + other.cpu + "' and '" + machine->cpu +
                                 "' have the same instructions, so no run would take the second");
    machines.cpus.push_back(std::move(*machine));
  }
  llvm::stable_sort(machines.cpus, [](const cpu::Machine &a, const cpu::Machine &b) {
    return a.features.size() > b.features.size();
  });
  return machines;
}

/// Reads the text of a machine: of a GPU, if it has an `arch`, else of a CPU.
static Expected<Machines> readMachines(const Options &options, StringRef text) {
  if (Error error = checkText(text))
    return std::move(error);
  if (!text.contains("arch = ")) {
    Expected<cpu::Machine> machine = cpu::readMachine(text);
    if (!machine)
      return machine.takeError();
    machine->emulatesAtoms = options.emulatesAtoms;
    return Machines{{std::move(*machine)}, std::nullopt};
  }
  Expected<cuda::Device> device = cuda::readDevice(text);
  if (!device)
    return device.takeError();
  if (llvm::none_of(options.targets,
                    [&](const tssa::Target &target) { return target.arch == device->arch; }))
    return createStringError("it is a GPU of " + device->arch.getName() +
                             ", and no --target is for it");
  Expected<Machines> machines = resolveCPUs(options);
  if (machines)
    machines->device = *device;
  return machines;
}

Expected<Machines> tssa::compile::getMachines(const Options &options) {
  if (options.machine.empty())
    return resolveCPUs(options);
  std::string where = "--machine: '" + options.machine + "' ";
  auto file = MemoryBuffer::getFile(options.machine);
  if (!file)
    return createStringError(file.getError(),
                             where + "cannot be read: " + file.getError().message());
  Expected<Machines> machines = readMachines(options, (*file)->getBuffer());
  if (machines)
    return machines;
  return createStringError(inconvertibleErrorCode(),
                           where + "is no machine: " + toString(machines.takeError()));
}
