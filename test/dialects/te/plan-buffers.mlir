// RUN: tssa-opt %s --te-plan-buffers --split-input-file | FileCheck %s

// A chain of launches: the last one writes directly into the result, and buffers are reused.
// CHECK-LABEL: func.func @plan() -> index
// CHECK: %[[C:.*]] = arith.constant 192 : index
// CHECK: return %[[C]]
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>, %{{.*}}: memref<?xi8> {te.weights}, %[[ARENA:.*]]: memref<?xi8> {te.arena}) -> memref<4xf32>
// CHECK: %[[R:.*]] = te.result 0() : memref<4xf32>
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[OA:.*]]][]
// CHECK: te.launch @k(%[[X]]) outs(%[[A]]
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%[[OB:.*]]][]
// CHECK: te.launch @k(%[[A]]) outs(%[[B]]
// CHECK: %[[A2:.*]] = memref.view %[[ARENA]][%[[OA]]][]
// CHECK: te.launch @k(%[[B]]) outs(%[[A2]]
// CHECK: te.launch @k(%[[A2]]) outs(%[[R]]
// CHECK: return %[[R]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = te.launch @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = te.launch @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %d = te.launch @k(%c) : (tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// Arguments, constants and values that are returned twice are copied. Equal constants are stored
// once.
// CHECK: te.weights = [#te.weight<offset = 0, value = dense<1.000000e+00> : tensor<2xf32>>]
// CHECK: func.func @main(%[[X:.*]]: memref<2xf32>, %[[W:.*]]: memref<?xi8> {te.weights}
// CHECK: %[[R0:.*]] = te.result 0()
// CHECK: %[[R1:.*]] = te.result 1()
// CHECK: %[[R2:.*]] = te.result 2()
// CHECK: %[[R3:.*]] = te.result 3()
// CHECK: %[[C:.*]] = memref.view %[[W]][%c0][] : memref<?xi8> to memref<2xf32>
// CHECK: te.launch @k(%{{.*}}) outs(%[[R2]]
// CHECK: memref.copy %[[X]], %[[R0]]
// CHECK: memref.copy %{{.*}}, %[[R1]]
// CHECK: memref.copy %[[R2]], %[[R3]]
// CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]]
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %v = te.constant dense<1.0> : tensor<2xf32>
  %w = te.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %i = te.constant dense<1065353216> : tensor<2xi32>
  %a = te.launch @k(%i) : (tensor<2xi32>) -> tensor<2xf32>
  return %x, %w, %a, %a : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
te.kernel @k(%x: tensor<2xi32>) -> tensor<2xf32> {
  %y = te.compute @y (d0: 2) {
    %v = te.read %x[d0] : tensor<2xi32>
    %f = arith.sitofp %v : i32 to f32
    te.yield %f : f32
  } : tensor<2xf32>
  te.return %y : tensor<2xf32>
}

// -----

// Sizes that depend on symbols: buffers share slots, and the slots follow one another.
// CHECK: func.func @plan(%[[N:.*]]: index) -> index
// CHECK: %[[BYTES:.*]] = arith.muli %c12, %[[N]]
// CHECK: %[[MAX:.*]] = arith.maxsi %c0, %[[BYTES]]
// CHECK: %[[UP:.*]] = arith.addi %[[MAX]], %c63
// CHECK: %[[SLOT:.*]] = arith.andi %[[UP]], %c-64
// CHECK: %[[ONE:.*]] = arith.addi %c0, %[[SLOT]]
// CHECK: %[[TWO:.*]] = arith.addi %[[ONE]], %[[SLOT]]
// CHECK: %[[ALL:.*]] = arith.addi %[[TWO]], %c64
// CHECK: return %[[ALL]]
// CHECK: func.func @main
// CHECK: %[[DIM:.*]] = memref.dim %arg0, %c0
// CHECK: %[[R:.*]] = te.result 0(%[[DIM]])
// CHECK: memref.view %arg2[%c0][%[[DIM]]]
// CHECK: memref.view %arg2[%[[SECOND:.*]]][%[[DIM]]]
// CHECK: memref.view %arg2[%c0][%[[DIM]]]
// CHECK: te.launch {{.*}} outs(%[[R]]
func.func @main(%x: tensor<?x3xf32> {te.port = #te.port<name = "x", dims = ["N", 3]>}) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %a = te.launch @k(%x, %n) sizes (%n) : (tensor<?x3xf32>, index) -> tensor<?x3xf32>
  %b = te.launch @k(%a, %n) sizes (%n) : (tensor<?x3xf32>, index) -> tensor<?x3xf32>
  %c = te.launch @k(%b, %n) sizes (%n) : (tensor<?x3xf32>, index) -> tensor<?x3xf32>
  %d = te.launch @k(%c, %n) sizes (%n) : (tensor<?x3xf32>, index) -> tensor<?x3xf32>
  return %d : tensor<?x3xf32>
}
te.kernel @k(%x: tensor<?x3xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> tensor<?x3xf32> {
  %y = te.compute @y (d0: %n, d1: 3) {
    %v = te.read %x[d0, d1] : tensor<?x3xf32>
    te.yield %v : f32
  } : tensor<?x3xf32>
  te.return %y : tensor<?x3xf32>
}
