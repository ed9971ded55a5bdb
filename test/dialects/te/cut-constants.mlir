// RUN: tssa-opt %s --te-cut-constants --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-cut-constants --split-input-file --remarks-filter=te-cut-constants --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Two windows, one of which is read twice; what nothing reads is dropped.
// REMARK: remark: [Passed] windows | Category:te-cut-constants | Windows=2
// CHECK-LABEL: func @windows
// CHECK-NOT:   tensor<2x5x2xf32>
// CHECK-DAG:   %[[A:.*]] = te.constant dense<{{\[\[\[}}1.{{.*}}, 2.{{.*}}], [3.{{.*}}, 4.{{.*}}]]]> : tensor<1x2x2xf32>
// CHECK-DAG:   %[[B:.*]] = te.constant dense<{{\[\[\[}}1.7{{.*}}, 1.8{{.*}}], [1.9{{.*}}, 2.0{{.*}}]]]> : tensor<1x2x2xf32>
// CHECK:       te.compute (d0: 2) reduce (d1: 2)
// CHECK:         te.read %[[A]][0, d0, d1]
// CHECK:         te.read %[[B]][0, d0, d1]
// CHECK:       te.compute (d0: 2) reduce (d1: 2)
// CHECK:         te.read %[[B]][0, d0, d1]
func.func @windows(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %w = te.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0]],
                          [[11.0, 12.0], [13.0, 14.0], [15.0, 16.0], [17.0, 18.0], [19.0, 20.0]]]> : tensor<2x5x2xf32>
  %y = te.compute (d0: 2) reduce (d1: 2) init (0.0 : f32) {
    %a = te.read %x[d1] : tensor<2xf32>
    %b = te.read %w[0, d0, d1] : tensor<2x5x2xf32>
    %c = te.read %w[1, d0 + 3, d1] : tensor<2x5x2xf32>
    %s = arith.addf %b, %c : f32
    %m = arith.mulf %a, %s : f32
    te.yield %m : f32
  } combine arith.addf : tensor<2xf32>
  %z = te.compute (d0: 2) reduce (d1: 2) init (0.0 : f32) {
    %a = te.read %y[d1] : tensor<2xf32>
    %b = te.read %w[1, d0 + 3, d1] : tensor<2x5x2xf32>
    %m = arith.mulf %a, %b : f32
    te.yield %m : f32
  } combine arith.addf : tensor<2xf32>
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}

// -----

// Windows that overlap would store elements twice.
// CHECK-LABEL: func @overlap
// CHECK:       te.read %{{.*}}[d0, d1] : tensor<3x2xf32>
// CHECK:       te.read %{{.*}}[d0 + 1, d1] : tensor<3x2xf32>
func.func @overlap(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = te.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %y = te.compute (d0: 2) reduce (d1: 2) init (0.0 : f32) {
    %a = te.read %w[d0, d1] : tensor<3x2xf32>
    %b = te.read %w[d0 + 1, d1] : tensor<3x2xf32>
    %m = arith.mulf %a, %b : f32
    te.yield %m : f32
  } combine arith.addf : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// The whole is needed anyway.
// CHECK-LABEL: func @whole
// CHECK:       te.read %{{.*}}[d0 + 1, d1] : tensor<3x2xf32>
func.func @whole() -> (tensor<1xf32>, tensor<3xf32>) {
  %w = te.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %y = te.compute (d0: 1) reduce (d1: 2) init (0.0 : f32) {
    %b = te.read %w[d0 + 1, d1] : tensor<3x2xf32>
    te.yield %b : f32
  } combine arith.addf : tensor<1xf32>
  %z = te.compute (d0: 3) reduce (d1: 2) init (0.0 : f32) {
    %b = te.read %w[d0, d1] : tensor<3x2xf32>
    te.yield %b : f32
  } combine arith.addf : tensor<3xf32>
  return %y, %z : tensor<1xf32>, tensor<3xf32>
}

// -----

// A read with a guard, or of an expression without a reduction, keeps the constant.
// CHECK-LABEL: func @others
// CHECK:       te.read %{{.*}}[d0 + 2, d1] : tensor<3x2xf32>
// CHECK:       te.read %{{.*}}[d0 + 1, 0] : tensor<3x2xi32>
func.func @others() -> (tensor<1xf32>, tensor<1xi32>) {
  %w = te.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %v = te.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %y = te.compute (d0: 1) reduce (d1: 3) init (0.0 : f32) {
    %b = te.read %w[d0 + 2, d1] : tensor<3x2xf32> where (1 - d1 >= 0) else 0.0
    te.yield %b : f32
  } combine arith.addf : tensor<1xf32>
  %z = te.compute (d0: 1) {
    %b = te.read %v[d0 + 1, 0] : tensor<3x2xi32>
    te.yield %b : i32
  } : tensor<1xi32>
  return %y, %z : tensor<1xf32>, tensor<1xi32>
}

// -----

// What is out of bounds cannot be cut. In the stage, te-check-bounds has refused such a program.
// CHECK-LABEL: func @beyond
// CHECK:       te.read %{{.*}}[d0 + 3, d1] : tensor<4x2xf32>
func.func @beyond(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = te.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %p = te.compute (d0: 2) reduce (d1: 2) init (0.0 : f32) {
    %v = te.read %x[d1] : tensor<2xf32>
    %u = te.read %w[d0 + 3, d1] : tensor<4x2xf32>
    %m = arith.mulf %v, %u : f32
    te.yield %m : f32
  } combine arith.addf : tensor<2xf32>
  return %p : tensor<2xf32>
}
