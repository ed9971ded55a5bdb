te.kernel @k0_contract(%arg0: tensor<64xf32>, %arg1: tensor<1x64x56x56xf32>, %arg2: tensor<64x64x3x3xf32> {te.finite}) -> tensor<1x64x56x56xf32> {
  %0 = te.compute @contract (d0: 1, d1: 64, d2: 56, d3: 56) reduce (d4: 64, d5: 3, d6: 3) init (0.000000e+00 : f32) {
    %1 = te.read %arg1[0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<1x64x56x56xf32> where (d2 + d5 - 1 >= 0, -d2 - d5 + 56 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 56 >= 0) else 0.000000e+00
    %2 = te.read %arg2[d1, d4, d5, d6] : tensor<64x64x3x3xf32>
    %3 = arith.mulf %1, %2 : f32
    te.yield %3 : f32
  } combine arith.addf then (%arg3: f32) {
    %1 = te.read %arg0[d1] : tensor<64xf32>
    %2 = arith.addf %arg3, %1 : f32
    te.yield %2 : f32
  } : tensor<1x64x56x56xf32>
  te.return %0 : tensor<1x64x56x56xf32>
} schedule {
  layout.store @contract as map<reorder(0, 2, 3, 1)>
}
