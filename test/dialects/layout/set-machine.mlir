// RUN: tssa-opt %s -layout-set-machine | FileCheck %s
// RUN: tssa-opt %s -layout-set-device | FileCheck %s --check-prefix=DEVICE

// Alone, the pass sets the default machine, whatever the module had.
// CHECK: module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>}
module attributes {layout.machine = #layout.machine<lanes = 8, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>} {
}

// A GPU takes the place of the machine of the host.
// DEVICE: module attributes {layout.device = #layout.device<processors = 108, megahertz = 1410, registers = 65536, threads = 2048, blocks = 32, sharedBytes = 167936, blockSharedBytes = 166912, multiplyAdds = 64, matrixMultiplyAdds = 1024, l2CycleBytes = 47, l2Bytes = 41943040, memoryMegabytes = 1555000, l2Latency = 262, memoryLatency = 466, launchNanoseconds = 3200>} {
