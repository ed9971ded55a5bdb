// RUN: tssa-opt %s --convert-kernels-to-loops --canonicalize --cse --split-input-file | FileCheck %s

// An iteration of the outer loop of a split reads 8 rows, all of them whole.
// CHECK-LABEL: func.func @rows(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<384xf32>
// CHECK: scf.for %[[IO:.*]] = %{{.*}} to
// CHECK: scf.for %[[I:.*]] = %c0 to %c8 step
// CHECK: scf.for %[[J:.*]] = %c0 to %c48 step
// CHECK: %[[AT:.*]] = arith.muli %[[I]], %c48
// CHECK: math.exp
// CHECK: %[[TO:.*]] = arith.addi %[[AT]], %[[J]]
// CHECK: memref.store %{{.*}}, %alloca[%[[TO]]]
// CHECK: scf.for
// CHECK: memref.load %alloca
te.kernel @rows(%a: tensor<64x48xf32>) -> tensor<64xf32> {
  %x = te.compute @x (d0: 64, d1: 48) {
    %v = te.read %a[d0, d1] : tensor<64x48xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64x48xf32>
  %y = te.compute @y (d0: 64) reduce (d1: 48) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<64x48xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<64xf32>
  te.return %y : tensor<64xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 8]
  layout.reorder %io, %ii, %j
  layout.bind %io to parallel
  layout.compute_at @x, %io
}

// -----

// Inside of a sum, the box of an iteration is computed between two steps: here 6 rows of 16 columns.
// CHECK-LABEL: func.func @reduction(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<96xf32>
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c3{{.*}} iter_args
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c6
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c16
// CHECK: math.exp
// CHECK: memref.store %{{.*}}, %alloca
// CHECK: vector.load %alloca
te.kernel @reduction(%a: tensor<60x48xf32>) -> tensor<60xf32> {
  %x = te.compute @x (d0: 60, d1: 48) {
    %v = te.read %a[d0, d1] : tensor<60x48xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<60x48xf32>
  %y = te.compute @y (d0: 60) reduce (d1: 48) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<60x48xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<60xf32>
  te.return %y : tensor<60xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 6]
  %jo, %ji = layout.split %j [*, 16]
  layout.reorder %io, %jo, %ii, %ji
  layout.register_tile %ii
  layout.vectorize %ji
  layout.bind %io to parallel
  layout.compute_at @x, %jo
}

// -----

// The last box has fewer rows: 64 is no multiple of 7.
// CHECK-LABEL: func.func @tail(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<336xf32>
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %c64
// CHECK: %[[ROWS:.*]] = arith.addi %[[END]], %{{.*}}
// CHECK: %[[N:.*]] = arith.maxsi %[[ROWS]], %c0
// CHECK: scf.for %{{.*}} = %c0 to %[[N]]
// CHECK: math.exp
te.kernel @tail(%a: tensor<64x48xf32>) -> tensor<64xf32> {
  %x = te.compute @x (d0: 64, d1: 48) {
    %v = te.read %a[d0, d1] : tensor<64x48xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64x48xf32>
  %y = te.compute @y (d0: 64) reduce (d1: 48) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<64x48xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<64xf32>
  te.return %y : tensor<64xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 7]
  layout.reorder %io, %ii, %j
  layout.bind %io to parallel
  layout.compute_at @x, %io
}

// -----

// A part of a split in the middle: 4 times 3 rows.
// CHECK-LABEL: func.func @middle(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<3xf32>
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %c0 to
// CHECK: scf.for %[[I:.*]] = %c0 to %c3
// CHECK: math.exp
// CHECK: memref.store %{{.*}}, %alloca[%[[I]]]
te.kernel @middle(%a: tensor<36xf32>) -> tensor<36xf32> {
  %x = te.compute @x (d0: 36) {
    %v = te.read %a[d0] : tensor<36xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<36xf32>
  %y = te.compute @y (d0: 36) {
    %v = te.read %x[d0] : tensor<36xf32>
    te.yield %v : f32
  } : tensor<36xf32>
  te.return %y : tensor<36xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  %io, %im, %ii = layout.split %i [*, 4, 3]
  layout.reorder %io, %im, %ii
  layout.bind %io to parallel
  layout.compute_at @x, %im
}

// -----

// A halo: 8 elements of the result read 10 of @t, and these 12 of @x, fewer at the ends. The elements that two iterations
// read are computed twice.
// CHECK-LABEL: func.func @halo(
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<12xf32>
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<10xf32>
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: math.exp
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.addf
te.kernel @halo(%a: tensor<64xf32>) -> tensor<64xf32> {
  %x = te.compute @x (d0: 64) {
    %v = te.read %a[d0] : tensor<64xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64xf32>
  %t = te.compute @t (d0: 64) {
    %u = te.read %x[d0 - 1] : tensor<64xf32> where (d0 - 1 >= 0) else 0.0
    %w = te.read %x[d0 + 1] : tensor<64xf32> where (-d0 + 62 >= 0) else 0.0
    %r = arith.addf %u, %w : f32
    te.yield %r : f32
  } : tensor<64xf32>
  %y = te.compute @y (d0: 64) {
    %u = te.read %t[d0 - 1] : tensor<64xf32> where (d0 - 1 >= 0) else 0.0
    %w = te.read %t[d0 + 1] : tensor<64xf32> where (-d0 + 62 >= 0) else 0.0
    %r = arith.addf %u, %w : f32
    te.yield %r : f32
  } : tensor<64xf32>
  te.return %y : tensor<64xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  %io, %ii = layout.split %i [*, 8]
  layout.reorder %io, %ii
  layout.bind %io to parallel
  layout.compute_at @x, %io
  layout.compute_at @t, %io
}

// -----

// The size may be open where the box is not.
// CHECK-LABEL: func.func @open(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %[[N:.*]]: index, %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xi32>
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: arith.minsi %{{.*}}, %[[N]]
// CHECK: math.exp
te.kernel @open(%a: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index) -> tensor<?xf32> {
  %x = te.compute @x (d0: %n) {
    %v = te.read %a[d0] : tensor<?xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<?xf32>
  %y = te.compute @y (d0: %n) {
    %v = te.read %x[d0] : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  %io, %ii = layout.split %i [*, 16]
  layout.reorder %io, %ii
  layout.bind %io to parallel
  layout.compute_at @x, %io
}
