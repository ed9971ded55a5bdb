// RUN: tssa-opt %s --tssa-cse --split-input-file | FileCheck %s
// Equal ops are merged.

// CHECK-LABEL: @joined
// CHECK: %[[A:.+]] = te.compute
// CHECK: %[[B:.+]] = te.compute
// CHECK-NOT: te.compute
// CHECK: return %[[A]], %[[A]], %[[B]]
func.func @joined(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = te.compute (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<8xf32>
  %b = te.compute (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<8xf32>
  %other = te.compute (d0: 8) {
    %v = te.read %a[d0] : tensor<8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<8xf32>
  return %a, %b, %other : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// An op in a branch is replaced by an equal op before it, but not by one in the other branch.
// CHECK-LABEL: @branches
// CHECK: arith.addi
// CHECK: scf.if
// CHECK-NOT: arith.addi
// CHECK: arith.muli
// CHECK: else
// CHECK: arith.muli
// CHECK: return
func.func @branches(%p: i1, %i: index, %j: index) -> (index, index) {
  %s = arith.addi %i, %j : index
  %r = scf.if %p -> index {
    %again = arith.addi %i, %j : index
    %t = arith.muli %again, %j : index
    scf.yield %t : index
  } else {
    %t = arith.muli %i, %i : index
    %u = arith.muli %t, %t : index
    scf.yield %u : index
  }
  return %s, %r : index, index
}

// -----

// An op without uses is erased, with the ops that only it used. An op with effects is kept.
// CHECK-LABEL: @unused
// CHECK-NEXT: memref.store
// CHECK-NEXT: memref.store
// CHECK-NEXT: return
func.func @unused(%m: memref<f32>, %v: f32, %i: index) {
  %a = arith.addi %i, %i : index
  %b = arith.muli %a, %a : index
  memref.store %v, %m[] : memref<f32>
  memref.store %v, %m[] : memref<f32>
  return
}
