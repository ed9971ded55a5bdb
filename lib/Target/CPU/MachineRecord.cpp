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

#include "dialects/layout/IR/LayoutOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
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
  mlir::DialectRegistry registry;
  registry.insert<mlir::tssa::layout::LayoutDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
  });
  mlir::Attribute parsed = mlir::parseAttribute(text.trim(), &context);
  if (!parsed)
    return makeError(message);
  auto record = dyn_cast<mlir::DictionaryAttr>(parsed);
  if (!record)
    return makeError("expected {cpu = ..., features = ..., model = ...}");
  for (mlir::NamedAttribute entry : record)
    if (!is_contained({"cpu", "features", "model"}, entry.getName().getValue()))
      return makeError("a machine has no '" + entry.getName().getValue() + "'");
  auto cpu = record.getAs<mlir::StringAttr>("cpu");
  auto features = record.getAs<mlir::ArrayAttr>("features");
  auto model = record.getAs<MachineAttr>("model");
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
