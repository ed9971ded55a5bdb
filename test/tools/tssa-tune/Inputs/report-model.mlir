// A product with weights, and a sum of its rows: two kernels.
func.func @main(%x: tensor<16x24xf32> {te.port = #te.port<name = "x", dims = [16, 24]>}, %v: tensor<24x32xf32> {te.port = #te.port<name = "v", dims = [24, 32]>}) -> (tensor<16xf32> {te.port = #te.port<name = "r", dims = [16]>}) {
  %y = te.compute (d0: 16, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<16x24xf32>
    %b = te.read %v[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<16x32xf32>
  %s = te.compute (d0: 16) reduce (d1: 32) init (0.0 : f32) {
    %a = te.read %y[d0, d1] : tensor<16x32xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<16xf32>
  return %s : tensor<16xf32>
}
