// RUN: tssa-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has an attribute "te.prot" of an argument that the dialect does not know}}
func.func @main(%x: tensor<4xf32> {te.prot}) {
  return
}

// -----

// expected-error @below {{has an attribute "te.port" of a result that the dialect does not know}}
func.func private @main() -> (tensor<4xf32> {te.port = "y"})

// -----

// expected-error @below {{has the attribute "te.node", which the dialect does not know here or in this form}}
module attributes {te.node = []} {
}

// -----

// expected-error @below {{expected a port of integer or float type, got 'index'}}
func.func private @main(tensor<4xf32> {te.port = #te.port<name = "x", type = index>})

// -----

// expected-error @below {{expected a dim of a port to be a name or a size, got -1}}
func.func private @main(tensor<?xf32> {te.port = #te.port<dims = [-1]>})

// -----

// expected-error @below {{expected 'example' of a port to have one size for each dim}}
func.func private @main(tensor<?xf32> {te.port = #te.port<dims = ["N"], example = [3, 4]>})

// -----

// expected-error @below {{expected a port not to have both 'writes_back' and 'alias_of'}}
func.func private @main(tensor<4xf32>) -> (tensor<4xf32> {te.port = #te.port<writes_back = 0, alias_of = 0>})

// -----

// expected-error @below {{expected 'path' of a port only with 'alias_of', and 'indexes' only with 'path'}}
func.func private @main(tensor<4xf32>) -> (tensor<4xf32> {te.port = #te.port<alias_of = 0, indexes = 0>})

// -----

// expected-error @below {{has the port 'x' of rank 2 on 'tensor<?xf32>'}}
func.func private @main(tensor<?xf32> {te.port = #te.port<name = "x", dims = ["N", 3]>})

// -----

// expected-error @below {{has the port 'x' with size 5 for dim 0 of 'tensor<4xf32>'}}
func.func private @main(tensor<4xf32> {te.port = #te.port<name = "x", dims = [5]>})

// -----

// expected-error @below {{has the port 'x' of type 'ui16' on 'tensor<4xi8>'}}
func.func private @main(tensor<4xi8> {te.port = #te.port<name = "x", type = ui16>})

// -----

// expected-error @below {{has the port 'x' on an argument, but with 'writes_back' or 'alias_of', which only a result may have}}
func.func private @main(tensor<4xf32> {te.port = #te.port<name = "x", writes_back = 0>})

// -----

// expected-error @below {{has the port 'y' for argument 1 of 1}}
func.func private @main(tensor<4xf32>) -> (tensor<4xf32> {te.port = #te.port<name = "y", writes_back = 1>})

// -----

// expected-error @below {{has the port 'y' with indexes in result 1 of 1}}
func.func private @main(tensor<4xf32>) -> (tensor<f32> {te.port = #te.port<name = "y", alias_of = 0, path = [0], indexes = 1>})

// -----

// expected-error @below {{expects "te.arena" to be a unit attribute of an argument memref<?xi8>}}
func.func private @main(memref<4xf32> {te.arena})

// -----

// expected-error @below {{expects "te.weights" to be a list of #te.weight on the module}}
module attributes {te.weights = [1]} {
}

// -----

// expected-error @below {{expected the offset of a weight to be at least 0, got -64}}
module attributes {te.weights = [#te.weight<offset = -64, value = dense<1.0> : tensor<4xf32>>]} {
}

// -----

// expected-error @below {{has a launch of node 1, but 'te.nodes' has 1}}
module attributes {te.nodes = [#te.node<name = "a", op = "Add">],
                   te.launches = [#te.launch_record<kernel = "k", nodes = [0, 1]>]} {
}

// -----

// expected-error @below {{expected the node numbers and the 'flops' of a launch to be at least 0}}
module attributes {te.launches = [#te.launch_record<kernel = "k", nodes = [], flops = -1>]} {
}

// -----

// expected-error @below {{expected a block of at least one thread and of at least 0 bytes, got 0 and 0}}
func.func private @k() attributes {te.block = #te.block<threads = 0, shared_bytes = 0>}

// -----

// expected-error @below {{expected a kernel to have at least 0 parameters, got -1}}
module attributes {te.kernels = [#te.device_kernel<name = "k", parameters = -1, block = <threads = 1, shared_bytes = 0>>]} {
}

// -----

// expected-error @below {{has the attribute "te.separate", which the dialect does not know here or in this form}}
func.func private @k() attributes {te.separate}

// -----

func.func @main(%n: index) -> memref<?x4xf32> {
  // expected-error @below {{expects 1 sizes, got 0}}
  %y = te.result 0() : memref<?x4xf32>
  return %y : memref<?x4xf32>
}

// -----

func.func @main(%n: index) -> memref<?x4xf32> {
  // expected-error @below {{expects a function with a result 1}}
  %y = te.result 1(%n) : memref<?x4xf32>
  return %y : memref<?x4xf32>
}

// -----

func.func @main(%n: index) -> memref<?x4xf64> {
  // expected-error @below {{expects the rank and element type of result 0, 'memref<?x4xf64>'}}
  %y = te.result 0(%n) : memref<?x4xf32>
  %z = memref.alloc(%n) : memref<?x4xf64>
  return %z : memref<?x4xf64>
}

// -----

func.func @main(%x: tensor<3x3xf32>, %out: memref<f32>) {
  // expected-error @below {{expects no tensors as operands or results if there are outs}}
  te.extern @det(%x) sizes() [] outs(%out : memref<f32>) : (tensor<3x3xf32>) -> ()
  return
}

// -----

// expected-error @below {{has the attribute "te.compiled", which the dialect does not know here or in this form}}
func.func private @k() attributes {te.compiled}

// -----

func.func @main(%x: f32) -> f32 {
  // expected-error @below {{has the attribute "te.tf32", which the dialect does not know here or in this form}}
  %y = arith.addf %x, %x {te.tf32} : f32
  return %y : f32
}

// -----

// expected-error @below {{expected a port not to have both 'strings' and 'keys'}}
func.func private @main() -> (tensor<4x1xi64> {te.port = #te.port<type = i64, strings = ["a"], keys = ["a"]>})

// -----

// expected-error @below {{expected 'strings' of a port to be strings, with type i64}}
func.func private @main() -> (tensor<4xi64> {te.port = #te.port<type = i64, strings = [1]>})

// -----

// expected-error @below {{expected 'strings' of a port to be strings, with type i64}}
func.func private @main() -> (tensor<4xi32> {te.port = #te.port<type = i32, strings = ["a"]>})

// -----

// expected-error @below {{expected 'keys' of a port to be strings only or i64 only}}
func.func private @main() -> (tensor<4x2xf32> {te.port = #te.port<keys = ["a", 1]>})

// -----

// expected-error @below {{has the port 'y' with 2 keys on 'tensor<4x3xf32>', expected rank 2 and a column for each key}}
func.func private @main() -> (tensor<4x3xf32> {te.port = #te.port<name = "y", keys = [1, 2]>})

// -----

// expected-error @below {{has the port 'x' on an argument, but with 'strings' or 'keys', which only a result may have}}
func.func private @main(tensor<4xi64> {te.port = #te.port<name = "x", type = i64, strings = ["a"]>})
