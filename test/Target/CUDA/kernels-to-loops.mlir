// RUN: tssa-opt %s -convert-kernels-to-device-loops -canonicalize -cse | FileCheck %s

// A thread computes four elements with one access; the remaining elements are computed one by one.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %[[A:.*]]: memref<?xf32> {llvm.noalias}, %[[N:.*]]: index, %[[Y:.*]]: memref<?xf32>, %{{[a-z0-9]*}}: memref<?xi32>) attributes {te.block = #te.block<threads = 256, shared_bytes = 0>}
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: scf.if
// CHECK: scf.if
// CHECK: %[[V:.*]] = vector.load %[[A]][%[[AT:.*]]] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK: %[[R:.*]] = arith.negf %[[V]] : vector<4xf32>
// CHECK: vector.store %[[R]], %[[Y]][%[[AT]]] {alignment = 16 : i64}
// CHECK: else
// CHECK: scf.for
// CHECK: memref.load %[[A]]
// CHECK: memref.store
// CHECK-NOT: masked
// CHECK: func.func @elementwise.extent(%[[N:.*]]: index) -> (index, index, index)
te.kernel @elementwise(%a: tensor<?x3xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> tensor<?x3xf32> {
  %y = te.compute @y (d0: %n, d1: 3) {
    %x = te.read %a[d0, d1] : tensor<?x3xf32>
    %p = arith.negf %x : f32
    te.yield %p : f32
  } : tensor<?x3xf32>
  te.return %y : tensor<?x3xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %f = layout.fuse %i, %j
  %o, %v = layout.split %f [*, 4]
  %b, %l = layout.split %o [*, 256]
  layout.vectorize %v
  layout.bind %b to block
  layout.bind %l to lane
}

// Lanes over a reduction combine by shuffles inside of a warp, then through shared memory.
// CHECK-LABEL: func.func @rowmax(
// CHECK-SAME: attributes {te.block = #te.block<threads = 64, shared_bytes = 16>}
// CHECK: scf.for
// CHECK: scf.if
// CHECK: memref.load
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: scf.if
// CHECK: memref.store {{.*}}#gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: memref.load {{.*}}#gpu.address_space<workgroup>>
// CHECK: scf.if
// CHECK: memref.store {{.*}} : memref<?xf32>
te.kernel @rowmax(%a: tensor<4x370xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) reduce (d1: 370) init (0xFF800000 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x370xf32>
    te.yield %x : f32
  } combine arith.maximumf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %o, %l = layout.split %j [*, 64]
  layout.bind %i to block
  layout.bind %l to lane
}

// An expression computed at a block's loop lies in shared memory and is read after a barrier.
// CHECK-LABEL: func.func @normalize(
// CHECK: gpu.shuffle xor
// CHECK: memref.store {{.*}}#gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: memref.load {{.*}}#gpu.address_space<workgroup>>
te.kernel @normalize(%a: tensor<4x370xf32>) -> tensor<4x370xf32> {
  %s = te.compute @s (d0: 4) reduce (d1: 370) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x370xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<4xf32>
  %y = te.compute @y (d0: 4, d1: 370) {
    %x = te.read %a[d0, d1] : tensor<4x370xf32>
    %t = te.read %s[d0] : tensor<4xf32>
    %q = arith.divf %x, %t : f32
    te.yield %q : f32
  } : tensor<4x370xf32>
  te.return %y : tensor<4x370xf32>
} schedule {
  %r, %k = layout.loops @s : !layout.loop, !layout.loop
  %ko, %kl = layout.split %k [*, 32]
  layout.bind %kl to lane
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %jo, %jl = layout.split %j [*, 32]
  layout.bind %i to block
  layout.bind %jl to lane
  layout.compute_at @s, %i
}

// A tiled product: operands go through shared memory, between barriers that all threads pass. Only
// loads from the tensors and stores are guarded. A thread loads runs of 16 bytes: those along the
// steps are stored as columns, the others as they are.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: te.block = #te.block<threads = 256, shared_bytes = 8448>
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NOT: scf.for
// CHECK: scf.if
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK-COUNT-4: memref.store {{.*}}#gpu.address_space<workgroup>>
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK: vector.store {{.*}}#gpu.address_space<workgroup>>, vector<4xf32>
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<1024xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK-COUNT-4: math.fma
// CHECK: scf.if
// CHECK: vector.store
// CHECK: else
// CHECK: scf.if
// CHECK: vector.store
te.kernel @matmul(%a: tensor<?x512xf32> {te.sizes = array<i64: 2, -1>}, %b: tensor<512x256xf32>, %m: index) -> tensor<?x256xf32> {
  %y = te.compute @y (d0: %m, d1: 256) reduce (d2: 512) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<?x512xf32>
    %w = te.read %b[d2, d1] : tensor<512x256xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x256xf32>
  te.return %y : tensor<?x256xf32>
} schedule {
  %m, %n, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %mo, %mt = layout.split %m [*, 4]
  %no, %nt = layout.split %n [*, 4]
  %mb, %ml = layout.split %mo [*, 16]
  %nb, %nl = layout.split %no [*, 16]
  %ko, %ki = layout.split %k [*, 16]
  layout.reorder %mb, %nb, %ml, %nl, %ko, %ki, %mt, %nt
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.register_tile %mt
  layout.vectorize %nt
  layout.bind %mb, %nb to block
  layout.bind %ml, %nl to lane
}

// With dynamic sizes, elements that do not exist are zeros in shared memory, so the products need
// no guard.
// CHECK-LABEL: func.func @edges(
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<{{.*}}xf32, #gpu.address_space<workgroup>>, vector<2xf32>
// CHECK-NOT: scf.if
// CHECK-COUNT-2: math.fma
te.kernel @edges(%a: tensor<?x?xf32> {te.sizes = array<i64: 2, 4>}, %b: tensor<?x?xf32> {te.sizes = array<i64: 4, 3>}, %m: index, %n: index, %k: index) -> tensor<?x?xf32> {
  %y = te.compute @y (d0: %m, d1: %n) reduce (d2: %k) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<?x?xf32>
    %w = te.read %b[d2, d1] : tensor<?x?xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x?xf32>
  te.return %y : tensor<?x?xf32>
} schedule {
  %m, %n, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %mo, %mt = layout.split %m [*, 2]
  %no, %nt = layout.split %n [*, 2]
  %mb, %ml = layout.split %mo [*, 16]
  %nb, %nl = layout.split %no [*, 16]
  %ko, %ki = layout.split %k [*, 16]
  layout.reorder %mb, %nb, %ml, %nl, %ko, %ki, %mt, %nt
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.register_tile %mt
  layout.vectorize %nt
  layout.bind %mb, %nb to block
  layout.bind %ml, %nl to lane
}

// Threads fill the box of %a along columns, 16 elements of each, and rows of 32 are a
// vector longer. Heads, of which a box has one, are no rows. The box of %b is
// filled along rows.
// CHECK-LABEL: func.func @heads(
// CHECK-DAG: to memref<576xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: to memref<512xf32, #gpu.address_space<workgroup>>
// CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<576xf32, #gpu.address_space<workgroup>>, vector<2xf32>
te.kernel @heads(%a: tensor<128x12x64xf32>, %b: tensor<12x64x128xf32>) -> tensor<12x128x128xf32> {
  %y = te.compute @y (d0: 12, d1: 128, d2: 128) reduce (d3: 64) init (0.0 : f32) {
    %x = te.read %a[d2, d0, d3] : tensor<128x12x64xf32>
    %w = te.read %b[d0, d3, d1] : tensor<12x64x128xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<12x128x128xf32>
  te.return %y : tensor<12x128x128xf32>
} schedule {
  %h, %m, %n, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %mo, %mt = layout.split %m [*, 2]
  %no, %nt = layout.split %n [*, 2]
  %mb, %ml = layout.split %mo [*, 16]
  %nb, %nl = layout.split %no [*, 16]
  %ko, %ki = layout.split %k [*, 16]
  layout.reorder %h, %mb, %nb, %ml, %nl, %ko, %ki, %mt, %nt
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.register_tile %mt
  layout.vectorize %nt
  layout.bind %h, %mb, %nb to block
  layout.bind %ml, %nl to lane
}

// A piece that reads no row computes none: row 3 does not exist.
// CHECK-LABEL: func.func @rows_beside_padding(
// CHECK: scf.if
// CHECK: arith.addf
// CHECK: } else {
// CHECK-NOT: arith.addf
// CHECK: return
te.kernel @rows_beside_padding(%a: tensor<3x16xf32>) -> tensor<4x16xf32> {
  %s = te.compute @s (d0: 3) reduce (d1: 16) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<3x16xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<3xf32>
  %y = te.compute @y (d0: 4, d1: 16) where (2 - d0 >= 0) {
    %x = te.read %a[d0, d1] : tensor<3x16xf32>
    %t = te.read %s[d0] : tensor<3xf32>
    %q = arith.divf %x, %t : f32
    te.yield %q : f32
  } where (d0 - 3 >= 0) {
    %z = arith.constant 0.0 : f32
    te.yield %z : f32
  } : tensor<4x16xf32>
  te.return %y : tensor<4x16xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i to block
  layout.compute_at @s, %i
}
