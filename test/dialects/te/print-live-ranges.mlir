// RUN: tssa-opt %s --te-print-live-ranges --split-input-file | FileCheck %s

// A residual: %0 lives until the sum. The result is in the memory of the caller.
// CHECK-LABEL: function @main
// CHECK-NEXT:  %0: launches 1 to 3, 256*N bytes
// CHECK-NEXT:  %1: launches 2 to 3, 256*N bytes
// CHECK-NEXT:  %2: launch 3, 256*N bytes
// CHECK-NEXT:  result 0: no launch, 256*N bytes
// CHECK-NEXT:  peak: 768*N bytes in launch 3 for open sizes of 64
func.func @main(%x: tensor<?x64xf32> {te.port = #te.port<dims = ["N", 64]>}) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %0 = te.launch @k(%x, %x, %n) sizes (%n) : (tensor<?x64xf32>, tensor<?x64xf32>, index) -> tensor<?x64xf32>
  %1 = te.launch @k(%x, %0, %n) sizes (%n) : (tensor<?x64xf32>, tensor<?x64xf32>, index) -> tensor<?x64xf32>
  %2 = te.launch @k(%0, %1, %n) sizes (%n) : (tensor<?x64xf32>, tensor<?x64xf32>, index) -> tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}
te.kernel @k(%x: tensor<?x64xf32> {te.sizes = array<i64: 2, -1>}, %y: tensor<?x64xf32> {te.sizes = array<i64: 2, -1>}, %n: index) -> tensor<?x64xf32> {
  %y0 = te.compute @y (d0: %n, d1: 64) {
    %v = te.read %x[d0, d1] : tensor<?x64xf32>
    %u = te.read %y[d0, d1] : tensor<?x64xf32>
    %s = arith.addf %v, %u : f32
    te.yield %s : f32
  } : tensor<?x64xf32>
  te.return %y0 : tensor<?x64xf32>
}

// -----

// What a loop carries has one variable. A tensor from before the loop that its body reads lives
// until the loop ends.
// CHECK-LABEL: function @main
// CHECK-NEXT:  %1: launches 1 to 2, 16 bytes
// CHECK-NEXT:  %arg3, %2: launch 2, 16 bytes
// CHECK-NEXT:  %3: launch 2, 16 bytes
// CHECK-NEXT:  result 0: no launch, 16 bytes
// CHECK-NEXT:  peak: 48 bytes in launch 2
func.func @main(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %count = arith.index_cast %e : i64 to index
  %s = te.launch @k(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%p = %x) -> tensor<4xf32> {
    %u = te.launch @k(%p, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
te.kernel @k(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %y0 = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    %u = te.read %y[d0] : tensor<4xf32>
    %s = arith.addf %v, %u : f32
    te.yield %s : f32
  } : tensor<4xf32>
  te.return %y0 : tensor<4xf32>
}
