// tssa record 1
// task: ca64da0d147fe415f338a50c342ed26fe845cdfced3eaf81f4ab314cbae26d95
// machine: some
// epoch: 0123456789abcdef
// threads: 1
// seconds: 2.000e-08 of 3.000e-08
// constants:
te.kernel @kernel(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %n = math.exp %v : f32
    te.yield %n : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  %0 = layout.loops @y : !layout.loop
  layout.vectorize %0
}
