// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// The lanes are rows of the result, and the tile has 14 columns, which are adjacent. The first
// eight are transposed, and the last eight: each lane is stored as two vectors.
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

// The last tile has six columns: four, and the last four. Of the last vector four lanes are stored.
// CHECK-LABEL: func.func @tails(
// CHECK-NOT: vector.scatter
// CHECK-COUNT-16: vector.store %{{.*}} : memref<?xf32>, vector<8xf32>
// CHECK: } else {
// CHECK-COUNT-32: vector.store %{{.*}} : memref<?xf32>, vector<4xf32>
// CHECK: } else {
// CHECK-COUNT-4: vector.store %{{.*}} : memref<?xf32>, vector<8xf32>
// CHECK: } else {
// CHECK-COUNT-8: vector.store %{{.*}} : memref<?xf32>, vector<4xf32>
// CHECK-NOT: vector.{{store|maskedstore|scatter}}
te.kernel @tails(%a: tensor<14x20xf32>) -> tensor<20x14xf32> {
  %y = te.compute @y (d0: 20, d1: 14) {
    %x = te.read %a[d1, d0] : tensor<14x20xf32>
    %n = arith.negf %x : f32
    te.yield %n : f32
  } : tensor<20x14xf32>
  te.return %y : tensor<20x14xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %io, %il = layout.split %i [*, 16]
  %jo, %jr = layout.split %j [*, 8]
  layout.reorder %io, %jo, %jr, %il
  layout.register_tile %jr
  layout.vectorize %il
  layout.bind %io to parallel
}

// The number of columns is known at run time only. The columns of a full tile are transposed, and
// so are the two of a tail that always exist. Its third column is scattered.
// CHECK-LABEL: func.func @open(
// CHECK-NOT: vector.scatter
// CHECK-COUNT-16: vector.store %{{.*}} : memref<?xf32>, vector<4xf32>
// CHECK: } else {
// CHECK: scf.if
// CHECK: vector.scatter
// CHECK-COUNT-16: vector.store %{{.*}} : memref<?xf32>, vector<2xf32>
te.kernel @open(%a: tensor<64x?xf32> {te.sizes = array<i64: -1, 2>}, %b: tensor<64x32xf32>, %n: index) -> tensor<32x?xf32> {
  %y = te.compute @y (d0: 32, d1: %n) reduce (d2: 64) init (0.0 : f32) {
    %l = te.read %a[d2, d1] : tensor<64x?xf32>
    %r = te.read %b[d2, d0] : tensor<64x32xf32>
    %p = arith.mulf %l, %r : f32
    te.yield %p : f32
  } combine arith.addf : tensor<32x?xf32>
  te.return %y : tensor<32x?xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %il = layout.split %i [*, 16]
  %jo, %jr = layout.split %j [*, 4]
  layout.reorder %io, %jo, %k, %jr, %il
  layout.register_tile %jr
  layout.vectorize %il
  layout.bind %io to parallel
}

// The columns of the tile are not adjacent: each vector is scattered.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: vector.shuffle
// CHECK-COUNT-4: vector.scatter
te.kernel @apart(%a: tensor<4x5x32xf32>) -> tensor<32x4x5xf32> {
  %y = te.compute @y (d0: 32, d1: 4, d2: 5) {
    %x = te.read %a[d1, d2, d0] : tensor<4x5x32xf32>
    te.yield %x : f32
  } : tensor<32x4x5xf32>
  te.return %y : tensor<32x4x5xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %il = layout.split %i [*, 16]
  %jo, %jr = layout.split %j [*, 4]
  layout.reorder %io, %jo, %k, %jr, %il
  layout.register_tile %jr
  layout.vectorize %il
  layout.bind %io to parallel
}

// A strided operand of the epilogue is loaded as runs of columns too, before the sums are stored.
// CHECK-LABEL: func.func @residual(
// CHECK-NOT: vector.gather
// CHECK: math.fma
// CHECK-COUNT-16: vector.load %{{.*}} : memref<?xf32>, vector<4xf32>
// CHECK: vector.shuffle %{{.*}} [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29]
// CHECK: vector.shuffle %{{.*}} [0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30]
// CHECK-COUNT-4: arith.addf
// CHECK-COUNT-16: vector.store %{{.*}} : memref<?xf32>, vector<4xf32>
te.kernel @residual(%a: tensor<64x28xf32>, %b: tensor<64x32xf32>, %c: tensor<32x28xf32>) -> tensor<32x28xf32> {
  %y = te.compute @y (d0: 32, d1: 28) reduce (d2: 64) init (0.0 : f32) {
    %l = te.read %a[d2, d1] : tensor<64x28xf32>
    %r = te.read %b[d2, d0] : tensor<64x32xf32>
    %p = arith.mulf %l, %r : f32
    te.yield %p : f32
  } combine arith.addf then (%s: f32) {
    %r = te.read %c[d0, d1] : tensor<32x28xf32>
    %t = arith.addf %s, %r : f32
    te.yield %t : f32
  } : tensor<32x28xf32>
  te.return %y : tensor<32x28xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %il = layout.split %i [*, 16]
  %jo, %jr = layout.split %j [*, 4]
  layout.reorder %io, %jo, %k, %jr, %il
  layout.register_tile %jr
  layout.vectorize %il
  layout.bind %io to parallel
}
