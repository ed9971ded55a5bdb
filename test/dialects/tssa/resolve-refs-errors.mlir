// RUN: tssa-opt %s --tssa-resolve-refs --split-input-file --verify-diagnostics

// A write through the chosen reference may be a write to an argument.
// expected-note @+1 {{that may refer to this storage}}
func.func @chosen(%a: !tssa.ref<4xf32>, %b: !tssa.ref<4xf32>, %c: i1, %v: tensor<4xf32>) {
  // expected-note @+1 {{control flow chooses a reference here}}
  %r = scf.if %c -> !tssa.ref<4xf32> {
    scf.yield %a : !tssa.ref<4xf32>
  } else {
    scf.yield %b : !tssa.ref<4xf32>
  }
  // expected-error @+1 {{this write may change a storage that another reference also refers to}}
  tssa.write %v, %r : !tssa.ref<4xf32>
  // expected-note @+1 {{and the other reference is used here}}
  return
}

// -----

// The first iteration writes to a storage that is read through its old reference afterwards.
func.func @first_round(%h0: tensor<4xf32>, %g: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{that may refer to this storage}}
  %s = tssa.alloc %h0 : !tssa.ref<4xf32>
  // expected-note @+1 {{control flow chooses a reference here}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %s) -> (!tssa.ref<4xf32>) {
    // expected-error @+1 {{this write may change a storage that another reference also refers to}}
    tssa.write %g, %h : !tssa.ref<4xf32>
    %m = tssa.alloc %g : !tssa.ref<4xf32>
    scf.yield %m : !tssa.ref<4xf32>
  }
  // expected-note @+1 {{and the other reference is used here}}
  %v = tssa.read %s : !tssa.ref<4xf32>
  return %v : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected a function with one block}}
func.func @blocks(%s: !tssa.ref<1xf32>) {
  cf.br ^bb1
^bb1:
  return
}

// -----

// A write through the chosen reference may be a write to a constant, which the next run reads.
func.func @constant(%w: tensor<4xf32>, %a: tensor<4xf32>, %c: i1, %v: tensor<4xf32>) {
  // expected-note @+1 {{that may refer to this storage}}
  %s = tssa.alloc %w {constant = "weight"} : !tssa.ref<4xf32>
  %t = tssa.alloc %a : !tssa.ref<4xf32>
  // expected-note @+1 {{control flow chooses a reference here}}
  %r = scf.if %c -> !tssa.ref<4xf32> {
    scf.yield %s : !tssa.ref<4xf32>
  } else {
    scf.yield %t : !tssa.ref<4xf32>
  }
  // expected-error @+1 {{this write may change a storage that another reference also refers to}}
  tssa.write %v, %r : !tssa.ref<4xf32>
  // expected-note @+1 {{and the other reference is used here}}
  return
}

// -----

// In one branch, both references refer to the same storage, which has no other use.
func.func @siblings(%x: tensor<4xf32>, %z: tensor<4xf32>, %c: i1, %v: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %a = tssa.alloc %x : !tssa.ref<4xf32>
  %b = tssa.alloc %z : !tssa.ref<4xf32>
  // expected-note @+2 {{control flow chooses a reference here}}
  // expected-note @+1 {{that may refer to this storage}}
  %r:2 = scf.if %c -> (!tssa.ref<4xf32>, !tssa.ref<4xf32>) {
    %n = tssa.alloc %v : !tssa.ref<4xf32>
    scf.yield %n, %n : !tssa.ref<4xf32>, !tssa.ref<4xf32>
  } else {
    scf.yield %a, %b : !tssa.ref<4xf32>, !tssa.ref<4xf32>
  }
  // expected-error @+1 {{this write may change a storage that another reference also refers to}}
  tssa.write %v, %r#0 : !tssa.ref<4xf32>
  %r0 = tssa.read %r#0 : !tssa.ref<4xf32>
  // expected-note @+1 {{and the other reference is used here}}
  %r1 = tssa.read %r#1 : !tssa.ref<4xf32>
  return %r0, %r1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Each of two branches may choose the same storage, which has no other use.
func.func @chosen_twice(%x: tensor<4xf32>, %c: i1, %d: i1, %v: tensor<4xf32>) -> tensor<4xf32> {
  %s = tssa.alloc %x : !tssa.ref<4xf32>
  %a = tssa.alloc %v : !tssa.ref<4xf32>
  %b = tssa.alloc %v : !tssa.ref<4xf32>
  // expected-note @+1 {{control flow chooses a reference here}}
  %p = scf.if %c -> !tssa.ref<4xf32> {
    scf.yield %s : !tssa.ref<4xf32>
  } else {
    scf.yield %a : !tssa.ref<4xf32>
  }
  // expected-note @+1 {{that may refer to this storage}}
  %q = scf.if %d -> !tssa.ref<4xf32> {
    scf.yield %s : !tssa.ref<4xf32>
  } else {
    scf.yield %b : !tssa.ref<4xf32>
  }
  // expected-error @+1 {{this write may change a storage that another reference also refers to}}
  tssa.write %v, %p : !tssa.ref<4xf32>
  // expected-note @+1 {{and the other reference is used here}}
  %r = tssa.read %q : !tssa.ref<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The arguments of a loop become one storage in its second iteration.
func.func @carried_together(%x: tensor<4xf32>, %v: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tssa.alloc %x : !tssa.ref<4xf32>
  %b = tssa.alloc %v : !tssa.ref<4xf32>
  // expected-note @+2 {{control flow chooses a reference here}}
  // expected-note @+1 {{that may refer to this storage}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (!tssa.ref<4xf32>, !tssa.ref<4xf32>) {
    // expected-error @+1 {{this write may change a storage that another reference also refers to}}
    tssa.write %v, %p : !tssa.ref<4xf32>
    // expected-note @+1 {{and the other reference is used here}}
    %w = tssa.read %q : !tssa.ref<4xf32>
    %m = tssa.alloc %w : !tssa.ref<4xf32>
    scf.yield %m, %m : !tssa.ref<4xf32>, !tssa.ref<4xf32>
  }
  %o = tssa.read %r#0 : !tssa.ref<4xf32>
  return %o : tensor<4xf32>
}
