// A product with an open number of rows, and a sum of its rows.
func.func @main(%x: tensor<?x64xf32> {te.port = #te.port<name = "x", dims = ["N", 64]>}, %w: tensor<64x96xf32>)
    -> (tensor<?xf32> {te.port = #te.port<name = "y", dims = ["N"]>}) {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x64xf32>
  %y = te.compute (d0: %n, d1: 96) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<?x64xf32>
    %b = te.read %w[d2, d1] : tensor<64x96xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x96xf32>
  %z = te.compute (d0: %n) reduce (d1: 96) init (0.0 : f32) {
    %a = te.read %y[d0, d1] : tensor<?x96xf32>
    %p = math.tanh %a : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?xf32>
  return %z : tensor<?xf32>
}
