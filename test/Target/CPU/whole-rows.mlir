// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// A tile has all rows, so that it is known which of them lie outside at each tap of the window: the taps have code of
// their own, with the rows that lie inside, and no guard.
// CHECK-LABEL: func.func @dilated(
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK-COUNT-2: math.fma
// CHECK-NOT: math.fma
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK-COUNT-4: math.fma
// CHECK-NOT: math.fma
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK-COUNT-2: math.fma
// CHECK-NOT: math.fma
// CHECK-NOT: scf.if
// CHECK: return
te.kernel @dilated(%x: tensor<4x8xf32>, %w: tensor<3x8x16xf32> {te.finite}) -> tensor<4x16xf32> {
  %y = te.compute @y (d0: 4, d1: 16) reduce (d2: 8, d3: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d3 * 2 - 2, d2] : tensor<4x8xf32> where (d0 + d3 * 2 - 2 >= 0, -d0 - d3 * 2 + 5 >= 0) else 0.0
    %b = te.read %w[d3, d2, d1] : tensor<3x8x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4x16xf32>
  te.return %y : tensor<4x16xf32>
} schedule {
  %row, %column, %channel, %tap = layout.loops @y : !layout.loop, !layout.loop, !layout.loop, !layout.loop
  layout.reorder %tap, %channel, %row, %column
  layout.register_tile %row
  layout.vectorize %column
}

// If few rows lie outside, the window stays a loop.
// CHECK-LABEL: func.func @adjacent(
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: return
te.kernel @adjacent(%x: tensor<12x8xf32>, %w: tensor<3x8x16xf32> {te.finite}) -> tensor<12x16xf32> {
  %y = te.compute @y (d0: 12, d1: 16) reduce (d2: 8, d3: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d3 - 1, d2] : tensor<12x8xf32> where (d0 + d3 - 1 >= 0, -d0 - d3 + 12 >= 0) else 0.0
    %b = te.read %w[d3, d2, d1] : tensor<3x8x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<12x16xf32>
  te.return %y : tensor<12x16xf32>
} schedule {
  %row, %column, %channel, %tap = layout.loops @y : !layout.loop, !layout.loop, !layout.loop, !layout.loop
  layout.reorder %tap, %channel, %row, %column
  layout.register_tile %row
  layout.vectorize %column
}
