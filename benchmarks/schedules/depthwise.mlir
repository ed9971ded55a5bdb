te.kernel @k0_contract_0_0(%arg0: tensor<144xf32>, %arg1: tensor<1x24x56x56xf32>, %arg2: tensor<144x24x1x1xf32>) -> tensor<1x144x56x56xf32> {
  %0 = te.compute @contract (d0: 1, d1: 144, d2: 56, d3: 56) reduce (d4: 24) init (0.000000e+00 : f32) {
    %1 = te.read %arg1[0, d4, d2, d3] : tensor<1x24x56x56xf32>
    %2 = te.read %arg2[d1, d4, 0, 0] : tensor<144x24x1x1xf32>
    %3 = arith.mulf %1, %2 : f32
    te.yield %3 : f32
  } combine arith.addf then (%arg3: f32) {
    %1 = te.read %arg0[d1] : tensor<144xf32>
    %2 = arith.addf %arg3, %1 : f32
    te.yield %2 : f32
  } : tensor<1x144x56x56xf32>
  te.return %0 : tensor<1x144x56x56xf32>
} schedule {
  layout.store @contract as map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>
  layout.store 2 as map<split(0, [*, 16]), reorder(0, 2, 3, 4, 1)>
  %0:6 = layout.loops @contract : !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %1:2 = layout.split %0#1 [*, 3]
  %2:2 = layout.split %0#3 [*, 8]
  layout.reorder %0#0, %1#0, %0#2, %2#0, %0#5, %2#1, %1#1, %0#4
  layout.register_tile %2#1, %1#1
  layout.vectorize %0#4
  layout.bind %0#0, %1#0, %0#2, %2#0 to parallel
}
te.kernel @k1_contract_1_1(%arg0: tensor<144xf32>, %arg1: tensor<1x144x56x56xf32>, %arg2: tensor<144x1x3x3xf32> {te.finite}) -> tensor<1x144x56x56xf32> {
  %0 = te.compute @contract (d0: 1, d1: 144, d2: 56, d3: 56) reduce (d4: 3, d5: 3) init (0.000000e+00 : f32) {
    %1 = te.read %arg1[0, d1, d2 + d4 - 1, d3 + d5 - 1] : tensor<1x144x56x56xf32> where (d2 + d4 - 1 >= 0, -d2 - d4 + 56 >= 0, d3 + d5 - 1 >= 0, -d3 - d5 + 56 >= 0) else 0.000000e+00
    %2 = te.read %arg2[d1, 0, d4, d5] : tensor<144x1x3x3xf32>
    %3 = arith.mulf %1, %2 : f32
    te.yield %3 : f32
  } combine arith.addf then (%arg3: f32) {
    %1 = te.read %arg0[d1] : tensor<144xf32>
    %2 = arith.addf %arg3, %1 : f32
    te.yield %2 : f32
  } : tensor<1x144x56x56xf32>
  te.return %0 : tensor<1x144x56x56xf32>
} schedule {
  layout.store @contract as map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>
  layout.store 1 as map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>
  layout.store 2 as map<split(0, [*, 16]), reorder(0, 2, 3, 4, 1)>
  %0:7 = layout.loops @contract : !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %1:2 = layout.split %0#3 [*, 14]
  layout.reorder %0#0, %0#1, %0#2, %1#0, %0#5, %0#6, %1#1, %0#4
  layout.register_tile %1#1
  layout.vectorize %0#4
  layout.bind %0#0, %0#1, %0#2, %1#0 to parallel
}
te.kernel @k2_contract_2_2(%arg0: tensor<24xf32>, %arg1: tensor<1x144x56x56xf32>, %arg2: tensor<24x144x1x1xf32>) -> tensor<1x24x56x56xf32> {
  %0 = te.compute @contract (d0: 1, d1: 24, d2: 56, d3: 56) reduce (d4: 144) init (0.000000e+00 : f32) {
    %1 = te.read %arg1[0, d4, d2, d3] : tensor<1x144x56x56xf32>
    %2 = te.read %arg2[d1, d4, 0, 0] : tensor<24x144x1x1xf32>
    %3 = arith.mulf %1, %2 : f32
    te.yield %3 : f32
  } combine arith.addf then (%arg3: f32) {
    %1 = te.read %arg0[d1] : tensor<24xf32>
    %2 = arith.addf %arg3, %1 : f32
    te.yield %2 : f32
  } : tensor<1x24x56x56xf32>
  te.return %0 : tensor<1x24x56x56xf32>
} schedule {
  layout.store 1 as map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>
}
