//===- tutorial-opt.cpp - tssa-opt with the tutorial's pass -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "test/tutorial/Passes.h"
#include "tssa/Pipeline/Stages.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tssa::registerAllDialects(registry);
  tssa::registerAllPasses();
  tutorial::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "the tutorial's pass driver\n", registry));
}
