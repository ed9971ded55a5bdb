// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// A 3x3 window over channels; two columns of an image form a tile. In a tile at the border, all
// products of a window row outside of the image are zero, because the weights are finite. So the
// loop over channels is skipped for that row. Inside of it only the columns are tested.
// CHECK-LABEL: func.func @finite(
// CHECK: scf.for %[[H:.*]] = %{{.*}} to %{{.*}} step %c1 {
// CHECK: } else {
// CHECK: scf.for %[[KH:.*]] = %c0 to %c3
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args(%[[ACC0:.*]] = %{{.*}}, %[[ACC1:.*]] = %{{.*}})
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[H]], %[[KH]]
// CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[SUM]], %c-1
// CHECK-NEXT: %[[BELOW:.*]] = arith.cmpi sge, %[[ROW]], %c0
// CHECK: %[[ABOVE:.*]] = arith.cmpi sge
// CHECK-NEXT: %[[NEEDED:.*]] = arith.andi %[[BELOW]], %[[ABOVE]]
// CHECK-NEXT: scf.if %[[NEEDED]] -> (vector<16xf32>, vector<16xf32>) {
// CHECK: scf.if
// CHECK: scf.for {{.*}} to %c4
// CHECK: } else {
// CHECK: scf.for {{.*}} to %c4
// CHECK: memref.load
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[ACC0]], %[[ACC1]]
te.kernel @finite(%x: tensor<8x4x4xf32>, %w: tensor<3x3x4x16xf32> {te.finite}) -> tensor<8x4x16xf32> {
  %y = te.compute @y (d0: 8, d1: 4, d2: 16) reduce (d3: 3, d4: 3, d5: 4) init (0.0 : f32) {
    %a = te.read %x[d0 + d3 - 1, d1 + d4 - 1, d5] : tensor<8x4x4xf32>
         where (d0 + d3 - 1 >= 0, -d0 - d3 + 8 >= 0, d1 + d4 - 1 >= 0, -d1 - d4 + 4 >= 0) else 0.0
    %b = te.read %w[d3, d4, d5, d2] : tensor<3x3x4x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x4x16xf32>
  te.return %y : tensor<8x4x16xf32>
} schedule {
  %h, %c, %o, %kh, %kw, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %c0, %c1 = layout.split %c [*, 2]
  layout.reorder %h, %c0, %o, %kh, %kw, %k, %c1
  layout.register_tile %c1
  layout.vectorize %o
  layout.bind %h to parallel
}

// An infinity times zero is not zero, so all rows of the window are multiplied.
// CHECK-LABEL: func.func @unknown(
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args(%[[ACC0:.*]] = %{{.*}}, %[[ACC1:.*]] = %{{.*}})
// CHECK-NOT: scf.yield %[[ACC0]]
// CHECK: return
te.kernel @unknown(%x: tensor<8x4x4xf32>, %w: tensor<3x3x4x16xf32>) -> tensor<8x4x16xf32> {
  %y = te.compute @y (d0: 8, d1: 4, d2: 16) reduce (d3: 3, d4: 3, d5: 4) init (0.0 : f32) {
    %a = te.read %x[d0 + d3 - 1, d1 + d4 - 1, d5] : tensor<8x4x4xf32>
         where (d0 + d3 - 1 >= 0, -d0 - d3 + 8 >= 0, d1 + d4 - 1 >= 0, -d1 - d4 + 4 >= 0) else 0.0
    %b = te.read %w[d3, d4, d5, d2] : tensor<3x3x4x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x4x16xf32>
  te.return %y : tensor<8x4x16xf32>
} schedule {
  %h, %c, %o, %kh, %kw, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %c0, %c1 = layout.split %c [*, 2]
  layout.reorder %h, %c0, %o, %kh, %kw, %k, %c1
  layout.register_tile %c1
  layout.vectorize %o
  layout.bind %h to parallel
}

// With a pad other than zero the products are not zero either.
// CHECK-LABEL: func.func @ones(
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args(%[[ACC0:.*]] = %{{.*}}, %[[ACC1:.*]] = %{{.*}})
// CHECK-NOT: scf.yield %[[ACC0]]
// CHECK: return
te.kernel @ones(%x: tensor<8x4x4xf32>, %w: tensor<3x3x4x16xf32> {te.finite}) -> tensor<8x4x16xf32> {
  %y = te.compute @y (d0: 8, d1: 4, d2: 16) reduce (d3: 3, d4: 3, d5: 4) init (0.0 : f32) {
    %a = te.read %x[d0 + d3 - 1, d1 + d4 - 1, d5] : tensor<8x4x4xf32>
         where (d0 + d3 - 1 >= 0, -d0 - d3 + 8 >= 0, d1 + d4 - 1 >= 0, -d1 - d4 + 4 >= 0) else 1.0
    %b = te.read %w[d3, d4, d5, d2] : tensor<3x3x4x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x4x16xf32>
  te.return %y : tensor<8x4x16xf32>
} schedule {
  %h, %c, %o, %kh, %kw, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %c0, %c1 = layout.split %c [*, 2]
  layout.reorder %h, %c0, %o, %kh, %kw, %k, %c1
  layout.register_tile %c1
  layout.vectorize %o
  layout.bind %h to parallel
}

// A piece that reads no row computes none: row 3 does not exist.
// CHECK-LABEL: func.func @rows_beside_padding(
// CHECK: scf.if
// CHECK: arith.addf
// CHECK: } else {
// CHECK-NOT: arith.addf
// CHECK: return
te.kernel @rows_beside_padding(%a: tensor<3x16xf32>) -> tensor<4x16xf32> {
  %s = te.compute @s (d0: 3) reduce (d1: 16) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<3x16xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<3xf32>
  %y = te.compute @y (d0: 4, d1: 16) where (2 - d0 >= 0) {
    %x = te.read %a[d0, d1] : tensor<3x16xf32>
    %t = te.read %s[d0] : tensor<3xf32>
    %q = arith.divf %x, %t : f32
    te.yield %q : f32
  } where (d0 - 3 >= 0) {
    %z = arith.constant 0.0 : f32
    te.yield %z : f32
  } : tensor<4x16xf32>
  te.return %y : tensor<4x16xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i to parallel
  layout.compute_at @s, %i
}

// The border of a result is pieces that add zeros: they have no loop over the steps, and their epilogue is a constant.
// CHECK-LABEL: func.func @border(
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c1 iter_args
// CHECK-NOT: iter_args
// CHECK: vector.store %{{.*}}, %arg2
// CHECK: vector.store %[[ZEROS:.*]], %arg2
// CHECK-NOT: math.exp
// CHECK: vector.store %[[ZEROS]], %arg2
// CHECK-NOT: vector.store
// CHECK: return
te.kernel @border(%x: tensor<4x6xf32>, %w: tensor<6x16xf32>) -> tensor<6x16xf32> {
  %y = te.compute @y (d0: 6, d1: 16) reduce (d2: 6) init (0.0 : f32) where (d0 - 1 >= 0, -d0 + 4 >= 0) {
    %a = te.read %x[d0 - 1, d2] : tensor<4x6xf32>
    %b = te.read %w[d2, d1] : tensor<6x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } where (-d0 >= 0) {
    %zero = arith.constant 0.0 : f32
    te.yield %zero : f32
  } where (d0 - 1 >= 0, d0 - 5 >= 0) {
    %zero = arith.constant 0.0 : f32
    te.yield %zero : f32
  } combine arith.addf then (%s: f32) {
    %e = math.exp %s : f32
    %inside = te.inside (d0 - 1 >= 0, -d0 + 4 >= 0)
    %zero = arith.constant 0.0 : f32
    %r = arith.select %inside, %e, %zero : f32
    te.yield %r : f32
  } : tensor<6x16xf32>
  te.return %y : tensor<6x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  layout.vectorize %j
  layout.bind %i to parallel
}
