//===- Context.h - a context for many executions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TEST_FUZZ_CONTEXT_H
#define TSSA_TEST_FUZZ_CONTEXT_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include <memory>

namespace tssa::fuzz {

/// Provides an MLIRContext that prints no diagnostics. Creating a context takes a tenth of a
/// second, but a context never frees its types, so it is replaced after 1000 uses.
class Context {
public:
  Context() = default;
  explicit Context(mlir::DialectRegistry registry) : registry(std::move(registry)) {}

  mlir::MLIRContext &get() {
    if (uses++ % 1000 == 0) {
      context =
          std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
      context->loadAllAvailableDialects();
      context->getDiagEngine().registerHandler([this](mlir::Diagnostic &) { ++numDiagnostics; });
    }
    numDiagnostics = 0;
    return *context;
  }

  /// Returns the number of diagnostics since the last `get`.
  unsigned getNumDiagnostics() const { return numDiagnostics; }

private:
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned uses = 0;
  unsigned numDiagnostics = 0;
};

} // namespace tssa::fuzz

#endif // TSSA_TEST_FUZZ_CONTEXT_H
