// RUN: tssa-opt %s --te-merge --remarks-filter=te-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// Each merged expression has a remark with the expression that it was merged into, and each stored
// one a remark with the reason. The function has the number of launches before and after.
// CHECK: merge-remarks.mlir:[[@LINE+6]]:8: remark: [Passed] merged | {{.*}} | Into=loc("{{.*}}merge-remarks.mlir":[[@LINE+10]]:8), Ops=0, Remark="computed where it is read"
// CHECK: merge-remarks.mlir:[[@LINE+13]]:8: remark: [Passed] merged | {{.*}}, Ops=1, Remark="the epilogue of a reduction"
// CHECK: merge-remarks.mlir:[[@LINE+4]]:8: remark: [Missed] stored | {{.*}} | Computations=8.0, Ops=0, Reason="its reader reads it in another order or repeatedly", Uses=1
// CHECK: merge-remarks.mlir:[[@LINE+16]]:8: remark: [Missed] stored | {{.*}} | Computations=1.0, Ops=1, Reason="an op other than a tensor expression uses it", Uses=2
// CHECK: merge-remarks.mlir:[[@LINE+1]]:1: remark: [Analysis] expressions | {{.*}} | Absorbed=1, After=3, Before=5, Expanded=0, Inlined=1, Split=0, Windows=0
func.func @chain(%x: tensor<6x8xf32>, %w: tensor<8xf32>) -> (tensor<6xf32>, tensor<6x8xf32>) {
  %t = te.compute (d0: 6, d1: 8) {
    %v = te.read %x[d0, 7 - d1] : tensor<6x8xf32>
    te.yield %v : f32
  } : tensor<6x8xf32>
  %s = te.compute (d0: 6) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %t[d0, d1] : tensor<6x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<6xf32>
  %n = te.compute (d0: 6) {
    %v = te.read %s[d0] : tensor<6xf32>
    %m = arith.negf %v : f32
    te.yield %m : f32
  } : tensor<6xf32>
  %y = te.compute (d0: 6, d1: 8) {
    %v = te.read %n[d0] : tensor<6xf32>
    %p = te.read %w[d1] : tensor<8xf32>
    %m = arith.mulf %v, %p : f32
    te.yield %m : f32
  } : tensor<6x8xf32>
  %z = te.compute (d0: 6) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %y[d0, d1] : tensor<6x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } combine arith.addf : tensor<6xf32>
  return %z, %y : tensor<6xf32>, tensor<6x8xf32>
}

// An update says what it becomes, or why it stays.
// CHECK: merge-remarks.mlir:[[@LINE+9]]:8: remark: [Passed] update | {{.*}} | Pieces=2, Remark="an expression with pieces"
// CHECK: merge-remarks.mlir:[[@LINE+12]]:8: remark: [Missed] update | {{.*}} | Reason="it does not write each element of a window once whose bounds are constants, or the end of a dim", Remark="written in place"
// CHECK: remark: [Analysis] expressions | {{.*}} Expanded=1, Inlined=1, Split=0, Windows=0
func.func @updates(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %b = te.compute (d0: 6, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<6x8xf32>
    %m = math.exp %v : f32
    te.yield %m : f32
  } : tensor<6x8xf32>
  %u = te.update (d0: 6) into %b[d0, 0] injective {
    %v = te.read %x[d0, 1] : tensor<6x8xf32>
    te.yield %v : f32
  } : tensor<6x8xf32>
  %y = te.update (d0: 6, d1: 4) into %u[d0, d1 * 2] injective {
    %v = te.read %x[d0, d1] : tensor<6x8xf32>
    te.yield %v : f32
  } : tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// A window that is computed once says so.
// CHECK: remark: [Passed] merged | {{.*}} Remark="a window of it is computed once"
func.func @window(%x: tensor<600x800xf32>) -> tensor<600x799xf32> {
  %b = te.compute (d0: 600, d1: 800) {
    %v = te.read %x[d0, d1] : tensor<600x800xf32>
    %m = math.exp %v : f32
    te.yield %m : f32
  } : tensor<600x800xf32>
  %y = te.compute (d0: 600, d1: 799) {
    %v = te.read %b[d0, 0] : tensor<600x800xf32>
    %w = te.read %b[d0, d1 + 1] : tensor<600x800xf32>
    %m = arith.mulf %v, %w : f32
    te.yield %m : f32
  } : tensor<600x799xf32>
  return %y : tensor<600x799xf32>
}
