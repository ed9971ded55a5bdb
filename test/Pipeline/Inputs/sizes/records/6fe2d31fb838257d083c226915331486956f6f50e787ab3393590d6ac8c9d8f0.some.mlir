// tssa record 1
// task: 6fe2d31fb838257d083c226915331486956f6f50e787ab3393590d6ac8c9d8f0
// machine: some
// epoch: 0123456789abcdef
// threads: 1
// seconds: 2.000e-08 of 3.000e-08
// constants:
te.kernel @kernel(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %y = te.compute @y (d0: 16, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<16x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<16x8xf32>
  te.return %y : tensor<16x8xf32>
} schedule {
  %0:2 = layout.loops @y : !layout.loop, !layout.loop
  layout.vectorize %0#1
}
