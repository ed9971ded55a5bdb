// RUN: tssa-opt %s -convert-kernels-to-device-loops -canonicalize -cse | FileCheck %s

// Two warps compute 32 x 32 sums. Two of three stages of 32 steps are filled before the loop; an
// iteration waits for its own stage and fills the one two iterations ahead.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: te.block = #te.block<threads = 64, shared_bytes = 15360>
// CHECK-DAG: %[[A:.*]] = memref.view %{{.*}}[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<3840xf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[B:.*]] = memref.view %{{.*}}[%c7680][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<3840xf16, #gpu.address_space<workgroup>>
// CHECK-COUNT-2: nvgpu.device_async_copy %{{.*}}, %[[A]][%{{.*}}], 8, %{{.*}} {bypassL1}
// CHECK-COUNT-2: nvgpu.device_async_copy %{{.*}}, %[[B]][%{{.*}}], 8 {bypassL1}
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-4: nvgpu.device_async_copy
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK: scf.if
// CHECK-COUNT-4: nvgpu.device_async_copy
// CHECK: nvvm.cp.async.commit.group

// The rows of a are steps; those of b are columns, and become steps.
// CHECK: nvgpu.ldmatrix %[[A]][%{{.*}}] {numTiles = 4 : i32, transpose = false}
// CHECK: nvgpu.ldmatrix %[[B]][%{{.*}}] {numTiles = 4 : i32, transpose = true}
// CHECK: nvgpu.ldmatrix %[[B]][%{{.*}}] {numTiles = 4 : i32, transpose = true}
// CHECK-COUNT-8: nvvm.mma.sync

// Each lane stores pairs of columns; the rows of the first of two blocks may end early.
// CHECK: scf.if
// CHECK: vector.store %{{.*}} : memref<?xf32>, vector<2xf32>
te.kernel @product(%a: tensor<40x128xf16>, %b: tensor<128x64xf16>) -> tensor<40x64xf32> {
  %y = te.compute @y (d0: 40, d1: 64) reduce (d2: 128) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<40x128xf16>
    %v = te.read %b[d2, d1] : tensor<128x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<40x64xf32>
  te.return %y : tensor<40x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %i0, %i1, %i2 = layout.split %i [*, 2, 16]
  %j0, %j1 = layout.split %j [*, 32]
  %k0, %k1 = layout.split %k [*, 32]
  layout.reorder %i0, %j0, %i1, %k0, %i2, %j1, %k1
  layout.bind %i0, %j0 to block
  layout.bind %i1 to warp
  layout.cache 0 at %k0 to shared
  layout.cache 1 at %k0 to shared
  layout.pipeline %k0 depth 3
  layout.atom %i2, %j1, %k1 "mma.m16n8k16"
}

// Factors of tf32: a fragment of eight steps is loaded by four matrices of four words in a row, or by
// each lane word by word, from rows of 32 + 8 words. No attribute of te is left.
// CHECK-LABEL: func.func @tf32(
// CHECK-DAG: %[[A:.*]] = memref.view %{{.*}} to memref<2304xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[B:.*]] = memref.view %{{.*}} to memref<2560xf32, #gpu.address_space<workgroup>>
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[A]][%{{.*}}], 4
// CHECK: scf.for
// CHECK: nvgpu.ldmatrix %[[A]][%{{.*}}] {numTiles = 4 : i32, transpose = false} : memref<2304xf32, #gpu.address_space<workgroup>> -> vector<4x1xf32>
// CHECK-COUNT-8: memref.load %[[B]][%{{.*}}]
// CHECK-COUNT-4: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 8>
// CHECK-NOT: te.tf32
te.kernel @tf32(%a: tensor<64x128xf32>, %b: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 128) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x128xf32>
    %v = te.read %b[d2, d1] : tensor<128x64xf32>
    %p = arith.mulf %u, %v {te.tf32} : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %i0, %i1, %i2 = layout.split %i [*, 2, 16]
  %j0, %j1 = layout.split %j [*, 32]
  %k0, %k1 = layout.split %k [*, 32]
  layout.reorder %i0, %j0, %i1, %k0, %i2, %j1, %k1
  layout.bind %i0, %j0 to block
  layout.bind %i1 to warp
  layout.cache 0 at %k0 to shared
  layout.cache 1 at %k0 to shared
  layout.pipeline %k0 depth 2
  layout.atom %i2, %j1, %k1 "mma.m16n8k8"
}
