// RUN: tssa-opt %s -split-input-file -layout-schedule-default | FileCheck %s

// The passes take the machine from the module. Registers of 8 lanes, and 16 of them:
// CHECK-LABEL: te.kernel @matmul
// CHECK: layout.split %{{.*}} [*, {{[1-9]|1[0-4]}}]
// CHECK: layout.split %{{.*}} [*, {{([1-4], )?}}8]
module attributes {layout.machine = #layout.machine<lanes = 8, registers = 16, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>} {
  te.kernel @matmul(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
    %y = te.compute @y (d0: 512, d1: 512) reduce (d2: 512) init (0.0 : f32) {
      %x = te.read %a[d0, d2] : tensor<512x512xf32>
      %w = te.read %b[d2, d1] : tensor<512x512xf32>
      %p = arith.mulf %x, %w : f32
      te.yield %p : f32
    } combine arith.addf : tensor<512x512xf32>
    te.return %y : tensor<512x512xf32>
  }
}

// -----

// In a cache of 8 ways of 4096 bytes, all rows of 4096 bytes share a set.
// CHECK-LABEL: te.kernel @far_rows
// CHECK: layout.split %{{.*}} [*, {{[67]}}]
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 32768, l1Ways = 8, l2Bytes = 1048576, l3Bytes = 33554432>} {
  te.kernel @far_rows(%a: tensor<512x1024xf32>, %b: tensor<1024x512xf32>) -> tensor<512x512xf32> {
    %y = te.compute @y (d0: 512, d1: 512) reduce (d2: 1024) init (0.0 : f32) {
      %x = te.read %a[d0, d2] : tensor<512x1024xf32>
      %w = te.read %b[d2, d1] : tensor<1024x512xf32>
      %p = arith.mulf %x, %w : f32
      te.yield %p : f32
    } combine arith.addf : tensor<512x512xf32>
    te.return %y : tensor<512x512xf32>
  }
}

// -----

// In a cache of 16 ways there is room for more of them.
// CHECK-LABEL: te.kernel @far_rows
// CHECK: layout.split %{{.*}} [*, 14]
module attributes {layout.machine = #layout.machine<lanes = 16, registers = 32, fmaPorts = 2, loadPorts = 2, lineBytes = 64, l1Bytes = 65536, l1Ways = 16, l2Bytes = 1048576, l3Bytes = 33554432>} {
  te.kernel @far_rows(%a: tensor<512x1024xf32>, %b: tensor<1024x512xf32>) -> tensor<512x512xf32> {
    %y = te.compute @y (d0: 512, d1: 512) reduce (d2: 1024) init (0.0 : f32) {
      %x = te.read %a[d0, d2] : tensor<512x1024xf32>
      %w = te.read %b[d2, d1] : tensor<1024x512xf32>
      %p = arith.mulf %x, %w : f32
      te.yield %p : f32
    } combine arith.addf : tensor<512x512xf32>
    te.return %y : tensor<512x512xf32>
  }
}
