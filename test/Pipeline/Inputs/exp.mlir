func.func @main(%x: tensor<8xf32> {te.port = #te.port<name = "x", dims = [8]>}) -> (tensor<8xf32> {te.port = #te.port<name = "y", dims = [8]>}) {
  %y = te.compute (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<8xf32> loc("exp")
  return %y : tensor<8xf32>
}
