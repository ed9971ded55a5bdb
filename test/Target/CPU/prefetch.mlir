// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// The rows of the next tile follow those of this one in memory. Each of the 64 iterations
// prefetches 4 of their 256 elements.
// CHECK-LABEL: func.func @large(
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: scf.for %[[TILE:[a-z0-9]+]] =
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK-DAG: arith.muli %[[K]], %[[C4]]
// CHECK: memref.prefetch %arg0[%{{.*}}], read, locality<2>, data : memref<?xf32>
// CHECK-NOT: memref.prefetch
// CHECK: math.fma
te.kernel @large(%a: tensor<65536x64xf32>, %b: tensor<64x16xf32>) -> tensor<65536x16xf32> {
  %y = te.compute @y (d0: 65536, d1: 16) reduce (d2: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<65536x64xf32>
    %w = te.read %b[d2, d1] : tensor<64x16xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<65536x16xf32>
  te.return %y : tensor<65536x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 4]
  layout.reorder %io, %k, %ii, %j
  layout.register_tile %ii
  layout.vectorize %j
  layout.bind %io to parallel
}

// A tensor that fits into the cache is not prefetched.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: memref.prefetch
te.kernel @small(%a: tensor<512x64xf32>, %b: tensor<64x16xf32>) -> tensor<512x16xf32> {
  %y = te.compute @y (d0: 512, d1: 16) reduce (d2: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<512x64xf32>
    %w = te.read %b[d2, d1] : tensor<64x16xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<512x16xf32>
  te.return %y : tensor<512x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 4]
  layout.reorder %io, %k, %ii, %j
  layout.register_tile %ii
  layout.vectorize %j
  layout.bind %io to parallel
}

// A tensor with a dynamic number of rows may be large. Its tail has no next tile.
// CHECK-LABEL: func.func @open(
// CHECK: scf.if
// CHECK: memref.prefetch
// CHECK: else
// CHECK-NOT: memref.prefetch
te.kernel @open(%a: tensor<?x64xf32> {te.sizes = array<i64: 2, -1>}, %b: tensor<64x16xf32>, %n: index) -> tensor<?x16xf32> {
  %y = te.compute @y (d0: %n, d1: 16) reduce (d2: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<?x64xf32>
    %w = te.read %b[d2, d1] : tensor<64x16xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x16xf32>
  te.return %y : tensor<?x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 4]
  layout.reorder %io, %k, %ii, %j
  layout.register_tile %ii
  layout.vectorize %j
  layout.bind %io to parallel
}

// Rows with a gap between them: the memory after the tile is not what the next tile reads.
// CHECK-LABEL: func.func @gaps(
// CHECK-NOT: memref.prefetch
te.kernel @gaps(%a: tensor<65536x128xf32>, %b: tensor<64x16xf32>) -> tensor<65536x16xf32> {
  %y = te.compute @y (d0: 65536, d1: 16) reduce (d2: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<65536x128xf32>
    %w = te.read %b[d2, d1] : tensor<64x16xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<65536x16xf32>
  te.return %y : tensor<65536x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 4]
  layout.reorder %io, %k, %ii, %j
  layout.register_tile %ii
  layout.vectorize %j
  layout.bind %io to parallel
}

// Lanes along a reduction dim with other dims between them gather: what they read next is no row.
// CHECK-LABEL: func.func @gathered(
// CHECK-NOT: memref.prefetch
// CHECK: vector.gather
te.kernel @gathered(%a: tensor<128x3072xf32>) -> tensor<6xf32> {
  %y = te.compute @y (d0: 6) reduce (d1: 128, d2: 512) init (0.0 : f32) {
    %x = te.read %a[d1, d0 * 512 + d2] : tensor<128x3072xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<6xf32>
  te.return %y : tensor<6xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 6]
  %jo, %ji = layout.split %j [*, 16]
  layout.reorder %io, %jo, %k, %ii, %ji
  layout.register_tile %ii
  layout.vectorize %ji
  layout.bind %io to parallel
}
