// What holds at the end of a stage is checked, for the module that a user gives too.

// RUN: split-file %s %t
// RUN: not tssa-compile %t/no-main.mlir -o %t/out.so 2>&1 | FileCheck %s --check-prefix=NO-MAIN
// RUN: not tssa-compile %t/kernel.mlir -o %t/out.so 2>&1 | FileCheck %s --check-prefix=KERNEL

// NO-MAIN: error: stage import: 'builtin.module' violates the postcondition "a host program '@main' of ranked tensors, and no kernels"
// KERNEL: kernel.mlir:1:1: error: stage import: 'te.kernel' violates the postcondition "a host program '@main' of ranked tensors, and no kernels"

//--- no-main.mlir
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

//--- kernel.mlir
te.kernel @double(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = te.compute (d0: 2) {
    %a = te.read %x[d0] : tensor<2xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<2xf32>
  te.return %y : tensor<2xf32>
} schedule {
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = te.launch @double(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
