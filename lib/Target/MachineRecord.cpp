//===- MachineRecord.cpp - machines as text -------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineRecord.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tssa {

Expected<MachineRecord> MachineRecord::read(StringRef text, ArrayRef<StringRef> names) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::tssa::layout::LayoutDialect>();
  MachineRecord record;
  record.context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(record.context.get(), [&](mlir::Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
  });
  mlir::Attribute parsed = mlir::parseAttribute(text.trim(), record.context.get());
  if (!parsed)
    return createStringError(message);
  record.entries = dyn_cast<mlir::DictionaryAttr>(parsed);
  if (!record.entries)
    return createStringError("expected {" + join(names, " = ..., ") + " = ...}");
  for (mlir::NamedAttribute entry : record.entries)
    if (!is_contained(names, entry.getName().getValue()))
      return createStringError("a machine has no '" + entry.getName().getValue() + "'");
  return record;
}

} // namespace tssa
