// RUN: tssa-opt %s -split-input-file -layout-choose-stores | FileCheck %s
// RUN: tssa-opt %s -split-input-file -te-check-pipeline=passes=layout-choose-stores,layout-materialize-stores -o /dev/null
// RUN: tssa-opt %s -split-input-file -layout-choose-stores --remarks-filter=layout-choose-stores --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A transform of tiles multiplies by a small constant, whose six columns are no channels: a vector of
// them would not be full. The sum over the kernel and its reader says so.
// CHECK-LABEL: te.kernel @transform(
// CHECK-NOT: layout.store
// CHECK-LABEL: te.kernel @negate(
// CHECK-NOT: layout.store
// REMARK: [Missed] ordered | {{.*}} | CyclesAsIs={{[0-9]+}}, CyclesStored={{[0-9]+}}, ReadersAsIs={{[0-9]+}}, ReadersStored={{[0-9]+}}
func.func @main(%x: tensor<64x6x40xf32>) -> tensor<64x6x40xf32> {
  %w = te.constant dense<0.5> : tensor<6x6xf32>
  %y = te.launch @transform(%x, %w) : (tensor<64x6x40xf32>, tensor<6x6xf32>) -> tensor<64x6x40xf32>
  %z = te.launch @negate(%y) : (tensor<64x6x40xf32>) -> tensor<64x6x40xf32>
  return %z : tensor<64x6x40xf32>
}
te.kernel @transform(%x: tensor<64x6x40xf32>, %w: tensor<6x6xf32>) -> tensor<64x6x40xf32> {
  %y = te.compute @y (d0: 64, d1: 6, d2: 40) reduce (d3: 6) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2] : tensor<64x6x40xf32>
    %b = te.read %w[d1, d3] : tensor<6x6xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x6x40xf32>
  te.return %y : tensor<64x6x40xf32>
}
te.kernel @negate(%x: tensor<64x6x40xf32>) -> tensor<64x6x40xf32> {
  %y = te.compute @y (d0: 64, d1: 6, d2: 40) {
    %v = te.read %x[d0, d1, d2] : tensor<64x6x40xf32>
    %n = arith.negf %v : f32
    te.yield %n : f32
  } : tensor<64x6x40xf32>
  te.return %y : tensor<64x6x40xf32>
}

// -----

// The readers of a product take its columns in another order than one dim after the other: each row of
// the result is a run of the whole product, which only the order that it has keeps together.
// CHECK-LABEL: te.kernel @product(
// CHECK-NOT: layout.store
// CHECK-LABEL: te.kernel @rows(
// REMARK: [Missed] ordered
func.func @main(%x: tensor<1x16x4096xf32>) -> tensor<8x8192xf32> {
  %w = te.constant dense<0.5> : tensor<16x16xf32>
  %y = te.launch @product(%x, %w) : (tensor<1x16x4096xf32>, tensor<16x16xf32>) -> tensor<1x16x4096xf32>
  %z = te.launch @rows(%y) : (tensor<1x16x4096xf32>) -> tensor<8x8192xf32>
  return %z : tensor<8x8192xf32>
}
te.kernel @product(%x: tensor<1x16x4096xf32>, %w: tensor<16x16xf32>) -> tensor<1x16x4096xf32> {
  %y = te.compute @y (d0: 1, d1: 16, d2: 4096) reduce (d3: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2] : tensor<1x16x4096xf32>
    %b = te.read %w[d1, d3] : tensor<16x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x16x4096xf32>
  te.return %y : tensor<1x16x4096xf32>
}
te.kernel @rows(%x: tensor<1x16x4096xf32>) -> tensor<8x8192xf32> {
  %y = te.compute @y (d0: 8, d1: 8192) {
    %v = te.read %x[0, d0 * 2 + d1 floordiv 4096, d1 mod 4096] : tensor<1x16x4096xf32>
    %n = arith.negf %v : f32
    te.yield %n : f32
  } : tensor<8x8192xf32>
  te.return %y : tensor<8x8192xf32>
}

// -----

// A transpose reads channels last as they are to be written.
// CHECK-LABEL: te.kernel @channels(
// CHECK: layout.store @y as map<reorder(0, 2, 1)>
// CHECK-LABEL: te.kernel @turn(
// CHECK: layout.store 0 as map<reorder(0, 2, 1)>
// REMARK: [Passed] ordered
func.func @main(%x: tensor<1x16x512xf32>) -> tensor<512x32xf32> {
  %w = te.constant dense<0.5> : tensor<32x16xf32>
  %y = te.launch @channels(%x, %w) : (tensor<1x16x512xf32>, tensor<32x16xf32>) -> tensor<1x32x512xf32>
  %z = te.launch @turn(%y) : (tensor<1x32x512xf32>) -> tensor<512x32xf32>
  return %z : tensor<512x32xf32>
}
te.kernel @channels(%x: tensor<1x16x512xf32>, %w: tensor<32x16xf32>) -> tensor<1x32x512xf32> {
  %y = te.compute @y (d0: 1, d1: 32, d2: 512) reduce (d3: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2] : tensor<1x16x512xf32>
    %b = te.read %w[d1, d3] : tensor<32x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x32x512xf32>
  te.return %y : tensor<1x32x512xf32>
}
te.kernel @turn(%x: tensor<1x32x512xf32>) -> tensor<512x32xf32> {
  %y = te.compute @y (d0: 512, d1: 32) {
    %v = te.read %x[0, d1, d0] : tensor<1x32x512xf32>
    te.yield %v : f32
  } : tensor<512x32xf32>
  te.return %y : tensor<512x32xf32>
}
