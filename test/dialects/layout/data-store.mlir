// RUN: tssa-opt %s -layout-choose-stores | FileCheck %s
// RUN: tssa-opt %s -layout-choose-stores --remarks-filter=layout-choose-stores --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] converted | {{.*}} | Conversion={{[0-9]+}}, CyclesAsIs={{[0-9]+}}, CyclesConverted={{[0-9]+}}, CyclesPadded={{[0-9]+}}, PaddedConversion={{[0-9]+}}, Parameter=0
// REMARK: [Missed] converted | {{.*}} Parameter=0

// The channels of a padded image lie 4096 bytes apart, so that they share a set of the first-level
// cache: a convolution gets them next to each other.
// CHECK-LABEL: te.kernel @far_channels
// CHECK: layout.store 0 as map<reorder(0, 2, 1)>
te.kernel @far_channels(%x: tensor<2x512x1024xf32>, %w: tensor<512x512x3xf32>) -> tensor<2x512x512xf32> {
  %y = te.compute @y (d0: 2, d1: 512, d2: 512) reduce (d3: 512, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2 * 2 + d4 - 1] : tensor<2x512x1024xf32> where (d2 * 2 + d4 - 1 >= 0, d2 * -2 - d4 + 1024 >= 0) else 0.0
    %b = te.read %w[d1, d3, d4] : tensor<512x512x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x512x512xf32>
  te.return %y : tensor<2x512x512xf32>
}

// Three channels: a conversion does not pay.
// CHECK-LABEL: te.kernel @few_channels
// CHECK-NOT: layout.store 0
te.kernel @few_channels(%x: tensor<2x3x1026xf32>, %w: tensor<16x3x3xf32>) -> tensor<2x16x1024xf32> {
  %y = te.compute @y (d0: 2, d1: 16, d2: 1024) reduce (d3: 3, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2 + d4] : tensor<2x3x1026xf32>
    %b = te.read %w[d1, d3, d4] : tensor<16x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x16x1024xf32>
  te.return %y : tensor<2x16x1024xf32>
}

// Weights that are no constant: nothing is converted.
// CHECK-LABEL: te.kernel @open_weights
// CHECK-NOT: layout.store
te.kernel @open_weights(%x: tensor<2x512x1024xf32>, %w: tensor<512x512x3xf32>) -> tensor<2x512x512xf32> {
  %y = te.compute @y (d0: 2, d1: 512, d2: 512) reduce (d3: 512, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2 * 2 + d4 - 1] : tensor<2x512x1024xf32> where (d2 * 2 + d4 - 1 >= 0, d2 * -2 - d4 + 1024 >= 0) else 0.0
    %b = te.read %w[d1, d3, d4] : tensor<512x512x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x512x512xf32>
  te.return %y : tensor<2x512x512xf32>
}

// The rows of a tile lie along d3, and the data gets a border of zeros there, so that they have no guard.
// The guard along d2 skips rows of taps that lie outside of the image, so that this dim is not padded.
// CHECK-LABEL: te.kernel @dilated
// CHECK: layout.store 0 as map<pad(3, 6, 6), reorder(0, 2, 3, 1)>
te.kernel @dilated(%x: tensor<1x96x40x40xf32>, %w: tensor<96x96x3x3xf32> {te.finite}) -> tensor<1x96x40x40xf32> {
  %y = te.compute @y (d0: 1, d1: 96, d2: 40, d3: 40) reduce (d4: 96, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5 * 6 - 6, d3 + d6 * 6 - 6] : tensor<1x96x40x40xf32> where (d2 + d5 * 6 - 6 >= 0, -d2 - d5 * 6 + 45 >= 0, d3 + d6 * 6 - 6 >= 0, -d3 - d6 * 6 + 45 >= 0) else 0.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<96x96x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x96x40x40xf32>
  te.return %y : tensor<1x96x40x40xf32>
}

// A border of 3 would do here, but the same data is already converted with one of 6.
// CHECK-LABEL: te.kernel @shared
// CHECK: layout.store 0 as map<pad(3, 6, 6), reorder(0, 2, 3, 1)>
te.kernel @shared(%x: tensor<1x96x40x40xf32>, %w: tensor<96x96x3x3xf32> {te.finite}) -> tensor<1x96x40x40xf32> {
  %y = te.compute @y (d0: 1, d1: 96, d2: 40, d3: 40) reduce (d4: 96, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5 * 3 - 3, d3 + d6 * 3 - 3] : tensor<1x96x40x40xf32> where (d2 + d5 * 3 - 3 >= 0, -d2 - d5 * 3 + 42 >= 0, d3 + d6 * 3 - 3 >= 0, -d3 - d6 * 3 + 42 >= 0) else 0.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<96x96x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x96x40x40xf32>
  te.return %y : tensor<1x96x40x40xf32>
}

// If a tile has all rows, those of them that lie outside at a tap have no code, and no border is needed.
// CHECK-LABEL: te.kernel @whole_rows
// CHECK: layout.store 0 as map<reorder(0, 2, 3, 1)>
te.kernel @whole_rows(%x: tensor<1x96x14x14xf32>, %w: tensor<96x96x3x3xf32> {te.finite}) -> tensor<1x96x14x14xf32> {
  %y = te.compute @y (d0: 1, d1: 96, d2: 14, d3: 14) reduce (d4: 96, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5 * 6 - 6, d3 + d6 * 6 - 6] : tensor<1x96x14x14xf32> where (d2 + d5 * 6 - 6 >= 0, -d2 - d5 * 6 + 19 >= 0, d3 + d6 * 6 - 6 >= 0, -d3 - d6 * 6 + 19 >= 0) else 0.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<96x96x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x96x14x14xf32>
  te.return %y : tensor<1x96x14x14xf32>
}

// A border of -1 stays a guard.
// CHECK-LABEL: te.kernel @minus_one
// CHECK-NOT: pad
te.kernel @minus_one(%x: tensor<1x96x14x14xf32>, %w: tensor<96x96x3x3xf32>) -> tensor<1x96x14x14xf32> {
  %y = te.compute @y (d0: 1, d1: 96, d2: 14, d3: 14) reduce (d4: 96, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5 * 6 - 6, d3 + d6 * 6 - 6] : tensor<1x96x14x14xf32> where (d2 + d5 * 6 - 6 >= 0, -d2 - d5 * 6 + 19 >= 0, d3 + d6 * 6 - 6 >= 0, -d3 - d6 * 6 + 19 >= 0) else -1.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<96x96x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x96x14x14xf32>
  te.return %y : tensor<1x96x14x14xf32>
}

func.func @main(%x: tensor<2x512x1024xf32>, %s: tensor<2x3x1026xf32>, %v: tensor<512x512x3xf32>, %i: tensor<1x96x40x40xf32>, %j: tensor<1x96x14x14xf32>) -> (tensor<2x512x512xf32>, tensor<2x16x1024xf32>, tensor<2x512x512xf32>, tensor<1x96x40x40xf32>, tensor<1x96x40x40xf32>, tensor<1x96x14x14xf32>, tensor<1x96x14x14xf32>) {
  %w = te.constant dense<1.0> : tensor<512x512x3xf32>
  %u = te.constant dense<1.0> : tensor<16x3x3xf32>
  %a = te.launch @far_channels(%x, %w) : (tensor<2x512x1024xf32>, tensor<512x512x3xf32>) -> tensor<2x512x512xf32>
  %b = te.launch @few_channels(%s, %u) : (tensor<2x3x1026xf32>, tensor<16x3x3xf32>) -> tensor<2x16x1024xf32>
  %c = te.launch @open_weights(%x, %v) : (tensor<2x512x1024xf32>, tensor<512x512x3xf32>) -> tensor<2x512x512xf32>
  %t = te.constant dense<1.0> : tensor<96x96x3x3xf32>
  %d = te.launch @dilated(%i, %t) : (tensor<1x96x40x40xf32>, tensor<96x96x3x3xf32>) -> tensor<1x96x40x40xf32>
  %e = te.launch @shared(%i, %t) : (tensor<1x96x40x40xf32>, tensor<96x96x3x3xf32>) -> tensor<1x96x40x40xf32>
  %g = te.launch @whole_rows(%j, %t) : (tensor<1x96x14x14xf32>, tensor<96x96x3x3xf32>) -> tensor<1x96x14x14xf32>
  %f = te.launch @minus_one(%j, %t) : (tensor<1x96x14x14xf32>, tensor<96x96x3x3xf32>) -> tensor<1x96x14x14xf32>
  return %a, %b, %c, %d, %e, %g, %f : tensor<2x512x512xf32>, tensor<2x16x1024xf32>, tensor<2x512x512xf32>, tensor<1x96x40x40xf32>, tensor<1x96x40x40xf32>, tensor<1x96x14x14xf32>, tensor<1x96x14x14xf32>
}
