// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// 32 x 32 sums in registers 0 to 3, the rows in 4 and 5, the words of the columns in 6 and 7, all of them as they are in memory.
// The rows of all registers are 16, and are set once.
// CHECK-LABEL: func.func @whole(
// CHECK: %[[CONFIG:.*]] = arith.constant dense<[1, 0, 0, 0, 4194368, 4194368, 4194368, 4194368, 0, 0, 0, 0, 269488144, 269488144, 0, 0]> : vector<16xi32>
// CHECK: vector.store %[[CONFIG]]
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK: scf.for
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK: scf.for
// CHECK-NOT: vector
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK: llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK-NOT: ldtilecfg
// CHECK: scf.for
// CHECK-COUNT-2: vector.store
te.kernel @whole(%a: tensor<64x64xbf16>, %b: tensor<32x64x2xbf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xbf16>
    %v = te.read %b[d2 floordiv 2, d1, d2 mod 2] : tensor<32x64x2xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %jb, %ji = layout.split %j [*, 2, 16]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %jo, %io, %ko, %ii, %jb, %ji, %ki
  layout.register_tile %ii, %jb
  layout.vectorize %ji
  layout.atom %ki "amx.bf16"
  layout.bind %jo, %io to parallel
}

// The last 4 of 20 rows have registers of their own, the last 8 of 40 steps are copied, with zeros behind them, and the words of
// columns that are no words in memory are interleaved.
// CHECK-LABEL: func.func @tails(
// CHECK: dense<[1, 0, 0, 0, 4194368, 4194368, 4194368, 4194368, 0, 0, 0, 0, 269485072, 68161552, 0, 0]>
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK-COUNT-16: vector.interleave
// CHECK-NOT: vector.interleave
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK: scf.for
// CHECK-COUNT-16: memref.store
// CHECK-COUNT-4: vector.interleave
// CHECK-NOT: vector.interleave
// CHECK: vector.store %{{.*}} : memref<256xi32>, vector<16xi32>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
te.kernel @tails(%a: tensor<20x40xbf16>, %b: tensor<40x16xbf16>) -> tensor<20x16xf32> {
  %y = te.compute @y (d0: 20, d1: 16) reduce (d2: 40) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<20x40xbf16>
    %v = te.read %b[d2, d1] : tensor<40x16xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<20x16xf32>
  te.return %y : tensor<20x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %ko, %i, %j, %ki
  layout.register_tile %i
  layout.vectorize %j
  layout.atom %ki "amx.bf16"
}

// Of rows whose number only a run knows, the last ones are so many as there are: the configuration is written with their number,
// and the first one is set again.
// CHECK-LABEL: func.func @open(
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"(%[[FIRST:.*]]) :
// CHECK: llvm.call_intrinsic "llvm.x86.tdpbusd"
// CHECK: arith.shli
// CHECK: vector.insert
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK: llvm.call_intrinsic "llvm.x86.tdpbusd"
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"(%[[FIRST]]) :
te.kernel @open(%a: tensor<?x64xi8> {te.sizes = array<i64: 2, -1>}, %b: tensor<16x16x4xi8>, %m: index) -> tensor<?x16xi32> {
  %y = te.compute @y (d0: %m, d1: 16) reduce (d2: 64) init (0 : i32) {
    %u = te.read %a[d0, d2] : tensor<?x64xi8>
    %v = te.read %b[d2 floordiv 4, d1, d2 mod 4] : tensor<16x16x4xi8>
    %x = arith.extui %u : i8 to i32
    %w = arith.extsi %v : i8 to i32
    %p = arith.muli %x, %w : i32
    te.yield %p : i32
  } combine arith.addi : tensor<?x16xi32>
  te.return %y : tensor<?x16xi32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 16]
  layout.reorder %io, %ii, %j, %k
  layout.register_tile %ii
  layout.vectorize %j
  layout.atom %k "amx.int8"
}
