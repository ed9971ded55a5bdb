// Three ops, and a branch.
func.func @main(%x: tensor<8xf32> {te.port = #te.port<name = "x">}, %flag: i1 {te.port = #te.port<name = "flag">}) -> (tensor<8xf32> {te.port = #te.port<name = "y">}, tensor<8xf32> {te.port = #te.port<name = "z">}) {
  %e = te.compute (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %n = arith.negf %v : f32
    %r = math.exp %n : f32
    te.yield %r : f32
  } : tensor<8xf32>
  %y = te.compute (d0: 8) {
    %v = te.read %e[d0] : tensor<8xf32>
    %one = arith.constant 1.0 : f32
    %r = arith.addf %v, %one : f32
    te.yield %r : f32
  } : tensor<8xf32>
  %z = scf.if %flag -> tensor<8xf32> {
    scf.yield %y : tensor<8xf32>
  } else {
    %s = te.compute (d0: 8) {
      %v = te.read %y[d0] : tensor<8xf32>
      %r = math.sqrt %v : f32
      te.yield %r : f32
    } : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}
