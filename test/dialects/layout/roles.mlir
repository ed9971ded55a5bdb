// RUN: tssa-opt %s -layout-print-template -o /dev/null | FileCheck %s

// CHECK-LABEL: kernel @convolution
// CHECK-NEXT: @y convolution: d0 batch, d1 out, d2 image, d3 image, d4 in, d5 window, d6 window
te.kernel @convolution(%x: tensor<2x16x10x10xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<2x32x8x8xf32> {
  %y = te.compute @y (d0: 2, d1: 32, d2: 8, d3: 8) reduce (d4: 16, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5, d3 + d6] : tensor<2x16x10x10xf32>
    %b = te.read %w[d1, d4, d5, d6] : tensor<32x16x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x32x8x8xf32>
  te.return %y : tensor<2x32x8x8xf32>
}

// The factors are found in either order, and through casts. Channels are last.
// CHECK-LABEL: kernel @weights_first
// CHECK-NEXT: @y convolution: d0 batch, d1 image, d2 out, d3 in, d4 window
te.kernel @weights_first(%x: tensor<2x10x16xf32>, %w: tensor<32x16x3xi8>) -> tensor<2x8x32xf32> {
  %y = te.compute @y (d0: 2, d1: 8, d2: 32) reduce (d3: 16, d4: 3) init (0.0 : f32) {
    %b = te.read %w[d2, d3, d4] : tensor<32x16x3xi8>
    %c = arith.sitofp %b : i8 to f32
    %a = te.read %x[d0, d1 + d4, d3] : tensor<2x10x16xf32>
    %p = arith.mulf %c, %a : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x8x32xf32>
  te.return %y : tensor<2x8x32xf32>
}

// Four output channels belong to a group.
// CHECK-LABEL: kernel @grouped
// CHECK-NEXT: @y grouped convolution: d0 batch, d1 group/4, d2 image, d3 in, d4 window
te.kernel @grouped(%x: tensor<2x16x10xf32>, %w: tensor<8x8x3xf32>) -> tensor<2x8x8xf32> {
  %y = te.compute @y (d0: 2, d1: 8, d2: 8) reduce (d3: 8, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, (d1 floordiv 4) * 8 + d3, d2 + d4] : tensor<2x16x10xf32>
    %b = te.read %w[d1, d3, d4] : tensor<8x8x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x8x8xf32>
  te.return %y : tensor<2x8x8xf32>
}

// A kernel of one element is no window, but this is still a grouped convolution.
// CHECK-LABEL: kernel @grouped_pointwise
// CHECK-NEXT: @y grouped convolution: d0 batch, d1 group/4, d2 image, d3 in, d4 window
te.kernel @grouped_pointwise(%x: tensor<2x16x8xf32>, %w: tensor<8x8x1xf32>) -> tensor<2x8x8xf32> {
  %y = te.compute @y (d0: 2, d1: 8, d2: 8) reduce (d3: 8, d4: 1) init (0.0 : f32) {
    %a = te.read %x[d0, (d1 floordiv 4) * 8 + d3, d2 + d4] : tensor<2x16x8xf32>
    %b = te.read %w[d1, d3, d4] : tensor<8x8x1xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x8x8xf32>
  te.return %y : tensor<2x8x8xf32>
}

// CHECK-LABEL: kernel @depthwise
// CHECK-NEXT: @y depthwise convolution: d0 batch, d1 group, d2 image, d3 window
te.kernel @depthwise(%x: tensor<2x8x10xf32>, %w: tensor<8x3xf32>) -> tensor<2x8x8xf32> {
  %y = te.compute @y (d0: 2, d1: 8, d2: 8) reduce (d3: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2 + d3] : tensor<2x8x10xf32>
    %b = te.read %w[d1, d3] : tensor<8x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x8x8xf32>
  te.return %y : tensor<2x8x8xf32>
}

// CHECK-LABEL: kernel @product
// CHECK-NEXT: @y product: d0 image, d1 out, d2 in
te.kernel @product(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %y = te.compute @y (d0: 8, d1: 6) reduce (d2: 4) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<8x4xf32>
    %w = te.read %b[d2, d1] : tensor<4x6xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x6xf32>
  te.return %y : tensor<8x6xf32>
}

// CHECK-LABEL: kernel @batched
// CHECK-NEXT: @y batched product: d0 group, d1 image, d2 out, d3 in
te.kernel @batched(%a: tensor<3x8x4xf32>, %b: tensor<3x4x6xf32>) -> tensor<3x8x6xf32> {
  %y = te.compute @y (d0: 3, d1: 8, d2: 6) reduce (d3: 4) init (0.0 : f32) {
    %x = te.read %a[d0, d1, d3] : tensor<3x8x4xf32>
    %w = te.read %b[d0, d3, d2] : tensor<3x4x6xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<3x8x6xf32>
  te.return %y : tensor<3x8x6xf32>
}

// A sum of squares has two equal factors and counts as a reduction.
// CHECK-LABEL: kernel @reduction
// CHECK-NEXT: @y reduction: d0 image, d1 in
te.kernel @reduction(%a: tensor<8x4xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) reduce (d1: 4) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<8x4xf32>
    %p = arith.mulf %x, %x : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8xf32>
  te.return %y : tensor<8xf32>
}

// CHECK-LABEL: kernel @pool
// CHECK-NEXT: @y pool: d0 batch, d1 image, d2 image, d3 window
te.kernel @pool(%x: tensor<2x8x10xf32>) -> tensor<2x8x8xf32> {
  %y = te.compute @y (d0: 2, d1: 8, d2: 8) reduce (d3: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2 + d3] : tensor<2x8x10xf32>
    te.yield %a : f32
  } combine arith.maximumf : tensor<2x8x8xf32>
  te.return %y : tensor<2x8x8xf32>
}

// CHECK-LABEL: kernel @elements
// CHECK-NEXT: @y elements: d0 image, d1 image
te.kernel @elements(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %y = te.compute @y (d0: 2, d1: 8) {
    %a = te.read %x[d0, d1] : tensor<2x8xf32>
    %p = arith.negf %a : f32
    te.yield %p : f32
  } : tensor<2x8xf32>
  te.return %y : tensor<2x8xf32>
}
