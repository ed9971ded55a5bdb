// A convolution with a border and an epilogue: most faults apply to it. The epilogue is so long that no host brings the
// kernel near its roof, where a search would end.
func.func @main(%x: tensor<1x4x10x12xf32> {te.port = #te.port<name = "x", dims = [1, 4, 10, 12]>}, %w: tensor<8x4x3x3xf32> {te.port = #te.port<name = "w", dims = [8, 4, 3, 3]>}) -> (tensor<1x8x10x12xf32> {te.port = #te.port<name = "y", dims = [1, 8, 10, 12]>}) {
  %y = te.compute (d0: 1, d1: 8, d2: 10, d3: 12) reduce (d4: 4, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<1x4x10x12xf32> where (d2 + d5 - 1 >= 0, 10 - d2 - d5 >= 0, d3 + d6 - 1 >= 0, 12 - d3 - d6 >= 0) else 0.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<8x4x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf then (%s: f32) {
    %c = arith.constant 0.01 : f32
    %scaled = arith.mulf %s, %c : f32
    %e1 = math.exp %scaled : f32
    %l1 = math.log %e1 : f32
    %e2 = math.exp %l1 : f32
    %l2 = math.log %e2 : f32
    %e3 = math.exp %l2 : f32
    te.yield %e3 : f32
  } : tensor<1x8x10x12xf32>
  return %y : tensor<1x8x10x12xf32>
}
