func.func @main(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %y = te.compute (d0: 4, d1: 64) {
    %v = te.read %x[d0, d1] : tensor<4x64xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}
