// RUN: tssa-opt %s --te-merge-horizontally --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-merge-horizontally --split-input-file --remarks-filter=te-merge-horizontally --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// Two products with their epilogues are stacked: weights, biases and scalars. The readers of the
// results are merged in turn, as they read one tensor at two places.
// REMARK: [Passed] siblings | {{.*}} | LaunchesSaved=1, Members=2, Operations=64, Remark=stacked
// REMARK: [Passed] siblings | {{.*}} | LaunchesSaved=1, Members=2, Operations=4, Remark=stacked
// CHECK-LABEL: @experts
// CHECK-DAG: %[[W:.*]] = te.constant dense<{{.*}}> : tensor<2x4x8xf32>
// CHECK-DAG: %[[B:.*]] = te.constant dense<{{.*}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00]]> : tensor<2x4xf32>
// CHECK-DAG: %[[S:.*]] = te.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK: %[[M:.*]] = te.compute (d0: 2, d1: 1, d2: 4) reduce (d3: 8)
// CHECK: te.read %arg0[d1, d3]
// CHECK: te.read %[[W]][d0, d2, d3]
// CHECK: combine arith.addf then
// CHECK: te.read %[[B]][d0, d2]
// CHECK: te.read %[[S]][d0]
// CHECK: : tensor<2x1x4xf32>
// CHECK: %[[E:.*]] = te.compute (d0: 2, d1: 1, d2: 4) {
// CHECK-NEXT: te.read %[[M]][d0, d1, d2]
// CHECK-NEXT: math.exp
// CHECK: te.compute (d0: 4) {
// CHECK-NEXT: te.read %[[E]][0, 0, d0]
// CHECK-NEXT: te.read %[[E]][1, 0, d0]
func.func @experts(%x: tensor<1x8xf32>) -> tensor<4xf32> {
  %v = te.constant dense<1.5> : tensor<4x8xf32>
  %w = te.constant dense<2.5> : tensor<4x8xf32>
  %c = te.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %d = te.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
  %a = te.compute (d0: 1, d1: 4) reduce (d2: 8) init (0.0 : f32) {
    %p = te.read %x[d0, d2] : tensor<1x8xf32>
    %q = te.read %v[d1, d2] : tensor<4x8xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf then (%s: f32) {
    %t = te.read %c[d1] : tensor<4xf32>
    %f = arith.constant 0.5 : f32
    %u = arith.addf %s, %t : f32
    %r = arith.mulf %u, %f : f32
    te.yield %r : f32
  } : tensor<1x4xf32>
  %b = te.compute (d0: 1, d1: 4) reduce (d2: 8) init (0.0 : f32) {
    %p = te.read %x[d0, d2] : tensor<1x8xf32>
    %q = te.read %w[d1, d2] : tensor<4x8xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf then (%s: f32) {
    %t = te.read %d[d1] : tensor<4xf32>
    %f = arith.constant 0.25 : f32
    %u = arith.addf %s, %t : f32
    %r = arith.mulf %u, %f : f32
    te.yield %r : f32
  } : tensor<1x4xf32>
  %e = te.compute (d0: 1, d1: 4) {
    %p = te.read %a[d0, d1] : tensor<1x4xf32>
    %q = math.exp %p : f32
    te.yield %q : f32
  } : tensor<1x4xf32>
  %g = te.compute (d0: 1, d1: 4) {
    %p = te.read %b[d0, d1] : tensor<1x4xf32>
    %q = math.exp %p : f32
    te.yield %q : f32
  } : tensor<1x4xf32>
  %y = te.compute (d0: 4) {
    %p = te.read %e[0, d0] : tensor<1x4xf32>
    %q = te.read %g[0, d0] : tensor<1x4xf32>
    %r = arith.divf %p, %q : f32
    te.yield %r : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Products of different sizes are joined along the dim of their weights, with their scalars. Each
// reader reads its part.
// REMARK: [Passed] siblings | {{.*}} | LaunchesSaved=1, Members=2, {{.*}} Remark="joined along a dim"
// CHECK-LABEL: @sizes
// CHECK-DAG: te.constant dense<{{.*}}> : tensor<2x5xf32>
// CHECK-DAG: te.constant dense<[5.000000e-01, 5.000000e-01, 2.500000e-01, 2.500000e-01, 2.500000e-01]> : tensor<5xf32>
// CHECK: %[[M:.*]] = te.compute (d0: 3, d1: 5) reduce (d2: 2)
// CHECK: : tensor<3x5xf32>
// CHECK: te.read %[[M]][d0, d1]
// CHECK: te.read %[[M]][d0, d1 + 2]
func.func @sizes(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x3xf32>) {
  %v = te.constant dense<1.5> : tensor<2x2xf32>
  %w = te.constant dense<2.5> : tensor<2x3xf32>
  %f = arith.constant 0.5 : f32
  %g = arith.constant 0.25 : f32
  %a = te.compute (d0: 3, d1: 2) reduce (d2: 2) init (0.0 : f32) {
    %p = te.read %x[d0, d2] : tensor<3x2xf32>
    %q = te.read %v[d2, d1] : tensor<2x2xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf then (%s: f32) {
    %r = arith.mulf %s, %f : f32
    te.yield %r : f32
  } : tensor<3x2xf32>
  %b = te.compute (d0: 3, d1: 3) reduce (d2: 2) init (0.0 : f32) {
    %p = te.read %x[d0, d2] : tensor<3x2xf32>
    %q = te.read %w[d2, d1] : tensor<2x3xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf then (%s: f32) {
    %r = arith.mulf %s, %g : f32
    te.yield %r : f32
  } : tensor<3x3xf32>
  %c = te.compute (d0: 3, d1: 2) {
    %p = te.read %a[d0, d1] : tensor<3x2xf32>
    %q = math.exp %p : f32
    te.yield %q : f32
  } : tensor<3x2xf32>
  %d = te.compute (d0: 3, d1: 3) {
    %p = te.read %b[d0, d1] : tensor<3x3xf32>
    %q = math.tanh %p : f32
    te.yield %q : f32
  } : tensor<3x3xf32>
  return %c, %d : tensor<3x2xf32>, tensor<3x3xf32>
}

// -----

// A concatenation of exactly the siblings is a rearrangement, which its reader computes.
// REMARK: [Passed] siblings | {{.*}} | LaunchesSaved=2, Members=3, {{.*}} Remark=stacked
// CHECK-LABEL: @stack
// CHECK: %[[M:.*]] = te.compute (d0: 3, d1: 1, d2: 4) reduce
// CHECK-NOT: where
// CHECK: te.compute (d0: 3, d1: 4) {
// CHECK-NEXT: te.read %[[M]][d0, 0, d1]
func.func @stack(%x: tensor<8xf32>) -> tensor<3x4xf32> {
  %u = te.constant dense<1.5> : tensor<4x8xf32>
  %v = te.constant dense<2.5> : tensor<4x8xf32>
  %w = te.constant dense<3.5> : tensor<4x8xf32>
  %a = te.compute (d0: 1, d1: 4) reduce (d2: 8) init (0.0 : f32) {
    %p = te.read %x[d2] : tensor<8xf32>
    %q = te.read %u[d1, d2] : tensor<4x8xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf : tensor<1x4xf32>
  %b = te.compute (d0: 1, d1: 4) reduce (d2: 8) init (0.0 : f32) {
    %p = te.read %x[d2] : tensor<8xf32>
    %q = te.read %v[d1, d2] : tensor<4x8xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf : tensor<1x4xf32>
  %c = te.compute (d0: 1, d1: 4) reduce (d2: 8) init (0.0 : f32) {
    %p = te.read %x[d2] : tensor<8xf32>
    %q = te.read %w[d1, d2] : tensor<4x8xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf : tensor<1x4xf32>
  %s = te.compute (d0: 3, d1: 4) where (-d0 >= 0) {
    %p = te.read %a[0, d1] : tensor<1x4xf32>
    te.yield %p : f32
  } where (d0 - 1 == 0) {
    %p = te.read %b[0, d1] : tensor<1x4xf32>
    te.yield %p : f32
  } where (d0 - 2 >= 0) {
    %p = te.read %c[0, d1] : tensor<1x4xf32>
    te.yield %p : f32
  } : tensor<3x4xf32>
  %y = te.compute (d0: 3, d1: 4) {
    %p = te.read %s[d0, d1] : tensor<3x4xf32>
    %q = math.exp %p : f32
    te.yield %q : f32
  } : tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// Left alone: results that the program returns, other bodies, other sizes of a sum, operands that
// are no constants, and a member of a concatenation with other parts, which is computed in place.
// REMARK-NOT: [Passed]
// CHECK-LABEL: @alone
// CHECK-COUNT-7: te.compute {{.*}} reduce
// CHECK-NOT: reduce
func.func @alone(%x: tensor<8xf32>, %t: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  %u = te.constant dense<1.5> : tensor<4x8xf32>
  %v = te.constant dense<2.5> : tensor<4x8xf32>
  %w = te.constant dense<3.5> : tensor<4x4xf32>
  %a = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %p = te.read %x[d1] : tensor<8xf32>
    %q = te.read %u[d0, d1] : tensor<4x8xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf : tensor<4xf32>
  %b = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %p = te.read %x[d1] : tensor<8xf32>
    %q = te.read %v[d0, d1] : tensor<4x8xf32>
    %r = arith.addf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf : tensor<4xf32>
  %c = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
    %p = te.read %x[d1] : tensor<8xf32>
    %q = te.read %w[d0, d1] : tensor<4x4xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf : tensor<4xf32>
  %d = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %p = te.read %x[d1] : tensor<8xf32>
    %q = te.read %t[d0, d1] : tensor<4x8xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf : tensor<4xf32>
  %e = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %p = te.read %x[d1] : tensor<8xf32>
    %q = te.read %v[d0, d1] : tensor<4x8xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.mulf : tensor<4xf32>
  %f = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %p = te.read %x[d1] : tensor<8xf32>
    %q = te.read %v[d0, d1] : tensor<4x8xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } combine arith.addf : tensor<4xf32>
  %g = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %p = te.read %t[d0, d1] : tensor<4x8xf32>
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  %y = te.compute (d0: 4) {
    %p = te.read %b[d0] : tensor<4xf32>
    %q = te.read %c[d0] : tensor<4xf32>
    %r = te.read %d[d0] : tensor<4xf32>
    %s = te.read %e[d0] : tensor<4xf32>
    %0 = arith.addf %p, %q : f32
    %1 = arith.addf %r, %s : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  } : tensor<4xf32>
  %z = te.compute (d0: 8) where (3 - d0 >= 0) {
    %p = te.read %f[d0] : tensor<4xf32>
    te.yield %p : f32
  } where (d0 - 4 >= 0) {
    %p = te.read %g[d0 - 4] : tensor<4xf32>
    te.yield %p : f32
  } : tensor<8xf32>
  return %a, %y, %z : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}
