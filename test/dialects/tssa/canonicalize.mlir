// RUN: tssa-opt %s -canonicalize="test-convergence" | FileCheck %s

// L1: access(assign(b, s, P), P) = s

// CHECK-LABEL: func @access_of_assign(
// CHECK-NOT: tssa
// CHECK: return %arg1
func.func @access_of_assign(%b: tensor<?x4xf32>, %s: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %a = tssa.assign %s into %b [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>
  %r = tssa.access %a [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @access_of_another_row
// CHECK: tssa.assign
// CHECK: tssa.access
func.func @access_of_another_row(%b: tensor<?x4xf32>, %s: tensor<4xf32>, %i: index, %j: index) -> tensor<4xf32> {
  %a = tssa.assign %s into %b [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>
  %r = tssa.access %a [select(0, ?)](%j) : tensor<?x4xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// L2: assign(b, access(b, P), P) = b

// CHECK-LABEL: func @assign_of_own_window
// CHECK: return %arg0
func.func @assign_of_own_window(%b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = tssa.access %b [select(0, 1)] : tensor<4x4xf32> -> tensor<4xf32>
  %r = tssa.assign %s into %b [select(0, 1)] : tensor<4xf32> into tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// CHECK-LABEL: func @assign_of_transposed_window
// CHECK: tssa.assign
func.func @assign_of_transposed_window(%b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = tssa.access %b [permute(1, 0)] : tensor<4x4xf32> -> tensor<4x4xf32>
  %r = tssa.assign %s into %b [slice(0, 0, 4, 1)] : tensor<4x4xf32> into tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// L3: assign(assign(b, s, P), s', P) = assign(b, s', P)

// CHECK-LABEL: func @overwritten
// CHECK-NEXT: %[[R:.*]] = tssa.assign %arg2 into %arg0
// CHECK-NEXT: return %[[R]]
func.func @overwritten(%b: tensor<9xf32>, %s: tensor<3xf32>, %t: tensor<3xf32>) -> tensor<9xf32> {
  %a = tssa.assign %s into %b [slice(0, 1, 3, 2)] : tensor<3xf32> into tensor<9xf32>
  %r = tssa.assign %t into %a [slice(0, 1, 3, 2)] : tensor<3xf32> into tensor<9xf32>
  return %r : tensor<9xf32>
}

// CHECK-LABEL: func @partly_overwritten
// CHECK-COUNT-2: tssa.assign
func.func @partly_overwritten(%b: tensor<9xf32>, %s: tensor<3xf32>, %t: tensor<3xf32>) -> tensor<9xf32> {
  %a = tssa.assign %s into %b [slice(0, 1, 3, 2)] : tensor<3xf32> into tensor<9xf32>
  %r = tssa.assign %t into %a [slice(0, 1, 3, 1)] : tensor<3xf32> into tensor<9xf32>
  return %r : tensor<9xf32>
}

// L4: access(access(b, P), Q) = access(b, P; Q)

// CHECK-LABEL: func @access_of_access
// CHECK: tssa.access %arg0 [select(0, 5)] : tensor<9x2xf32> -> tensor<2xf32>
func.func @access_of_access(%b: tensor<9x2xf32>) -> tensor<2xf32> {
  %a = tssa.access %b [slice(0, 1, 3, 2)] : tensor<9x2xf32> -> tensor<3x2xf32>
  %r = tssa.access %a [select(0, 2)] : tensor<3x2xf32> -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func @access_along_paths
// CHECK: tssa.access %arg0 [permute(1, 2, 0), select(0, 1), reshape(8)]
func.func @access_along_paths(%b: tensor<4x3x2xf32>) -> tensor<8xf32> {
  %a = tssa.access %b [permute(2, 1, 0), permute(1, 0, 2)] : tensor<4x3x2xf32> -> tensor<3x2x4xf32>
  %c = tssa.access %a [select(0, 1), reshape(4, 2)] : tensor<3x2x4xf32> -> tensor<4x2xf32>
  %r = tssa.access %c [reshape(8)] : tensor<4x2xf32> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// L5: assign(b, assign(access(b, P), s, Q), P) = assign(b, s, P; Q)

// CHECK-LABEL: func @assign_of_assign
// CHECK-NEXT: %[[R:.*]] = tssa.assign %arg1 into %arg0 [select(0, ?), select(0, 2)](%arg2)
// CHECK-NEXT: return %[[R]]
func.func @assign_of_assign(%b: tensor<?x4xf32>, %s: tensor<f32>, %i: index) -> tensor<?x4xf32> {
  %w = tssa.access %b [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
  %a = tssa.assign %s into %w [select(0, 2)] : tensor<f32> into tensor<4xf32>
  %r = tssa.assign %a into %b [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// CHECK-LABEL: func @assign_to_another_window
// CHECK-COUNT-2: tssa.assign
func.func @assign_to_another_window(%b: tensor<?x4xf32>, %s: tensor<f32>, %i: index, %j: index) -> tensor<?x4xf32> {
  %w = tssa.access %b [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
  %a = tssa.assign %s into %w [select(0, 2)] : tensor<f32> into tensor<4xf32>
  %r = tssa.assign %a into %b [select(0, ?)](%j) : tensor<4xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// L6: access(assign(b, s, P), Q) = access(b, Q) if P and Q are disjoint

// CHECK-LABEL: func @access_beside
// CHECK: tssa.access %arg0 [select(0, ?)]
func.func @access_beside(%b: tensor<?x4xf32>, %s: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %j = arith.addi %i, %c1 : index
  %a = tssa.assign %s into %b [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>
  %r = tssa.access %a [select(0, ?)](%j) : tensor<?x4xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @access_behind
// CHECK: tssa.access %arg0 [slice(0, ?, 2, 1)](%arg2)
func.func @access_behind(%b: tensor<?xf32>, %s: tensor<?xf32>, %n: index) -> tensor<2xf32> {
  %a = tssa.assign %s into %b [slice(0, 0, ?, 1)](%n) : tensor<?xf32> into tensor<?xf32>
  %r = tssa.access %a [slice(0, ?, 2, 1)](%n) : tensor<?xf32> -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func @access_between
// CHECK: tssa.access %arg0 [slice(0, 0, 4, 2)]
func.func @access_between(%b: tensor<8xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %a = tssa.assign %s into %b [slice(0, 1, 4, 2)] : tensor<4xf32> into tensor<8xf32>
  %r = tssa.access %a [slice(0, 0, 4, 2)] : tensor<8xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @access_across
// CHECK: tssa.assign
func.func @access_across(%b: tensor<8xf32>, %s: tensor<4xf32>) -> tensor<3xf32> {
  %a = tssa.assign %s into %b [slice(0, 1, 4, 2)] : tensor<4xf32> into tensor<8xf32>
  %r = tssa.access %a [slice(0, 0, 3, 3)] : tensor<8xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK-LABEL: func @views
// CHECK: tssa.view %arg0 [select(0, ?)](%{{.*}}) : !tssa.ref<?x4xf32> -> !tssa.ref<4xf32>
func.func @views(%s: !tssa.ref<?x4xf32>, %i: index, %n: index) -> (!tssa.ref<4xf32>, index) {
  %v = tssa.view %s [slice(0, 1, ?, 1)](%n) : !tssa.ref<?x4xf32> -> !tssa.ref<?x4xf32>
  %w = tssa.view %v [select(0, ?)](%i) : !tssa.ref<?x4xf32> -> !tssa.ref<4xf32>
  %m = tssa.dim %v, 0 : !tssa.ref<?x4xf32>
  // CHECK: return %{{.*}}, %arg2
  return %w, %m : !tssa.ref<4xf32>, index
}

// CHECK-LABEL: func @size_of_source
// CHECK: tssa.dim %arg0, 1
func.func @size_of_source(%s: !tssa.ref<4x?xf32>) -> index {
  %v = tssa.view %s [permute(1, 0), select(1, 2)] : !tssa.ref<4x?xf32> -> !tssa.ref<?xf32>
  %n = tssa.dim %v, 0 : !tssa.ref<?xf32>
  return %n : index
}

// An empty slice may start after the end.
// CHECK-LABEL: func @slice_of_nothing
// CHECK: tssa.access %arg0 [slice(0, 4, 0, 4)] : tensor<3xf32> -> tensor<0xf32>
func.func @slice_of_nothing(%b: tensor<3xf32>) -> tensor<0xf32> {
  %a = tssa.access %b [slice(0, 2, 1, 2)] : tensor<3xf32> -> tensor<1xf32>
  %r = tssa.access %a [slice(0, 1, 0, 2)] : tensor<1xf32> -> tensor<0xf32>
  return %r : tensor<0xf32>
}

// Two steps are not composed if an integer of the composed step would overflow or be negative.
// CHECK-LABEL: func @compose_beyond_integers
// CHECK: tssa.access %arg0 [slice(0, 0, ?, 4611686018427387904), slice(0, 1, ?, 4)]
// CHECK: tssa.access %arg0 [slice(0, 0, ?, 4611686018427387904), select(0, 5)]
// CHECK: tssa.access %arg0 [slice(0, ?, 4, 1), select(0, 1)](%c-5)
func.func @compose_beyond_integers(%b: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<f32>, tensor<f32>) {
  %far = tssa.access %b [slice(0, 0, ?, 4611686018427387904)](%n) : tensor<?xf32> -> tensor<?xf32>
  %step = tssa.access %far [slice(0, 1, ?, 4)](%n) : tensor<?xf32> -> tensor<?xf32>
  %index = tssa.access %far [select(0, 5)] : tensor<?xf32> -> tensor<f32>
  %negative = arith.constant -5 : index
  %before = tssa.access %b [slice(0, ?, 4, 1)](%negative) : tensor<?xf32> -> tensor<4xf32>
  %start = tssa.access %before [select(0, 1)] : tensor<4xf32> -> tensor<f32>
  return %step, %index, %start : tensor<?xf32>, tensor<f32>, tensor<f32>
}
