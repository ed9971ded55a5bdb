// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// Three rows and three taps of an image: the second vector is used by two rows before the third one
// is loaded.
// CHECK-LABEL: func.func @rows(
// CHECK: vector.load
// CHECK: math.fma
// CHECK: vector.load
// CHECK-NOT: vector.load
// CHECK-COUNT-2: math.fma
// CHECK: vector.load
// CHECK-NOT: vector.load
// CHECK-COUNT-3: math.fma
te.kernel @rows(%x: tensor<14x32xf32>, %w: tensor<3xf32>) -> tensor<12x32xf32> {
  %y = te.compute @y (d0: 12, d1: 32) reduce (d2: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d2, d1] : tensor<14x32xf32>
    %b = te.read %w[d2] : tensor<3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<12x32xf32>
  te.return %y : tensor<12x32xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %o, %r = layout.split %i [*, 3]
  %v, %l = layout.split %j [*, 16]
  layout.reorder %o, %v, %k, %r, %l
  layout.register_tile %k, %r
  layout.vectorize %l
  layout.bind %o to parallel
}

// Weights whose lanes differ are shared by the rows of a tap: the order stays tap by tap.
// CHECK-LABEL: func.func @channels(
// CHECK: %[[W:.*]] = vector.load %arg1
// CHECK: math.fma %{{.*}}, %[[W]]
// CHECK: math.fma %{{.*}}, %[[W]]
// CHECK: math.fma %{{.*}}, %[[W]]
// CHECK-NOT: %[[W]],
// CHECK: %{{.*}} = vector.load %arg1
te.kernel @channels(%x: tensor<14x32xf32>, %w: tensor<3x32xf32>) -> tensor<12x32xf32> {
  %y = te.compute @y (d0: 12, d1: 32) reduce (d2: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d2, d1] : tensor<14x32xf32>
    %b = te.read %w[d2, d1] : tensor<3x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<12x32xf32>
  te.return %y : tensor<12x32xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %o, %r = layout.split %i [*, 3]
  %v, %l = layout.split %j [*, 16]
  layout.reorder %o, %v, %k, %r, %l
  layout.register_tile %k, %r
  layout.vectorize %l
  layout.bind %o to parallel
}
