// An element-wise kernel, a sum of rows, and a product of matrices.
func.func @main(%x: tensor<128x1024xf32> {te.port = #te.port<name = "x">}, %w: tensor<1024x256xf32> {te.port = #te.port<name = "w">})
    -> (tensor<128x1024xf32> {te.port = #te.port<name = "map">}, tensor<128xf32> {te.port = #te.port<name = "sum">}, tensor<128x256xf32> {te.port = #te.port<name = "product">}) {
  %map = te.compute (d0: 128, d1: 1024) {
    %v = te.read %x[d0, d1] : tensor<128x1024xf32>
    %r = arith.addf %v, %v : f32
    te.yield %r : f32
  } : tensor<128x1024xf32> loc("double")
  %sum = te.compute (d0: 128) reduce (d1: 1024) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<128x1024xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<128xf32> loc("sum")
  %product = te.compute (d0: 128, d1: 256) reduce (d2: 1024) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<128x1024xf32>
    %b = te.read %w[d2, d1] : tensor<1024x256xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<128x256xf32> loc("product")
  return %map, %sum, %product : tensor<128x1024xf32>, tensor<128xf32>, tensor<128x256xf32>
}
