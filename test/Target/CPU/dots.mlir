// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// A word of two elements for each row, the same in all lanes, and one for each lane.
// CHECK-LABEL: func.func @bf16(
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK: %[[A:.*]] = builtin.unrealized_conversion_cast %arg0 : memref<?xbf16> to memref<?xi32>
// CHECK: memref.load %[[A]]
// CHECK: vector.broadcast {{.*}} : i32 to vector<16xi32>
// CHECK: %[[B:.*]] = builtin.unrealized_conversion_cast %arg1 : memref<?xbf16> to memref<?xi32>
// CHECK: vector.load %[[B]]
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// CHECK-NOT: call_intrinsic
// CHECK: scf.yield
// CHECK: return
te.kernel @bf16(%a: tensor<64x64xbf16>, %b: tensor<32x16x2xbf16>) -> tensor<64x16xf32> {
  %y = te.compute @y (d0: 64, d1: 16) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xbf16>
    %v = te.read %b[d2 floordiv 2, d1, d2 mod 2] : tensor<32x16x2xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x16xf32>
  te.return %y : tensor<64x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 2]
  %ko, %ki = layout.split %k [*, 2]
  layout.reorder %io, %ko, %ii, %j, %ki
  layout.register_tile %ii
  layout.vectorize %j
  layout.atom %ki "avx512.bf16"
  layout.bind %io to parallel
}

// The factor of u8 comes first. The last two of 6 steps get zeros for the steps that are not there.
// CHECK-LABEL: func.func @bytes(
// CHECK: %[[A:.*]] = memref.load %{{.*}} : memref<?xi32>
// CHECK: %[[AS:.*]] = vector.broadcast %[[A]] : i32 to vector<8xi32>
// CHECK: %[[U:.*]] = vector.bitcast %[[AS]] : vector<8xi32> to vector<32xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%{{.*}}, %[[U]], %{{.*}}) : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
// CHECK: vector.from_elements %{{.*}}, %{{.*}}, %[[ZERO:.*]], %[[ZERO]] : vector<4xi8>
// CHECK: arith.andi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
// CHECK-NOT: call_intrinsic
// CHECK-NOT: arith.muli {{.*}} : vector
// CHECK: return
te.kernel @bytes(%a: tensor<4x8xi8>, %b: tensor<2x8x4xi8>) -> tensor<4x8xi32> {
  %y = te.compute @y (d0: 4, d1: 8) reduce (d2: 6) init (0 : i32) {
    %v = te.read %b[d2 floordiv 4, d1, d2 mod 4] : tensor<2x8x4xi8>
    %u = te.read %a[d0, d2] : tensor<4x8xi8>
    %w = arith.extsi %v : i8 to i32
    %x = arith.extui %u : i8 to i32
    %p = arith.muli %w, %x : i32
    te.yield %p : i32
  } combine arith.addi : tensor<4x8xi32>
  te.return %y : tensor<4x8xi32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %ko, %ki = layout.split %k [*, 4]
  layout.reorder %i, %ko, %j, %ki
  layout.vectorize %j
  layout.atom %ki "avx.vnni"
  layout.bind %i to parallel
}

// The word of a row outside of the border is zero.
// CHECK-LABEL: func.func @border(
// CHECK: builtin.unrealized_conversion_cast %arg0 : memref<?xbf16> to memref<?xi32>
// CHECK: memref.get_global @tssa.zeros.i32
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : memref<?xi32>
// CHECK: llvm.call_intrinsic
te.kernel @border(%a: tensor<8x4xbf16>, %b: tensor<3x2x16x2xbf16>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) reduce (d2: 3, d3: 4) init (0.0 : f32) {
    %u = te.read %a[d0 + d2 - 1, d3] : tensor<8x4xbf16> where (d0 + d2 - 1 >= 0, 8 - d0 - d2 >= 0) else 0.0
    %v = te.read %b[d2, d3 floordiv 2, d1, d3 mod 2] : tensor<3x2x16x2xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
} schedule {
  %i, %j, %h, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %ko, %ki = layout.split %k [*, 2]
  layout.reorder %i, %h, %ko, %j, %ki
  layout.vectorize %j
  layout.atom %ki "avx512.bf16"
  layout.bind %i to parallel
}
