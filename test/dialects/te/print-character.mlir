// RUN: tssa-opt %s --te-print-character | FileCheck %s --check-prefixes=CHECK,REUSE
// RUN: tssa-opt %s --te-print-character=rule=paper | FileCheck %s --check-prefixes=CHECK,PAPER

// A product is compute-intensive by both rules.
// CHECK-LABEL: function @product
// CHECK-NEXT:  %0: 262144 points, 524288 operations, 0 of them transcendental
// CHECK-NEXT:    reads 8192 elements, 32768 bytes
// CHECK-NEXT:    writes 4096 elements, 16384 bytes
// CHECK-NEXT:    ratio 42.7, reuse 64: compute-intensive
func.func @product(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = te.compute (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<64x64xf32>
    %b = te.read %w[d2, d1] : tensor<64x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// A chain of functions uses each element once. Only the paper's rule finds it compute-intensive.
// CHECK-LABEL: function @chain
// CHECK-NEXT:  %0: 128 points, 1024 operations, 256 of them transcendental
// CHECK-NEXT:    reads 128 elements, 256 bytes
// CHECK-NEXT:    writes 128 elements, 256 bytes
// REUSE-NEXT:    ratio 4, reuse 1: memory-intensive
// PAPER-NEXT:    ratio 4, reuse 1: compute-intensive
func.func @chain(%x: tensor<128xf16>) -> tensor<128xf16> {
  %0 = te.compute (d0: 128) {
    %a = te.read %x[d0] : tensor<128xf16>
    %b = math.erf %a : f16
    %c = math.tanh %b : f16
    %d = math.absf %c : f16
    %e = arith.mulf %d, %a : f16
    %f = arith.addf %e, %a : f16
    %g = math.fma %f, %a, %e : f16
    %h = arith.negf %g : f16
    te.yield %h : f16
  } : tensor<128xf16>
  return %0 : tensor<128xf16>
}

// A window with padding touches each element of its tensor, a window with gaps a part of them. Two
// reads of a tensor count each of its elements once.
// CHECK-LABEL: function @windows
// CHECK-NEXT:  %0: 96 points, 192 operations, 0 of them transcendental
// CHECK-NEXT:    reads 35 elements, 140 bytes
// CHECK-NEXT:    writes 32 elements, 128 bytes
// CHECK:       %1: 20 points, 20 operations, 0 of them transcendental
// CHECK-NEXT:    reads 20 elements, 80 bytes
// CHECK:       %2: 31 points, 31 operations, 0 of them transcendental
// CHECK-NEXT:    reads at most 32 elements, 128 bytes
func.func @windows(%x: tensor<32xf32>, %w: tensor<3xf32>, %z: tensor<100xf32>) -> (tensor<32xf32>, tensor<10xf32>, tensor<31xf32>) {
  %0 = te.compute (d0: 32) reduce (d1: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d1 - 1] : tensor<32xf32> where (d0 + d1 - 1 >= 0, -d0 - d1 + 32 >= 0) else 0.0
    %b = te.read %w[d1] : tensor<3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<32xf32>
  %1 = te.compute (d0: 10) reduce (d1: 2) init (0.0 : f32) {
    %a = te.read %z[d0 * 10 + d1] : tensor<100xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<10xf32>
  %2 = te.compute (d0: 31) {
    %a = te.read %x[d0] : tensor<32xf32>
    %b = te.read %x[d0 + 1] : tensor<32xf32>
    %p = arith.addf %a, %b : f32
    te.yield %p : f32
  } : tensor<31xf32>
  return %0, %1, %2 : tensor<32xf32>, tensor<10xf32>, tensor<31xf32>
}

// Bounds where an index is divided, a dim is in two indexes, or data decide an index.
// CHECK-LABEL: function @bounds
// CHECK-NEXT:  %0: 64 points
// CHECK-NEXT:    reads at most 64 elements, 256 bytes
// CHECK:       %1: 8 points
// CHECK-NEXT:    reads at most 8 elements, 32 bytes
// CHECK:       %2: 4 points
// CHECK-NEXT:    reads at most 8 elements, 48 bytes
func.func @bounds(%x: tensor<8x8xf32>, %ids: tensor<4xi64>) -> (tensor<64xf32>, tensor<8xf32>, tensor<4xf32>) {
  %0 = te.compute (d0: 64) {
    %a = te.read %x[d0 floordiv 8, d0 mod 8] : tensor<8x8xf32>
    te.yield %a : f32
  } : tensor<64xf32>
  %1 = te.compute (d0: 8) {
    %a = te.read %x[d0, d0] : tensor<8x8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  %2 = te.compute (d0: 4) {
    %i = te.read %ids[d0] : tensor<4xi64>
    %k = arith.index_cast %i : i64 to index
    %a = te.read %x[s0, d0](%k) : tensor<8x8xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<8xf32>, tensor<4xf32>
}

// Open sizes are names; the class is that of the size 64. An index over a merged dim of open size
// counts exactly.
// CHECK-LABEL: function @open
// CHECK-NEXT:  %0: 64*N*N points, 128*N*N operations, 0 of them transcendental
// CHECK-NEXT:    reads 64*N elements, 256*N bytes
// CHECK-NEXT:    writes N*N elements, 4*N*N bytes
// CHECK-NEXT:    ratio 64, reuse 64 for open sizes of 64: compute-intensive
// CHECK-NEXT:  %1: N*N points, 0 operations, 0 of them transcendental
// CHECK-NEXT:    reads N*N elements, 4*N*N bytes
func.func @open(%x: tensor<?x64xf32> {te.port = #te.port<dims = ["N", 64]>}, %y: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %0 = te.compute (d0: %n, d1: %n) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<?x64xf32>
    %b = te.read %x[d1, d2] : tensor<?x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x?xf32>
  %1 = te.compute (d0: %n, d1: %n) {
    %a = te.read %y[d0 * s0 + d1](%n) : tensor<?xf32>
    te.yield %a : f32
  } : tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}
