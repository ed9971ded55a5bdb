// Convolution with padding, bias and relu; a concatenation; pooling; a product.
func.func @main(%x: tensor<?x3x9x9xf32> {te.port = #te.port<name = "image", type = f32, dims = ["N", 3, 9, 9]>})
    -> (tensor<?x5xf32> {te.port = #te.port<name = "logits", type = f32, dims = ["N", 5]>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x9x9xf32>
  %w = te.constant dense_resource<conv> : tensor<4x3x1x1xf32>
  %bias = te.constant dense<[0.5, -0.25, 0.125, 1.0]> : tensor<4xf32>
  %fc = te.constant dense<[[0.5, -1.0, 0.25, 2.0, 1.5], [1.0, 0.5, -0.5, 0.75, -0.25], [0.125, 0.25, 0.5, -1.5, 1.0],
      [2.0, -0.5, 1.25, 0.5, 0.25], [-1.0, 1.0, 0.5, 0.25, 0.75], [0.25, 0.5, 1.0, -0.75, -0.5], [1.5, -0.25, 0.5, 1.0, 0.125]]> : tensor<7x5xf32>
  %conv = te.compute (d0: %n, d1: 4, d2: 9, d3: 9) reduce (d4: 3, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<?x3x9x9xf32>
        where (d2 + d5 - 1 >= 0, -d2 - d5 + 9 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 9 >= 0) else 0.0
    %b = te.read %w[d1, d4, 0, 0] : tensor<4x3x1x1xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf then (%sum: f32) {
    %t = te.read %bias[d1] : tensor<4xf32>
    %r = arith.addf %sum, %t : f32
    te.yield %r : f32
  } : tensor<?x4x9x9xf32> loc("conv1")
  %relu = te.compute (d0: %n, d1: 4, d2: 9, d3: 9) {
    %v = te.read %conv[d0, d1, d2, d3] : tensor<?x4x9x9xf32>
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %v, %zero : f32
    te.yield %r : f32
  } : tensor<?x4x9x9xf32> loc("relu1")
  %scan = te.scan %relu axis 3 init 0.0 : f32 combine arith.addf : tensor<?x4x9x9xf32> loc("cumsum")
  %cat = te.compute (d0: %n, d1: 7, d2: 9, d3: 9) where (3 - d1 >= 0) {
    %v = te.read %scan[d0, d1, d2, d3] : tensor<?x4x9x9xf32>
    te.yield %v : f32
  } where (d1 - 4 >= 0) {
    %v = te.read %x[d0, d1 - 4, d2, d3] : tensor<?x3x9x9xf32>
    te.yield %v : f32
  } : tensor<?x7x9x9xf32> loc("concat")
  %pool = te.compute (d0: %n, d1: 7) reduce (d2: 9, d3: 9) init (0.0 : f32) {
    %v = te.read %cat[d0, d1, d2, d3] : tensor<?x7x9x9xf32>
    te.yield %v : f32
  } combine arith.addf then (%sum: f32) {
    %scale = arith.constant 0.012345679 : f32
    %r = arith.mulf %sum, %scale : f32
    te.yield %r : f32
  } : tensor<?x7xf32> loc("pool")
  %max = te.scan %pool axis 1 init 0xFF800000 : f32 combine arith.maximumf : tensor<?x7xf32> loc("cummax")
  %y = te.compute (d0: %n, d1: 5) reduce (d2: 7) init (0.0 : f32) {
    %a = te.read %max[d0, d2] : tensor<?x7xf32>
    %b = te.read %fc[d2, d1] : tensor<7x5xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x5xf32> loc("fc")
  return %y : tensor<?x5xf32>
}
{-#
  dialect_resources: {
    builtin: {
      conv: "0x040000000000803F000000BF0000003F000080BE0000803E0000C03F000000C00000003E0000803F0000403F000000BF0000803E"
    }
  }
#-}
