// RUN: tssa-opt %s -split-input-file -layout-materialize-stores | FileCheck %s
// RUN: tssa-opt %s -split-input-file -te-check-pipeline=passes=layout-materialize-stores -o /dev/null
// RUN: tssa-opt %s -split-input-file --layout-materialize-stores --remarks-filter=layout-materialize-stores --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A 3x3 convolution whose data is stored channels last, with a border of zeros: the conversion writes
// the zeros, and the guard goes.
// CHECK-LABEL: te.kernel @conv
// CHECK: te.read %{{.*}}[d0, d2 + d5, d3 + d6, d4] : tensor<1x10x10x4xf32>{{$}}
// CHECK-LABEL: te.kernel @convert
// CHECK: te.compute @convert (d0: 1, d1: 10, d2: 10, d3: 4) {
// CHECK: te.read %{{.*}}[d0, d3, d1 - 1, d2 - 1] : tensor<1x4x8x8xf32> where ({{.*}}) else 0.0
// REMARK: [Passed] guard | {{.*}} Constraints=4
func.func @main(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<1x6x8x8xf32> {
  %y = te.launch @conv(%x, %w) : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x8x8xf32>
  return %y : tensor<1x6x8x8xf32>
}
te.kernel @conv(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<1x6x8x8xf32> {
  %y = te.compute @y (d0: 1, d1: 6, d2: 8, d3: 8) reduce (d4: 4, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<1x4x8x8xf32> where (d2 + d5 - 1 >= 0, -d2 - d5 + 8 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 8 >= 0) else 0.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<6x4x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x6x8x8xf32>
  te.return %y : tensor<1x6x8x8xf32>
} schedule {
  layout.store 0 as map<pad(2, 1, 1), pad(3, 1, 1), reorder(0, 2, 3, 1)>
}

// -----

// With stride 2, and a border that is wider than the windows need.
// CHECK-LABEL: te.kernel @strided
// CHECK: te.read %{{.*}}[d0, d3, d2 * 2 + d4 + 1] : tensor<2x4x14xf32>{{$}}
func.func @main(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x5xf32> {
  %y = te.launch @strided(%x, %w) : (tensor<2x4x9xf32>, tensor<6x4x3xf32>) -> tensor<2x6x5xf32>
  return %y : tensor<2x6x5xf32>
}
te.kernel @strided(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x5xf32> {
  %y = te.compute @y (d0: 2, d1: 6, d2: 5) reduce (d3: 4, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2 * 2 + d4 - 1] : tensor<2x4x9xf32> where (d2 * 2 + d4 - 1 >= 0, d2 * -2 - d4 + 9 >= 0) else 0.0
    %b = te.read %w[d1, d3, d4] : tensor<6x4x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x6x5xf32>
  te.return %y : tensor<2x6x5xf32>
} schedule {
  layout.store 0 as map<pad(2, 2, 3)>
}

// -----

// With dilation 2. The channels are stored in blocks, and so is the padded dim: 13 indexes in blocks
// of 3 are 15.
// CHECK-LABEL: te.kernel @dilated
// CHECK: te.read %{{.*}}[d0, d3 floordiv 2, (d2 + d4 * 2) floordiv 3, (d2 + d4 * 2) mod 3, d3 mod 2] : tensor<2x2x5x3x2xf32>{{$}}
func.func @main(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x9xf32> {
  %y = te.launch @dilated(%x, %w) : (tensor<2x4x9xf32>, tensor<6x4x3xf32>) -> tensor<2x6x9xf32>
  return %y : tensor<2x6x9xf32>
}
te.kernel @dilated(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x9xf32> {
  %y = te.compute @y (d0: 2, d1: 6, d2: 9) reduce (d3: 4, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2 + d4 * 2 - 2] : tensor<2x4x9xf32> where (d2 + d4 * 2 - 2 >= 0, -d2 - d4 * 2 + 10 >= 0) else 0.0
    %b = te.read %w[d1, d3, d4] : tensor<6x4x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x6x9xf32>
  te.return %y : tensor<2x6x9xf32>
} schedule {
  layout.store 0 as map<pad(2, 2, 2), pad(2, to 3), split(2, [*, 3]), split(1, [*, 2]), reorder(0, 1, 3, 4, 2)>
}

// -----

// A grouped convolution: the group of an output channel decides which channels are read.
// CHECK-LABEL: te.kernel @grouped
// CHECK: te.read %{{.*}}[d0, d2 + d4, d3 + (d1 floordiv 3) * 4] : tensor<2x11x8xf32>{{$}}
func.func @main(%x: tensor<2x8x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x9xf32> {
  %y = te.launch @grouped(%x, %w) : (tensor<2x8x9xf32>, tensor<6x4x3xf32>) -> tensor<2x6x9xf32>
  return %y : tensor<2x6x9xf32>
}
te.kernel @grouped(%x: tensor<2x8x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x9xf32> {
  %y = te.compute @y (d0: 2, d1: 6, d2: 9) reduce (d3: 4, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, (d1 floordiv 3) * 4 + d3, d2 + d4 - 1] : tensor<2x8x9xf32> where (d2 + d4 - 1 >= 0, -d2 - d4 + 9 >= 0) else 0.0
    %b = te.read %w[d1, d3, d4] : tensor<6x4x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x6x9xf32>
  te.return %y : tensor<2x6x9xf32>
} schedule {
  layout.store 0 as map<pad(2, 1, 1), reorder(0, 2, 1)>
}

// -----

// Tiles of the result with the tiles of the data that its windows need: the border of the first and of
// the last tile is zero as well. Channels of the result are padded to 8, and so are the weights: where a
// cell has no element, the read of the weights gives the zero that they hold.
// CHECK-LABEL: te.kernel @tiled
// CHECK: te.compute @y (d0: 2, d1: 3, d2: 3, d3: 8) reduce (d4: 4, d5: 3)
// CHECK: te.read %{{.*}}[d0, d1, d2 + d5, d4] : tensor<2x3x5x4xf32> where (-d3 + 5 >= 0) else 0.000000e+00
// CHECK: te.read %{{.*}}[d4, d5, d3] : tensor<4x3x8xf32>{{$}}
func.func @main(%x: tensor<2x4x9xf32>, %z: tensor<1xf32>) -> tensor<2x6x9xf32> {
  %w = te.constant dense_resource<weights> : tensor<6x4x3xf32>
  %y = te.launch @tiled(%x, %w) : (tensor<2x4x9xf32>, tensor<6x4x3xf32>) -> tensor<2x6x9xf32>
  return %y : tensor<2x6x9xf32>
}
te.kernel @tiled(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x9xf32> {
  %y = te.compute @y (d0: 2, d1: 6, d2: 9) reduce (d3: 4, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2 + d4 - 1] : tensor<2x4x9xf32> where (d2 + d4 - 1 >= 0, -d2 - d4 + 9 >= 0) else 0.0
    %b = te.read %w[d1, d3, d4] : tensor<6x4x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x6x9xf32>
  te.return %y : tensor<2x6x9xf32>
} schedule {
  layout.store @y as map<split(2, [*, 3]), pad(1, to 8), reorder(0, 2, 3, 1)>
  layout.store 0 as map<pad(2, 1, 1), unfold(2, 5, 3), reorder(0, 2, 3, 1)>
  layout.store 1 as map<pad(0, to 8), reorder(1, 2, 0)>
}
{-#
  dialect_resources: { builtin: { weights: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F" } }
#-}

// -----

// A border that is narrower than the windows need: the constraint at the end stays.
// CHECK-LABEL: te.kernel @narrow
// CHECK: te.read %{{.*}}[d0, d3, d2 + d4 + 1] : tensor<2x4x11xf32> where (-d2 - d4 + 9 >= 0) else 0.000000e+00
// REMARK: [Passed] guard | {{.*}} Constraints=1
// REMARK: [Missed] guard | {{.*}} Reason="it also fails elsewhere than in the padding"
func.func @main(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x9xf32> {
  %y = te.launch @narrow(%x, %w) : (tensor<2x4x9xf32>, tensor<6x4x3xf32>) -> tensor<2x6x9xf32>
  return %y : tensor<2x6x9xf32>
}
te.kernel @narrow(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x9xf32> {
  %y = te.compute @y (d0: 2, d1: 6, d2: 9) reduce (d3: 4, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2 + d4 - 1] : tensor<2x4x9xf32> where (d2 + d4 - 1 >= 0, -d2 - d4 + 9 >= 0) else 0.0
    %b = te.read %w[d1, d3, d4] : tensor<6x4x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x6x9xf32>
  te.return %y : tensor<2x6x9xf32>
} schedule {
  layout.store 0 as map<pad(2, 2, 0)>
}

// -----

// Without a border at the start, the index before the first is in another row, or in no cell.
// CHECK-LABEL: te.kernel @fused
// CHECK: te.read %{{.*}} where (d2 + d4 - 1 >= 0) else 0.000000e+00
func.func @main(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x9xf32> {
  %y = te.launch @fused(%x, %w) : (tensor<2x4x9xf32>, tensor<6x4x3xf32>) -> tensor<2x6x9xf32>
  return %y : tensor<2x6x9xf32>
}
te.kernel @fused(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x9xf32> {
  %y = te.compute @y (d0: 2, d1: 6, d2: 9) reduce (d3: 4, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2 + d4 - 1] : tensor<2x4x9xf32> where (d2 + d4 - 1 >= 0, -d2 - d4 + 9 >= 0) else 0.0
    %b = te.read %w[d1, d3, d4] : tensor<6x4x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x6x9xf32>
  te.return %y : tensor<2x6x9xf32>
} schedule {
  layout.store 0 as map<pad(2, 0, 2), fuse(1, 2)>
}

// -----

// The border of a max-pool is -inf, and -0.0 is not the zero of the padding: only the third read, which
// has another guard, loses a constraint.
// CHECK-LABEL: te.kernel @pool
// CHECK: te.read %{{.*}}[d0, d1 + d2] : tensor<3x12xf32> where (d1 + d2 - 1 >= 0, -d1 - d2 + 10 >= 0) else 0xFF800000
// CHECK: te.read %{{.*}}[d0, d1 + d2] : tensor<3x12xf32> where (d1 + d2 - 1 >= 0, -d1 - d2 + 10 >= 0) else -0.000000e+00
// CHECK: te.read %{{.*}}[d0, d1 + d2] : tensor<3x12xf32> where (d1 - 2 >= 0) else 0.000000e+00
// CHECK: then
// CHECK: te.read %{{.*}}[d0, d1] : tensor<3x12xf32>{{$}}
// REMARK-COUNT-2: [Missed] guard | {{.*}} Reason="the value where the guard fails is not zero"
func.func @main(%x: tensor<3x10xf32>) -> tensor<3x10xf32> {
  %y = te.launch @pool(%x) : (tensor<3x10xf32>) -> tensor<3x10xf32>
  return %y : tensor<3x10xf32>
}
te.kernel @pool(%x: tensor<3x10xf32>) -> tensor<3x10xf32> {
  %y = te.compute @y (d0: 3, d1: 10) reduce (d2: 3) init (0xFF800000 : f32) {
    %a = te.read %x[d0, d1 + d2 - 1] : tensor<3x10xf32> where (d1 + d2 - 1 >= 0, -d1 - d2 + 10 >= 0) else 0xFF800000
    %b = te.read %x[d0, d1 + d2 - 1] : tensor<3x10xf32> where (d1 + d2 - 1 >= 0, -d1 - d2 + 10 >= 0) else -0.0
    %c = te.read %x[d0, d1 + d2 - 1] : tensor<3x10xf32> where (d1 - 2 >= 0, -d1 - d2 + 10 >= 0) else 0.0
    %d = arith.addf %b, %c : f32
    %m = arith.maximumf %a, %d : f32
    te.yield %m : f32
  } combine arith.maximumf then (%m: f32) {
    %a = te.read %x[d0, d1 - 1] : tensor<3x10xf32> where (d1 - 1 >= 0) else 0.0
    %r = arith.addf %a, %m : f32
    te.yield %r : f32
  } : tensor<3x10xf32>
  te.return %y : tensor<3x10xf32>
} schedule {
  layout.store 0 as map<pad(1, 1, 1)>
}

// -----

// A constant of which all elements are 7 has a 7 in the padding too; one of zeros has zeros. Launches
// share a kernel, and one of them passes a 7: the guard stays. Integers have one zero.
// CHECK-LABEL: te.kernel @shift(
// CHECK: te.read %{{.*}}[d0] : tensor<10xi8> where (d0 - 1 >= 0) else 0
// CHECK-LABEL: te.kernel @shift_zeros
// CHECK: te.read %{{.*}}[d0] : tensor<10xi8>{{$}}
// REMARK: [Missed] guard | {{.*}} Reason="the padding may hold other values than zero"
// REMARK: [Passed] guard | {{.*}} Constraints=1
func.func @main(%x: tensor<9xi8>) -> (tensor<10xi8>, tensor<10xi8>, tensor<10xi8>) {
  %s = te.constant dense<7> : tensor<9xi8>
  %o = te.constant dense<0> : tensor<9xi8>
  %y = te.launch @shift(%x) : (tensor<9xi8>) -> tensor<10xi8>
  %z = te.launch @shift(%s) : (tensor<9xi8>) -> tensor<10xi8>
  %u = te.launch @shift_zeros(%o) : (tensor<9xi8>) -> tensor<10xi8>
  return %y, %z, %u : tensor<10xi8>, tensor<10xi8>, tensor<10xi8>
}
te.kernel @shift(%x: tensor<9xi8>) -> tensor<10xi8> {
  %y = te.compute @y (d0: 10) {
    %a = te.read %x[d0 - 1] : tensor<9xi8> where (d0 - 1 >= 0) else 0
    te.yield %a : i8
  } : tensor<10xi8>
  te.return %y : tensor<10xi8>
} schedule {
  layout.store 0 as map<pad(0, 1, 0)>
}
te.kernel @shift_zeros(%x: tensor<9xi8>) -> tensor<10xi8> {
  %y = te.compute @y (d0: 10) {
    %a = te.read %x[d0 - 1] : tensor<9xi8> where (d0 - 1 >= 0) else 0
    te.yield %a : i8
  } : tensor<10xi8>
  te.return %y : tensor<10xi8>
} schedule {
  layout.store 0 as map<pad(0, 1, 0)>
}

// -----

// A border is zero, whatever expression it surrounds: @exp would give 1. Padding that makes the size of a sum a
// multiple is what its epilogue makes of it.
// CHECK-LABEL: te.kernel @shift(
// CHECK: te.read %{{.*}}[d0] : tensor<10xf32>{{$}}
// CHECK-LABEL: te.kernel @shift_sum(
// CHECK: te.read %{{.*}}[d0] : tensor<10xf32>{{$}}
func.func @main(%x: tensor<9xf32>) -> (tensor<10xf32>, tensor<10xf32>) {
  %e = te.launch @exp(%x) : (tensor<9xf32>) -> tensor<9xf32>
  %y = te.launch @shift(%e) : (tensor<9xf32>) -> tensor<10xf32>
  %s = te.launch @sum(%x) : (tensor<9xf32>) -> tensor<9xf32>
  %z = te.launch @shift_sum(%s) : (tensor<9xf32>) -> tensor<10xf32>
  return %y, %z : tensor<10xf32>, tensor<10xf32>
}
te.kernel @exp(%x: tensor<9xf32>) -> tensor<9xf32> {
  %y = te.compute @y (d0: 9) {
    %a = te.read %x[d0] : tensor<9xf32>
    %e = math.exp %a : f32
    te.yield %e : f32
  } : tensor<9xf32>
  te.return %y : tensor<9xf32>
} schedule {
  layout.store @y as map<pad(0, 1, 0)>
}
te.kernel @sum(%x: tensor<9xf32>) -> tensor<9xf32> {
  %y = te.compute @y (d0: 9) reduce (d1: 2) init (0.0 : f32) {
    %a = te.read %x[d0] : tensor<9xf32>
    te.yield %a : f32
  } combine arith.addf then (%s: f32) {
    %e = math.exp %s : f32
    te.yield %e : f32
  } : tensor<9xf32>
  te.return %y : tensor<9xf32>
} schedule {
  layout.store @y as map<pad(0, 1, 0)>
}
te.kernel @shift(%x: tensor<9xf32>) -> tensor<10xf32> {
  %y = te.compute @y (d0: 10) {
    %a = te.read %x[d0 - 1] : tensor<9xf32> where (d0 - 1 >= 0) else 0.0
    te.yield %a : f32
  } : tensor<10xf32>
  te.return %y : tensor<10xf32>
} schedule {
  layout.store 0 as map<pad(0, 1, 0)>
}
te.kernel @shift_sum(%x: tensor<9xf32>) -> tensor<10xf32> {
  %y = te.compute @y (d0: 10) {
    %a = te.read %x[d0 - 1] : tensor<9xf32> where (d0 - 1 >= 0) else 0.0
    te.yield %a : f32
  } : tensor<10xf32>
  te.return %y : tensor<10xf32>
} schedule {
  layout.store 0 as map<pad(0, 1, 0)>
}

// -----

// Where a size of the domain is dynamic, nothing is proved.
// CHECK-LABEL: te.kernel @dynamic
// CHECK: te.read %{{.*}}[d0, d1] : tensor<3x6xf32> where (d1 - 1 >= 0, -d1 + 5 >= 0) else 0.0
// REMARK: [Missed] guard | {{.*}} Reason="sizes are dynamic, or indexes are computed"
func.func @main(%x: tensor<3x5xf32>, %s: tensor<?xf32>) -> tensor<3x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %s, %c0 : tensor<?xf32>
  %y = te.launch @dynamic(%x, %n) sizes (%n) : (tensor<3x5xf32>, index) -> tensor<3x?xf32>
  return %y : tensor<3x?xf32>
}
te.kernel @dynamic(%x: tensor<3x5xf32>, %n: index) -> tensor<3x?xf32> {
  %y = te.compute @y (d0: 3, d1: %n) {
    %a = te.read %x[d0, d1 - 1] : tensor<3x5xf32> where (d1 - 1 >= 0, -d1 + 5 >= 0) else 0.0
    te.yield %a : f32
  } : tensor<3x?xf32>
  te.return %y : tensor<3x?xf32>
} schedule {
  layout.store 0 as map<pad(1, 1, 0)>
}
