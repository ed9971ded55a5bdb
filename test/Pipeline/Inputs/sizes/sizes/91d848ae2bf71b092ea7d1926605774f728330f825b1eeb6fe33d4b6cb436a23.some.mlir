// tssa record 1
// task: 91d848ae2bf71b092ea7d1926605774f728330f825b1eeb6fe33d4b6cb436a23
// machine: some
// epoch: 0123456789abcdef
// threads: 1
// seconds: 2.000e-08 of 3.000e-08
// sizes: 4 in 2..6
// sizes: 16 in 9..32
// constants:
te.kernel @kernel(%x: tensor<?x8xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> tensor<?x8xf32> {
  %y = te.compute @y (d0: %n, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<?x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<?x8xf32>
  te.return %y : tensor<?x8xf32>
}
