// RUN: tssa-opt %s --tssa-functionalize --split-input-file --verify-diagnostics
// RUN: tssa-opt %s --tssa-rewrite-mutation --split-input-file --verify-diagnostics

func.func @expanded(%b: tensor<1xf32>, %v: tensor<4xf32>) {
  // expected-note @+1 {{the storage is allocated here}}
  %s = tssa.alloc %b : !tssa.ref<1xf32>
  %e = tssa.view %s [expand(0, 4)] : !tssa.ref<1xf32> -> !tssa.ref<4xf32>
  // expected-error @+1 {{expected a write to distinct elements, but an expanded view has the same element several times}}
  tssa.write %v, %e : !tssa.ref<4xf32>
  return
}

// -----

func.func @call(%s: !tssa.ref<1xf32>) {
  // expected-error @+1 {{a reference is passed through 'func.call'; expected no calls, and 'tssa-resolve-refs' to have run before}}
  func.call @call(%s) : (!tssa.ref<1xf32>) -> ()
  return
}

// -----

func.func @loop(%s: !tssa.ref<1xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{a reference is passed through 'scf.for'; expected no calls, and 'tssa-resolve-refs' to have run before}}
  %r = scf.for %i = %n to %n step %c1 iter_args(%a = %s) -> !tssa.ref<1xf32> {
    scf.yield %a : !tssa.ref<1xf32>
  }
  return
}

// -----

func.func @region(%s: !tssa.ref<1xf32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{references are used inside of 'scf.execute_region'; expected scf.if, scf.for or scf.while}}
  scf.execute_region {
    tssa.write %v, %s : !tssa.ref<1xf32>
    scf.yield
  }
  return
}

// -----

// expected-error @+1 {{expected a function with one block}}
func.func @blocks(%s: !tssa.ref<1xf32>) {
  cf.br ^bb1
^bb1:
  return
}

// -----

func.func @constant(%w: tensor<4xf32>, %v: tensor<2xf32>) {
  %s = tssa.alloc %w {constant = "weight"} : !tssa.ref<4xf32>
  %window = tssa.view %s [slice(0, 0, 2, 1)] : !tssa.ref<4xf32> -> !tssa.ref<2xf32>
  // expected-error @+1 {{expected a write to a tensor that may change, but 'weight' is a constant of the program}}
  tssa.write %v, %window : !tssa.ref<2xf32>
  return
}
