// RUN: tssa-opt %s --tssa-lower-to-te --split-input-file | FileCheck %s

// CHECK-LABEL: func @access
// CHECK: te.compute (d0: 2, d1: 3) {
// CHECK-NEXT: te.read %arg0[s0, d1 * 2 + 1, d0](%arg1)
func.func @access(%b: tensor<?x9x2xf32>, %i: index) -> tensor<2x3xf32> {
  %r = tssa.access %b [select(0, ?), slice(0, 1, 3, 2), permute(1, 0)](%i) : tensor<?x9x2xf32> -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// The index expressions of a reshape use only the sizes that it changes.
// CHECK-LABEL: func @reshape
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: te.compute (d0: %arg1, d1: 12) {
// CHECK-NEXT: te.read %arg0[d0, d1 floordiv 4, d1 mod 4]
func.func @reshape(%b: tensor<?x3x4xf32>, %n: index) -> tensor<?x12xf32> {
  %r = tssa.access %b [slice(0, 0, ?, 1), reshape(?, 12)](%n, %n) : tensor<?x3x4xf32> -> tensor<?x12xf32>
  return %r : tensor<?x12xf32>
}

// -----

// CHECK-LABEL: func @expand
// CHECK: te.compute (d0: 4, d1: %arg1) {
// CHECK-NEXT: te.read %arg0[d0]
func.func @expand(%b: tensor<4xf32>, %n: index) -> tensor<4x?xf32> {
  %r = tssa.access %b [unsqueeze(1), expand(1, ?)](%n) : tensor<4xf32> -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

// -----

// CHECK-LABEL: func @assign
// CHECK: te.update (d0: %arg3) into %arg0[d0 * 2 + s0, 1](%arg2) injective {
// CHECK-NEXT: te.read %arg1[d0]
func.func @assign(%b: tensor<?x3xf32>, %s: tensor<?xf32>, %i: index, %n: index) -> tensor<?x3xf32> {
  %r = tssa.assign %s into %b [slice(0, ?, ?, 2), select(1, 1)](%i, %n) : tensor<?xf32> into tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// -----

// A loop-carried tensor has the sizes of its initial value.
// CHECK-LABEL: func @carried
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: scf.for
// CHECK-NOT: tensor.dim
// CHECK: te.compute (d0: %[[N]])
func.func @carried(%b: tensor<?x3xf32>, %n: index) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?x3xf32>) {
    %x = tssa.access %c [select(1, 0)] : tensor<?x3xf32> -> tensor<?xf32>
    %d = tssa.assign %x into %c [select(1, 1)] : tensor<?xf32> into tensor<?x3xf32>
    scf.yield %d : tensor<?x3xf32>
  }
  return %r : tensor<?x3xf32>
}
