// The option scores prints the predicted times of given points, or why their loops cannot be written.
// RUN: split-file %s %t
// RUN: tssa-opt %t/product.mlir -layout-print-template=scores=%t/points -o /dev/null | FileCheck %s
// RUN: not tssa-opt %t/product.mlir -layout-print-template=scores=%t/damaged -o /dev/null 2>&1 | FileCheck %s --check-prefix=DAMAGED
// RUN: not tssa-opt %t/product.mlir -layout-print-template=scores=%t/apart -o /dev/null 2>&1 | FileCheck %s --check-prefix=APART
// RUN: not tssa-opt %t/product.mlir -layout-print-template=scores=%t/none -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: @y product:
// CHECK-NEXT: [[GOOD:[0-9.e+]+]] cycles: vector d1 2x16, rows d0 13, outer d0 d1, reduce d2
// CHECK-NEXT: [[BAD:[0-9.e+]+]] cycles: scalar, outer d0 d1, reduce d2
// CHECK-NEXT: cycles: vector d0*d1 1x8, unroll d2 4, outer d0 d1, reduce d2
// CHECK-NEXT: rows: 56 sums do not fit into the registers: vector d1 4x16, rows d0 14, outer d0 d1, reduce d2
// CHECK-NEXT: rows: scalar code has none: scalar, rows d0 2, outer d0 d1, reduce d2
// CHECK-NEXT: reduce: expected each reduction dim once: vector d1 1x16, outer d0 d1
// CHECK-NOT: {{.}}

// DAMAGED: damaged, line 2: 'rows d0' is no knob of a point, such as 'rows d2 7'
// APART: apart, line 1: 'vector d0*d2 1x16' is no knob of a point
// NONE: No such file or directory

//--- points
vector d1 2x16, rows d0 13, outer d0 d1, reduce d2
scalar, outer d0 d1, reduce d2
vector d0*d1 1x8, unroll d2 4, outer d0 d1, reduce d2
vector d1 4x16, rows d0 14, outer d0 d1, reduce d2
scalar, rows d0 2, outer d0 d1, reduce d2
vector d1 1x16, outer d0 d1

//--- damaged
vector d1 2x16, outer d0 d1, reduce d2
vector d1 2x16, rows d0, outer d0 d1, reduce d2

//--- apart
vector d0*d2 1x16, outer d0 d1, reduce d2

//--- product.mlir
te.kernel @product(%x: tensor<52x64xf32>, %w: tensor<64x96xf32>) -> tensor<52x96xf32> {
  %y = te.compute @y (d0: 52, d1: 96) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<52x64xf32>
    %b = te.read %w[d2, d1] : tensor<64x96xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<52x96xf32>
  te.return %y : tensor<52x96xf32>
}
