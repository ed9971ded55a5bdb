// RUN: tssa-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect | FileCheck %s

// The numbers may be in any order.
// CHECK: module attributes {layout.machine = #layout.machine<lanes = 8, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 256, sharedBytes = 101376>}
module attributes {layout.machine = #layout.machine<
    sharedBytes = 101376, blockThreads = 256, l3Bytes = 33554432, l2Bytes = 1048576, l1Ways = 8, l1Bytes = 32768,
    lineBytes = 64, loadPorts = 2, fmaPorts = 2, registers = 32, lanes = 8>} {
}

// -----

// expected-error @below {{no number of a machine has the name 'wheels'}}
module attributes {layout.machine = #layout.machine<wheels = 4, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 256, sharedBytes = 101376>} {}

// -----

// expected-error @below {{'lanes' is given twice}}
module attributes {layout.machine = #layout.machine<lanes = 8, lanes = 8>} {}

// -----

// expected-error @below {{expected the machine to have 'l1Ways'}}
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 256, sharedBytes = 101376>} {}

// -----

// expected-error @below {{expected integer value}}
module attributes {layout.machine = #layout.machine<lanes = many, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 256, sharedBytes = 101376>} {}

// -----

// machine_C1
// expected-error @below {{expects 'fmaPorts' to be from 1 to 16, got 0}}
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 0, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 256, sharedBytes = 101376>} {}

// -----

// machine_C1
// expected-error @below {{expects 'lanes' to be a power of 2 from 1 to 64, got 12}}
module attributes {layout.machine = #layout.machine<lanes = 12, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 256, sharedBytes = 101376>} {}

// -----

// machine_C1
// expected-error @below {{expects 'l2Bytes' to be from 1 to 1099511627776, got -1}}
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = -1, l3Bytes = 33554432, blockThreads = 256, sharedBytes = 101376>} {}

// -----

// machine_C2
// expected-error @below {{expects 'l1Bytes' to be a multiple of l1Ways * lineBytes = 768, got 32768}}
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 12, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 256, sharedBytes = 101376>} {}

// -----

// machine_C3
// expected-error @below {{expects 'blockThreads' to be a multiple of the 32 lanes of a warp, got 16}}
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 16, sharedBytes = 101376>} {}

// -----

// expected-error @below {{expects 'layout.machine' to be a #layout.machine of a module}}
module attributes {layout.machine = 16 : i64} {}

// -----

// expected-error @below {{expects 'layout.machine' to be a #layout.machine of a module}}
"test.op"() {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 256, sharedBytes = 101376>} : () -> ()
