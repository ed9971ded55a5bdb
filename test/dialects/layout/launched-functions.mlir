// A launch of a function, not of a kernel, is left alone.
// RUN: tssa-opt %s -layout-choose-stores -layout-choose-packing -layout-materialize-stores -layout-drop-copies | FileCheck %s

// CHECK-LABEL: func.func @main
//       CHECK:   te.launch @k
func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) {
  te.launch @k(%x) outs(%y : memref<4xf32>) : (memref<4xf32>) -> ()
  return
}
func.func private @k(memref<4xf32>, memref<4xf32>)
