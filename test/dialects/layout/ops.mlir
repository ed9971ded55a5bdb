// RUN: tssa-opt %s | tssa-opt | FileCheck %s

// CHECK-LABEL: te.kernel @scale
te.kernel @scale(%x: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %y = te.compute @y (d0: 64, d1: 48) {
    %v = te.read %x[d0, d1] : tensor<64x48xf32>
    te.yield %v : f32
  } : tensor<64x48xf32>
  te.return %y : tensor<64x48xf32>
} schedule {
  // CHECK: %[[LOOPS:.*]]:2 = layout.loops @y : !layout.loop, !layout.loop
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  // CHECK: %[[ROWS:.*]]:2 = layout.split %[[LOOPS]]#0 [*, 4]
  %io, %ii = layout.split %i [*, 4]
  // CHECK: %[[COLUMNS:.*]]:3 = layout.split %[[LOOPS]]#1 [*, 2, 16]
  %jo, %jv, %jl = layout.split %j [*, 2, 16]
  // CHECK: layout.reorder %[[ROWS]]#0, %[[COLUMNS]]#0, %[[ROWS]]#1, %[[COLUMNS]]#1, %[[COLUMNS]]#2
  layout.reorder %io, %jo, %ii, %jv, %jl
  // CHECK: %[[TILES:.*]] = layout.fuse %[[ROWS]]#0, %[[COLUMNS]]#0
  %tiles = layout.fuse %io, %jo
  // CHECK: layout.register_tile %[[ROWS]]#1, %[[COLUMNS]]#1
  layout.register_tile %ii, %jv
  // CHECK: layout.vectorize %[[COLUMNS]]#2
  layout.vectorize %jl
  // CHECK: layout.bind %[[TILES]] to parallel
  layout.bind %tiles to parallel
}

// CHECK-LABEL: te.kernel @others
te.kernel @others(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // CHECK: layout.compute_at @p, %
  layout.compute_at @p, %i
  // CHECK: layout.compute_after @r, %
  layout.compute_after @r, %i
  // CHECK: layout.inline @q
  layout.inline @q
}

// CHECK-LABEL: te.kernel @devices
te.kernel @devices(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) reduce (d1: 64) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<8x64xf32>
    %p = arith.mulf %v, %v : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  // CHECK: %[[K:.*]]:2 = layout.split %{{.*}} [*, 32]
  %ko, %kl = layout.split %k [*, 32]
  // CHECK: layout.cache 0 at %[[K]]#0 to shared
  layout.cache 0 at %ko to shared
  // CHECK: layout.bind %{{.*}} to block
  layout.bind %i to block
  // CHECK: layout.bind %[[K]]#1 to lane
  layout.bind %kl to lane
}

// CHECK-LABEL: te.kernel @atoms
te.kernel @atoms(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %ko, %ii, %j, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  // CHECK: layout.bind %[[I:.*]]#0 to warp
  layout.bind %io to warp
  // CHECK: layout.pipeline %[[K:.*]]#0 depth 2
  layout.pipeline %ko depth 2
  // CHECK: layout.atom %[[I]]#1, %{{.*}}, %[[K]]#1 "mma.m16n8k16"
  layout.atom %ii, %j, %ki "mma.m16n8k16"
}

// CHECK-LABEL: te.kernel @stores
te.kernel @stores(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = te.compute @y (d0: 8, d1: 64) {
    %v = te.read %x[d0, d1] : tensor<8x64xf32>
    te.yield %v : f32
  } : tensor<8x64xf32>
  te.return %y : tensor<8x64xf32>
} schedule {
  // CHECK: layout.launches [0, 2]
  layout.launches [0, 2]
  // CHECK: layout.store @y as map<reorder(1, 0)>
  layout.store @y as map<reorder(1, 0)>
  // CHECK: layout.store 0 as map<split(1, [*, 16]), reorder(1, 0, 2)>
  layout.store 0 as map<split(1, [*, 16]), reorder(1, 0, 2)>
  // CHECK: layout.loops @y
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
}
