func.func @main(%x: tensor<?x8xf32> {te.port = #te.port<name = "x", dims = ["N", 8]>}) -> (tensor<?x8xf32> {te.port = #te.port<name = "y", dims = ["N", 8]>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %w = te.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %y = te.compute (d0: %n, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<?x8xf32>
    %f = te.read %w[d1] : tensor<8xf32>
    %r = arith.mulf %v, %f : f32
    te.yield %r : f32
  } : tensor<?x8xf32> loc("scale")
  return %y : tensor<?x8xf32>
}
