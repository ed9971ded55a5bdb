// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// The channels of a group read one element: the vector reads four of the 13 elements from the first
// group's to the last one's.
// CHECK-LABEL: func.func @groups(
// CHECK: %[[KEPT:.*]] = arith.constant dense<[true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false]>
// CHECK-NOT: vector.gather
// CHECK: %[[NEAR:.*]] = vector.maskedload %{{.*}}[%{{.*}}], %[[KEPT]]
// CHECK: vector.shuffle %[[NEAR]], %[[NEAR]] [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12]
te.kernel @groups(%a: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = te.compute @y (d0: 8, d1: 64) reduce (d2: 4) init (0.0 : f32) {
    %x = te.read %a[d0, (d1 floordiv 4) * 4 + d2] : tensor<8x64xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<8x64xf32>
  te.return %y : tensor<8x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %o, %l = layout.split %j [*, 16]
  layout.reorder %i, %o, %k, %l
  layout.vectorize %l
  layout.bind %i to parallel
}

// Every other element, from two vectors that overlap. The tail reads only the elements that it
// needs.
// CHECK-LABEL: func.func @strided(
// CHECK-NOT: vector.gather
// CHECK-DAG: %[[LOW:.*]] = vector.load %{{.*}} : memref<?xf32>, vector<16xf32>
// CHECK-DAG: %[[HIGH:.*]] = vector.load %{{.*}} : memref<?xf32>, vector<16xf32>
// CHECK: vector.shuffle %{{.*}}, %[[HIGH]] [{{.*}}19, 21, 23, 25, 27, 29, 31]
// CHECK: vector.store
// CHECK: vector.maskedload
// CHECK: vector.shuffle
// CHECK-NOT: arith.select
// CHECK: vector.maskedstore
te.kernel @strided(%a: tensor<8x48xf32>) -> tensor<8x23xf32> {
  %y = te.compute @y (d0: 8, d1: 23) {
    %x = te.read %a[d0, d1 * 2 + 1] : tensor<8x48xf32>
    te.yield %x : f32
  } : tensor<8x23xf32>
  te.return %y : tensor<8x23xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %o, %l = layout.split %j [*, 16]
  layout.vectorize %l
  layout.bind %i to parallel
}

// A reversed dim is one vector whose lanes are reversed.
// CHECK-LABEL: func.func @reversed(
// CHECK-NOT: vector.gather
// CHECK: vector.shuffle %{{.*}} [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
te.kernel @reversed(%a: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = te.compute @y (d0: 8, d1: 64) {
    %x = te.read %a[d0, 63 - d1] : tensor<8x64xf32>
    te.yield %x : f32
  } : tensor<8x64xf32>
  te.return %y : tensor<8x64xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %o, %l = layout.split %j [*, 16]
  layout.vectorize %l
  layout.bind %i to parallel
}

// Groups of six have other offsets in each vector, and columns are too far apart: both are
// gathered.
// CHECK-LABEL: func.func @gathered(
// CHECK-COUNT-2: vector.gather
te.kernel @gathered(%a: tensor<48x96xf32>, %b: tensor<96x48xf32>) -> tensor<48x96xf32> {
  %y = te.compute @y (d0: 48, d1: 96) {
    %x = te.read %a[d0, (d1 floordiv 6) * 6] : tensor<48x96xf32>
    %z = te.read %b[d1, d0] : tensor<96x48xf32>
    %s = arith.addf %x, %z : f32
    te.yield %s : f32
  } : tensor<48x96xf32>
  te.return %y : tensor<48x96xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %o, %l = layout.split %j [*, 16]
  layout.vectorize %l
  layout.bind %i to parallel
}

// The end of a dynamic domain: lanes that do not exist read the same element as the first lane,
// without a mask.
// CHECK-LABEL: func.func @open_end(
// CHECK: %[[ALL:.*]] = arith.constant dense<true> : vector<16xi1>
// CHECK: vector.gather %{{.*}} [%{{.*}}], %[[ALL]]
// CHECK: %[[LEFT:.*]] = vector.create_mask
// CHECK: vector.extract %{{.*}}[0] : index from vector<16xindex>
// CHECK: %[[AT:.*]] = arith.select %[[LEFT]], %{{.*}}, %{{.*}} : vector<16xi1>, vector<16xindex>
// CHECK: %[[X:.*]] = vector.gather %{{.*}} [%[[AT]]], %[[ALL]]
// CHECK: arith.select %[[LEFT]], %[[X]]
// CHECK: vector.maskedstore
te.kernel @open_end(%a: tensor<8x512xf32>, %n: index) -> tensor<8x?xf32> {
  %y = te.compute @y (d0: 8, d1: %n) {
    %x = te.read %a[d0, d1 * 9] : tensor<8x512xf32>
    te.yield %x : f32
  } : tensor<8x?xf32>
  te.return %y : tensor<8x?xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %o, %l = layout.split %j [*, 16]
  layout.vectorize %l
  layout.bind %i to parallel
}

// Rows with a border on both sides: the lanes that lie outside are places that lie outside, and the
// vectors of the window are masked. Nobody uses the lanes behind the end of the domain, so that
// nothing is chosen for them.
// CHECK-LABEL: func.func @borders(
// CHECK-NOT: vector.gather
// CHECK-NOT: arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: %[[STEP:.*]] = vector.step : vector<16xindex>
// CHECK: arith.cmpi sge, %{{.*}} : vector<16xindex>
// CHECK: vector.maskedload
// CHECK: vector.maskedload
// CHECK: vector.shuffle %{{.*}} [{{.*}}19, 21, 23, 25, 27, 29, 31]
// CHECK: vector.maskedstore
te.kernel @borders(%a: tensor<8x46xf32>) -> tensor<8x23xf32> {
  %y = te.compute @y (d0: 8, d1: 23) {
    %x = te.read %a[d0, d1 * 2 + 2] : tensor<8x46xf32> where (d1 * -2 + 43 >= 0) else 0.0
    %z = te.read %a[d0, d1 * 2 - 2] : tensor<8x46xf32> where (d1 * 2 - 2 >= 0) else 0.0
    %s = arith.addf %x, %z : f32
    te.yield %s : f32
  } : tensor<8x23xf32>
  te.return %y : tensor<8x23xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %o, %l = layout.split %j [*, 16]
  layout.vectorize %l
  layout.bind %i to parallel
}

// An end that only a run knows: of the places, those that its lanes read.
// CHECK-LABEL: func.func @open_window(
// CHECK-NOT: vector.gather
// CHECK: vector.create_mask
// CHECK: vector.maskedload
// CHECK: vector.shuffle
te.kernel @open_window(%a: tensor<8x512xf32>, %n: index) -> tensor<8x?xf32> {
  %y = te.compute @y (d0: 8, d1: %n) {
    %x = te.read %a[d0, d1 * 2] : tensor<8x512xf32>
    te.yield %x : f32
  } : tensor<8x?xf32>
  te.return %y : tensor<8x?xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %o, %l = layout.split %j [*, 16]
  layout.vectorize %l
  layout.bind %i to parallel
}

// A step of the condition that is no multiple of the step of the address says nothing of places.
// CHECK-LABEL: func.func @other_step(
// CHECK: vector.gather
te.kernel @other_step(%a: tensor<8x64xf32>) -> tensor<8x23xf32> {
  %y = te.compute @y (d0: 8, d1: 23) {
    %x = te.read %a[d0, d1 * 2] : tensor<8x64xf32> where (d1 * 3 - 7 >= 0) else 0.0
    te.yield %x : f32
  } : tensor<8x23xf32>
  te.return %y : tensor<8x23xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %o, %l = layout.split %j [*, 16]
  layout.vectorize %l
  layout.bind %i to parallel
}
