// RUN: tssa-opt %s --te-stage | FileCheck %s
// RUN: tssa-opt %s --tssa-stage --te-stage | FileCheck %s

// A value whose size a loop increases does not get the static size that it has before the loop.

// CHECK-LABEL: func.func @growing
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (tensor<?x4xf32>)
func.func @growing(%row: tensor<1x4xf32>, %count: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %none = te.compute (d0: 0, d1: 4) {
    te.yield %zero : f32
  } : tensor<0x4xf32>
  %start = tensor.cast %none : tensor<0x4xf32> to tensor<?x4xf32>
  %result = scf.for %k = %c0 to %count step %c1 iter_args(%rows = %start) -> (tensor<?x4xf32>) {
    %length = tensor.dim %rows, %c0 : tensor<?x4xf32>
    %longer = arith.addi %length, %c1 : index
    %next = te.compute (d0: %longer, d1: 4) {
      %old = te.read %rows[d0, d1](%length) : tensor<?x4xf32> where (s0 - d0 - 1 >= 0) else 0.000000e+00
      %new = te.read %row[0, d1] : tensor<1x4xf32>
      %sum = arith.addf %old, %new : f32
      te.yield %sum : f32
    } : tensor<?x4xf32>
    scf.yield %next : tensor<?x4xf32>
  }
  return %result : tensor<?x4xf32>
}
