// RUN: tssa-opt %s --te-plan-buffers --split-input-file --verify-diagnostics

// expected-error@below {{expected a host program '@main' with one block}}
module {
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected an operation that buffers can be planned for, got 'tensor.extract_slice'}}
  %y = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main() -> tensor<2xf32> {
  // expected-error@below {{expected a constant whose bytes are available}}
  %y = te.constant dense_resource<missing> : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{expected scf for control flow, got 'affine.for'}}
  affine.for %i = 0 to 4 {
  }
  return %x : tensor<4xf32>
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'te.launch' op expects 'k' to be a te.kernel}}
  %y = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: memref<3x2xf32>) -> memref<2x?xi64> {
  // expected-error @+1 {{expected tensors, but 'te-plan-buffers' has already run}}
  %y = te.extern @nonzero(%x) sizes() [-1] : (memref<3x2xf32>) -> memref<2x?xi64>
  return %y : memref<2x?xi64>
}
