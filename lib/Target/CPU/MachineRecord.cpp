//===- MachineRecord.cpp - a machine as text ------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text is an attribute of MLIR:
//
//   {cpu = "znver4", features = ["64bit", "adx", ...], model = #layout.machine<lanes = 16, ...>}
//
// The features are in it because code depends on them, and a host may lack some of its CPU's.
//
//===----------------------------------------------------------------------===//

#include "lib/Target/MachineRecord.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "tssa/Target/CPU.h"

using namespace llvm;
using mlir::tssa::layout::MachineAttr;

namespace tssa::cpu {

std::string printMachine(const Machine &machine) {
  std::string text;
  raw_string_ostream stream(text);
  stream << "{cpu = \"" << machine.cpu << "\", features = [";
  interleaveComma(machine.features, stream,
                  [&](const std::string &feature) { stream << '"' << feature << '"'; });
  stream << "], model = " << machine.model << '}';
  return text;
}

static Error makeError(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

/// Returns the names in a list of strings.
static Expected<std::vector<std::string>> readNames(mlir::ArrayAttr list) {
  std::vector<std::string> names;
  for (mlir::Attribute element : list) {
    auto name = dyn_cast<mlir::StringAttr>(element);
    if (!name)
      return makeError("expected 'features' to be a list of names");
    names.push_back(name.str());
  }
  return names;
}

Expected<Machine> readMachine(StringRef text) {
  Expected<MachineRecord> record = MachineRecord::read(text, {"cpu", "features", "model"});
  if (!record)
    return record.takeError();
  auto cpu = record->get<mlir::StringAttr>("cpu");
  auto features = record->get<mlir::ArrayAttr>("features");
  auto model = record->get<MachineAttr>("model");
  if (!cpu)
    return makeError("expected 'cpu' to be the name of a CPU");
  if (!features)
    return makeError("expected 'features' to be a list of names");
  if (!model)
    return makeError("expected 'model' to be a #layout.machine");
  Expected<std::vector<std::string>> names = readNames(features);
  if (!names)
    return names.takeError();
  return restoreMachine(cpu.getValue(), std::move(*names), model.getModel());
}

} // namespace tssa::cpu
