// A kernel of open sizes, which is not tuned.
func.func @main(%x: tensor<?xf32> {te.port = #te.port<name = "x", dims = ["N"]>}) -> (tensor<?xf32> {te.port = #te.port<name = "y", dims = ["N"]>}) {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %y = te.compute (d0: %n) {
    %a = te.read %x[d0] : tensor<?xf32>
    %p = math.tanh %a : f32
    te.yield %p : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}
