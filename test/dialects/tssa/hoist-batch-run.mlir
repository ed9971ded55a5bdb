// RUN: tssa-opt %s --tssa-hoist-batch | FileCheck %s --check-prefix=IR
// RUN: tssa-opt %s --te-evaluate -o /dev/null | FileCheck %s
// RUN: tssa-opt %s --tssa-hoist-batch --te-evaluate -o /dev/null | FileCheck %s

// Three iterations and none, in a loop from 1 with step 2: a product is computed before the loop and
// one after it.

// IR: func.func private @run
// IR: reduce
// IR: scf.for
// IR-NOT: reduce
// IR: scf.yield
// IR: reduce
// IR: te.update
// IR: func.func @main

// CHECK: result 0: 2xf32 [26, 38]
// CHECK-NEXT: result 1: 5x2xf32 {{\[\[}}0, 0], [0, 0], [37, 54], [0, 0], [118, 172]]
// CHECK-NEXT: result 2: 2xf32 [0, 0]
// CHECK-NEXT: result 3: 5x2xf32 {{\[\[}}0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]
func.func private @run(%x: tensor<?x2xf32>, %w: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %upper = tensor.dim %x, %c0 : tensor<?x2xf32>
  %h = te.constant dense<0.0> : tensor<2xf32>
  %o = te.constant dense<0.0> : tensor<5x2xf32>
  %r:2 = scf.for %t = %c1 to %upper step %c2 iter_args(%s = %h, %out = %o) -> (tensor<2xf32>, tensor<5x2xf32>) {
    %row = tssa.access %x [select(0, ?)](%t) : tensor<?x2xf32> -> tensor<2xf32>
    %p = te.compute (d0: 2) reduce (d1: 2) init (0.0 : f32) {
      %a = te.read %row[d1] : tensor<2xf32>
      %b = te.read %w[d1, d0] : tensor<2x2xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<2xf32>
    %q = te.compute (d0: 2) reduce (d1: 2) init (0.0 : f32) {
      %a = te.read %s[d1] : tensor<2xf32>
      %b = te.read %w[d1, d0] : tensor<2x2xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<2xf32>
    %k = arith.subi %t, %c1 : index
    %d = tssa.assign %q into %out [select(0, ?)](%k) : tensor<2xf32> into tensor<5x2xf32>
    %n = te.compute (d0: 2) {
      %a = te.read %p[d0] : tensor<2xf32>
      %b = te.read %s[d0] : tensor<2xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<2xf32>
    scf.yield %n, %d : tensor<2xf32>, tensor<5x2xf32>
  }
  return %r#0, %r#1 : tensor<2xf32>, tensor<5x2xf32>
}

func.func @main() -> (tensor<2xf32>, tensor<5x2xf32>, tensor<2xf32>, tensor<5x2xf32>) {
  %w = te.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %six = te.constant dense<[[0.0, 0.0], [1.0, 2.0], [9.0, 9.0], [3.0, 4.0], [9.0, 9.0], [1.0, 1.0]]> : tensor<6x2xf32>
  %one = te.constant dense<5.0> : tensor<1x2xf32>
  %x = tensor.cast %six : tensor<6x2xf32> to tensor<?x2xf32>
  %y = tensor.cast %one : tensor<1x2xf32> to tensor<?x2xf32>
  %a:2 = func.call @run(%x, %w) : (tensor<?x2xf32>, tensor<2x2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>)
  %b:2 = func.call @run(%y, %w) : (tensor<?x2xf32>, tensor<2x2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>)
  return %a#0, %a#1, %b#0, %b#1 : tensor<2xf32>, tensor<5x2xf32>, tensor<2xf32>, tensor<5x2xf32>
}
