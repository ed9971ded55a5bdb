// RUN: tssa-opt %s --te-print-dependence | FileCheck %s

// A transpose, an offset and a slice rely on one element.
// CHECK-LABEL: function @one
// CHECK-NEXT: %0 relies on one element of %arg0: { [d0, d1] -> [d1 * 2, d0 + 3] }
func.func @one(%x: tensor<16x16xf32>) -> tensor<8x8xf32> {
  %0 = te.compute (d0: 8, d1: 8) {
    %a = te.read %x[d1 * 2, d0 + 3] : tensor<16x16xf32>
    te.yield %a : f32
  } : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A convolution with padding, and an epilogue: the bias is one element. The read of the scale in
// the body depends on no reduction dim.
// CHECK-LABEL: function @convolution
// CHECK-NEXT: %0 relies on many elements of %arg0: { [d0, d1] -> [d2, d1 + d3 - 1] : 0 <= d2 < 4 and 0 <= d3 < 3 and d1 + d3 - 1 >= 0 and -d1 - d3 + 32 >= 0 }
// CHECK-NEXT: %0 relies on many elements of %arg1: { [d0, d1] -> [d0, d2, d3] : 0 <= d2 < 4 and 0 <= d3 < 3 }
// CHECK-NEXT: %0 relies on one element of %arg2: { [d0, d1] -> [d0] }
// CHECK-NEXT: %0 relies on one element of %arg2: { [d0, d1] -> [d0] }
func.func @convolution(%x: tensor<4x32xf32>, %w: tensor<16x4x3xf32>, %b: tensor<16xf32>) -> tensor<16x32xf32> {
  %0 = te.compute (d0: 16, d1: 32) reduce (d2: 4, d3: 3) init (0.0 : f32) {
    %a = te.read %x[d2, d1 + d3 - 1] : tensor<4x32xf32> where (d1 + d3 - 1 >= 0, -d1 - d3 + 32 >= 0) else 0.0
    %c = te.read %w[d0, d2, d3] : tensor<16x4x3xf32>
    %s = te.read %b[d0] : tensor<16xf32>
    %p = arith.mulf %a, %c : f32
    %q = arith.mulf %p, %s : f32
    te.yield %q : f32
  } combine arith.addf then (%s: f32) {
    %t = te.read %b[d0] : tensor<16xf32>
    %r = arith.addf %s, %t : f32
    te.yield %r : f32
  } : tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// Sizes of the program and other symbols have names. Data decide the row of a table, and the
// index depends on a reduction dim through them. A reduction dim of size 1 makes no second element.
// CHECK-LABEL: function @open
// CHECK-NEXT: %0 relies on many elements of %arg1: { [d0] -> [d1] : 0 <= d1 < N }
// CHECK-NEXT: %0 relies on many elements of %arg0: { [d0] -> [any, d0 + %arg2] : 0 <= d1 < N }
// CHECK-NEXT: %1 relies on one element of %arg0: { [d0] -> [d1, d0] : 0 <= d1 < 1 }
func.func @open(%x: tensor<8x64xf32>, %ids: tensor<?xi64> {te.port = #te.port<dims = ["N"]>}, %at: index) -> (tensor<8xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %0 = te.compute (d0: 8) reduce (d1: %n) init (0.0 : f32) {
    %i = te.read %ids[d1] : tensor<?xi64>
    %k = arith.index_cast %i : i64 to index
    %v = te.read %x[s0, d0 + s1](%k, %at) : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8xf32>
  %1 = te.compute (d0: 64) reduce (d1: 1) init (0.0 : f32) {
    %v = te.read %x[d1, d0] : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<64xf32>
  return %0, %1 : tensor<8xf32>, tensor<64xf32>
}

// Each piece has its set. An update relies on its base; updates that combine rely on all points
// that data send to the element. A scan relies on all elements up to its own.
// CHECK-LABEL: function @others
// CHECK-NEXT: %0 relies on one element of %arg0: { [d0] -> [d0] : -d0 + 3 >= 0 }
// CHECK-NEXT: %0 relies on one element of %arg0: { [d0] -> [d0 - 4] : d0 - 4 >= 0 }
// CHECK-NEXT: %1 relies on one element of %arg0: { [d0] -> [d0] }
// CHECK-NEXT: %1 relies on one element of %arg0: { [d0 + 2] -> [d0] : 0 <= d0 < 4 }
// CHECK-NEXT: %2 relies on one element of %arg0: { [d0] -> [d0] }
// CHECK-NEXT: %2 relies on many elements of %arg1: { [any] -> [d0] : 0 <= d0 < 8 }
// CHECK-NEXT: %2 relies on many elements of %0: { [any] -> [d0] : 0 <= d0 < 8 }
// CHECK-NEXT: %3 relies on many elements of %0: { [d0] -> [d1] : 0 <= d1 < 8 and d0 - d1 - 1 >= 0 }
func.func @others(%x: tensor<8xf32>, %ids: tensor<8xi64>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = te.compute (d0: 8) where (-d0 + 3 >= 0) {
    %v = te.read %x[d0] : tensor<8xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %x[d0 - 4] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %1 = te.update (d0: 4) into %x[d0 + 2] injective {
    %v = te.read %x[d0] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %2 = te.update (d0: 8) into %x[s0] {
    %i = te.read %ids[d0] : tensor<8xi64>
    %k = arith.index_cast %i : i64 to index
    %v = te.read %0[d0] : tensor<8xf32>
    te.yield %v, %k : f32, index
  } combine arith.addf : tensor<8xf32>
  %3 = te.scan %0 axis 0 init 0.0 : f32 exclusive combine arith.addf : tensor<8xf32>
  return %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
