// RUN: tssa-opt %s -split-input-file "-layout-write-stores=knobs='alt 4 4 16 8' kernel=conv" "-layout-write-stores=knobs='alt 2 3 16 8 4 16' kernel=strided"

// A padded 3x3 convolution.
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

// Stride 2 and padding; neither tiles nor blocks divide their dims.
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
