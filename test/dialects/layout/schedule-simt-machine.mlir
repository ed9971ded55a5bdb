// RUN: tssa-opt %s -layout-schedule-simt | FileCheck %s

// Blocks have as many threads as the machine says.
// CHECK-LABEL: te.kernel @elements
// CHECK: layout.split %{{.*}} [*, 128]
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 128, sharedBytes = 101376>} {
  te.kernel @elements(%a: tensor<512x77xf32>) -> tensor<512x77xf32> {
    %y = te.compute @y (d0: 512, d1: 77) {
      %x = te.read %a[d0, d1] : tensor<512x77xf32>
      te.yield %x : f32
    } : tensor<512x77xf32>
    te.return %y : tensor<512x77xf32>
  }
}
