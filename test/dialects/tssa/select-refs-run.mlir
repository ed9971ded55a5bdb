// RUN: tssa-opt %s --te-evaluate -o /dev/null | FileCheck %s
// RUN: tssa-opt %s --tssa-resolve-refs --te-evaluate -o /dev/null | FileCheck %s
// RUN: tssa-opt %s --tssa-resolve-refs --tssa-functionalize --te-evaluate -o /dev/null | FileCheck %s
// RUN: tssa-opt %s --tssa-resolve-refs --tssa-rewrite-mutation --tssa-propagate-blocks --tssa-rename --tssa-erase-versions --te-evaluate -o /dev/null | FileCheck %s

// A swap in some iterations of a loop, a write through a name that is one of three storages, one of which the loop
// allocates, and reads through the names from before.

// CHECK: result 0: 2xf32 [2, 2]
// CHECK-NEXT: result 1: 2xf32 [3, 3]
// CHECK-NEXT: result 2: 2xf32 [2, 2]
// CHECK-NEXT: result 3: 2xf32 [9, 9]

func.func private @run(%x: tensor<2xf32>, %y: tensor<2xf32>, %n: index) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tssa.alloc %x : !tssa.ref<2xf32>
  %b = tssa.alloc %y : !tssa.ref<2xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (!tssa.ref<2xf32>, !tssa.ref<2xf32>) {
    // One more in p.
    %old = tssa.read %p : !tssa.ref<2xf32>
    %new = te.compute (d0: 2) {
      %v = te.read %old[d0] : tensor<2xf32>
      %one = arith.constant 1.0 : f32
      %s = arith.addf %v, %one : f32
      te.yield %s : f32
    } : tensor<2xf32>
    tssa.write %new, %p : !tssa.ref<2xf32>
    // In iteration 2, q becomes a new storage; in the others, p and q are swapped.
    %last = arith.cmpi eq, %i, %c2 : index
    %s:2 = scf.if %last -> (!tssa.ref<2xf32>, !tssa.ref<2xf32>) {
      %nine = te.constant dense<9.0> : tensor<2xf32>
      %fresh = tssa.alloc %nine : !tssa.ref<2xf32>
      scf.yield %p, %fresh : !tssa.ref<2xf32>, !tssa.ref<2xf32>
    } else {
      scf.yield %q, %p : !tssa.ref<2xf32>, !tssa.ref<2xf32>
    }
    scf.yield %s#0, %s#1 : !tssa.ref<2xf32>, !tssa.ref<2xf32>
  }
  %va = tssa.read %a : !tssa.ref<2xf32>
  %vb = tssa.read %b : !tssa.ref<2xf32>
  %vp = tssa.read %r#0 : !tssa.ref<2xf32>
  %vq = tssa.read %r#1 : !tssa.ref<2xf32>
  return %va, %vb, %vp, %vq : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

func.func @main() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %n = arith.constant 3 : index
  %x = te.constant dense<0.0> : tensor<2xf32>
  %y = te.constant dense<2.0> : tensor<2xf32>
  %r:4 = func.call @run(%x, %y, %n) : (tensor<2xf32>, tensor<2xf32>, index) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
