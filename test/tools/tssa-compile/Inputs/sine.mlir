func.func @main(%x: tensor<?xf64> {te.port = #te.port<name = "x">}) -> (tensor<?xf64> {te.port = #te.port<name = "y">}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %y = te.compute (d0: %n) {
    %v = te.read %x[d0] : tensor<?xf64>
    %r = math.sin %v : f64 loc("wave")
    te.yield %r : f64
  } : tensor<?xf64> loc("wave")
  return %y : tensor<?xf64>
}
