// DEFINE: %{conv} = -layout-write-stores="knobs='alt 4 4 16 8' kernel=conv"
// DEFINE: %{strided} = -layout-write-stores="knobs='alt 2 3 16 8 4 16' kernel=strided"
// DEFINE: %{line} = -layout-write-stores="knobs='alt 4 8 4' kernel=line"
// DEFINE: %{volume} = -layout-write-stores="knobs='alt 2 1 4 8 4' kernel=volume"
// DEFINE: %{product} = -layout-write-stores="knobs='alt 4 16 8' kernel=product"
// DEFINE: %{batched} = -layout-write-stores="knobs='alt 4 8 2' kernel=batched"
// DEFINE: %{depthwise} = -layout-write-stores="knobs='alt 4 8' kernel=depthwise"
// DEFINE: %{grouped} = -layout-write-stores="knobs='image d2 3, group 4, in 4, weights in 8' kernel=grouped"
// DEFINE: %{pointwise} = -layout-write-stores="knobs='image d2 2, in 8' kernel=pointwise"
// DEFINE: %{last} = -layout-write-stores="knobs='out 20, in 12, weights out 20' kernel=last"
// DEFINE: %{others} = -layout-write-stores="knobs='out 4' kernel=elements" -layout-write-stores="knobs='out 4' kernel=scheduled" -layout-write-stores="knobs=none kernel=none"
// DEFINE: %{all} = %{conv} %{strided} %{line} %{volume} %{product} %{batched} %{depthwise} %{grouped} %{pointwise} %{last} %{others}
// RUN: tssa-opt %s -split-input-file %{all} -o %t.mlir
// RUN: FileCheck %s --check-prefix=STORES < %t.mlir
// RUN: tssa-opt %t.mlir -split-input-file -layout-materialize-stores | FileCheck %s
// RUN: tssa-opt %t.mlir -split-input-file -te-check-pipeline=passes=layout-materialize-stores -o /dev/null
// RUN: tssa-opt %s -split-input-file %{all} --remarks-filter=layout-write-stores --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A padded 3x3 convolution. Tiles of 4 rows need 6, and no division is left in the indexes of the image.
// STORES-LABEL: te.kernel @conv(
// STORES: schedule
// STORES-NEXT: layout.store @y as map<split(1, [*, 16]), split(3, [*, 4]), split(5, [*, 4]), reorder(0, 3, 5, 1, 4, 6, 2)>
// STORES-NEXT: layout.store 0 as map<split(1, [*, 8]), pad(3, 1, 1), unfold(3, 6, 4), pad(5, 1, 1), unfold(5, 6, 4), reorder(0, 3, 5, 1, 4, 6, 2)>
// STORES-NEXT: layout.store 1 as map<split(0, [*, 16]), split(2, [*, 8]), reorder(0, 2, 4, 5, 3, 1)>
// STORES-NEXT: }
// CHECK-LABEL: te.kernel @conv(%{{.*}}: tensor<2x2x3x2x6x6x8xf32>, %{{.*}}: tensor<2x2x3x3x8x16xf32>) -> tensor<2x2x3x2x4x4x16xf32>
// CHECK: te.compute @y (d0: 2, d1: 2, d2: 3, d3: 2, d4: 4, d5: 4, d6: 16) reduce (d7: 16, d8: 3, d9: 3)
// CHECK: te.read %{{.*}}[d0, d1, d2, d7 floordiv 8, d4 + d8, d5 + d9, d7 mod 8] : tensor<2x2x3x2x6x6x8xf32>{{$}}
// CHECK: te.read %{{.*}}[d3, d7 floordiv 8, d8, d9, d7 mod 8, d6] : tensor<2x2x3x3x8x16xf32>
// REMARK: [Passed] stores | {{.*}} | Knobs="image d2 4 d3 4, out 16, in 8, weights in 8 out 16"
func.func @main(%x: tensor<2x16x8x12xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<2x32x8x12xf32> {
  %y = te.launch @conv(%x, %w) : (tensor<2x16x8x12xf32>, tensor<32x16x3x3xf32>) -> tensor<2x32x8x12xf32>
  return %y : tensor<2x32x8x12xf32>
}
te.kernel @conv(%x: tensor<2x16x8x12xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<2x32x8x12xf32> {
  %y = te.compute @y (d0: 2, d1: 32, d2: 8, d3: 12) reduce (d4: 16, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<2x16x8x12xf32> where (d2 + d5 - 1 >= 0, -d2 - d5 + 8 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 12 >= 0) else 0.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<32x16x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x32x8x12xf32>
  te.return %y : tensor<2x32x8x12xf32>
}

// -----

// Stride 2. Neither tiles nor blocks divide their dims.
// STORES-LABEL: te.kernel @strided(
// STORES: schedule
// STORES-NEXT: layout.store @y as map<pad(1, to 16), split(1, [*, 16]), pad(3, to 2), split(3, [*, 2]), pad(5, to 3), split(5, [*, 3]), reorder(0, 3, 5, 1, 4, 6, 2)>
// STORES-NEXT: layout.store 0 as map<pad(1, to 8), split(1, [*, 8]), pad(3, 1, 3), unfold(3, 5, 4), pad(5, 1, 5), unfold(5, 7, 6), reorder(0, 3, 5, 1, 4, 6, 2)>
// STORES-NEXT: layout.store 1 as map<pad(0, to 16), split(0, [*, 16]), split(2, [*, 4]), reorder(0, 2, 4, 5, 3, 1)>
// STORES-NEXT: }
// CHECK-LABEL: te.kernel @strided(%{{.*}}: tensor<1x3x3x2x5x7x8xf32>, %{{.*}}: tensor<2x3x3x3x4x16xf32>) -> tensor<1x3x3x2x2x3x16xf32>
// CHECK: te.compute @y (d0: 1, d1: 3, d2: 3, d3: 2, d4: 2, d5: 3, d6: 16) reduce (d7: 12, d8: 3, d9: 3)
// CHECK: te.read %{{.*}}[0, d1, d2, d7 floordiv 8, d4 * 2 + d8, d5 * 2 + d9, d7 mod 8] : tensor<1x3x3x2x5x7x8xf32> where (d2 * -3 - d5 + 6 >= 0, d1 * -2 - d4 + 4 >= 0, d3 * -16 - d6 + 19 >= 0) else 0.000000e+00
// CHECK: te.read %{{.*}}[d3, d7 floordiv 4, d8, d9, d7 mod 4, d6] : tensor<2x3x3x3x4x16xf32> where (d2 * -3 - d5 + 6 >= 0, d1 * -2 - d4 + 4 >= 0) else 0.000000e+00
func.func @main(%x: tensor<1x12x9x13xf32>, %w: tensor<20x12x3x3xf32>) -> tensor<1x20x5x7xf32> {
  %y = te.launch @strided(%x, %w) : (tensor<1x12x9x13xf32>, tensor<20x12x3x3xf32>) -> tensor<1x20x5x7xf32>
  return %y : tensor<1x20x5x7xf32>
}
te.kernel @strided(%x: tensor<1x12x9x13xf32>, %w: tensor<20x12x3x3xf32>) -> tensor<1x20x5x7xf32> {
  %y = te.compute @y (d0: 1, d1: 20, d2: 5, d3: 7) reduce (d4: 12, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1] : tensor<1x12x9x13xf32> where (d2 * 2 + d5 - 1 >= 0, d2 * -2 - d5 + 9 >= 0, d3 * 2 + d6 - 1 >= 0, d3 * -2 - d6 + 13 >= 0) else 0.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<20x12x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x20x5x7xf32>
  te.return %y : tensor<1x20x5x7xf32>
}

// -----

// One dim, dilated, with channels last.
// STORES-LABEL: te.kernel @line(
// STORES: schedule
// STORES-NEXT: layout.store @y as map<split(1, [*, 4]), split(3, [*, 8]), reorder(0, 1, 3, 2, 4)>
// STORES-NEXT: layout.store 0 as map<unfold(1, 8, 4), split(3, [*, 4]), reorder(0, 1, 3, 2, 4)>
// STORES-NEXT: layout.store 1 as map<split(1, [*, 4]), split(3, [*, 8]), reorder(1, 3, 0, 2, 4)>
// STORES-NEXT: }
// CHECK-LABEL: te.kernel @line(%{{.*}}: tensor<2x4x2x8x4xf32>, %{{.*}}: tensor<2x2x3x4x8xf32>) -> tensor<2x4x2x4x8xf32>
// CHECK: te.compute @y (d0: 2, d1: 4, d2: 2, d3: 4, d4: 8) reduce (d5: 8, d6: 3)
// CHECK: te.read %{{.*}}[d0, d1, d5 floordiv 4, d3 + d6 * 2, d5 mod 4] : tensor<2x4x2x8x4xf32>
// CHECK: te.read %{{.*}}[d5 floordiv 4, d2, d6, d5 mod 4, d4] : tensor<2x2x3x4x8xf32>
func.func @main(%x: tensor<2x20x8xf32>, %w: tensor<3x8x16xf32>) -> tensor<2x16x16xf32> {
  %y = te.launch @line(%x, %w) : (tensor<2x20x8xf32>, tensor<3x8x16xf32>) -> tensor<2x16x16xf32>
  return %y : tensor<2x16x16xf32>
}
te.kernel @line(%x: tensor<2x20x8xf32>, %w: tensor<3x8x16xf32>) -> tensor<2x16x16xf32> {
  %y = te.compute @y (d0: 2, d1: 16, d2: 16) reduce (d3: 8, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + d4 * 2, d3] : tensor<2x20x8xf32>
    %b = te.read %w[d4, d3, d2] : tensor<3x8x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x16x16xf32>
  te.return %y : tensor<2x16x16xf32>
}

// -----

// Three dims. The last one has one tile, and is not unfolded.
// STORES-LABEL: te.kernel @volume(
// STORES: schedule
// STORES-NEXT: layout.store @y as map<split(2, [*, 2]), split(4, [*, 1]), reorder(0, 2, 4, 3, 5, 6, 1)>
// STORES-NEXT: layout.store 0 as map<split(1, [*, 4]), unfold(3, 4, 2), unfold(5, 3, 1), reorder(0, 3, 5, 1, 4, 6, 7, 2)>
// STORES-NEXT: layout.store 1 as map<split(1, [*, 4]), reorder(1, 3, 4, 5, 2, 0)>
// STORES-NEXT: }
// CHECK-LABEL: te.kernel @volume(%{{.*}}: tensor<1x2x3x2x4x3x6x4xf32>, %{{.*}}: tensor<2x3x3x3x4x8xf32>) -> tensor<1x2x3x2x1x4x8xf32>
// CHECK: te.compute @y (d0: 1, d1: 2, d2: 3, d3: 2, d4: 1, d5: 4, d6: 8) reduce (d7: 8, d8: 3, d9: 3, d10: 3)
// CHECK: te.read %{{.*}}[0, d1, d2, d7 floordiv 4, d3 + d8, d9, d5 + d10, d7 mod 4] : tensor<1x2x3x2x4x3x6x4xf32>
// CHECK: te.read %{{.*}}[d7 floordiv 4, d8, d9, d10, d7 mod 4, d6] : tensor<2x3x3x3x4x8xf32>
func.func @main(%x: tensor<1x8x6x5x6xf32>, %w: tensor<8x8x3x3x3xf32>) -> tensor<1x8x4x3x4xf32> {
  %y = te.launch @volume(%x, %w) : (tensor<1x8x6x5x6xf32>, tensor<8x8x3x3x3xf32>) -> tensor<1x8x4x3x4xf32>
  return %y : tensor<1x8x4x3x4xf32>
}
te.kernel @volume(%x: tensor<1x8x6x5x6xf32>, %w: tensor<8x8x3x3x3xf32>) -> tensor<1x8x4x3x4xf32> {
  %y = te.compute @y (d0: 1, d1: 8, d2: 4, d3: 3, d4: 4) reduce (d5: 8, d6: 3, d7: 3, d8: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d5, d2 + d6, d3 + d7, d4 + d8] : tensor<1x8x6x5x6xf32>
    %b = te.read %w[d1, d5, d6, d7, d8] : tensor<8x8x3x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x8x4x3x4xf32>
  te.return %y : tensor<1x8x4x3x4xf32>
}

// -----

// A matrix product: the rows of tiles do not overlap.
// STORES-LABEL: te.kernel @product(
// STORES: schedule
// STORES-NEXT: layout.store @y as map<pad(0, to 4), split(0, [*, 4]), split(2, [*, 16]), reorder(0, 2, 1, 3)>
// STORES-NEXT: layout.store 0 as map<pad(0, to 4), split(0, [*, 4]), split(2, [*, 8]), reorder(0, 2, 1, 3)>
// STORES-NEXT: layout.store 1 as map<split(0, [*, 8]), split(2, [*, 16]), reorder(0, 2, 1, 3)>
// STORES-NEXT: }
// CHECK-LABEL: te.kernel @product(%{{.*}}: tensor<3x3x4x8xf32>, %{{.*}}: tensor<3x2x8x16xf32>) -> tensor<3x2x4x16xf32>
// CHECK: te.compute @y (d0: 3, d1: 2, d2: 4, d3: 16) reduce (d4: 24)
// CHECK: te.read %{{.*}}[d0, d4 floordiv 8, d2, d4 mod 8] : tensor<3x3x4x8xf32>
// CHECK: te.read %{{.*}}[d4 floordiv 8, d1, d4 mod 8, d3] : tensor<3x2x8x16xf32>
func.func @main(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  %y = te.launch @product(%x, %w) : (tensor<10x24xf32>, tensor<24x32xf32>) -> tensor<10x32xf32>
  return %y : tensor<10x32xf32>
}
te.kernel @product(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

// Several products, with the second matrix transposed.
// STORES-LABEL: te.kernel @batched(
// STORES: schedule
// STORES-NEXT: layout.store @y as map<split(1, [*, 4]), split(3, [*, 8]), reorder(0, 1, 3, 2, 4)>
// STORES-NEXT: layout.store 0 as map<split(1, [*, 4]), split(3, [*, 2]), reorder(0, 1, 3, 2, 4)>
// STORES-NEXT: layout.store 1 as map<split(1, [*, 8]), split(3, [*, 2]), reorder(0, 1, 3, 4, 2)>
// STORES-NEXT: }
// CHECK-LABEL: te.kernel @batched(%{{.*}}: tensor<3x2x3x4x2xf32>, %{{.*}}: tensor<3x2x3x2x8xf32>) -> tensor<3x2x2x4x8xf32>
// CHECK: te.compute @y (d0: 3, d1: 2, d2: 2, d3: 4, d4: 8) reduce (d5: 6)
// CHECK: te.read %{{.*}}[d0, d1, d5 floordiv 2, d3, d5 mod 2] : tensor<3x2x3x4x2xf32>
// CHECK: te.read %{{.*}}[d0, d2, d5 floordiv 2, d5 mod 2, d4] : tensor<3x2x3x2x8xf32>
func.func @main(%x: tensor<3x8x6xf32>, %w: tensor<3x16x6xf32>) -> tensor<3x8x16xf32> {
  %y = te.launch @batched(%x, %w) : (tensor<3x8x6xf32>, tensor<3x16x6xf32>) -> tensor<3x8x16xf32>
  return %y : tensor<3x8x16xf32>
}
te.kernel @batched(%x: tensor<3x8x6xf32>, %w: tensor<3x16x6xf32>) -> tensor<3x8x16xf32> {
  %y = te.compute @y (d0: 3, d1: 8, d2: 16) reduce (d3: 6) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d3] : tensor<3x8x6xf32>
    %b = te.read %w[d0, d2, d3] : tensor<3x16x6xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<3x8x16xf32>
  te.return %y : tensor<3x8x16xf32>
}

// -----

// The blocks of groups are those of all tensors.
// STORES-LABEL: te.kernel @depthwise(
// STORES: schedule
// STORES-NEXT: layout.store @y as map<split(1, [*, 8]), split(3, [*, 4]), reorder(0, 3, 1, 4, 2)>
// STORES-NEXT: layout.store 0 as map<split(1, [*, 8]), unfold(3, 6, 4), reorder(0, 3, 1, 4, 2)>
// STORES-NEXT: layout.store 1 as map<split(0, [*, 8]), reorder(0, 2, 1)>
// STORES-NEXT: }
// CHECK-LABEL: te.kernel @depthwise(%{{.*}}: tensor<2x2x2x6x8xf32>, %{{.*}}: tensor<2x3x8xf32>) -> tensor<2x2x2x4x8xf32>
// CHECK: te.compute @y (d0: 2, d1: 2, d2: 2, d3: 4, d4: 8) reduce (d5: 3)
// CHECK: te.read %{{.*}}[d0, d1, d2, d3 + d5, d4] : tensor<2x2x2x6x8xf32>
// CHECK: te.read %{{.*}}[d2, d5, d4] : tensor<2x3x8xf32>
// REMARK: [Passed] stores | {{.*}} | Knobs="image d2 4, group 8"
func.func @main(%x: tensor<2x16x10xf32>, %w: tensor<16x3xf32>) -> tensor<2x16x8xf32> {
  %y = te.launch @depthwise(%x, %w) : (tensor<2x16x10xf32>, tensor<16x3xf32>) -> tensor<2x16x8xf32>
  return %y : tensor<2x16x8xf32>
}
te.kernel @depthwise(%x: tensor<2x16x10xf32>, %w: tensor<16x3xf32>) -> tensor<2x16x8xf32> {
  %y = te.compute @y (d0: 2, d1: 16, d2: 8) reduce (d3: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2 + d3] : tensor<2x16x10xf32>
    %b = te.read %w[d1, d3] : tensor<16x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x16x8xf32>
  te.return %y : tensor<2x16x8xf32>
}

// -----

// Four output channels and eight input channels belong to a group.
// STORES-LABEL: te.kernel @grouped(
// STORES: schedule
// STORES-NEXT: layout.store @y as map<split(1, [*, 4]), pad(3, to 3), split(3, [*, 3]), reorder(0, 3, 1, 4, 2)>
// STORES-NEXT: layout.store 0 as map<split(1, [*, 4]), pad(3, 0, 1), unfold(3, 5, 3), reorder(0, 3, 1, 4, 2)>
// STORES-NEXT: layout.store 1 as map<split(0, [*, 4]), reorder(0, 3, 2, 1)>
// STORES-NEXT: }
// CHECK-LABEL: te.kernel @grouped(%{{.*}}: tensor<2x3x4x5x4xf32>, %{{.*}}: tensor<2x3x8x4xf32>) -> tensor<2x3x2x3x4xf32>
// CHECK: te.compute @y (d0: 2, d1: 3, d2: 2, d3: 3, d4: 4) reduce (d5: 8, d6: 3)
// CHECK: te.read %{{.*}}[d0, d1, d2 * 2 + d5 floordiv 4, d3 + d6, d5 mod 4] : tensor<2x3x4x5x4xf32>
// CHECK: te.read %{{.*}}[d2, d6, d5, d4] : tensor<2x3x8x4xf32>
func.func @main(%x: tensor<2x16x10xf32>, %w: tensor<8x8x3xf32>) -> tensor<2x8x8xf32> {
  %y = te.launch @grouped(%x, %w) : (tensor<2x16x10xf32>, tensor<8x8x3xf32>) -> tensor<2x8x8xf32>
  return %y : tensor<2x8x8xf32>
}
te.kernel @grouped(%x: tensor<2x16x10xf32>, %w: tensor<8x8x3xf32>) -> tensor<2x8x8xf32> {
  %y = te.compute @y (d0: 2, d1: 8, d2: 8) reduce (d3: 8, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, (d1 floordiv 4) * 8 + d3, d2 + d4] : tensor<2x16x10xf32>
    %b = te.read %w[d1, d3, d4] : tensor<8x8x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x8x8xf32>
  te.return %y : tensor<2x8x8xf32>
}

// -----

// Windows that do not overlap are split. The channels of the result stay as they are.
// STORES-LABEL: te.kernel @pointwise(
// STORES: schedule
// STORES-NEXT: layout.store @y as map<split(2, [*, 2]), reorder(0, 2, 1, 3)>
// STORES-NEXT: layout.store 0 as map<split(1, [*, 8]), pad(3, to 4), split(3, [*, 4]), reorder(0, 3, 1, 4, 2)>
// STORES-NEXT: }
// CHECK-LABEL: te.kernel @pointwise(%{{.*}}: tensor<1x3x2x4x8xf32>, %{{.*}}: tensor<8x16xf32>) -> tensor<1x3x8x2xf32>
// CHECK: te.compute @y (d0: 1, d1: 3, d2: 8, d3: 2) reduce (d4: 16)
// CHECK: te.read %{{.*}}[0, d1, d4 floordiv 8, d3 * 2, d4 mod 8] : tensor<1x3x2x4x8xf32>
// CHECK: te.read %{{.*}}[d2, d4] : tensor<8x16xf32>
func.func @main(%x: tensor<1x16x11xf32>, %w: tensor<8x16xf32>) -> tensor<1x8x6xf32> {
  %y = te.launch @pointwise(%x, %w) : (tensor<1x16x11xf32>, tensor<8x16xf32>) -> tensor<1x8x6xf32>
  return %y : tensor<1x8x6xf32>
}
te.kernel @pointwise(%x: tensor<1x16x11xf32>, %w: tensor<8x16xf32>) -> tensor<1x8x6xf32> {
  %y = te.compute @y (d0: 1, d1: 8, d2: 6) reduce (d3: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2 * 2] : tensor<1x16x11xf32>
    %b = te.read %w[d1, d3] : tensor<8x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x8x6xf32>
  te.return %y : tensor<1x8x6xf32>
}

// -----

// Blocks as large as their dims put channels last.
// STORES-LABEL: te.kernel @last(
// STORES: schedule
// STORES-NEXT: layout.store @y as map<reorder(0, 2, 1)>
// STORES-NEXT: layout.store 0 as map<reorder(0, 2, 1)>
// STORES-NEXT: layout.store 1 as map<reorder(1, 2, 0)>
// STORES-NEXT: }
// CHECK-LABEL: te.kernel @last(%{{.*}}: tensor<1x9x12xf32>, %{{.*}}: tensor<12x3x20xf32>) -> tensor<1x7x20xf32>
// CHECK: te.compute @y (d0: 1, d1: 7, d2: 20) reduce (d3: 12, d4: 3)
// CHECK: te.read %{{.*}}[d0, d1 + d4, d3] : tensor<1x9x12xf32>
// CHECK: te.read %{{.*}}[d3, d4, d2] : tensor<12x3x20xf32>
func.func @main(%x: tensor<1x12x9xf32>, %w: tensor<20x12x3xf32>) -> tensor<1x20x7xf32> {
  %y = te.launch @last(%x, %w) : (tensor<1x12x9xf32>, tensor<20x12x3xf32>) -> tensor<1x20x7xf32>
  return %y : tensor<1x20x7xf32>
}
te.kernel @last(%x: tensor<1x12x9xf32>, %w: tensor<20x12x3xf32>) -> tensor<1x20x7xf32> {
  %y = te.compute @y (d0: 1, d1: 20, d2: 7) reduce (d3: 12, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d3, d2 + d4] : tensor<1x12x9xf32>
    %b = te.read %w[d1, d3, d4] : tensor<20x12x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x20x7xf32>
  te.return %y : tensor<1x20x7xf32>
}

// -----

// An expression that is no sum of products is left alone.
// STORES-LABEL: te.kernel @elements
// STORES-NOT: layout.store
// REMARK: [Missed] stores | {{.*}} | Reason="the expression is not a sum of products"
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = te.launch @elements(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
te.kernel @elements(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = te.compute @y (d0: 4, d1: 8) {
    %a = te.read %x[d0, d1] : tensor<4x8xf32>
    %n = arith.negf %a : f32
    te.yield %n : f32
  } : tensor<4x8xf32>
  te.return %y : tensor<4x8xf32>
}

// -----

// A schedule that exists is kept.
// STORES-LABEL: te.kernel @scheduled
// STORES: schedule
// STORES-NEXT: layout.store 0 as map<reorder(1, 0)>
// STORES-NEXT: }
// REMARK: [Missed] stores | {{.*}} | Reason="the kernel has a schedule"
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %y = te.launch @scheduled(%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
te.kernel @scheduled(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %y = te.compute @y (d0: 4, d1: 8) reduce (d2: 8) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<4x8xf32>
    %b = te.read %w[d2, d1] : tensor<8x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4x8xf32>
  te.return %y : tensor<4x8xf32>
} schedule {
  layout.store 0 as map<reorder(1, 0)>
}

// -----

// The space has the point that stores all tensors as they are.
// STORES-LABEL: te.kernel @none
// STORES-NOT: layout.store
// REMARK: [Passed] stores | {{.*}} | Knobs=none
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %y = te.launch @none(%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
te.kernel @none(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %y = te.compute @y (d0: 4, d1: 8) reduce (d2: 8) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<4x8xf32>
    %b = te.read %w[d2, d1] : tensor<8x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4x8xf32>
  te.return %y : tensor<4x8xf32>
}
