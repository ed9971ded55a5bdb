// RUN: tssa-opt %s -layout-choose-orders | FileCheck %s

// The convolution stores channels last, the kernel after it follows, and the one
// whose result leaves the program keeps the order of the result.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x3x8x8xf32>) -> tensor<1x20x8x8xf32> {
  %w = te.constant dense<0.5> : tensor<20x3x1x1xf32>
  // CHECK: %[[CONV:.*]] = te.launch @[[K0:.*]](%{{.*}}) : (tensor<1x3x8x8xf32>, tensor<20x3x1x1xf32>) -> tensor<1x8x8x20xf32>
  %y = te.launch @conv(%x, %w) : (tensor<1x3x8x8xf32>, tensor<20x3x1x1xf32>) -> tensor<1x20x8x8xf32>
  // CHECK: %[[NEG:.*]] = te.launch @[[K1:.*]](%[[CONV]]) : (tensor<1x8x8x20xf32>) -> tensor<1x8x8x20xf32>
  %z = te.launch @neg(%y) : (tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32>
  // CHECK: te.launch @[[K2:.*]](%[[NEG]]) : (tensor<1x8x8x20xf32>) -> tensor<1x20x8x8xf32>
  %r = te.launch @neg(%z) : (tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32>
  return %r : tensor<1x20x8x8xf32>
}

// CHECK: te.kernel @[[K0]]
// CHECK: te.compute @y (d0: 1, d1: 8, d2: 8, d3: 20)
// CHECK: te.read %{{.*}}[d0, d4, d1, d2]
// CHECK: te.read %{{.*}}[d3, d4, 0, 0]
te.kernel @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<20x3x1x1xf32>) -> tensor<1x20x8x8xf32> {
  %y = te.compute @y (d0: 1, d1: 20, d2: 8, d3: 8) reduce (d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2, d3] : tensor<1x3x8x8xf32>
    %b = te.read %w[d1, d4, 0, 0] : tensor<20x3x1x1xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x20x8x8xf32>
  te.return %y : tensor<1x20x8x8xf32>
}

// CHECK: te.kernel @[[K1]](%{{.*}}: tensor<1x8x8x20xf32>) -> tensor<1x8x8x20xf32>
// CHECK: te.read %{{.*}}[d0, d1, d2, d3]
// CHECK: te.kernel @[[K2]](%{{.*}}: tensor<1x8x8x20xf32>) -> tensor<1x20x8x8xf32>
// CHECK: te.read %{{.*}}[d0, d2, d3, d1]
te.kernel @neg(%x: tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32> {
  %y = te.compute @y (d0: 1, d1: 20, d2: 8, d3: 8) {
    %a = te.read %x[d0, d1, d2, d3] : tensor<1x20x8x8xf32>
    %p = arith.negf %a : f32
    te.yield %p : f32
  } : tensor<1x20x8x8xf32>
  te.return %y : tensor<1x20x8x8xf32>
}

// A contraction of two inputs keeps its order.
// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<2x4x8xf32>, %k: tensor<2x5x8xf32>) -> tensor<2x4x5xf32> {
  // CHECK: te.launch @scores
  // CHECK-SAME: -> tensor<2x4x5xf32>
  %s = te.launch @scores(%q, %k) : (tensor<2x4x8xf32>, tensor<2x5x8xf32>) -> tensor<2x4x5xf32>
  return %s : tensor<2x4x5xf32>
}
te.kernel @scores(%q: tensor<2x4x8xf32>, %k: tensor<2x5x8xf32>) -> tensor<2x4x5xf32> {
  %y = te.compute @y (d0: 2, d1: 4, d2: 5) reduce (d3: 8) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<2x4x8xf32>
    %b = te.read %k[d0, d2, d3] : tensor<2x5x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x4x5xf32>
  te.return %y : tensor<2x4x5xf32>
}
