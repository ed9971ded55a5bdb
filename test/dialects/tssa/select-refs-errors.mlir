// RUN: tssa-opt %s --tssa-resolve-refs --tssa-functionalize --split-input-file --verify-diagnostics
// RUN: tssa-opt %s --tssa-resolve-refs --tssa-rewrite-mutation --split-input-file --verify-diagnostics

// A write through the chosen reference may be a write to a constant, which the next run reads.
func.func @constant(%w: tensor<4xf32>, %a: tensor<4xf32>, %c: i1, %v: tensor<4xf32>) {
  %s = tssa.alloc %w {constant = "weight"} : !tssa.ref<4xf32>
  %t = tssa.alloc %a : !tssa.ref<4xf32>
  %r = scf.if %c -> !tssa.ref<4xf32> {
    scf.yield %s : !tssa.ref<4xf32>
  } else {
    scf.yield %t : !tssa.ref<4xf32>
  }
  // expected-error @+1 {{expected a write to a tensor that may change, but 'weight' is a constant of the program}}
  tssa.write %v, %r : !tssa.ref<4xf32>
  return
}

// -----

// So does a loop that swaps the constant with another storage, in a later iteration.
func.func @swapped_constant(%w: tensor<4xf32>, %a: tensor<4xf32>, %n: index, %v: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tssa.alloc %w {constant = "weight"} : !tssa.ref<4xf32>
  %t = tssa.alloc %a : !tssa.ref<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %t, %q = %s) -> (!tssa.ref<4xf32>, !tssa.ref<4xf32>) {
    // expected-error @+1 {{expected a write to a tensor that may change, but 'weight' is a constant of the program}}
    tssa.write %v, %p : !tssa.ref<4xf32>
    scf.yield %q, %p : !tssa.ref<4xf32>, !tssa.ref<4xf32>
  }
  return
}
