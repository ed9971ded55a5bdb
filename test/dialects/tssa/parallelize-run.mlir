// RUN: tssa-opt %s --tssa-parallelize-loops | FileCheck %s --check-prefix=IR
// RUN: tssa-opt %s --te-evaluate -o /dev/null | FileCheck %s
// RUN: tssa-opt %s --tssa-parallelize-loops --te-evaluate -o /dev/null | FileCheck %s

// Zero, one and three iterations over the images of two carried tensors, from the second image on.
// Each iteration writes, reads what it has written, and writes again; its check compares the image
// with a bound.

// IR: func.func private @run
// IR-NOT: scf.for
// IR: te.update
// IR: func.func @main

// CHECK: result 0: 4x2xf32 {{\[\[}}9, 9], [9, 9], [9, 9], [9, 9]]
// CHECK-NEXT: result 1: 4x2xf32 {{\[\[}}9, 9], [9, 9], [9, 9], [9, 9]]
// CHECK-NEXT: result 2: 4x2xf32 {{\[\[}}9, 9], [11, 2], [9, 9], [9, 9]]
// CHECK-NEXT: result 3: 4x2xf32 {{\[\[}}9, 9], [0, 22], [9, 9], [9, 9]]
// CHECK-NEXT: result 4: 4x2xf32 {{\[\[}}9, 9], [11, 2], [12, 3], [13, 4]]
// CHECK-NEXT: result 5: 4x2xf32 {{\[\[}}9, 9], [0, 22], [0, 36], [0, 52]]
func.func private @run(%x: tensor<4xf32>, %upper: index) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %b = te.constant dense<9.0> : tensor<4x2xf32>
  %zero = te.constant dense<0.0> : tensor<f32>
  %r:2 = scf.for %i = %c1 to %upper step %c1 iter_args(%c = %b, %s = %b) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
    %ok = arith.cmpi slt, %i, %c4 : index
    te.check %ok, "no such image"
    %e = tssa.access %x [select(0, ?)](%i) : tensor<4xf32> -> tensor<f32>
    %v1 = tssa.assign %e into %c [select(0, ?), select(0, 1)](%i) : tensor<f32> into tensor<4x2xf32>
    %row = tssa.access %v1 [select(0, ?)](%i) : tensor<4x2xf32> -> tensor<2xf32>
    %sum = te.compute () reduce (d0: 2) init (0.0 : f32) {
      %p = te.read %row[d0] : tensor<2xf32>
      te.yield %p : f32
    } combine arith.addf : tensor<f32>
    %v2 = tssa.assign %sum into %v1 [select(0, ?), select(0, 0)](%i) : tensor<f32> into tensor<4x2xf32>
    %all = tssa.access %v2 [select(0, ?)](%i) : tensor<4x2xf32> -> tensor<2xf32>
    %y = te.compute (d0: 2) {
      %p = te.read %all[d0] : tensor<2xf32>
      %q = te.read %v2[s0, 0](%i) : tensor<4x2xf32>
      %m = arith.mulf %p, %q : f32
      te.yield %m : f32
    } : tensor<2xf32>
    %z = tssa.assign %zero into %y [select(0, 0)] : tensor<f32> into tensor<2xf32>
    %w = tssa.assign %z into %s [select(0, ?)](%i) : tensor<2xf32> into tensor<4x2xf32>
    scf.yield %v2, %w : tensor<4x2xf32>, tensor<4x2xf32>
  }
  return %r#0, %r#1 : tensor<4x2xf32>, tensor<4x2xf32>
}

func.func @main() -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %x = te.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %a:2 = func.call @run(%x, %c1) : (tensor<4xf32>, index) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %b:2 = func.call @run(%x, %c2) : (tensor<4xf32>, index) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %c:2 = func.call @run(%x, %c4) : (tensor<4xf32>, index) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return %a#0, %a#1, %b#0, %b#1, %c#0, %c#1 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
