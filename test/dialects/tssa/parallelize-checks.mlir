// RUN: tssa-opt %s --tssa-parallelize-loops --canonicalize --split-input-file | FileCheck %s

// The checks of all iterations are one check before the loop.

// CHECK-LABEL: func @size
// CHECK: %[[OK:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : index
// CHECK-NEXT: te.check %[[OK]], "too few rows"
// CHECK-NOT: scf.for
func.func @size(%b: tensor<?x4xf32>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %b, %c0 : tensor<?x4xf32>
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?x4xf32>) {
    %ok = arith.cmpi slt, %i, %m : index
    te.check %ok, "too few rows"
    %row = tssa.access %x [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
    %d = tssa.assign %row into %c [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %d : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// Two bounds: the first iteration has the least index and the last one has the greatest. No check
// fails if there is no iteration.
// CHECK-LABEL: func @bounds
// CHECK: %[[COUNT:.*]] = arith.ceildivsi
// CHECK: %[[FIRST:.*]] = arith.cmpi sge, %{{.*}}, %c0
// CHECK-NEXT: %[[EMPTY:.*]] = arith.cmpi slt, %[[COUNT]], %c1
// CHECK-NEXT: %[[LOW:.*]] = arith.ori %[[EMPTY]], %[[FIRST]]
// CHECK: %[[LAST:.*]] = arith.cmpi slt, %{{.*}}, %arg4
// CHECK: %[[HIGH:.*]] = arith.ori %{{.*}}, %[[LAST]]
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK-NEXT: te.check %[[BOTH]], "out of bounds"
// CHECK-NOT: scf.for
func.func @bounds(%b: tensor<?xf32>, %x: tensor<f32>, %lower: index, %upper: index, %m: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %lower to %upper step %c3 iter_args(%c = %b) -> (tensor<?xf32>) {
    %j = arith.addi %i, %c1 : index
    %low = arith.cmpi sge, %j, %c0 : index
    %high = arith.cmpi slt, %j, %m : index
    %ok = arith.andi %low, %high : i1
    te.check %ok, "out of bounds"
    %d = tssa.assign %x into %c [select(0, ?)](%j) : tensor<f32> into tensor<?xf32>
    scf.yield %d : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// An index that falls is the greatest in the first iteration.
// CHECK-LABEL: func @falling
// CHECK-NOT: scf.for
// CHECK: %[[OK:.*]] = arith.cmpi slt, %arg2, %arg3 : index
// CHECK: te.check %[[OK]], "out of bounds"
func.func @falling(%b: tensor<?xf32>, %x: tensor<f32>, %last: index, %m: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %b) -> (tensor<?xf32>) {
    %j = arith.subi %last, %i : index
    %ok = arith.cmpi slt, %j, %m : index
    te.check %ok, "out of bounds"
    %d = tssa.assign %x into %c [select(0, ?)](%j) : tensor<f32> into tensor<?xf32>
    scf.yield %d : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
