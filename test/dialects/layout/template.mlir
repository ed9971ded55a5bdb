// RUN: tssa-opt %s -layout-schedule-default | FileCheck %s
// RUN: tssa-opt %s -layout-schedule-default=point=1 | FileCheck %s --check-prefix=SECOND
// RUN: tssa-opt %s -layout-print-template=points=2 -o /dev/null | FileCheck %s --check-prefix=PRINT
// RUN: tssa-opt %s -layout-schedule-default --remarks-filter=layout-schedule-default --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] schedule | {{.*}} | Cycles={{[0-9]+}}, Expression=y, Point="vector d3 {{.*}}x16, {{.*}}", Points={{[0-9]+}}

// Channels first: vectors lie along the width, rows share the loads of a window, and its taps are
// unrolled.
// CHECK-LABEL: te.kernel @first
// CHECK: %[[L:.*]]:6 = layout.loops @y
// CHECK: %[[R:.*]]:2 = layout.split %[[L]]#2 [*, {{[0-9]+}}]
// CHECK: layout.split %[[L]]#3 [*, {{.*}}16]
// CHECK: layout.register_tile {{.*}}%[[L]]#5, %[[R]]#1
// CHECK: layout.vectorize

// PRINT-LABEL: kernel @first
// PRINT-NEXT: @y depthwise convolution:
// PRINT-NEXT: {{[0-9.e+]+}} cycles: vector d3 {{[0-9]+}}x16, rows d2 {{[0-9]+}}, {{.*}}unroll d5, outer d0 d1 d2 d3, reduce d4 d5
// PRINT-NEXT: {{[0-9.e+]+}} cycles: vector d3
// PRINT-NEXT: kernel @last

// The option takes another point.
// SECOND-LABEL: te.kernel @first
// SECOND: layout.vectorize
te.kernel @first(%x: tensor<2x24x30x34xf32>, %w: tensor<24x3x3xf32>) -> tensor<2x24x28x32xf32> {
  %y = te.compute @y (d0: 2, d1: 24, d2: 28, d3: 32) reduce (d4: 3, d5: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2 + d4, d3 + d5] : tensor<2x24x30x34xf32>
    %b = te.read %w[d1, d4, d5] : tensor<24x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x24x28x32xf32>
  te.return %y : tensor<2x24x28x32xf32>
}

// Channels last: vectors hold channels.
// CHECK-LABEL: te.kernel @last
// CHECK: %[[L:.*]]:6 = layout.loops @y
// CHECK: layout.split %[[L]]#3 [*, {{.*}}16]
te.kernel @last(%x: tensor<2x30x34x64xf32>, %w: tensor<64x3x3xf32>) -> tensor<2x28x32x64xf32> {
  %y = te.compute @y (d0: 2, d1: 28, d2: 32, d3: 64) reduce (d4: 3, d5: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + d4, d2 + d5, d3] : tensor<2x30x34x64xf32>
    %b = te.read %w[d3, d4, d5] : tensor<64x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x28x32x64xf32>
  te.return %y : tensor<2x28x32x64xf32>
}

// The rows of a tile do not lie in several groups of eight channels.
// CHECK-LABEL: te.kernel @groups
// CHECK: %[[L:.*]]:7 = layout.loops @y
// CHECK-NOT: layout.split %[[L]]#1 [*, {{3|5|6|7|9|1[0-9]|2[0-9]}}]
// CHECK: layout.vectorize
te.kernel @groups(%x: tensor<1x64x30x34xf32>, %w: tensor<64x8x3x3xf32>) -> tensor<1x64x28x32xf32> {
  %y = te.compute @y (d0: 1, d1: 64, d2: 28, d3: 32) reduce (d4: 8, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, (d1 floordiv 8) * 8 + d4, d2 + d5, d3 + d6] : tensor<1x64x30x34xf32>
    %b = te.read %w[d1, d4, d5, d6] : tensor<64x8x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x64x28x32xf32>
  te.return %y : tensor<1x64x28x32xf32>
}

// A dense convolution, channels last: vectors of output channels, rows of pixels.
// CHECK-LABEL: te.kernel @dense
// CHECK: %[[L:.*]]:7 = layout.loops @y
// CHECK: layout.split %[[L]]#{{[12]}} [*, {{[0-9]+}}]
// CHECK: layout.split %[[L]]#3 [*, {{.*}}16]
// CHECK: layout.vectorize
// PRINT-LABEL: kernel @dense
// PRINT-NEXT: @y convolution:
// PRINT-NEXT: cycles: vector d3 {{[124]}}x16, rows d{{[12]}} {{[0-9]+}}, {{.*}}outer d0
te.kernel @dense(%x: tensor<1x58x58x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32> {
  %y = te.compute @y (d0: 1, d1: 56, d2: 56, d3: 64) reduce (d4: 64, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + d5, d2 + d6, d4] : tensor<1x58x58x64xf32>
    %b = te.read %w[d5, d6, d4, d3] : tensor<3x3x64x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x56x56x64xf32>
  te.return %y : tensor<1x56x56x64xf32>
}

// The rows of a pool share the loads of its window.
// PRINT-LABEL: kernel @pool
// PRINT-NEXT: @y pool:
// PRINT-NEXT: cycles: vector d2 2x16, {{.*}}unroll d3, outer
// CHECK-LABEL: te.kernel @pool
// CHECK: layout.vectorize
te.kernel @pool(%x: tensor<2x8x34xf32>) -> tensor<2x8x32xf32> {
  %y = te.compute @y (d0: 2, d1: 8, d2: 32) reduce (d3: 3) init (0xFF800000 : f32) {
    %a = te.read %x[d0, d1, d2 + d3] : tensor<2x8x34xf32>
    te.yield %a : f32
  } combine arith.maximumf : tensor<2x8x32xf32>
  te.return %y : tensor<2x8x32xf32>
}

// A transpose: its tiles are transposed in registers, and the lines that one touches are used again by
// the next one.
// PRINT-LABEL: kernel @transpose
// PRINT-NEXT: @y elements:
// PRINT-NEXT: cycles: vector d2 {{[124]}}x16, rows d1 {{[0-9]+}}, outer d0 d2 d1
// CHECK-LABEL: te.kernel @transpose
// CHECK: %[[L:.*]]:3 = layout.loops @y
// CHECK: %[[V:.*]]:{{[23]}} = layout.split %[[L]]#2
// CHECK: layout.reorder %[[L]]#0, %[[V]]#0, %{{.*}}#0, %{{.*}}#1,
te.kernel @transpose(%x: tensor<2x4096x256xf32>) -> tensor<2x256x4096xf32> {
  %y = te.compute @y (d0: 2, d1: 256, d2: 4096) {
    %a = te.read %x[d0, d2, d1] : tensor<2x4096x256xf32>
    te.yield %a : f32
  } : tensor<2x256x4096xf32>
  te.return %y : tensor<2x256x4096xf32>
}

// An element that is found by an index from data, in a row too short for a vector: scalar code.
// PRINT-LABEL: kernel @lookup
// PRINT: cycles: scalar
// CHECK-LABEL: te.kernel @lookup
// CHECK-NOT: layout.vectorize
te.kernel @lookup(%x: tensor<100xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %y = te.compute @y (d0: 3) {
    %a = te.read %i[d0] : tensor<3xi64>
    %n = arith.index_cast %a : i64 to index
    %b = te.read %x[s0](%n) : tensor<100xf32>
    te.yield %b : f32
  } : tensor<3xf32>
  te.return %y : tensor<3xf32>
}

// The rows of this kernel are computed one by one, and six vectors of a row make no tile of four sums:
// shorter tiles still have vectors.
// CHECK-LABEL: te.kernel @short_rows
// CHECK: layout.loops @sum
// CHECK: layout.vectorize
// CHECK: layout.loops @y
te.kernel @short_rows(%x: tensor<3136x96xf32>) -> tensor<3136x96xf32> {
  %s = te.compute @sum (d0: 3136) reduce (d1: 96) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<3136x96xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<3136xf32>
  %y = te.compute @y (d0: 3136, d1: 96) {
    %a = te.read %x[d0, d1] : tensor<3136x96xf32>
    %b = te.read %s[d0] : tensor<3136xf32>
    %c = arith.subf %a, %b : f32
    te.yield %c : f32
  } : tensor<3136x96xf32>
  te.return %y : tensor<3136x96xf32>
}

// The parts of a long reduction look like windows that do not overlap. Lanes lie along them, where they are contiguous,
// and not along the other dim, where each would be a load.
// PRINT-LABEL: kernel @parts
// PRINT-NEXT: @y pool: d0 image, d1 in, d2 window
// PRINT-NEXT: {{[0-9.e+]+}} cycles: vector d2 {{.*}}reduce d1 d2
te.kernel @parts(%x: tensor<128x3072xf32>) -> tensor<6xf32> {
  %y = te.compute @y (d0: 6) reduce (d1: 128, d2: 512) init (0.0 : f32) {
    %a = te.read %x[d1, d0 * 512 + d2] : tensor<128x3072xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<6xf32>
  te.return %y : tensor<6xf32>
}
