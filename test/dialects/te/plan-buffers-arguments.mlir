// RUN: tssa-opt %s --te-plan-buffers --split-input-file | FileCheck %s

// An argument that is written back is the buffer of its result: the update is in place.
// CHECK-LABEL: func.func @main
// CHECK-NOT: memref.alloc
// CHECK: te.launch @set(%arg0, %arg1) outs(%arg0
// CHECK: return %arg0
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32> {te.port = #te.port<writes_back = 0>}) {
  %u = te.launch @set(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %u : tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// Two arguments are exchanged: one is saved while the other is written.
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = memref.view
// CHECK: memref.copy %[[A:.*]], %[[T]]
// CHECK: return %arg0, %arg1
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32> {te.port = #te.port<writes_back = 0>}, tensor<4xf32> {te.port = #te.port<writes_back = 1>}) {
  return %y, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// Another argument is never written.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = te.result 0()
// CHECK: te.launch @set(%arg0, %arg1) outs(%[[R]]
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %u = te.launch @set(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %u : tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// The value that is written back is allocated dynamically. The host copies it to the argument after
// the run, and no other value may use the argument's memory before.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = te.result 0(%{{.*}})
// CHECK: %[[GROWN:.*]] = scf.for
// CHECK: te.launch @set(%arg0, %arg1, %{{.*}}) outs(%[[R]]
// CHECK: %[[W:.*]] = te.result 1(%{{.*}})
// CHECK: memref.copy %[[GROWN]], %[[W]]
// CHECK: return %[[R]], %[[W]]
func.func @main(%x: tensor<?xf32>, %y: tensor<4xf32>, %n: tensor<index>)
    -> (tensor<?xf32>, tensor<?xf32> {te.port = #te.port<writes_back = 0>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %count = tensor.extract %n[] : tensor<index>
  %g = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %e = te.launch @fill(%i) sizes(%i) : (index) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  %u = te.launch @set(%x, %y, %d) sizes(%d) : (tensor<?xf32>, tensor<4xf32>, index) -> tensor<?xf32>
  return %u, %g : tensor<?xf32>, tensor<?xf32>
}
te.kernel @fill(%n: index) -> tensor<?xf32> {
  %y = te.compute @y (d0: %n) {
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
}
te.kernel @set(%b: tensor<?xf32> {te.sizes = array<i64: 2>}, %x: tensor<4xf32>, %n: index)
    -> tensor<?xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
}

// -----

// If each point reads only the element that it writes, the update is in place.
// CHECK-LABEL: func.func @main
// CHECK: te.launch @grow(%arg0, %{{.*}}) outs(%arg0
func.func @main(%x: tensor<4x4xf32>, %i: tensor<index>)
    -> (tensor<4x4xf32> {te.port = #te.port<writes_back = 0>}) {
  %row = tensor.extract %i[] : tensor<index>
  %u = te.launch @grow(%x, %row) : (tensor<4x4xf32>, index) -> tensor<4x4xf32>
  return %u : tensor<4x4xf32>
}
te.kernel @grow(%b: tensor<4x4xf32>, %i: index) -> tensor<4x4xf32> {
  %y = te.update @y (d0: 4) into %b[s1, d0](%i) {
    %k = te.index s0(%i)
    %v = te.read %b[s1, d0](%i, %k) : tensor<4x4xf32>
    %w = arith.addf %v, %v : f32
    %l = te.index s0(%i)
    te.yield %w, %l : f32, index
  } : tensor<4x4xf32>
  te.return %y : tensor<4x4xf32>
}

// -----

// It is not in place if a point reads its neighbour, or if several points write one element.
// CHECK-LABEL: func.func @main
// CHECK: te.launch @shift(%arg0) outs(%[[T:[^ ]+]] :
// CHECK-NOT: te.launch @sum(%[[T]]) outs(%[[T]]
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {te.port = #te.port<writes_back = 0>}) {
  %u = te.launch @shift(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %v = te.launch @sum(%u) : (tensor<4xf32>) -> tensor<4xf32>
  return %v : tensor<4xf32>
}
te.kernel @shift(%b: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 3) into %b[d0] {
    %v = te.read %b[d0 + 1] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}
te.kernel @sum(%b: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 8) into %b[d0 floordiv 2] {
    %v = te.read %b[d0 floordiv 2] : tensor<4xf32>
    %w = arith.addf %v, %v : f32
    te.yield %w : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}
