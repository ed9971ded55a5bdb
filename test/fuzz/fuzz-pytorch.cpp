//===- fuzz-pytorch.cpp - hostile PyTorch programs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Verifier.h"
#include "test/fuzz/Context.h"
#include "test/fuzz/MemoryFile.h"
#include "tssa/Import/PyTorch.h"

/// Imports the input as a program in JSON. The result must be a valid module or an error with a
/// text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tssa::fuzz::MemoryFile file(data, size);
  static tssa::fuzz::Context contexts;
  tssa::ImportReport report;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      tssa::importPyTorch(contexts.get(), file.getPath(), /*untrusted=*/true, report);
  if (module ? failed(mlir::verify(*module))
             : report.fault == tssa::operators::Fault::None || report.error.empty())
    __builtin_trap();
  return 0;
}
