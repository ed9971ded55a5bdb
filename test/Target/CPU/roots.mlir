// RUN: tssa-opt %s --convert-kernels-to-loops --canonicalize --cse --split-input-file | FileCheck %s

// Two roots do not read each other: iterations 0 to 7 are of the first, 8 to 11 of the second.
// CHECK-LABEL: func.func @beside(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %{{.*}}: memref<?xi32>, %[[FROM:.*]]: index, %[[TO:.*]]: index
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]]
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[I]], %[[EIGHT]]
// CHECK: scf.if %[[FIRST]] {
// CHECK: memref.load %[[X]][%[[I]]]
// CHECK: arith.negf
// CHECK: memref.store %{{.*}}, %[[A]][%[[I]]]
// CHECK: } else {
// CHECK: %[[J:.*]] = arith.subi %[[I]], %[[EIGHT]]
// CHECK: memref.load %[[X]][%[[J]]]
// CHECK: math.absf
// CHECK: memref.store %{{.*}}, %[[B]][%[[J]]]
// CHECK-LABEL: func.func @beside.extent
// CHECK: %[[N:.*]] = arith.constant 12 : index
// CHECK: return %[[N]],
te.kernel @beside(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %a = te.compute @a (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %p = arith.negf %v : f32
    te.yield %p : f32
  } : tensor<8xf32>
  %b = te.compute @b (d0: 4) {
    %v = te.read %x[d0] : tensor<8xf32>
    %p = math.absf %v : f32
    te.yield %p : f32
  } : tensor<4xf32>
  te.return %a, %b : tensor<8xf32>, tensor<4xf32>
} schedule {
  %0 = layout.loops @a : !layout.loop
  layout.bind %0 to parallel
  %1 = layout.loops @b : !layout.loop
  layout.bind %1 to parallel
}

// -----

// One root reads the other: there is one iteration, which computes the one after the other.
// CHECK-LABEL: func.func @sequence(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %{{.*}}: memref<?xi32>, %[[FROM:.*]]: index, %[[TO:.*]]: index
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK: scf.for %[[I:.*]] =
// CHECK: memref.load %[[X]][%[[I]]]
// CHECK: memref.store %{{.*}}, %[[A]][%[[I]]]
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[AT:.*]] = arith.subi %{{.*}}, %[[J]]
// CHECK: memref.load %[[A]][%[[AT]]]
// CHECK: memref.store %{{.*}}, %[[B]][%[[J]]]
// CHECK-LABEL: func.func @sequence.extent
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: return %[[ONE]],
te.kernel @sequence(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = te.compute @a (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %p = arith.negf %v : f32
    te.yield %p : f32
  } : tensor<8xf32>
  %b = te.compute @b (d0: 8) {
    %v = te.read %a[7 - d0] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  te.return %a, %b : tensor<8xf32>, tensor<8xf32>
} schedule {
  %0 = layout.loops @a : !layout.loop
  layout.bind %0 to parallel
  %1 = layout.loops @b : !layout.loop
  layout.bind %1 to parallel
}
