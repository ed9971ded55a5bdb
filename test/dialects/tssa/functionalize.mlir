// RUN: tssa-opt %s --tssa-functionalize --split-input-file | FileCheck %s
// RUN: tssa-opt %s --tssa-functionalize --split-input-file | FileCheck %s --check-prefix=FUNCTIONAL
// FUNCTIONAL-NOT: !tssa.ref

// A write through a view of a view is one assign along the whole path, and an earlier view of the
// storage has the new contents.
// CHECK-LABEL: func @views
// CHECK-SAME: (%[[B:.*]]: tensor<4x?x3xf32>, %[[V:.*]]: tensor<3xf32>, %[[I:.*]]: index)
// CHECK: %[[N:.*]] = tssa.assign %[[V]] into %[[B]] [select(0, ?), select(0, 1)](%[[I]])
// CHECK: %[[R:.*]] = tssa.access %[[N]] [permute(2, 1, 0)] : tensor<4x?x3xf32> -> tensor<3x?x4xf32>
// CHECK: return %[[R]]
func.func @views(%b: tensor<4x?x3xf32>, %v: tensor<3xf32>, %i: index) -> tensor<3x?x4xf32> {
  %s = tssa.alloc %b : !tssa.ref<4x?x3xf32>
  %t = tssa.view %s [permute(2, 1, 0)] : !tssa.ref<4x?x3xf32> -> !tssa.ref<3x?x4xf32>
  %row = tssa.view %s [select(0, ?)](%i) : !tssa.ref<4x?x3xf32> -> !tssa.ref<?x3xf32>
  %one = tssa.view %row [select(0, 1)] : !tssa.ref<?x3xf32> -> !tssa.ref<3xf32>
  tssa.write %v, %one : !tssa.ref<3xf32>
  %r = tssa.read %t : !tssa.ref<3x?x4xf32>
  return %r : tensor<3x?x4xf32>
}

// -----

// A value that was read before a write does not change.
// CHECK-LABEL: func @snapshot
// CHECK-SAME: (%[[B:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[B]], %[[V]]
func.func @snapshot(%b: tensor<4xf32>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = tssa.alloc %b : !tssa.ref<4xf32>
  %old = tssa.read %s : !tssa.ref<4xf32>
  tssa.write %v, %s : !tssa.ref<4xf32>
  %new = tssa.read %s : !tssa.ref<4xf32>
  return %old, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop carries the contents of a storage that is written in it, and both regions of a branch
// yield them. The contents of a storage that is only read are not carried.
// CHECK-LABEL: func @nested
// CHECK: %[[L:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %arg0) -> (tensor<?xf32>)
// CHECK:   %[[C:.*]] = tssa.access %arg1 [select(0, ?)]
// CHECK:   %[[W:.*]] = scf.if %{{.*}} -> (tensor<?xf32>)
// CHECK:     %[[A:.*]] = tssa.assign %{{.*}} into %[[S]] [select(0, ?)]
// CHECK:     scf.yield %[[A]]
// CHECK:   } else {
// CHECK-NEXT: scf.yield %[[S]]
// CHECK:   scf.yield %[[W]]
// CHECK: return %[[L]]
func.func @nested(%b: tensor<?xf32>, %flags: tensor<?xi1>, %v: tensor<f32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tssa.alloc %b : !tssa.ref<?xf32>
  %f = tssa.alloc %flags : !tssa.ref<?xi1>
  scf.for %i = %c0 to %n step %c1 {
    %g = tssa.view %f [select(0, ?)](%i) : !tssa.ref<?xi1> -> !tssa.ref<i1>
    %t = tssa.read %g : !tssa.ref<i1>
    %c = tensor.extract %t[] : tensor<i1>
    scf.if %c {
      %e = tssa.view %s [select(0, ?)](%i) : !tssa.ref<?xf32> -> !tssa.ref<f32>
      tssa.write %v, %e : !tssa.ref<f32>
    }
  }
  %r = tssa.read %s : !tssa.ref<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The condition of a while reads what its body has written.
// CHECK-LABEL: func @while
// CHECK: %[[R:.*]] = scf.while (%[[S:.*]] = %arg0) : (tensor<i64>) -> tensor<i64> {
// CHECK:   tensor.extract %[[S]][]
// CHECK:   scf.condition(%{{.*}}) %[[S]]
// CHECK: ^bb0(%[[T:.*]]: tensor<i64>):
// CHECK:   tensor.extract %[[T]][]
// CHECK:   %[[N:.*]] = tensor.from_elements
// CHECK:   scf.yield %[[N]]
// CHECK: return %[[R]]
func.func @while(%b: tensor<i64>) -> tensor<i64> {
  %s = tssa.alloc %b : !tssa.ref<i64>
  %two = arith.constant 2 : i64
  %many = arith.constant 100 : i64
  scf.while : () -> () {
    %v = tssa.read %s : !tssa.ref<i64>
    %e = tensor.extract %v[] : tensor<i64>
    %c = arith.cmpi slt, %e, %many : i64
    scf.condition(%c)
  } do {
    %v = tssa.read %s : !tssa.ref<i64>
    %e = tensor.extract %v[] : tensor<i64>
    %d = arith.muli %e, %two : i64
    %w = tensor.from_elements %d : tensor<i64>
    tssa.write %w, %s : !tssa.ref<i64>
    scf.yield
  }
  %r = tssa.read %s : !tssa.ref<i64>
  return %r : tensor<i64>
}

// -----

// A storage allocated in a loop is a new one in each iteration, and is not carried.
// CHECK-LABEL: func @local
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tssa.assign
func.func @local(%b: tensor<4xf32>, %v: tensor<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = tssa.alloc %b : !tssa.ref<4xf32>
    %e = tssa.view %s [select(0, 0)] : !tssa.ref<4xf32> -> !tssa.ref<f32>
    tssa.write %v, %e : !tssa.ref<f32>
  }
  return
}

// -----

// The new contents of a written argument are a further result. The port of a result that is a view
// of an argument says so.
// CHECK-LABEL: func @main
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32> {te.port = #te.port<name = "x", dims = ["N"]>}, %[[Y:.*]]: tensor<f32>, %[[I:.*]]: index)
// CHECK-SAME: -> (tensor<?xf32> {te.port = #te.port<alias_of = 0>},
// CHECK-SAME: tensor<f32> {te.port = #te.port<alias_of = 0, path = [#tssa.select<0, ?>], indexes = 3>},
// CHECK-SAME: tensor<?xf32> {te.port = #te.port<name = "x", dims = ["N"], writes_back = 0>}, tensor<1xi64>)
// CHECK: %[[N:.*]] = tssa.assign %[[Y]] into %[[X]] [select(0, ?)](%[[I]])
// CHECK: %[[E:.*]] = tssa.access %[[N]] [select(0, ?)](%[[I]])
// CHECK: return %[[N]], %[[E]], %[[N]], %{{.*}} :
func.func @main(%x: !tssa.ref<?xf32> {te.port = #te.port<name = "x", dims = ["N"]>}, %y: !tssa.ref<f32>, %i: index)
    -> (!tssa.ref<?xf32>, !tssa.ref<f32>) {
  %e = tssa.view %x [select(0, ?)](%i) : !tssa.ref<?xf32> -> !tssa.ref<f32>
  %v = tssa.read %y : !tssa.ref<f32>
  tssa.write %v, %e : !tssa.ref<f32>
  return %x, %e : !tssa.ref<?xf32>, !tssa.ref<f32>
}

// -----

// CHECK-LABEL: func @sizes
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[N:.*]]: index)
// CHECK: %[[D:.*]] = tensor.dim %[[X]]
// CHECK: %[[C:.*]] = arith.constant 4 : index
// CHECK: return %[[D]], %[[N]], %[[C]]
func.func @sizes(%x: !tssa.ref<?x4xf32>, %n: index) -> (index, index, index) {
  %v = tssa.view %x [slice(0, 0, ?, 1), permute(1, 0)](%n) : !tssa.ref<?x4xf32> -> !tssa.ref<4x?xf32>
  %a = tssa.dim %x, 0 : !tssa.ref<?x4xf32>
  %b = tssa.dim %v, 1 : !tssa.ref<4x?xf32>
  %c = tssa.dim %v, 0 : !tssa.ref<4x?xf32>
  return %a, %b, %c : index, index, index
}
