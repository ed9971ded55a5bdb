// RUN: tssa-opt %s --te-fold-factors --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-fold-factors --split-input-file --remarks-filter=te-fold-factors --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] factor | {{.*}} | Elements=6
// REMARK: [Missed] factor | {{.*}} | Elements=4, Reason="a product is not finite, or an element has several factors"

// A factor for each row of the weights.
// CHECK-LABEL: @rows
// CHECK: te.constant dense_resource<scaled> : tensor<2x3xf32>
// CHECK: combine arith.addf : tensor<4x2xf32>
// CHECK: scaled: "0x400000000000803F00008040000040C00000C0C0000080BF00000000"
func.func @rows(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = te.constant dense<[[0.5, 2.0, -1.5], [-3.0, -0.5, 0.0]]> : tensor<2x3xf32>
  %f = te.constant dense<[2.0, 2.0]> : tensor<2xf32>
  %y = te.compute (d0: 4, d1: 2) reduce (d2: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<4x3xf32>
    %b = te.read %w[d1, d2] : tensor<2x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf then (%sum: f32) {
    %s = te.read %f[d1] : tensor<2xf32>
    %r = arith.mulf %sum, %s : f32
    te.yield %r : f32
  } : tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// One factor for all elements, after a bias; later ops of the epilogue are kept.
// CHECK-LABEL: @biased
// CHECK-DAG: %[[B:.+]] = te.constant dense_resource<[[NAME:scaled.*]]> : tensor<2xf64>
// CHECK: then (%[[SUM:.+]]: f64)
// CHECK-NEXT: %[[BIAS:.+]] = te.read %[[B]][d1]
// CHECK-NEXT: %[[R:.+]] = arith.addf %[[SUM]], %[[BIAS]]
// CHECK-NEXT: %[[E:.+]] = math.exp %[[R]]
// CHECK-NEXT: te.yield %[[E]]
// CHECK: [[NAME]]: "0x400000000000000000000840000000000000F83F"
func.func @biased(%x: tensor<4x1xf64>) -> tensor<4x2xf64> {
  %w = te.constant dense<[[1.0], [2.0]]> : tensor<2x1xf64>
  %b = te.constant dense<[1.0, 0.5]> : tensor<2xf64>
  %three = arith.constant 3.0 : f64
  %y = te.compute (d0: 4, d1: 2) reduce (d2: 1) init (0.0 : f64) {
    %a = te.read %x[d0, d2] : tensor<4x1xf64>
    %c = te.read %w[d1, d2] : tensor<2x1xf64>
    %p = arith.mulf %c, %a : f64
    te.yield %p : f64
  } combine arith.addf then (%sum: f64) {
    %t = te.read %b[d1] : tensor<2xf64>
    %s = arith.addf %sum, %t : f64
    %r = arith.mulf %three, %s : f64
    %e = math.exp %r : f64
    te.yield %e : f64
  } : tensor<4x2xf64>
  return %y : tensor<4x2xf64>
}

// -----

// Left alone: an element of the weights that would have several factors, weights with another
// reader, a product that is too large, a maximum.
// CHECK-LABEL: @left_alone
// CHECK-NOT: scaled
func.func @left_alone(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) {
  %u = te.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %v = te.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %w = te.constant dense<[1.0, 3.0e38]> : tensor<2xf32>
  %z = te.constant dense<[3.0, 2.0]> : tensor<2xf32>
  %f = te.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %two = arith.constant 2.0 : f32
  %several = te.compute (d0: 2, d1: 2) reduce (d2: 2) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<2x2xf32>
    %b = te.read %u[d1, d2] : tensor<2x2xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf then (%sum: f32) {
    %s = te.read %f[d0] : tensor<2xf32>
    %r = arith.mulf %sum, %s : f32
    te.yield %r : f32
  } : tensor<2x2xf32>
  %read = te.compute (d0: 2) reduce (d1: 2) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<2x2xf32>
    %b = te.read %v[d1] : tensor<2xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf then (%sum: f32) {
    %r = arith.mulf %sum, %two : f32
    te.yield %r : f32
  } : tensor<2xf32>
  %large = te.compute (d0: 2) reduce (d1: 2) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<2x2xf32>
    %b = te.read %w[d1] : tensor<2xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf then (%sum: f32) {
    %r = arith.mulf %sum, %two : f32
    te.yield %r : f32
  } : tensor<2xf32>
  %greatest = te.compute (d0: 2) reduce (d1: 2) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<2x2xf32>
    %b = te.read %z[d1] : tensor<2xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.maximumf then (%sum: f32) {
    %r = arith.mulf %sum, %two : f32
    te.yield %r : f32
  } : tensor<2xf32>
  %other = te.compute (d0: 2, d1: 2) {
    %a = te.read %v[d1] : tensor<2xf32>
    te.yield %a : f32
  } : tensor<2x2xf32>
  return %several, %read, %large, %greatest, %other : tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>
}

// -----

// Weights keep the values of tf32.
// CHECK-LABEL: @tf32
// CHECK: combine arith.addf then
// CHECK: arith.mulf
func.func @tf32(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = te.constant dense<[[0.5, 2.0, -1.5], [-3.0, -0.5, 0.0]]> : tensor<2x3xf32>
  %f = te.constant dense<[2.0, 2.1]> : tensor<2xf32>
  %y = te.compute (d0: 4, d1: 2) reduce (d2: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<4x3xf32>
    %b = te.read %w[d1, d2] : tensor<2x3xf32>
    %p = arith.mulf %a, %b {te.tf32} : f32
    te.yield %p : f32
  } combine arith.addf then (%sum: f32) {
    %s = te.read %f[d1] : tensor<2xf32>
    %r = arith.mulf %sum, %s : f32
    te.yield %r : f32
  } : tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
