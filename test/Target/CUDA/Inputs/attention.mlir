// Scores of queries and keys, and their softmax: a contraction and rows.
func.func @main(%q: tensor<80x48xf32> {te.port = #te.port<name = "q">}, %k: tensor<48x72xf32> {te.port = #te.port<name = "k">})
    -> (tensor<80x72xf32> {te.port = #te.port<name = "weights">}) {
  %scores = te.compute (d0: 80, d1: 72) reduce (d2: 48) init (0.0 : f32) {
    %a = te.read %q[d0, d2] : tensor<80x48xf32>
    %b = te.read %k[d2, d1] : tensor<48x72xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<80x72xf32> loc("scores")
  %most = te.compute (d0: 80) reduce (d1: 72) init (0xFF800000 : f32) {
    %s = te.read %scores[d0, d1] : tensor<80x72xf32>
    te.yield %s : f32
  } combine arith.maximumf : tensor<80xf32> loc("max")
  %powers = te.compute (d0: 80, d1: 72) {
    %s = te.read %scores[d0, d1] : tensor<80x72xf32>
    %m = te.read %most[d0] : tensor<80xf32>
    %d = arith.subf %s, %m : f32
    %e = math.exp %d : f32
    te.yield %e : f32
  } : tensor<80x72xf32> loc("exp")
  %sum = te.compute (d0: 80) reduce (d1: 72) init (0.0 : f32) {
    %e = te.read %powers[d0, d1] : tensor<80x72xf32>
    te.yield %e : f32
  } combine arith.addf : tensor<80xf32> loc("sum")
  %weights = te.compute (d0: 80, d1: 72) {
    %e = te.read %powers[d0, d1] : tensor<80x72xf32>
    %s = te.read %sum[d0] : tensor<80xf32>
    %w = arith.divf %e, %s : f32
    te.yield %w : f32
  } : tensor<80x72xf32> loc("divide")
  return %weights : tensor<80x72xf32>
}
