// Schedules for kernels that apply-schedules.mlir has under other names, and one for a kernel that it does not have.
te.kernel @negate(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %y = te.compute @y (d0: 4, d1: 6) {
    %v = te.read %x[d0, d1] : tensor<4x6xf32>
    %n = arith.negf %v : f32
    te.yield %n : f32
  } : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  layout.launches [0, 2]
  layout.store 0 as map<reorder(1, 0)>
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.reorder %j, %i
}
te.kernel @exponential(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %n = math.exp %v : f32
    te.yield %n : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  layout.vectorize %i
}
te.kernel @foreign(%x: tensor<9xf32>) -> tensor<9xf32> {
  %y = te.compute @y (d0: 9) {
    %v = te.read %x[d0] : tensor<9xf32>
    te.yield %v : f32
  } : tensor<9xf32>
  te.return %y : tensor<9xf32>
} schedule {
}
