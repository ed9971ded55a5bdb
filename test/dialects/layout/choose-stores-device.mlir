// RUN: tssa-opt %s -layout-choose-stores | FileCheck %s --check-prefix=STORE
// RUN: tssa-opt %s -layout-choose-stores -layout-materialize-stores -layout-schedule-simt --remarks-filter=layout-schedule-.* --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: tssa-opt %s -te-check-pipeline=passes=layout-choose-stores,layout-materialize-stores,layout-schedule-simt -o /dev/null

// On a GPU, a convolution stores its channels last, and its constant weights with the window first:
// then copies bring runs of channels of both, and zeros beyond the border.
module attributes {layout.device = #layout.device<processors = 108, megahertz = 1410, registers = 65536, threads = 2048, blocks = 32, sharedBytes = 167936, blockSharedBytes = 166912, multiplyAdds = 64, matrixMultiplyAdds = 1024, l2CycleBytes = 47, l2Bytes = 41943040, memoryMegabytes = 1555000, l2Latency = 262, memoryLatency = 466, launchNanoseconds = 3200>} {

func.func @main(%x: tensor<1x4x28x28xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<1x64x28x28xf16> {
  %v = te.constant dense<0.5> : tensor<64x4x1x1xf16>
  %c = te.constant dense<0.25> : tensor<64x64x3x3xf16>
  %y = te.launch @first(%x, %v) : (tensor<1x4x28x28xf16>, tensor<64x4x1x1xf16>) -> tensor<1x64x28x28xf16>
  %z = te.launch @conv(%y, %c) : (tensor<1x64x28x28xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x28x28xf16>
  // Weights that are no constant keep their order.
  %r = te.launch @conv(%z, %w) : (tensor<1x64x28x28xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x28x28xf16>
  return %r : tensor<1x64x28x28xf16>
}

// Few channels: the steps are all of the sum, in the order in which the weights are.
// STORE-LABEL: te.kernel @first
// STORE: schedule {
// STORE-NEXT: layout.store @y as map<reorder(0, 2, 3, 1)>
// STORE-NEXT: }
te.kernel @first(%x: tensor<1x4x28x28xf16>, %w: tensor<64x4x1x1xf16>) -> tensor<1x64x28x28xf16> {
  %y = te.compute @y (d0: 1, d1: 64, d2: 28, d3: 28) reduce (d4: 4) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2, d3] : tensor<1x4x28x28xf16>
    %b = te.read %w[d1, d4, 0, 0] : tensor<64x4x1x1xf16>
    %e = arith.extf %a : f16 to f32
    %f = arith.extf %b : f16 to f32
    %p = arith.mulf %e, %f : f32
    te.yield %p : f32
  } combine arith.addf then (%s: f32) {
    %t = arith.truncf %s : f32 to f16
    te.yield %t : f16
  } : tensor<1x64x28x28xf16>
  te.return %y : tensor<1x64x28x28xf16>
}

// STORE-LABEL: te.kernel @conv_0
// STORE: schedule {
// STORE-DAG: layout.store 1 as map<reorder(2, 3, 0, 1)>
// STORE-DAG: layout.store 0 as map<reorder(0, 2, 3, 1)>
// STORE: }
// STORE-LABEL: te.kernel @conv_1
// STORE-NOT: layout.store 1

// The pipeline runs through all positions of the window.
// REMARK: [Passed] schedule | {{.*}}Point="block {{.*}}atom", Remark="a block computes a tile"
// CHECK-LABEL: te.kernel @conv_0
// CHECK: %[[L:.*]]:7 = layout.loops @y
// CHECK: %[[K:.*]]:3 = layout.split %[[L]]#4
// CHECK: %[[W:.*]] = layout.fuse %[[L]]#5, %[[L]]#6
// CHECK: %[[R:.*]] = layout.fuse %[[W]], %[[K]]#0
// CHECK-DAG: layout.cache 0 at %[[R]] to shared
// CHECK-DAG: layout.cache 1 at %[[R]] to shared
// CHECK: layout.pipeline %[[R]] depth
// CHECK: layout.atom %{{.*}}, %{{.*}}, %[[K]]#2 "mma.m16n8k16"
te.kernel @conv(%x: tensor<1x64x28x28xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<1x64x28x28xf16> {
  %y = te.compute @y (d0: 1, d1: 64, d2: 28, d3: 28) reduce (d4: 64, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<1x64x28x28xf16> where (d2 + d5 - 1 >= 0, -d2 - d5 + 28 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 28 >= 0) else 0.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<64x64x3x3xf16>
    %e = arith.extf %a : f16 to f32
    %f = arith.extf %b : f16 to f32
    %p = arith.mulf %e, %f : f32
    te.yield %p : f32
  } combine arith.addf then (%s: f32) {
    %t = arith.truncf %s : f32 to f16
    te.yield %t : f16
  } : tensor<1x64x28x28xf16>
  te.return %y : tensor<1x64x28x28xf16>
}
}
