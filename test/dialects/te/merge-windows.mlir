// RUN: tssa-opt %s --te-simplify --te-merge --split-input-file | FileCheck %s
// A window of a producer that its reader needs often is computed once, into a tensor of its own.

// Class scores times the confidence of the row: the confidence has an exponential.
// CHECK-LABEL: @confidence
// CHECK: %[[W:.+]] = te.compute (d0: 900, d1: 1) {
// CHECK-NEXT: te.read %arg0[d0, 4]
// CHECK-NEXT: math.exp
// CHECK: te.compute (d0: 900, d1: 80) {
// CHECK: te.read %[[W]][d0, 0]
// CHECK-NOT: te.compute
func.func @confidence(%x: tensor<900x85xf32>) -> tensor<900x80xf32> {
  %b = te.compute (d0: 900, d1: 85) {
    %v = te.read %x[d0, d1] : tensor<900x85xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<900x85xf32>
  %r = te.compute (d0: 900, d1: 80) {
    %c = te.read %b[d0, 4] : tensor<900x85xf32>
    %s = te.read %b[d0, d1 + 5] : tensor<900x85xf32>
    %p = arith.mulf %c, %s : f32
    te.yield %p : f32
  } : tensor<900x80xf32>
  return %r : tensor<900x80xf32>
}

// -----

// What costs little is computed again.
// CHECK-LABEL: @cheap
// CHECK: te.compute (d0: 9, d1: 80) {
// CHECK-NOT: te.compute
func.func @cheap(%x: tensor<9x85xf32>) -> tensor<9x80xf32> {
  %b = te.compute (d0: 9, d1: 85) {
    %v = te.read %x[d0, d1] : tensor<9x85xf32>
    %e = arith.negf %v : f32
    te.yield %e : f32
  } : tensor<9x85xf32>
  %r = te.compute (d0: 9, d1: 80) {
    %c = te.read %b[d0, 4] : tensor<9x85xf32>
    %s = te.read %b[d0, d1 + 5] : tensor<9x85xf32>
    %p = arith.mulf %c, %s : f32
    te.yield %p : f32
  } : tensor<9x80xf32>
  return %r : tensor<9x80xf32>
}

// -----

// The window lies in pieces with bounds of its reader, and in two pieces of its producer.
// CHECK-LABEL: @pieces
// CHECK: %[[W:.+]] = te.compute (d0: 600, d1: 1) where (-d0 + 199 >= 0) {
// CHECK: te.read %arg0[d0 + 200, 4]
// CHECK: } where (d0 - 200 >= 0) {
// CHECK: te.read %arg1[d0 - 200, 4]
// CHECK: te.compute (d0: 800, d1: 40) where
// CHECK: te.read %[[W]][d0 - 200, 0]
func.func @pieces(%x: tensor<400x45xf32>, %y: tensor<400x45xf32>) -> tensor<800x40xf32> {
  %zero = arith.constant 0.0 : f32
  %b = te.compute (d0: 800, d1: 45) where (-d0 + 399 >= 0) {
    %v = te.read %x[d0, d1] : tensor<400x45xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } where (d0 - 400 >= 0) {
    %v = te.read %y[d0 - 400, d1] : tensor<400x45xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<800x45xf32>
  %r = te.compute (d0: 800, d1: 40) where (-d0 + 199 >= 0) {
    te.yield %zero : f32
  } where (d0 - 200 >= 0) {
    %c = te.read %b[d0, 4] : tensor<800x45xf32>
    te.yield %c : f32
  } : tensor<800x40xf32>
  return %r : tensor<800x40xf32>
}

// -----

// Two halves of a producer for two readers: each is computed where it is read, none twice.
// CHECK-LABEL: @halves
// CHECK: te.compute (d0: 9, d1: 8) {
// CHECK: te.compute (d0: 9, d1: 8) {
// CHECK-NOT: te.compute
func.func @halves(%x: tensor<9x16xf32>) -> (tensor<9x8xf32>, tensor<9x8xf32>) {
  %b = te.compute (d0: 9, d1: 16) {
    %v = te.read %x[d0, d1] : tensor<9x16xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<9x16xf32>
  %r = te.compute (d0: 9, d1: 8) {
    %c = te.read %b[d0, d1] : tensor<9x16xf32>
    %s = math.tanh %c : f32
    te.yield %s : f32
  } : tensor<9x8xf32>
  %s = te.compute (d0: 9, d1: 8) {
    %c = te.read %b[d0, d1 + 8] : tensor<9x16xf32>
    %s = math.sqrt %c : f32
    te.yield %s : f32
  } : tensor<9x8xf32>
  return %r, %s : tensor<9x8xf32>, tensor<9x8xf32>
}
