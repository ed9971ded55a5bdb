// exp(x) + 1, in two ops.
func.func @main(%x: tensor<8xf32> {te.port = #te.port<name = "x">}) -> (tensor<8xf32> {te.port = #te.port<name = "y">}) {
  %e = te.compute (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %r = math.exp %v : f32
    te.yield %r : f32
  } : tensor<8xf32>
  %y = te.compute (d0: 8) {
    %v = te.read %e[d0] : tensor<8xf32>
    %one = arith.constant 1.0 : f32
    %r = arith.addf %v, %one : f32
    te.yield %r : f32
  } : tensor<8xf32>
  return %y : tensor<8xf32>
}
