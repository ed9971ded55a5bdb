// RUN: tssa-opt %s --te-plan-buffers --split-input-file | FileCheck %s

// The parts of a te.join lie in its memory, which is that of a result of the program.
// CHECK-LABEL: func.func @plan() -> index
// CHECK: %[[C:.*]] = arith.constant 64 : index
// CHECK: return %[[C]]
// CHECK-LABEL: func.func @main(
// CHECK: %[[R:.*]] = te.result 0() : memref<2x7xf32>
// CHECK: te.launch @left(%{{.*}}) outs(%[[R]] : memref<2x7xf32>)
// CHECK: te.launch @right(%[[R]]) outs(%[[R]] : memref<2x7xf32>)
// CHECK-NOT: te.join
// CHECK: return %[[R]]
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x7xf32> {
  %a = te.launch @left(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = te.launch @right(%a) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  %c = te.join %a, %b axis 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  return %c : tensor<2x7xf32>
}
te.kernel @left(%x: tensor<2x3xf32>) -> (tensor<2x3xf32> {te.window = #te.window<sizes = [-1, 7], at = [0, 0]>}) {
  %y = te.compute @y (d0: 2, d1: 3) {
    %v = te.read %x[d0, d1] : tensor<2x3xf32>
    %w = arith.addf %v, %v : f32
    te.yield %w : f32
  } : tensor<2x3xf32>
  te.return %y : tensor<2x3xf32>
}
te.kernel @right(%x: tensor<2x3xf32> {te.window = #te.window<sizes = [-1, 7], at = [0, 0]>}) -> (tensor<2x4xf32> {te.window = #te.window<sizes = [-1, 7], at = [0, 3]>}) {
  %y = te.compute @y (d0: 2, d1: 4) {
    %v = te.read %x[d0, 0] : tensor<2x3xf32>
    te.yield %v : f32
  } : tensor<2x4xf32>
  te.return %y : tensor<2x4xf32>
}

// -----

// The memory of a te.join is taken from the first launch of a part on, so that %d needs other memory,
// and until the last use of the whole. %e can have that of %d.
// CHECK-LABEL: func.func @plan() -> index
// CHECK: %[[C:.*]] = arith.constant 192 : index
// CHECK: return %[[C]]
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:.*]] = memref.view %{{.*}}[%[[AT:.*]]][] : memref<?xi8> to memref<4xf32>
// CHECK: te.launch @[[FIRST:.*]](%{{.*}}) outs(%[[A]] : memref<4xf32>)
// CHECK: %[[D:.*]] = memref.view %{{.*}}[%[[ATD:.*]]][] : memref<?xi8> to memref<2xf32>
// CHECK: te.launch @twice(%{{.*}}) outs(%[[D]]
// CHECK: %[[B:.*]] = memref.view %{{.*}}[%[[AT]]][] : memref<?xi8> to memref<4xf32>
// CHECK: te.launch @second(%[[D]]) outs(%[[B]] : memref<4xf32>)
// CHECK: %[[ALL:.*]] = memref.view %{{.*}}[%[[AT]]][] : memref<?xi8> to memref<4xf32>
// CHECK: te.launch @sum(%[[ALL]])
func.func @main(%x: tensor<2xf32>) -> tensor<f32> {
  %a = te.launch @first(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %d = te.launch @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = te.launch @second(%d) : (tensor<2xf32>) -> tensor<2xf32>
  %c = te.join %a, %b axis 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %s = te.launch @sum(%c) : (tensor<4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
te.kernel @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = te.compute @y (d0: 2) {
    %v = te.read %x[d0] : tensor<2xf32>
    %w = arith.addf %v, %v : f32
    te.yield %w : f32
  } : tensor<2xf32>
  te.return %y : tensor<2xf32>
}
te.kernel @first(%x: tensor<2xf32>) -> (tensor<2xf32> {te.window = #te.window<sizes = [4], at = [0]>}) {
  %y = te.compute @y (d0: 2) {
    %v = te.read %x[d0] : tensor<2xf32>
    te.yield %v : f32
  } : tensor<2xf32>
  te.return %y : tensor<2xf32>
}
te.kernel @second(%x: tensor<2xf32>) -> (tensor<2xf32> {te.window = #te.window<sizes = [4], at = [2]>}) {
  %y = te.compute @y (d0: 2) {
    %v = te.read %x[d0] : tensor<2xf32>
    te.yield %v : f32
  } : tensor<2xf32>
  te.return %y : tensor<2xf32>
}
te.kernel @sum(%x: tensor<4xf32>) -> tensor<f32> {
  %y = te.compute @y () reduce (d0: 4) init (0.0 : f32) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<f32>
  te.return %y : tensor<f32>
}
