// RUN: tssa-opt %s --tssa-resolve-refs --split-input-file | FileCheck %s
// RUN: tssa-opt %s --tssa-print-alias --split-input-file -o /dev/null | FileCheck %s --check-prefix=ALIAS
// RUN: tssa-opt %s --tssa-resolve-refs --split-input-file --remarks-filter=tssa-resolve-refs --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] ref | {{.*}} | CarriedIndexes=1
// REMARK: [Passed] ref | {{.*}} | CarriedIndexes=0
// REMARK: [Missed] ref | {{.*}} | Reason="it may refer to different storages, so its value is carried"

// Two references to rows that a loop swaps become two indexes.
// CHECK-LABEL: func @swap
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (index, index) {
// CHECK:   tssa.view %arg0 [select(0, ?)](%[[A]])
// CHECK:   tssa.view %arg0 [select(0, ?)](%[[B]])
// CHECK:   scf.yield %[[B]], %[[A]] : index, index
// ALIAS: function @swap
// ALIAS-NEXT: storage %arg0 : !tssa.ref<2x4xf32>
// ALIAS-NEXT:   name %arg{{.*}} [select(0, ?)]
// ALIAS-NEXT:   name %arg{{.*}} [select(0, ?)]
// ALIAS-NEXT:   name %{{.*}}#0 [select(0, ?)]
// ALIAS-NEXT:   name %{{.*}}#1 [select(0, ?)]
// ALIAS-NEXT:   view %{{.*}} [select(0, 0)]
// ALIAS-NEXT:   view %{{.*}} [select(0, 1)]
// ALIAS-NEXT:   write %arg{{.*}} [select(0, ?)]
func.func @swap(%buf: !tssa.ref<2x4xf32>, %n: index) -> !tssa.ref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cur = tssa.view %buf [select(0, 0)] : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
  %nxt = tssa.view %buf [select(0, 1)] : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %cur, %b = %nxt) -> (!tssa.ref<4xf32>, !tssa.ref<4xf32>) {
    %x = tssa.read %a : !tssa.ref<4xf32>
    tssa.write %x, %b : !tssa.ref<4xf32>
    scf.yield %b, %a : !tssa.ref<4xf32>, !tssa.ref<4xf32>
  }
  return %r#0 : !tssa.ref<4xf32>
}

// -----

// For a reference that is always the same view, nothing is carried.
// CHECK-LABEL: func @same
// CHECK: scf.if %{{.*}} {
// CHECK: tssa.read %arg0
// CHECK-NOT: tssa.alloc
func.func @same(%s: !tssa.ref<4xf32>, %c: i1) -> tensor<4xf32> {
  %r = scf.if %c -> !tssa.ref<4xf32> {
    %z = tssa.read %s : !tssa.ref<4xf32>
    tssa.write %z, %s : !tssa.ref<4xf32>
    scf.yield %s : !tssa.ref<4xf32>
  } else {
    scf.yield %s : !tssa.ref<4xf32>
  }
  %v = tssa.read %r : !tssa.ref<4xf32>
  return %v : tensor<4xf32>
}

// -----

// A new storage in each iteration: the value is carried.
// CHECK-LABEL: func @recurrent
// CHECK: scf.for {{.*}} iter_args(%[[H:.*]] = %{{.*}}) -> (tensor<4xf32>) {
// CHECK:   %[[S:.*]] = tssa.alloc %[[H]]
// CHECK:   tssa.read %[[S]]
// CHECK:   %[[M:.*]] = tssa.alloc
// CHECK:   %[[V:.*]] = tssa.read %[[M]]
// CHECK:   scf.yield %[[V]] : tensor<4xf32>
// ALIAS: name with a storage of its own %arg{{.*}} : !tssa.ref<4xf32> from %{{.*}}, %{{.*}}
func.func @recurrent(%h0: tensor<4xf32>, %z: tensor<f32>, %n: index) -> !tssa.ref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tssa.alloc %h0 : !tssa.ref<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %s) -> (!tssa.ref<4xf32>) {
    %x = tssa.read %h : !tssa.ref<4xf32>
    %m = tssa.alloc %x : !tssa.ref<4xf32>
    %v = tssa.view %m [select(0, 1)] : !tssa.ref<4xf32> -> !tssa.ref<f32>
    tssa.write %z, %v : !tssa.ref<f32>
    scf.yield %m : !tssa.ref<4xf32>
  }
  return %r : !tssa.ref<4xf32>
}

// -----

// Both regions of a while carry a reference; a branch keeps it or allocates a new storage.
// CHECK-LABEL: func @while
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK:   scf.condition(%{{.*}}) %{{.*}} : tensor<4xf32>
// CHECK: ^bb0(%[[H:.*]]: tensor<4xf32>):
// CHECK:   scf.if %{{.*}} -> (tensor<4xf32>) {
// CHECK:   scf.yield %{{.*}} : tensor<4xf32>
func.func @while(%h0: tensor<4xf32>, %g: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %s = tssa.alloc %h0 : !tssa.ref<4xf32>
  %r = scf.while (%h = %s) : (!tssa.ref<4xf32>) -> !tssa.ref<4xf32> {
    %x = tssa.read %h : !tssa.ref<4xf32>
    %e = tensor.extract %x[%c0] : tensor<4xf32>
    %c = arith.cmpf olt, %e, %z : f32
    scf.condition(%c) %h : !tssa.ref<4xf32>
  } do {
  ^bb0(%h: !tssa.ref<4xf32>):
    %q = scf.if %p -> !tssa.ref<4xf32> {
      %t = tssa.alloc %g : !tssa.ref<4xf32>
      scf.yield %t : !tssa.ref<4xf32>
    } else {
      scf.yield %h : !tssa.ref<4xf32>
    }
    scf.yield %q : !tssa.ref<4xf32>
  }
  %v = tssa.read %r : !tssa.ref<4xf32>
  return %v : tensor<4xf32>
}

// -----

// If control flow chooses between two storages that are only read, it chooses between values.
// CHECK-LABEL: func @select
// CHECK: scf.if
// CHECK: tssa.read %arg0
// CHECK: tssa.read %arg1
func.func @select(%a: !tssa.ref<4xf32>, %b: !tssa.ref<4xf32>, %c: i1) -> tensor<4xf32> {
  %r = arith.select %c, %a, %b : !tssa.ref<4xf32>
  %v = tssa.read %r : !tssa.ref<4xf32>
  return %v : tensor<4xf32>
}

// -----

// Two swapped storages are never the same: both may be written.
// CHECK-LABEL: func @swap_storages
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<4xf32>, tensor<4xf32>) {
// ALIAS: function @swap_storages
func.func @swap_storages(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tssa.alloc %x : !tssa.ref<4xf32>
  %t = tssa.alloc %y : !tssa.ref<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s, %b = %t) -> (!tssa.ref<4xf32>, !tssa.ref<4xf32>) {
    %w = tssa.read %b : !tssa.ref<4xf32>
    tssa.write %w, %a : !tssa.ref<4xf32>
    tssa.write %v, %b : !tssa.ref<4xf32>
    scf.yield %b, %a : !tssa.ref<4xf32>, !tssa.ref<4xf32>
  }
  %o = tssa.read %r#0 : !tssa.ref<4xf32>
  return %o : tensor<4xf32>
}

// -----

// The reference is chosen again after each write to a storage that it may refer to.
// CHECK-LABEL: func @chosen_anew
// CHECK: scf.for
// CHECK:   tssa.write
// CHECK:   scf.if {{.*}} -> (tensor<4xf32>)
// CHECK:   tssa.alloc
// CHECK:   tssa.read
// ALIAS: function @chosen_anew
func.func @chosen_anew(%s: !tssa.ref<4xf32>, %o: !tssa.ref<4xf32>, %x: tensor<4xf32>, %p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tssa.write %x, %s : !tssa.ref<4xf32>
    %t = tssa.alloc %x : !tssa.ref<4xf32>
    %c = scf.if %p -> !tssa.ref<4xf32> {
      scf.yield %s : !tssa.ref<4xf32>
    } else {
      scf.yield %t : !tssa.ref<4xf32>
    }
    %v = tssa.read %c : !tssa.ref<4xf32>
    tssa.write %v, %o : !tssa.ref<4xf32>
  }
  return
}
