// RUN: tssa-opt %s --te-check-bounds --split-input-file 2>/dev/null | FileCheck %s

// An index that is not known to be in bounds becomes an opaque one.
// CHECK-LABEL: @read
func.func @read(%x: tensor<?x8xf32>, %n: index, %k: index) -> tensor<?x8xf32> {
  %y = te.compute (d0: %n, d1: 8) {
    // CHECK: %[[I:.*]] = te.index d0 + s0(%arg2)
    // CHECK: te.read %arg0[s1, d1](%arg2, %[[I]]) : tensor<?x8xf32> where (-d0 + 3 >= 0) else 0
    %v = te.read %x[d0 + s0, d1](%k) : tensor<?x8xf32> where (3 - d0 >= 0) else 0.0
    te.yield %v : f32
  } : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: @update
func.func @update(%x: tensor<?x8xf32>, %k: index) -> tensor<?x8xf32> {
  // CHECK: te.update (d0: 8) into %arg0[s1, d0](%arg1)
  %y = te.update (d0: 8) into %x[s0, d0](%k) {
    // CHECK: %[[V:.*]] = arith.constant 1.0
    // CHECK: %[[I:.*]] = te.index s0(%arg1)
    // CHECK: te.yield %[[V]], %[[I]] : f32, index
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// A proven index is not changed.
// CHECK-LABEL: @proven
func.func @proven(%x: tensor<9xf32>) -> tensor<8xf32> {
  %y = te.compute (d0: 8) {
    // CHECK-NOT: te.index
    // CHECK: te.read %arg0[d0 + 1]
    %v = te.read %x[d0 + 1] : tensor<9xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// An index that is in bounds because of an earlier te.check is not changed either.
// CHECK-LABEL: @checked
func.func @checked(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %fits = arith.cmpi sle, %n, %size : index
  te.check %fits, "n is too large"
  %y = te.compute (d0: %n) {
    // CHECK-NOT: te.index
    // CHECK: te.read %arg0[d0]
    %v = te.read %x[d0] : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A check that comes later, or is weaker, proves nothing.
// CHECK-LABEL: @checked_too_late
func.func @checked_too_late(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %differs = arith.cmpi ne, %n, %size : index
  te.check %differs, "n is the size"
  %y = te.compute (d0: %n) {
    // CHECK: te.index
    %v = te.read %x[d0] : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  %fits = arith.cmpi sle, %n, %size : index
  te.check %fits, "n is too large"
  return %y : tensor<?xf32>
}

// -----

// What a loop carries keeps its open size if it passes on an expression of this size, or what it got with some
// elements overwritten.
// CHECK-LABEL: func.func @carried
// CHECK:         te.read %{{.*}}[d0] : tensor<?xf32>
// CHECK:         te.update (d0: %{{.*}}) into %{{.*}}[d0]
// CHECK:       te.read %{{.*}}#0[d0] : tensor<?xf32>
// CHECK:       te.read %{{.*}}#1[d0] : tensor<?xf32>
func.func @carried(%x: tensor<?xf32>, %c: index) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %l:2 = scf.for %t = %zero to %c step %one iter_args(%s = %x, %u = %x) -> (tensor<?xf32>, tensor<?xf32>) {
    %e = te.compute (d0: %n) {
      %v = te.read %s[d0] : tensor<?xf32>
      %w = arith.negf %v : f32
      te.yield %w : f32
    } : tensor<?xf32>
    %o = te.update (d0: %n) into %u[d0] {
      %v = te.read %e[d0] : tensor<?xf32>
      te.yield %v : f32
    } : tensor<?xf32>
    scf.yield %e, %o : tensor<?xf32>, tensor<?xf32>
  }
  %y = te.compute (d0: %n) {
    %a = te.read %l#0[d0] : tensor<?xf32>
    %b = te.read %l#1[d0] : tensor<?xf32>
    %m = arith.addf %a, %b : f32
    te.yield %m : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// An iteration may pass on a tensor of another size.
// CHECK-LABEL: func.func @growing
// CHECK:       %[[AT:.*]] = te.index d0
// CHECK:       te.read %{{.*}}[s0](%[[AT]]) : tensor<?xf32>
func.func @growing(%x: tensor<?xf32>, %c: index) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %l = scf.for %t = %zero to %c step %one iter_args(%s = %x) -> (tensor<?xf32>) {
    %e = te.compute (d0: %c) {
      %w = arith.constant 1.0 : f32
      te.yield %w : f32
    } : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  %y = te.compute (d0: %n) {
    %a = te.read %l[d0] : tensor<?xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}
