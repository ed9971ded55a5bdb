// RUN: tssa-opt %s --tssa-resolve-refs --split-input-file | FileCheck %s
// RUN: tssa-opt %s --tssa-print-alias --split-input-file -o /dev/null | FileCheck %s --check-prefix=ALIAS
// RUN: tssa-opt %s --tssa-resolve-refs --split-input-file --remarks-filter=tssa-resolve-refs --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] ref | {{.*}} | Candidates=2, HasSlot=false
// REMARK: [Passed] ref | {{.*}} | Candidates=2, HasSlot=true

// A write through a name that is one of two arguments is a branch over the tag.
// CHECK-LABEL: func @chosen
// CHECK: scf.if %arg2 -> (index) {
// CHECK: scf.if %arg2 {
// CHECK:   tssa.write %{{.*}}, %arg0
// CHECK: } else {
// CHECK:   tssa.write %{{.*}}, %arg1
// ALIAS: selected name %{{.*}} : !tssa.ref<4xf32> is one of %arg0, %arg1
// ALIAS-NEXT: write %{{.*}} []
// ALIAS-NOT: refused
func.func @chosen(%a: !tssa.ref<4xf32>, %b: !tssa.ref<4xf32>, %c: i1, %v: tensor<4xf32>) {
  %r = scf.if %c -> !tssa.ref<4xf32> {
    scf.yield %a : !tssa.ref<4xf32>
  } else {
    scf.yield %b : !tssa.ref<4xf32>
  }
  tssa.write %v, %r : !tssa.ref<4xf32>
  return
}

// -----

// The first iteration writes to a storage from before the loop, later ones to that of the iteration
// before them, whose contents are in the slot.
// CHECK-LABEL: func @first_round
// CHECK: %[[S:.*]] = tssa.alloc
// CHECK: %[[EMPTY:.*]] = tensor.empty
// CHECK: scf.for {{.*}} iter_args(%[[SLOT:.*]] = %[[EMPTY]], %[[TAG:.*]] = %{{.*}}) -> (tensor<4xf32>, index) {
// CHECK:   %[[OWN:.*]] = tssa.alloc %[[SLOT]]
// CHECK:   arith.cmpi eq, %[[TAG]]
// CHECK:   tssa.write %{{.*}}, %[[OWN]]
// CHECK: } else {
// CHECK:   tssa.write %{{.*}}, %[[S]]
// ALIAS: selected name %{{.*}} : !tssa.ref<4xf32> is one of its slot, %{{.*}}
func.func @first_round(%h0: tensor<4xf32>, %g: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tssa.alloc %h0 : !tssa.ref<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %s) -> (!tssa.ref<4xf32>) {
    tssa.write %g, %h : !tssa.ref<4xf32>
    %m = tssa.alloc %g : !tssa.ref<4xf32>
    scf.yield %m : !tssa.ref<4xf32>
  }
  %v = tssa.read %s : !tssa.ref<4xf32>
  return %v : tensor<4xf32>
}

// -----

// In one branch, both names are the same new storage: the slot of the first is a candidate of the second.
// CHECK-LABEL: func @siblings
// CHECK: scf.if %{{.*}} -> (tensor<4xf32>, index, index) {
// ALIAS: selected name %[[R:.*]]#0 : !tssa.ref<4xf32> is one of its slot, %{{.*}}
// ALIAS: selected name %[[R]]#1 : !tssa.ref<4xf32> is one of %[[R]]#0, %{{.*}}
func.func @siblings(%x: tensor<4xf32>, %z: tensor<4xf32>, %c: i1, %v: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %a = tssa.alloc %x : !tssa.ref<4xf32>
  %b = tssa.alloc %z : !tssa.ref<4xf32>
  %r:2 = scf.if %c -> (!tssa.ref<4xf32>, !tssa.ref<4xf32>) {
    %n = tssa.alloc %v : !tssa.ref<4xf32>
    scf.yield %n, %n : !tssa.ref<4xf32>, !tssa.ref<4xf32>
  } else {
    scf.yield %a, %b : !tssa.ref<4xf32>, !tssa.ref<4xf32>
  }
  tssa.write %v, %r#0 : !tssa.ref<4xf32>
  %r0 = tssa.read %r#0 : !tssa.ref<4xf32>
  %r1 = tssa.read %r#1 : !tssa.ref<4xf32>
  return %r0, %r1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Each of two names may be the same storage.
// CHECK-LABEL: func @chosen_twice
// CHECK-COUNT-2: scf.if {{.*}} -> (index)
// CHECK: tssa.write
// CHECK: tssa.write
// CHECK: scf.if {{.*}} -> (tensor<4xf32>)
// CHECK:   tssa.read
// CHECK:   tssa.read
// ALIAS: selected name
// ALIAS: selected name
func.func @chosen_twice(%x: tensor<4xf32>, %c: i1, %d: i1, %v: tensor<4xf32>) -> tensor<4xf32> {
  %s = tssa.alloc %x : !tssa.ref<4xf32>
  %a = tssa.alloc %v : !tssa.ref<4xf32>
  %b = tssa.alloc %v : !tssa.ref<4xf32>
  %p = scf.if %c -> !tssa.ref<4xf32> {
    scf.yield %s : !tssa.ref<4xf32>
  } else {
    scf.yield %a : !tssa.ref<4xf32>
  }
  %q = scf.if %d -> !tssa.ref<4xf32> {
    scf.yield %s : !tssa.ref<4xf32>
  } else {
    scf.yield %b : !tssa.ref<4xf32>
  }
  tssa.write %v, %p : !tssa.ref<4xf32>
  %r = tssa.read %q : !tssa.ref<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The arguments of a loop become one storage in its second iteration.
// CHECK-LABEL: func @carried_together
// CHECK: scf.for {{.*}} -> (tensor<4xf32>, index, index) {
// ALIAS: selected name %{{.*}} : !tssa.ref<4xf32> is one of its slot, %{{.*}}
// ALIAS: selected name %{{.*}} : !tssa.ref<4xf32> is one of %{{.*}}, %{{.*}}
func.func @carried_together(%x: tensor<4xf32>, %v: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tssa.alloc %x : !tssa.ref<4xf32>
  %b = tssa.alloc %v : !tssa.ref<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (!tssa.ref<4xf32>, !tssa.ref<4xf32>) {
    tssa.write %v, %p : !tssa.ref<4xf32>
    %w = tssa.read %q : !tssa.ref<4xf32>
    %m = tssa.alloc %w : !tssa.ref<4xf32>
    scf.yield %m, %m : !tssa.ref<4xf32>, !tssa.ref<4xf32>
  }
  %o = tssa.read %r#0 : !tssa.ref<4xf32>
  return %o : tensor<4xf32>
}

// -----

// The path of a candidate has integers that vary; a view of a selected name is a view of each candidate.
// CHECK-LABEL: func @rows
// CHECK: %[[R:.*]]:3 = scf.if {{.*}} -> (index, index, index) {
// CHECK: tssa.view %arg0 [select(0, ?)](%[[R]]#1)
// CHECK: tssa.view %arg1 [select(0, ?)](%[[R]]#2)
// CHECK: tssa.view %{{.*}} [slice(0, 1, 2, 1)]
// CHECK: tssa.view %{{.*}} [slice(0, 1, 2, 1)]
// CHECK: tssa.write
// CHECK: tssa.write
// ALIAS: selected name %{{.*}} : !tssa.ref<4xf32> is one of %arg0 [select(0, ?)], %arg1 [select(0, ?)]
func.func @rows(%a: !tssa.ref<3x4xf32>, %b: !tssa.ref<2x4xf32>, %i: index, %j: index, %c: i1, %v: tensor<2xf32>) {
  %r = scf.if %c -> !tssa.ref<4xf32> {
    %row = tssa.view %a [select(0, ?)](%i) : !tssa.ref<3x4xf32> -> !tssa.ref<4xf32>
    scf.yield %row : !tssa.ref<4xf32>
  } else {
    %row = tssa.view %b [select(0, ?)](%j) : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
    scf.yield %row : !tssa.ref<4xf32>
  }
  %part = tssa.view %r [slice(0, 1, 2, 1)] : !tssa.ref<4xf32> -> !tssa.ref<2xf32>
  tssa.write %v, %part : !tssa.ref<2xf32>
  return
}

// -----

// The slot holds the whole of a new storage, of which the other name is a row, whichever comes first.
// Two rows have nothing in common: each is in a slot of its own.
// CHECK-LABEL: func @two_views
// CHECK: %[[R:.*]]:7 = scf.if %{{.*}} -> (index, tensor<2x4xf32>, index, tensor<4xf32>, index
// CHECK: %[[SLOT:.*]] = tssa.alloc %[[R]]#1
// CHECK: tssa.view %[[SLOT]] [select(0, 1)]
// ALIAS: selected name %[[R:.*]]#0 : !tssa.ref<4xf32> is one of %[[R]]#1 [select(0, 1)], %{{.*}}
// ALIAS: selected name %[[R]]#1 : !tssa.ref<2x4xf32> is one of its slot, %{{.*}}
func.func @two_views(%x: tensor<4xf32>, %z: tensor<2x4xf32>, %c: i1, %v: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = tssa.alloc %x : !tssa.ref<4xf32>
  %b = tssa.alloc %z : !tssa.ref<2x4xf32>
  %r:4 = scf.if %c -> (!tssa.ref<4xf32>, !tssa.ref<2x4xf32>, !tssa.ref<4xf32>, !tssa.ref<4xf32>) {
    %n = tssa.alloc %z : !tssa.ref<2x4xf32>
    %row = tssa.view %n [select(0, 1)] : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
    %m = tssa.alloc %z : !tssa.ref<2x4xf32>
    %first = tssa.view %m [select(0, 0)] : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
    %second = tssa.view %m [select(0, 1)] : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
    scf.yield %row, %n, %first, %second : !tssa.ref<4xf32>, !tssa.ref<2x4xf32>, !tssa.ref<4xf32>, !tssa.ref<4xf32>
  } else {
    scf.yield %a, %b, %a, %a : !tssa.ref<4xf32>, !tssa.ref<2x4xf32>, !tssa.ref<4xf32>, !tssa.ref<4xf32>
  }
  tssa.write %v, %r#0 : !tssa.ref<4xf32>
  tssa.write %v, %r#2 : !tssa.ref<4xf32>
  %r0 = tssa.read %r#0 : !tssa.ref<4xf32>
  %r1 = tssa.read %r#1 : !tssa.ref<2x4xf32>
  %r2 = tssa.read %r#2 : !tssa.ref<4xf32>
  %r3 = tssa.read %r#3 : !tssa.ref<4xf32>
  return %r0, %r1, %r2, %r3 : tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What is computed between a read and a write through one tag moves into the arms; what has other uses, or comes
// before another write, stays.
// CHECK-LABEL: func @computed_between
// CHECK: scf.if %arg2 {
// CHECK:   %[[OLD:.*]] = tssa.read %arg0
// CHECK:   %[[SUM:.*]] = te.compute
// CHECK:     te.read %[[OLD]]
// CHECK:   tssa.write %[[SUM]], %arg0
// CHECK: } else {
// CHECK:   tssa.read %arg1
// CHECK:   te.compute
// CHECK:   tssa.write %{{.*}}, %arg1
// CHECK: }
// CHECK: %[[READ:.*]] = scf.if %arg2 -> (tensor<4xf32>) {
// CHECK: tssa.write %arg3, %arg0
// CHECK: scf.if %arg2 {
// CHECK-NEXT: tssa.write %[[READ]], %arg0
func.func @computed_between(%a: !tssa.ref<4xf32>, %b: !tssa.ref<4xf32>, %c: i1, %v: tensor<4xf32>) {
  %r = arith.select %c, %a, %b : !tssa.ref<4xf32>
  %old = tssa.read %r : !tssa.ref<4xf32>
  %sum = te.compute (d0: 4) {
    %x = te.read %old[d0] : tensor<4xf32>
    %y = te.read %v[d0] : tensor<4xf32>
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } : tensor<4xf32>
  tssa.write %sum, %r : !tssa.ref<4xf32>
  %now = tssa.read %r : !tssa.ref<4xf32>
  tssa.write %v, %a : !tssa.ref<4xf32>
  tssa.write %now, %r : !tssa.ref<4xf32>
  return
}
