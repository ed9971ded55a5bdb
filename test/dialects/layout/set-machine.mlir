// RUN: tssa-opt %s -layout-set-machine | FileCheck %s

// Alone, the pass sets the default machine, whatever the module had.
// CHECK: module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 256, sharedBytes = 101376>}
module attributes {layout.machine = #layout.machine<lanes = 8, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432, blockThreads = 256, sharedBytes = 101376>} {
}
