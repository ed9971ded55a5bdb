// x becomes new, which is made of mirrored rows of x; sum is made of the old x.
func.func @main(%x: tensor<?x4xf32> {te.port = #te.port<name = "x", dims = ["N", 4]>}, %y: tensor<?x4xf32> {te.port = #te.port<name = "y", dims = ["N", 4]>})
    -> (tensor<?x4xf32> {te.port = #te.port<name = "sum", dims = ["N", 4]>}, tensor<?x4xf32> {te.port = #te.port<name = "x_new", dims = ["N", 4], writes_back = 0>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %new = te.compute (d0: %n, d1: 4) {
    %v = te.read %x[d0, -d1 + 3] : tensor<?x4xf32>
    %w = te.read %y[d0, d1] : tensor<?x4xf32>
    %r = arith.mulf %v, %w : f32
    te.yield %r : f32
  } : tensor<?x4xf32> loc("new")
  %sum = te.compute (d0: %n, d1: 4) {
    %v = te.read %x[d0, d1] : tensor<?x4xf32>
    %w = te.read %new[d0, d1] : tensor<?x4xf32>
    %r = arith.addf %v, %w : f32
    te.yield %r : f32
  } : tensor<?x4xf32> loc("sum")
  return %sum, %new : tensor<?x4xf32>, tensor<?x4xf32>
}
