// A product that is rounded by --precision.
func.func @main(%x: tensor<96x256xf32> {te.port = #te.port<name = "x", dims = [96, 256]>}, %w: tensor<256x128xf32> {te.port = #te.port<name = "w", dims = [256, 128]>}) -> (tensor<96x128xf32> {te.port = #te.port<name = "y", dims = [96, 128]>}) {
  %y = te.compute (d0: 96, d1: 128) reduce (d2: 256) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<96x256xf32>
    %b = te.read %w[d2, d1] : tensor<256x128xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<96x128xf32>
  return %y : tensor<96x128xf32>
}
