//===- tssa-opt.cpp - run passes on a module -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Reference/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tssa::registerAllDialects(registry);
  tssa::registerAllPasses();
  tssa::reference::registerReferencePasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "TSSA pass driver\n", registry));
}
