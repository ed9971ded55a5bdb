// exp, repeated, and where the result is not zero.
func.func @main(%x: tensor<8xf32> {te.port = #te.port<name = "x">}) -> (tensor<1x?xi64> {te.port = #te.port<name = "y">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (tensor<8xf32>) {
    %e = te.compute (d0: 8) {
      %v = te.read %a[d0] : tensor<8xf32>
      %p = math.exp %v : f32
      te.yield %p : f32
    } : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  }
  %y = te.extern @nonzero(%r) sizes () [-1] : (tensor<8xf32>) -> tensor<1x?xi64>
  return %y : tensor<1x?xi64>
}
