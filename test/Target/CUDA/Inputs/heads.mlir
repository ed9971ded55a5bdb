// The scores of two heads, whose queries and keys lie beside each other in rows.
func.func @main(%q: tensor<32x2x64xf32> {te.port = #te.port<name = "q">}, %k: tensor<32x2x64xf32> {te.port = #te.port<name = "k">})
    -> (tensor<2x32x32xf32> {te.port = #te.port<name = "scores">}) {
  %scores = te.compute (d0: 2, d1: 32, d2: 32) reduce (d3: 64) init (0.0 : f32) {
    %a = te.read %q[d1, d0, d3] : tensor<32x2x64xf32>
    %b = te.read %k[d2, d0, d3] : tensor<32x2x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x32x32xf32> loc("scores")
  return %scores : tensor<2x32x32xf32>
}
