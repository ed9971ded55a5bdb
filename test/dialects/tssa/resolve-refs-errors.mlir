// RUN: tssa-opt %s --tssa-resolve-refs --split-input-file --verify-diagnostics

// A storage of the branch ends with it, and no slot holds both of two views that overlap.
func.func @overlapping(%x: tensor<2xf32>, %z: tensor<3xf32>, %c: i1, %v: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  %a = tssa.alloc %x : !tssa.ref<2xf32>
  %b = tssa.alloc %x : !tssa.ref<2xf32>
  // expected-note @+2 {{control flow chooses a reference here}}
  // expected-note @+1 {{that may refer to this storage}}
  %r:2 = scf.if %c -> (!tssa.ref<2xf32>, !tssa.ref<2xf32>) {
    %n = tssa.alloc %z : !tssa.ref<3xf32>
    %left = tssa.view %n [slice(0, 0, 2, 1)] : !tssa.ref<3xf32> -> !tssa.ref<2xf32>
    %right = tssa.view %n [slice(0, 1, 2, 1)] : !tssa.ref<3xf32> -> !tssa.ref<2xf32>
    scf.yield %left, %right : !tssa.ref<2xf32>, !tssa.ref<2xf32>
  } else {
    scf.yield %a, %b : !tssa.ref<2xf32>, !tssa.ref<2xf32>
  }
  // expected-error @+1 {{this write may change a storage that another reference also refers to}}
  tssa.write %v, %r#0 : !tssa.ref<2xf32>
  %r0 = tssa.read %r#0 : !tssa.ref<2xf32>
  // expected-note @+1 {{and the other reference is used here}}
  %r1 = tssa.read %r#1 : !tssa.ref<2xf32>
  return %r0, %r1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// expected-error @+1 {{expected a function with one block}}
func.func @blocks(%s: !tssa.ref<1xf32>) {
  cf.br ^bb1
^bb1:
  return
}


// -----

// Each iteration may add a step to the path, so that the candidates have no end.
// expected-note @+1 {{that may refer to this storage}}
func.func @paths_that_grow(%s: !tssa.ref<3x3xf32>, %o: !tssa.ref<3x3xf32>, %c: i1, %v: tensor<3x3xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{control flow chooses a reference here}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %s) -> (!tssa.ref<3x3xf32>) {
    // expected-error @+1 {{this write may change a storage that another reference also refers to}}
    tssa.write %v, %p : !tssa.ref<3x3xf32>
    %t = tssa.view %p [permute(1, 0)] : !tssa.ref<3x3xf32> -> !tssa.ref<3x3xf32>
    %q = scf.if %c -> !tssa.ref<3x3xf32> {
      scf.yield %t : !tssa.ref<3x3xf32>
    } else {
      // expected-note @+1 {{and the other reference is used here}}
      scf.yield %o : !tssa.ref<3x3xf32>
    }
    scf.yield %q : !tssa.ref<3x3xf32>
  }
  return
}
