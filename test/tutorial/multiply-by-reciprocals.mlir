// RUN: tutorial-opt %s --tutorial-multiply-by-reciprocals --split-input-file | FileCheck %s
// RUN: tutorial-opt %s --tutorial-multiply-by-reciprocals --split-input-file --remarks-filter=.* --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// The reciprocal of a power of two is exact.
// CHECK-LABEL: func @quarter
// CHECK: %[[FACTOR:.*]] = arith.constant 2.500000e-01 : f32
// CHECK: arith.mulf %{{.*}}, %[[FACTOR]] : f32
// CHECK-NOT: arith.divf
// REMARK: [Passed] reciprocal {{.*}} Divisor=4
func.func @quarter(%x: tensor<8xf32>) -> tensor<8xf32> {
  %four = arith.constant 4.0 : f32
  %y = te.compute (d0: 8) {
    %a = te.read %x[d0] : tensor<8xf32>
    %b = arith.divf %a, %four : f32
    te.yield %b : f32
  } : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// That of 3 is not.
// CHECK-LABEL: func @third
// CHECK: arith.divf
// REMARK: [Missed] reciprocal {{.*}} Divisor=3
func.func @third(%x: f32) -> f32 {
  %three = arith.constant 3.0 : f32
  %y = arith.divf %x, %three : f32
  return %y : f32
}

// -----

// Nothing is known of a divisor that is no constant.
// CHECK-LABEL: func @unknown
// CHECK: arith.divf
func.func @unknown(%x: f32, %y: f32) -> f32 {
  %z = arith.divf %x, %y : f32
  return %z : f32
}
