// RUN: tssa-opt %s --te-fold-constants --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-fold-constants --split-input-file --remarks-filter=te-fold-constants --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] folded | {{.*}} | Elements=6, ElementsLeft=67108858

// CHECK-LABEL: @transposed
// CHECK: %[[C:.+]] = te.constant dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
// CHECK-NEXT: return %[[C]]
func.func @transposed() -> tensor<3x2xi32> {
  %c = te.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %t = te.compute (d0: 3, d1: 2) {
    %v = te.read %c[d1, d0] : tensor<2x3xi32>
    te.yield %v : i32
  } : tensor<3x2xi32>
  return %t : tensor<3x2xi32>
}

// -----

// Pieces of two constants, one of them with a splat.
// CHECK-LABEL: @pieces
// CHECK: te.constant dense<[2.000000e+00, 1.000000e+00, 7.000000e+00]> : tensor<3xf64>
// CHECK-NOT: te.compute
func.func @pieces() -> tensor<3xf64> {
  %a = te.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %b = te.constant dense<7.0> : tensor<1xf64>
  %t = te.compute (d0: 3) where (1 - d0 >= 0) {
    %v = te.read %a[1 - d0] : tensor<2xf64>
    te.yield %v : f64
  } where (d0 - 2 >= 0) {
    %v = te.read %b[d0 - 2] : tensor<1xf64>
    te.yield %v : f64
  } : tensor<3xf64>
  return %t : tensor<3xf64>
}

// -----

// Large data stays a resource.
// CHECK-LABEL: @large
// CHECK: te.constant dense_resource<folded
func.func @large() -> tensor<128x64xf32> {
  %c = te.constant dense<1.0> : tensor<64x128xf32>
  %t = te.compute (d0: 128, d1: 64) {
    %v = te.read %c[d1, d0] : tensor<64x128xf32>
    te.yield %v : f32
  } : tensor<128x64xf32>
  return %t : tensor<128x64xf32>
}

// -----

// Left alone: arithmetic, a result larger than its sources, data that only the run has.
// CHECK-LABEL: @left_alone
// CHECK-COUNT-3: te.compute
func.func @left_alone(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<100x100xf32>, tensor<2xf32>) {
  %c = te.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = te.compute (d0: 2) {
    %v = te.read %c[d0] : tensor<2xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<2xf32>
  %b = te.compute (d0: 100, d1: 100) {
    %v = te.read %c[d0 mod 2] : tensor<2xf32>
    te.yield %v : f32
  } : tensor<100x100xf32>
  %d = te.compute (d0: 2) {
    %v = te.read %x[1 - d0] : tensor<2xf32>
    te.yield %v : f32
  } : tensor<2xf32>
  return %a, %b, %d : tensor<2xf32>, tensor<100x100xf32>, tensor<2xf32>
}
