// RUN: tssa-opt %s --te-mark-finite --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-mark-finite --split-input-file --remarks-filter=te-mark-finite --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] finite | {{.*}} | Kernel=padded, Parameter=1

// The weights of a padded sum of products: constants in both launches, without infinities.
// CHECK-LABEL: te.kernel @padded(
// CHECK-SAME: %{{[^:]+}}: tensor<8xf32>, %{{[^:]+}}: tensor<3xf32> {te.finite})
func.func @finite(%x: tensor<8xf32>) {
  %a = te.constant dense<[1.0, -2.0, 3.0e38]> : tensor<3xf32>
  %b = te.constant dense<0.5> : tensor<3xf32>
  %p = te.launch @padded(%x, %a) : (tensor<8xf32>, tensor<3xf32>) -> tensor<8xf32>
  %q = te.launch @padded(%p, %b) : (tensor<8xf32>, tensor<3xf32>) -> tensor<8xf32>
  return
}
te.kernel @padded(%x: tensor<8xf32>, %w: tensor<3xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) reduce (d1: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d1 - 1] : tensor<8xf32> where (d0 + d1 - 1 >= 0, -d0 - d1 + 8 >= 0) else 0.0
    %b = te.read %w[d1] : tensor<3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8xf32>
  te.return %y : tensor<8xf32>
}

// -----

// One launch passes an infinity.
// CHECK-LABEL: te.kernel @infinite(
// CHECK-NOT: te.finite
func.func @one_infinite(%x: tensor<8xf16>) {
  %a = te.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf16>
  %b = te.constant dense<[1.0, 0x7C00, 3.0]> : tensor<3xf16>
  %p = te.launch @infinite(%x, %a) : (tensor<8xf16>, tensor<3xf16>) -> tensor<8xf16>
  %q = te.launch @infinite(%x, %b) : (tensor<8xf16>, tensor<3xf16>) -> tensor<8xf16>
  return
}
te.kernel @infinite(%x: tensor<8xf16>, %w: tensor<3xf16>) -> tensor<8xf16> {
  %y = te.compute @y (d0: 8) reduce (d1: 3) init (0.0 : f16) {
    %a = te.read %x[d0 + d1 - 1] : tensor<8xf16> where (d0 + d1 - 1 >= 0, -d0 - d1 + 8 >= 0) else 0.0
    %b = te.read %w[d1] : tensor<3xf16>
    %p = arith.mulf %a, %b : f16
    te.yield %p : f16
  } combine arith.addf : tensor<8xf16>
  te.return %y : tensor<8xf16>
}

// -----

// A NaN, in each element type.
// CHECK-LABEL: te.kernel @nan_f64(
// CHECK-NOT: te.finite
// CHECK-LABEL: te.kernel @nan_bf16(
// CHECK-NOT: te.finite
func.func @nans(%x: tensor<2xf64>, %y: tensor<2xbf16>) {
  %a = te.constant dense<[1.0, 0x7FF8000000000000]> : tensor<2xf64>
  %b = te.constant dense<[0xFF81, 1.0]> : tensor<2xbf16>
  %p = te.launch @nan_f64(%x, %a) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %q = te.launch @nan_bf16(%y, %b) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return
}
te.kernel @nan_f64(%x: tensor<2xf64>, %w: tensor<2xf64>) -> tensor<2xf64> {
  %y = te.compute @y (d0: 2) {
    %a = te.read %x[d0 - 1] : tensor<2xf64> where (d0 - 1 >= 0) else 0.0
    %b = te.read %w[d0] : tensor<2xf64>
    %p = arith.mulf %a, %b : f64
    te.yield %p : f64
  } : tensor<2xf64>
  te.return %y : tensor<2xf64>
}
te.kernel @nan_bf16(%x: tensor<2xbf16>, %w: tensor<2xbf16>) -> tensor<2xbf16> {
  %y = te.compute @y (d0: 2) {
    %a = te.read %x[d0 - 1] : tensor<2xbf16> where (d0 - 1 >= 0) else 0.0
    %b = te.read %w[d0] : tensor<2xbf16>
    %p = arith.mulf %a, %b : bf16
    te.yield %p : bf16
  } : tensor<2xbf16>
  te.return %y : tensor<2xbf16>
}

// -----

// A tensor that a run receives may have any values; a factor of unguarded reads is not marked.
// CHECK-LABEL: te.kernel @given(
// CHECK-NOT: te.finite
// CHECK-LABEL: te.kernel @unguarded(
// CHECK-NOT: te.finite
func.func @unknown(%x: tensor<8xf32>, %w: tensor<8xf32>) {
  %a = te.constant dense<1.0> : tensor<8xf32>
  %p = te.launch @given(%x, %w) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %q = te.launch @unguarded(%x, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}
te.kernel @given(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) {
    %a = te.read %x[d0 - 1] : tensor<8xf32> where (d0 - 1 >= 0) else 0.0
    %b = te.read %w[d0] : tensor<8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
}
te.kernel @unguarded(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) {
    %a = te.read %x[d0] : tensor<8xf32>
    %b = te.read %w[d0] : tensor<8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
}
