// RUN: tssa-opt %s -split-input-file -verify-diagnostics

func.func @path_C1(%a: !tssa.ref<4xf32>) {
  // expected-error @+1 {{expected 1 indexes, got 0}}
  %v = tssa.view %a [select(0, ?)] : !tssa.ref<4xf32> -> !tssa.ref<f32>
  return
}

// -----

func.func @path_C2(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tssa.access' op step 1: expected a dim below 1, got 1}}
  %v = tssa.access %a [slice(0, 0, 2, 1), select(1, 0)] : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @select_C2(%a: tensor<4xf32>) {
  // expected-error @+1 {{select of element 4 of dim 0, which has size 4}}
  %v = tssa.access %a [select(0, 4)] : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @slice_C2(%a: tensor<4xf32>) {
  // expected-error @+1 {{slice of 3 elements from 0 with step 2 of dim 0, which has size 4}}
  %v = tssa.access %a [slice(0, 0, 3, 2)] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @permute_C2(%a: tensor<4xf32>) {
  // expected-error @+1 {{permutation of 2 dims of a tensor with 1}}
  %v = tssa.access %a [permute(1, 0)] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @squeeze_C2(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected dim 0 to have size 1, got 4}}
  %v = tssa.access %a [squeeze(0)] : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @reshape_C2(%a: tensor<4xf32>) {
  // expected-error @+1 {{reshape of 4 elements to 6}}
  %v = tssa.access %a [reshape(2, 3)] : tensor<4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @path_C3(%a: tensor<4xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{expected a view of type 'tensor<2xf32>', got 'tensor<3xf32>'}}
  %v = tssa.assign %s into %a [slice(0, 0, 2, 1)] : tensor<3xf32> into tensor<4xf32>
  return
}

// -----

func.func @assign_C4(%a: tensor<1xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{expected a path without repeated elements}}
  %v = tssa.assign %s into %a [expand(0, 3)] : tensor<3xf32> into tensor<1xf32>
  return
}

// -----

func.func @dim_C1(%a: !tssa.ref<1xf32>) {
  // expected-error @+1 {{expected a dim below 1, got 1}}
  %v = tssa.dim %a, 1 : !tssa.ref<1xf32>
  return
}

// -----

func.func @no_step(%a: !tssa.ref<4xf32>) {
  // expected-error @+1 {{expected view steps in the path}}
  %v = "tssa.view"(%a) {path = [1]} : (!tssa.ref<4xf32>) -> !tssa.ref<4xf32>
  return
}

// -----

func.func @unknown_step(%a: tensor<4xf32>) {
  // expected-error @+1 {{unknown view step 'flip'}}
  %v = tssa.access %a [flip(0)] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @step_integers(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected 4 integers, got 2}}
  %v = tssa.access %a [slice(0, 1)] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_step(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected a step of at least 1, got 0}}
  %v = tssa.access %a [slice(0, 1, 2, 0)] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @constant_dim(%a: tensor<4xf32>, %i: index) {
  // expected-error @+1 {{integer 0 must be a constant}}
  %v = tssa.access %a [select(?, 1)](%i) : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @negative(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected integers that are not negative, got -1}}
  %v = tssa.access %a [select(0, -1)] : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @permutation(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{expected a permutation of the dims}}
  %v = tssa.access %a [permute(0, 0)] : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @element_type(%x: i32) {
  // expected-error @+1 {{expected integers or floats as elements, got 'tensor<4xf32>'}}
  %v = tssa.alloc %x : !tssa.ref<3xtensor<4xf32>>
  return
}

// -----

func.func @too_large(%a: tensor<4611686018427387904x8xf32>) {
  // expected-error @+1 {{has a tensor with too many elements}}
  %v = tssa.access %a [permute(1, 0)] : tensor<4611686018427387904x8xf32> -> tensor<8x4611686018427387904xf32>
  return
}

// -----

func.func @slice_far_away(%a: tensor<5xf32>) {
  // expected-error @+1 {{step 0: slice of 3 elements from 9223372036854775807 with step 2 of dim 0, which has size 5}}
  %v = tssa.access %a [slice(0, 9223372036854775807, 3, 2)] : tensor<5xf32> -> tensor<3xf32>
  return
}

// -----

func.func @slice_with_large_step(%a: tensor<5xf32>) {
  // expected-error @+1 {{step 0: slice of 3 elements from 0 with step 9223372036854775807 of dim 0, which has size 5}}
  %v = tssa.access %a [slice(0, 0, 3, 9223372036854775807)] : tensor<5xf32> -> tensor<3xf32>
  return
}

// -----

func.func @reshape_too_large(%a: tensor<4xf32>) {
  // expected-error @+1 {{step 0: reshape of more elements than 64 bits can count}}
  %v = tssa.access %a [reshape(4294967296, 4294967296, 4)] : tensor<4xf32> -> tensor<4294967296x4294967296x4xf32>
  return
}
