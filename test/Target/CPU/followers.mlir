// RUN: tssa-opt %s --convert-kernels-to-loops --canonicalize --cse --split-input-file | FileCheck %s

// The parts of a row follow the iteration that writes them: iteration (i, j) writes 16 columns of row i, which part j of
// the row sums up. The kernel has the iterations of the root only.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[P:.*]]: memref<?xf32>, %{{.*}}: memref<?xi32>, %[[FROM:.*]]: index, %[[TO:.*]]: index
// CHECK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]]
// CHECK-DAG: %[[COLUMNS:.*]] = arith.remui %[[I]], %{{.*}} : index
// CHECK-DAG: %[[ROW:.*]] = arith.divui %[[I]], %{{.*}} : index
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK: %[[V:.*]] = vector.load %[[Y]]
// CHECK: arith.addf %[[V]],
// CHECK: %[[SUM:.*]] = vector.extract %{{.*}}[0] : f32
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[COLUMNS]] : index
// CHECK: memref.store %[[SUM]], %[[P]][%[[AT]]]
// CHECK: }
// CHECK-LABEL: func.func @parts.extent
// CHECK: %[[N:.*]] = arith.constant 32 : index
// CHECK: return %[[N]],
te.kernel @parts(%a: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x4xf32>) {
  %y = te.compute @y (d0: 8, d1: 64) {
    %v = te.read %a[d0, d1] : tensor<8x64xf32>
    %n = arith.negf %v : f32
    te.yield %n : f32
  } : tensor<8x64xf32>
  %p = te.compute @p (d0: 8, d1: 4) reduce (d2: 16) init (0.0 : f32) {
    %v = te.read %y[d0, d1 * 16 + d2] : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8x4xf32>
  te.return %y, %p : tensor<8x64xf32>, tensor<8x4xf32>
} schedule {
  %0:2 = layout.loops @y : !layout.loop, !layout.loop
  %1:2 = layout.split %0#1 [*, 16]
  layout.reorder %0#0, %1#0, %1#1
  layout.vectorize %1#1
  layout.bind %0#0, %1#0 to parallel
  %2:3 = layout.loops @p : !layout.loop, !layout.loop, !layout.loop
  layout.vectorize %2#2
  layout.compute_after @p, %1#0
}

// -----

// Of open rows, three an iteration, the last iteration writes fewer. What follows it has as many, and two followers read
// each other at the same element.
// CHECK-LABEL: func.func @last_rows(
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[Y:.*]]: memref<?xf32>, %[[P:.*]]: memref<?xf32>, %[[Q:.*]]: memref<?xf32>, %{{.*}}: memref<?xi32>, %[[FROM:.*]]: index, %[[TO:.*]]: index
// CHECK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]]
// CHECK: %[[LEFT:.*]] = arith.addi %[[N]], %{{.*}} : index
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK: %[[ROWS:.*]] = arith.minui %[[LEFT]], %{{.*}} : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[ROWS]]
// CHECK: memref.load %[[Y]]
// CHECK: memref.store %{{.*}}, %[[P]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}}
// CHECK: memref.load %[[Y]]
// CHECK: memref.store %{{.*}}, %[[Q]]
te.kernel @last_rows(%a: tensor<?x4xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> (tensor<?x4xf32>, tensor<?xf32>, tensor<?x4xf32>) {
  %y = te.compute @y (d0: %n, d1: 4) {
    %v = te.read %a[d0, d1] : tensor<?x4xf32>
    %m = arith.negf %v : f32
    te.yield %m : f32
  } : tensor<?x4xf32>
  %p = te.compute @p (d0: %n) reduce (d1: 4) init (0.0 : f32) {
    %v = te.read %y[d0, d1] : tensor<?x4xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<?xf32>
  %q = te.compute @q (d0: %n, d1: 4) {
    %v = te.read %y[d0, d1] : tensor<?x4xf32>
    %m = math.absf %v : f32
    te.yield %m : f32
  } : tensor<?x4xf32>
  te.return %y, %p, %q : tensor<?x4xf32>, tensor<?xf32>, tensor<?x4xf32>
} schedule {
  %0:2 = layout.loops @y : !layout.loop, !layout.loop
  %1:2 = layout.split %0#0 [*, 3]
  layout.reorder %1#0, %1#1, %0#1
  layout.bind %1#0 to parallel
  layout.compute_after @p, %1#0
  layout.compute_after @q, %1#0
}

// -----

// Another root reads the parts: there is one iteration, which computes the one with what follows it, then the other.
// CHECK-LABEL: func.func @sequence(
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[P:.*]]: memref<?xf32>, %[[Z:.*]]: memref<?xf32>, %{{.*}}: memref<?xi32>
// CHECK: scf.for
// CHECK: scf.for %[[I:.*]] =
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK: memref.load %[[Y]]
// CHECK: memref.store %{{.*}}, %[[P]][%[[I]]]
// CHECK: scf.for %[[J:.*]] =
// CHECK: memref.load %[[P]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[Z]][%[[J]]]
// CHECK-LABEL: func.func @sequence.extent
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: return %[[ONE]],
te.kernel @sequence(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %y = te.compute @y (d0: 8, d1: 4) {
    %v = te.read %a[d0, d1] : tensor<8x4xf32>
    %m = arith.negf %v : f32
    te.yield %m : f32
  } : tensor<8x4xf32>
  %p = te.compute @p (d0: 8) reduce (d1: 4) init (0.0 : f32) {
    %v = te.read %y[d0, d1] : tensor<8x4xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8xf32>
  %z = te.compute @z (d0: 8) {
    %v = te.read %p[7 - d0] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  te.return %y, %p, %z : tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>
} schedule {
  %0:2 = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %0#0 to parallel
  layout.compute_after @p, %0#0
  %1 = layout.loops @z : !layout.loop
  layout.bind %1 to parallel
}
