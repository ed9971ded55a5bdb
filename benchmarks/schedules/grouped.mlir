te.kernel @k0_contract_0_0(%arg0: tensor<128xf32>, %arg1: tensor<1x64x28x28xf32>, %arg2: tensor<128x64x1x1xf32>) -> tensor<1x128x28x28xf32> {
  %0 = te.compute @contract (d0: 1, d1: 128, d2: 28, d3: 28) reduce (d4: 64) init (0.000000e+00 : f32) {
    %1 = te.read %arg1[0, d4, d2, d3] : tensor<1x64x28x28xf32>
    %2 = te.read %arg2[d1, d4, 0, 0] : tensor<128x64x1x1xf32>
    %3 = arith.mulf %1, %2 : f32
    te.yield %3 : f32
  } combine arith.addf then (%arg3: f32) {
    %1 = te.read %arg0[d1] : tensor<128xf32>
    %2 = arith.addf %arg3, %1 : f32
    te.yield %2 : f32
  } : tensor<1x128x28x28xf32>
  te.return %0 : tensor<1x128x28x28xf32>
} schedule {
  layout.store @contract as map<split(1, [*, 4]), reorder(0, 3, 4, 2, 1)>
  layout.store 2 as map<split(0, [*, 4]), reorder(2, 3, 4, 1, 0)>
  %0:6 = layout.loops @contract : !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %1:2 = layout.split %0#2 [*, 3]
  %2:3 = layout.split %0#4 [*, 2, 16]
  layout.reorder %0#0, %2#0, %0#1, %1#0, %0#5, %1#1, %0#3, %2#1, %2#2
  layout.register_tile %1#1, %0#3, %2#1
  layout.vectorize %2#2
  layout.bind %0#0, %2#0, %0#1, %1#0 to parallel
}
te.kernel @k1_contract_1_1(%arg0: tensor<128xf32>, %arg1: tensor<1x128x28x28xf32>, %arg2: tensor<128x4x3x3xf32> {te.finite}) -> tensor<1x128x28x28xf32> {
  %0 = te.compute @contract (d0: 1, d1: 128, d2: 28, d3: 28) reduce (d4: 4, d5: 3, d6: 3) init (0.000000e+00 : f32) {
    %1 = te.read %arg1[0, d4 + (d1 floordiv 4) * 4, d2 + d5 - 1, d3 + d6 - 1] : tensor<1x128x28x28xf32> where (d2 + d5 - 1 >= 0, -d2 - d5 + 28 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 28 >= 0) else 0.000000e+00
    %2 = te.read %arg2[d1, d4, d5, d6] : tensor<128x4x3x3xf32>
    %3 = arith.mulf %1, %2 : f32
    te.yield %3 : f32
  } combine arith.addf then (%arg3: f32) {
    %1 = te.read %arg0[d1] : tensor<128xf32>
    %2 = arith.addf %arg3, %1 : f32
    te.yield %2 : f32
  } : tensor<1x128x28x28xf32>
  te.return %0 : tensor<1x128x28x28xf32>
} schedule {
  layout.store @contract as map<split(1, [*, 4]), reorder(0, 3, 4, 2, 1)>
  layout.store 1 as map<split(1, [*, 4]), reorder(0, 3, 4, 2, 1)>
  layout.store 2 as map<split(0, [*, 4]), reorder(3, 4, 2, 1, 0)>
  %0:8 = layout.loops @contract : !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %1:2 = layout.split %0#2 [*, 4]
  %2:2 = layout.split %0#4 [*, 16]
  layout.reorder %0#0, %2#0, %0#1, %1#0, %0#6, %0#7, %0#5, %0#3, %1#1, %2#1
  layout.register_tile %0#3, %1#1
  layout.vectorize %2#1
  layout.bind %0#0, %2#0, %0#1, %1#0 to parallel
}
te.kernel @k2_contract_2_2(%arg0: tensor<64xf32>, %arg1: tensor<1x128x28x28xf32>, %arg2: tensor<64x128x1x1xf32>) -> tensor<1x64x28x28xf32> {
  %0 = te.compute @contract (d0: 1, d1: 64, d2: 28, d3: 28) reduce (d4: 128) init (0.000000e+00 : f32) {
    %1 = te.read %arg1[0, d4, d2, d3] : tensor<1x128x28x28xf32>
    %2 = te.read %arg2[d1, d4, 0, 0] : tensor<64x128x1x1xf32>
    %3 = arith.mulf %1, %2 : f32
    te.yield %3 : f32
  } combine arith.addf then (%arg3: f32) {
    %1 = te.read %arg0[d1] : tensor<64xf32>
    %2 = arith.addf %arg3, %1 : f32
    te.yield %2 : f32
  } : tensor<1x64x28x28xf32>
  te.return %0 : tensor<1x64x28x28xf32>
} schedule {
  layout.store 1 as map<split(1, [*, 4]), reorder(0, 3, 4, 2, 1)>
}
