//===- Unsupported.cpp - errors of what a target cannot do ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Target/Unsupported.h"

using namespace mlir;

namespace tssa {

static constexpr StringLiteral mark = "tssa.unsupported";

InFlightDiagnostic emitUnsupported(Operation *op) {
  InFlightDiagnostic diagnostic = op->emitError();
  diagnostic.getUnderlyingDiagnostic()->getMetadata().push_back(DiagnosticArgument(mark));
  return diagnostic;
}

bool isUnsupported(Diagnostic &diagnostic) {
  return llvm::any_of(diagnostic.getMetadata(), [](DiagnosticArgument &argument) {
    return argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::String &&
           argument.getAsString() == mark;
  });
}

} // namespace tssa
