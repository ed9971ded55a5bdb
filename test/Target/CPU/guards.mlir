// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// CHECK: memref.global "private" constant @tssa.zeros.f32 : memref<4096xf32> = dense<0.000000e+00>

// If a guard is the same for all lanes, zeros are read where it does not hold, and no load is
// masked.
// CHECK-LABEL: func.func @shifted_rows(
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<?xf32>
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi sge
// CHECK-DAG: %[[AT:.*]] = arith.select %[[INSIDE]], %{{.*}}, %c0
// CHECK-DAG: %[[FROM:.*]] = arith.select %[[INSIDE]], %[[A]], %{{.*}} : memref<?xf32>
// CHECK: vector.load %[[FROM]][%[[AT]]]
te.kernel @shifted_rows(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) {
    %x = te.read %a[d0 - 3, d1] : tensor<8x16xf32> where (d0 - 3 >= 0) else 0.0
    te.yield %x : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.vectorize %j
  layout.bind %i to parallel
}

// With a pad other than zero the address is clamped to the buffer: a masked load far outside of it
// is correct but slow.
// CHECK-LABEL: func.func @shifted_rows_of_ones(
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<?xf32>
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge
// CHECK: %[[AT:.*]] = arith.select %[[INSIDE]], %{{.*}}, %c0
// CHECK: vector.maskedload %[[A]][%[[AT]]]
te.kernel @shifted_rows_of_ones(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) {
    %x = te.read %a[d0 - 3, d1] : tensor<8x16xf32> where (d0 - 3 >= 0) else 1.0
    te.yield %x : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.vectorize %j
  layout.bind %i to parallel
}

// If it is not known how far the reads of a loop reach, they could exceed the zeros.
// CHECK-LABEL: func.func @long_rows(
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<?xf32>
// CHECK-NOT: get_global
// CHECK: memref.load %[[A]]
te.kernel @long_rows(%a: tensor<8x?xf32> {te.sizes = array<i64: -1, 1>}, %n: index) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) reduce (d1: %n) init (0.0 : f32) {
    %x = te.read %a[d0 - 3, d1] : tensor<8x?xf32> where (d0 - 3 >= 0) else 0.0
    te.yield %x : f32
  } combine arith.addf : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i to parallel
}

// If the guard differs by lane, the address is used as it is as long as any lane is read.
// CHECK-LABEL: func.func @shifted_columns(
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<?xf32>
// CHECK: %[[LANES:.*]] = arith.cmpi sge, %{{.*}} : vector<16xindex>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[LANES]]
// CHECK: %[[AT:.*]] = arith.select %[[ANY]], %{{.*}}, %c0
// CHECK: vector.maskedload %[[A]][%[[AT]]], %[[LANES]]
te.kernel @shifted_columns(%a: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = te.compute @y (d0: 8, d1: 64) {
    %x = te.read %a[d0, d1 - 40] : tensor<8x64xf32> where (d1 - 40 >= 0) else 0.0
    te.yield %x : f32
  } : tensor<8x64xf32>
  te.return %y : tensor<8x64xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %o, %l = layout.split %j [*, 16]
  layout.vectorize %l
  layout.bind %i to parallel
}

// A read without a guard uses its address as it is.
// CHECK-LABEL: func.func @plain(
// CHECK-NOT: arith.select
// CHECK: vector.load
te.kernel @plain(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) {
    %x = te.read %a[d0, d1] : tensor<8x16xf32>
    te.yield %x : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.vectorize %j
  layout.bind %i to parallel
}

// Whether a whole window of the convolution lies in the image is decided once for all taps and rows
// of a tile, before the reduction loops. Inside of these loops no read is guarded. This works for
// dynamic sizes too.
// CHECK-LABEL: func.func @depthwise(
// CHECK-COUNT-3: arith.andi
// CHECK-NEXT: scf.if
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NOT: {{maskedload|arith.select|scf.if}}
// CHECK: scf.yield
// CHECK: } else {
// CHECK: arith.select
te.kernel @depthwise(%a: tensor<?x?x16xf32> {te.sizes = array<i64: 2, 3, -1>}, %w: tensor<3x3x16xf32>, %h: index, %v: index) -> tensor<?x?x16xf32> {
  %y = te.compute @y (d0: %h, d1: %v, d2: 16) reduce (d3: 3, d4: 3) init (0.0 : f32) {
    %x = te.read %a[d0 + d3 - 1, d1 + d4 - 1, d2](%h, %v) : tensor<?x?x16xf32> where (d0 + d3 - 1 >= 0, -d0 - d3 + s0 >= 0, d1 + d4 - 1 >= 0, -d1 - d4 + s1 >= 0) else 0.0
    %k = te.read %w[d3, d4, d2] : tensor<3x3x16xf32>
    %p = arith.mulf %x, %k : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x?x16xf32>
  te.return %y : tensor<?x?x16xf32>
} schedule {
  %i, %j, %c, %p, %q = layout.loops @y : !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %jo, %ji = layout.split %j [*, 4]
  layout.reorder %i, %jo, %p, %q, %ji, %c
  layout.register_tile %ji
  layout.vectorize %c
  layout.bind %i, %jo to parallel
}

// A guard that no tile can fulfil throughout is left out of the decision: with rows as long as the
// image, only the other dim is tested.
// CHECK-LABEL: func.func @whole_rows(
// CHECK: %[[ABOVE:.*]] = arith.cmpi sge
// CHECK: %[[BELOW:.*]] = arith.cmpi sge
// CHECK: %[[ALL:.*]] = arith.andi %[[ABOVE]], %[[BELOW]]
// CHECK: scf.if %[[ALL]]
te.kernel @whole_rows(%a: tensor<9x4x16xf32>, %w: tensor<3x3x16xf32>) -> tensor<9x4x16xf32> {
  %y = te.compute @y (d0: 9, d1: 4, d2: 16) reduce (d3: 3, d4: 3) init (0.0 : f32) {
    %x = te.read %a[d0 + d3 - 1, d1 + d4 - 1, d2] : tensor<9x4x16xf32> where (d0 + d3 - 1 >= 0, -d0 - d3 + 9 >= 0, d1 + d4 - 1 >= 0, -d1 - d4 + 4 >= 0) else 0.0
    %k = te.read %w[d3, d4, d2] : tensor<3x3x16xf32>
    %p = arith.mulf %x, %k : f32
    te.yield %p : f32
  } combine arith.addf : tensor<9x4x16xf32>
  te.return %y : tensor<9x4x16xf32>
} schedule {
  %i, %j, %c, %p, %q = layout.loops @y : !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop
  layout.reorder %i, %p, %q, %j, %c
  layout.register_tile %j
  layout.vectorize %c
  layout.bind %i to parallel
}

// A row of an inner expression has a buffer of static size, from which zeros are told apart too.
// CHECK-LABEL: func.func @rows_or_zeros(
// CHECK: %[[ROW:.*]] = memref.cast %{{.*}} : memref<16xf32{{.*}}> to memref<?xf32>
// CHECK: arith.select %{{.*}}, %[[ROW]], %{{.*}} : memref<?xf32>
te.kernel @rows_or_zeros(%a: tensor<8x16xf32>) -> tensor<8x4x16xf32> {
  %s = te.compute @s (d0: 8, d1: 16) {
    %x = te.read %a[d0, d1] : tensor<8x16xf32>
    %e = arith.mulf %x, %x : f32
    te.yield %e : f32
  } : tensor<8x16xf32>
  %y = te.compute @y (d0: 8, d1: 4, d2: 16) {
    %x = te.read %s[d0, d2] : tensor<8x16xf32> where (d1 - 1 >= 0) else 0.0
    te.yield %x : f32
  } : tensor<8x4x16xf32>
  te.return %y : tensor<8x4x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  layout.vectorize %k
  layout.bind %i to parallel
  layout.compute_at @s, %i
}
