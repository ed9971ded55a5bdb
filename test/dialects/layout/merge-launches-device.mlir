// RUN: tssa-opt %s --layout-merge-launches | FileCheck %s
// RUN: tssa-opt %s --layout-merge-launches=apply=always | FileCheck %s --check-prefix=ALWAYS
// RUN: tssa-opt %s --layout-merge-launches --convert-kernels-to-device-loops | FileCheck %s --check-prefix=LOOPS

module attributes {layout.device = #layout.device<processors = 108, megahertz = 1410, registers = 65536, threads = 2048, blocks = 32, sharedBytes = 167936, blockSharedBytes = 166912, multiplyAdds = 64, matrixMultiplyAdds = 1024, l2CycleBytes = 47, l2Bytes = 41943040, memoryMegabytes = 1555000, l2Latency = 262, memoryLatency = 466, launchNanoseconds = 3200>} {

// Blocks of two kernels need the same: each kernel gets a range of blocks. They need not read a tensor in common. A launch
// whose blocks have other threads stays apart, and so does one that reads a result, since blocks do not wait for each other.
// CHECK: te.launch @neg_and_1(
// CHECK: te.launch @few(
// CHECK: te.launch @neg(
// ALWAYS: te.launch @neg_and_2(
// ALWAYS: te.launch @neg(
func.func @main(%x: tensor<1024xf32>, %y: tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>, tensor<64xf32>) {
  %a = te.launch @neg(%x) : (tensor<1024xf32>) -> tensor<1024xf32>
  %b = te.launch @exp(%y) : (tensor<1024xf32>) -> tensor<1024xf32>
  %c = te.launch @few(%x) : (tensor<1024xf32>) -> tensor<64xf32>
  %d = te.launch @neg(%b) : (tensor<1024xf32>) -> tensor<1024xf32>
  return %a, %d, %c : tensor<1024xf32>, tensor<1024xf32>, tensor<64xf32>
}

// Blocks 0 to 3 are those of the first one.
// LOOPS-LABEL: func.func @neg_and_1
// LOOPS: %[[BLOCK:.*]] = gpu.block_id
// LOOPS: %[[COUNT:.*]] = arith.constant 4 : index
// LOOPS: %[[MINE:.*]] = arith.cmpi ult, %[[BLOCK]], %[[COUNT]]
// LOOPS: scf.if %[[MINE]] {
// LOOPS: arith.negf
// LOOPS: } else {
// LOOPS: arith.subi %[[BLOCK]], %[[COUNT]]
// LOOPS: math.exp
te.kernel @neg(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %y = te.compute @y (d0: 1024) {
    %v = te.read %x[d0] : tensor<1024xf32>
    %n = arith.negf %v : f32
    te.yield %n : f32
  } : tensor<1024xf32>
  te.return %y : tensor<1024xf32>
} schedule {
  %0 = layout.loops @y : !layout.loop
  %1:2 = layout.split %0 [*, 256]
  layout.bind %1#0 to block
  layout.bind %1#1 to lane
}
te.kernel @exp(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %y = te.compute @y (d0: 1024) {
    %v = te.read %x[d0] : tensor<1024xf32>
    %n = math.exp %v : f32
    te.yield %n : f32
  } : tensor<1024xf32>
  te.return %y : tensor<1024xf32>
} schedule {
  %0 = layout.loops @y : !layout.loop
  %1:2 = layout.split %0 [*, 256]
  layout.bind %1#0 to block
  layout.bind %1#1 to lane
}
te.kernel @few(%x: tensor<1024xf32>) -> tensor<64xf32> {
  %y = te.compute @y (d0: 64) {
    %v = te.read %x[d0] : tensor<1024xf32>
    te.yield %v : f32
  } : tensor<64xf32>
  te.return %y : tensor<64xf32>
} schedule {
  %0 = layout.loops @y : !layout.loop
  %1:2 = layout.split %0 [*, 64]
  layout.bind %1#0 to block
  layout.bind %1#1 to lane
}
}
