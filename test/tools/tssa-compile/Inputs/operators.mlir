// Operators of a user, as functions of te.

// Boxes of centers and sizes become corners, times the attribute `stride`.
func.func @"com.acme::DecodeBoxes"(%boxes: tensor<?x?x4xf32>,
    %stride: f32 {te.port = #te.port<name = "stride">}) -> tensor<?x?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %boxes, %c0 : tensor<?x?x4xf32>
  %count = tensor.dim %boxes, %c1 : tensor<?x?x4xf32>
  %half = arith.constant 0.5 : f32
  %corners = te.compute (d0: %batch, d1: %count, d2: 4) where (1 - d2 >= 0) {
    %center = te.read %boxes[d0, d1, d2] : tensor<?x?x4xf32>
    %size = te.read %boxes[d0, d1, d2 + 2] : tensor<?x?x4xf32>
    %offset = arith.mulf %size, %half : f32
    %corner = arith.subf %center, %offset : f32
    %scaled = arith.mulf %corner, %stride : f32
    te.yield %scaled : f32
  } where (d2 - 2 >= 0) {
    %center = te.read %boxes[d0, d1, d2 - 2] : tensor<?x?x4xf32>
    %size = te.read %boxes[d0, d1, d2] : tensor<?x?x4xf32>
    %offset = arith.mulf %size, %half : f32
    %corner = arith.addf %center, %offset : f32
    %scaled = arith.mulf %corner, %stride : f32
    te.yield %scaled : f32
  } : tensor<?x?x4xf32>
  return %corners : tensor<?x?x4xf32>
}

// Scores of queries and keys with a bias that grows with their distance, after ALiBi, and their sums.
func.func @"com.acme::BiasedScores"(%q: tensor<?x?xf32>, %k: tensor<?x?xf32>,
    %slope: f32 {te.port = #te.port<name = "slope">}) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %queries = tensor.dim %q, %c0 : tensor<?x?xf32>
  %keys = tensor.dim %k, %c0 : tensor<?x?xf32>
  %width = tensor.dim %q, %c1 : tensor<?x?xf32>
  %products = te.compute (d0: %queries, d1: %keys) reduce (d2: %width) init (0.0 : f32) {
    %a = te.read %q[d0, d2] : tensor<?x?xf32>
    %b = te.read %k[d1, d2] : tensor<?x?xf32>
    %product = arith.mulf %a, %b : f32
    te.yield %product : f32
  } combine arith.addf : tensor<?x?xf32>
  %scores = te.compute (d0: %queries, d1: %keys) {
    %score = te.read %products[d0, d1] : tensor<?x?xf32>
    %distance = te.index d0 - d1
    %whole = arith.index_cast %distance : index to i64
    %real = arith.sitofp %whole : i64 to f32
    %bias = arith.mulf %real, %slope : f32
    %biased = arith.subf %score, %bias : f32
    te.yield %biased : f32
  } : tensor<?x?xf32>
  %sums = te.compute (d0: %queries) reduce (d1: %keys) init (0.0 : f32) {
    %score = te.read %scores[d0, d1] : tensor<?x?xf32>
    te.yield %score : f32
  } combine arith.addf : tensor<?xf32>
  return %scores, %sums : tensor<?x?xf32>, tensor<?xf32>
}

// The maximum of `window` neighbours, without overlap.
func.func @"com.acme::Pool"(%x: tensor<?xf32>,
    %window: index {te.port = #te.port<name = "window">}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %count = arith.divui %n, %window : index
  %most = te.compute (d0: %count) reduce (d1: %window) init (0xFF800000 : f32) {
    %v = te.read %x[d0 * s0 + d1](%window) : tensor<?xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<?xf32>
  return %most : tensor<?xf32>
}
