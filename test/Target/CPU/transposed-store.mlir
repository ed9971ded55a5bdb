// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// The lanes are rows of the result, and the tile has 14 adjacent columns: 8 of them are transposed,
// then the last 8. Each lane is stored as two vectors.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: vector.scatter
// CHECK: vector.shuffle %{{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29]
// CHECK: vector.shuffle %{{.*}} [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29]
// CHECK: vector.shuffle %{{.*}} [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23]
// CHECK-COUNT-32: vector.store %{{.*}} : memref<?xf32>, vector<8xf32>
// CHECK-NOT: vector.store
te.kernel @columns(%a: tensor<64x28xf32>, %b: tensor<64x32xf32>) -> tensor<32x28xf32> {
  %y = te.compute @y (d0: 32, d1: 28) reduce (d2: 64) init (0.0 : f32) {
    %l = te.read %a[d2, d1] : tensor<64x28xf32>
    %r = te.read %b[d2, d0] : tensor<64x32xf32>
    %p = arith.mulf %l, %r : f32
    te.yield %p : f32
  } combine arith.addf : tensor<32x28xf32>
  te.return %y : tensor<32x28xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %il = layout.split %i [*, 16]
  %jo, %jr = layout.split %j [*, 14]
  layout.reorder %io, %jo, %k, %jr, %il
  layout.register_tile %jr
  layout.vectorize %il
  layout.bind %io to parallel
}
