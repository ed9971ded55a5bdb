// RUN: tssa-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect | FileCheck %s

// The numbers may be in any order.
// CHECK: module attributes {layout.machine = #layout.machine<lanes = 8, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>}
module attributes {layout.machine = #layout.machine<
    l3Bytes = 33554432, l2Bytes = 1048576, l1Ways = 8, l1Bytes = 32768,
    lineBytes = 64, loadPorts = 2, fmaPorts = 2, registers = 32, lanes = 8>} {
}

// -----

// The rates of dot products may be missing, and are not printed then.
// CHECK: module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432, bf16Products = 64>}
module attributes {layout.machine = #layout.machine<bf16Products = 64, byteProducts = 0, lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>} {
}

// -----

// expected-error @below {{expects 'byteProducts' to be from 1 to 1048576, got -1}}
module attributes {layout.machine = #layout.machine<byteProducts = -1, lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>} {
}

// -----

// expected-error @below {{no number of a machine has the name 'wheels'}}
module attributes {layout.machine = #layout.machine<wheels = 4, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>} {}

// -----

// expected-error @below {{'lanes' is given twice}}
module attributes {layout.machine = #layout.machine<lanes = 8, lanes = 8>} {}

// -----

// expected-error @below {{expected the machine to have 'l1Ways'}}
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l2Bytes = 1048576, l3Bytes = 33554432>} {}

// -----

// expected-error @below {{expected integer value}}
module attributes {layout.machine = #layout.machine<lanes = many, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>} {}

// -----

// machine_C1
// expected-error @below {{expects 'fmaPorts' to be from 1 to 16, got 0}}
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 0, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>} {}

// -----

// machine_C1
// expected-error @below {{expects 'lanes' to be a power of 2 from 1 to 64, got 12}}
module attributes {layout.machine = #layout.machine<lanes = 12, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>} {}

// -----

// machine_C1
// expected-error @below {{expects 'l2Bytes' to be from 1 to 1099511627776, got -1}}
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = -1, l3Bytes = 33554432>} {}

// -----

// machine_C2
// expected-error @below {{expects 'l1Bytes' to be a multiple of l1Ways * lineBytes = 768, got 32768}}
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 12, l2Bytes = 1048576, l3Bytes = 33554432>} {}

// -----

// expected-error @below {{expects 'layout.machine' to be a #layout.machine of a module}}
module attributes {layout.machine = 16 : i64} {}

// -----

// expected-error @below {{expects 'layout.machine' to be a #layout.machine of a module}}
"test.op"() {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>} : () -> ()

// -----

// A GPU.
// CHECK: module attributes {layout.device = #layout.device<processors = 108, megahertz = 1410, registers = 65536, threads = 2048, blocks = 32, sharedBytes = 167936, blockSharedBytes = 166912, multiplyAdds = 64, matrixMultiplyAdds = 1024, l2CycleBytes = 47, l2Bytes = 41943040, memoryMegabytes = 1555000, l2Latency = 262, memoryLatency = 466, launchNanoseconds = 3200>}
module attributes {layout.device = #layout.device<processors = 108, megahertz = 1410, registers = 65536, threads = 2048, blocks = 32, sharedBytes = 167936, blockSharedBytes = 166912, multiplyAdds = 64, matrixMultiplyAdds = 1024, l2CycleBytes = 47, l2Bytes = 41943040, memoryMegabytes = 1555000, l2Latency = 262, memoryLatency = 466, launchNanoseconds = 3200>} {
}

// -----

// expected-error @below {{no number of a machine has the name 'lanes'}}
module attributes {layout.device = #layout.device<lanes = 16, megahertz = 1410, registers = 65536, threads = 2048, blocks = 32, sharedBytes = 167936, blockSharedBytes = 166912, multiplyAdds = 64, matrixMultiplyAdds = 1024, l2CycleBytes = 47, l2Bytes = 41943040, memoryMegabytes = 1555000, l2Latency = 262, memoryLatency = 466, launchNanoseconds = 3200>} {}

// -----

// device_C1
// expected-error @below {{expects 'processors' to be from 1 to 65536, got 0}}
module attributes {layout.device = #layout.device<processors = 0, megahertz = 1410, registers = 65536, threads = 2048, blocks = 32, sharedBytes = 167936, blockSharedBytes = 166912, multiplyAdds = 64, matrixMultiplyAdds = 1024, l2CycleBytes = 47, l2Bytes = 41943040, memoryMegabytes = 1555000, l2Latency = 262, memoryLatency = 466, launchNanoseconds = 3200>} {}

// -----

// device_C2
// expected-error @below {{expects 'blockSharedBytes' to be at most 'sharedBytes', got 200000 and 167936}}
module attributes {layout.device = #layout.device<processors = 108, megahertz = 1410, registers = 65536, threads = 2048, blocks = 32, sharedBytes = 167936, blockSharedBytes = 200000, multiplyAdds = 64, matrixMultiplyAdds = 1024, l2CycleBytes = 47, l2Bytes = 41943040, memoryMegabytes = 1555000, l2Latency = 262, memoryLatency = 466, launchNanoseconds = 3200>} {}

// -----

// expected-error @below {{expects 'layout.device' to be a #layout.device of a module}}
module attributes {layout.device = 4} {}
