// Modules on which most passes have nothing to do: none may crash, twice in a row.
// RUN: tssa-opt %s --split-input-file --allow-unregistered-dialect --tssa-lower-to-te --te-simplify --te-merge --te-form-kernels --te-simplify --te-deduplicate-kernels --layout-schedule-default --layout-schedule-default | FileCheck %s
// RUN: tssa-opt %s --split-input-file --allow-unregistered-dialect --tssa-print-alias --tssa-print-alias -o /dev/null

// An empty module.
// CHECK: module {
module {}

// -----

// A declaration.
// CHECK: func.func private @declared(tensor<?xf32>) -> tensor<?xf32>
func.func private @declared(tensor<?xf32>) -> tensor<?xf32>

// -----

// Tensors without dims and without elements.
// CHECK-LABEL: func.func @small
// CHECK: te.launch
func.func @small(%x: tensor<f32>, %y: tensor<0x3xf32>) -> (tensor<f32>, tensor<0x3xf32>) {
  %a = te.compute () {
    %0 = te.read %x[] : tensor<f32>
    te.yield %0 : f32
  } : tensor<f32>
  %b = te.compute (d0: 0, d1: 3) {
    %0 = te.read %y[d0, d1] : tensor<0x3xf32>
    te.yield %0 : f32
  } : tensor<0x3xf32>
  return %a, %b : tensor<f32>, tensor<0x3xf32>
}

// -----

// An unregistered op.
// CHECK-LABEL: func.func @unknown
// CHECK: "odd.op"
func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = te.compute (d0: 4) {
    %0 = te.read %x[d0] : tensor<4xf32>
    te.yield %0 : f32
  } : tensor<4xf32>
  %b = "odd.op"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = te.compute (d0: 4) {
    %0 = te.read %b[d0] : tensor<4xf32>
    te.yield %0 : f32
  } : tensor<4xf32>
  return %c : tensor<4xf32>
}
