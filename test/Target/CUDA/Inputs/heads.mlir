// The scores of two heads, whose queries and keys lie beside each other in rows.
func.func @main(%q: tensor<32x2x64xf16> {te.port = #te.port<name = "q">}, %k: tensor<32x2x64xf16> {te.port = #te.port<name = "k">})
    -> (tensor<2x32x32xf16> {te.port = #te.port<name = "scores">}) {
  %scores = te.compute (d0: 2, d1: 32, d2: 32) reduce (d3: 64) init (0.0 : f32) {
    %a = te.read %q[d1, d0, d3] : tensor<32x2x64xf16>
    %b = te.read %k[d2, d0, d3] : tensor<32x2x64xf16>
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  } combine arith.addf then (%sum: f32) {
    %r = arith.truncf %sum : f32 to f16
    te.yield %r : f16
  } : tensor<2x32x32xf16> loc("scores")
  return %scores : tensor<2x32x32xf16>
}
