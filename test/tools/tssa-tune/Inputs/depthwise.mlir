// Three depthwise convolutions, one after the other.
func.func @main(%x: tensor<1x32x14x14xf32> {te.port = #te.port<name = "x", dims = [1, 32, 14, 14]>}, %w: tensor<32x3x3xf32> {te.port = #te.port<name = "w", dims = [32, 3, 3]>}) -> (tensor<1x32x14x14xf32> {te.port = #te.port<name = "y", dims = [1, 32, 14, 14]>}) {
  %a = te.compute (d0: 1, d1: 32, d2: 14, d3: 14) reduce (d4: 3, d5: 3) init (0.0 : f32) {
    %p = te.read %x[d0, d1, d2 + d4 - 1, d3 + d5 - 1] : tensor<1x32x14x14xf32> where (d2 + d4 - 1 >= 0, 14 - d2 - d4 >= 0, d3 + d5 - 1 >= 0, 14 - d3 - d5 >= 0) else 0.0
    %q = te.read %w[d1, d4, d5] : tensor<32x3x3xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf : tensor<1x32x14x14xf32>
  %b = te.compute (d0: 1, d1: 32, d2: 14, d3: 14) reduce (d4: 3, d5: 3) init (0.0 : f32) {
    %p = te.read %a[d0, d1, d2 + d4 - 1, d3 + d5 - 1] : tensor<1x32x14x14xf32> where (d2 + d4 - 1 >= 0, 14 - d2 - d4 >= 0, d3 + d5 - 1 >= 0, 14 - d3 - d5 >= 0) else 0.0
    %q = te.read %w[d1, d4, d5] : tensor<32x3x3xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf : tensor<1x32x14x14xf32>
  %y = te.compute (d0: 1, d1: 32, d2: 14, d3: 14) reduce (d4: 3, d5: 3) init (0.0 : f32) {
    %p = te.read %b[d0, d1, d2 + d4 - 1, d3 + d5 - 1] : tensor<1x32x14x14xf32> where (d2 + d4 - 1 >= 0, 14 - d2 - d4 >= 0, d3 + d5 - 1 >= 0, 14 - d3 - d5 >= 0) else 0.0
    %q = te.read %w[d1, d4, d5] : tensor<32x3x3xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf : tensor<1x32x14x14xf32>
  return %y : tensor<1x32x14x14xf32>
}
