// Which of three centres is each row nearest to? x is f32[N,4]; the results are
// the squared distances, f32[N,3], and the index of the least, i64[N].
func.func @main(%x: tensor<?x4xf32> {te.port = #te.port<name = "x", type = f32, dims = ["N", 4]>})
    -> (tensor<?x3xf32> {te.port = #te.port<name = "distances", type = f32, dims = ["N", 3]>},
        tensor<?xi64> {te.port = #te.port<name = "nearest", type = i64, dims = ["N"]>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %centres = te.constant dense<[[5.0, 3.4, 1.5, 0.2],
                                [5.9, 2.8, 4.3, 1.3],
                                [6.6, 3.0, 5.6, 2.0]]> : tensor<3x4xf32>
  %distances = te.compute @distance (d0: %n, d1: 3) reduce (d2: 4) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<?x4xf32>
    %b = te.read %centres[d1, d2] : tensor<3x4xf32>
    %d = arith.subf %a, %b : f32
    %s = arith.mulf %d, %d : f32
    te.yield %s : f32
  } combine arith.addf : tensor<?x3xf32>
  %least, %nearest = te.compute @least (d0: %n) reduce (d1: 3) init (0x7F800000 : f32, 0 : i64) {
    %v = te.read %distances[d0, d1] : tensor<?x3xf32>
    %i = te.index d1
    %k = arith.index_cast %i : index to i64
    te.yield %v, %k : f32, i64
  } combine (%a0: f32, %a1: i64, %b0: f32, %b1: i64) {
    %less = arith.cmpf olt, %b0, %a0 : f32
    %v = arith.select %less, %b0, %a0 : f32
    %k = arith.select %less, %b1, %a1 : i64
    te.yield %v, %k : f32, i64
  } : tensor<?xf32>, tensor<?xi64>
  return %distances, %nearest : tensor<?x3xf32>, tensor<?xi64>
}
