// RUN: tssa-opt %s --te-plan-buffers --split-input-file | FileCheck %s

// In place: the loop-carried value, the update in the loop and the result share one buffer.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = te.result 0()
// CHECK: te.launch @k(%arg0) outs(%[[R]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: te.launch @set(%[[R]], %arg0) outs(%[[R]]
// CHECK: return %[[R]]
func.func @main(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %count = arith.index_cast %e : i64 to index
  %s = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%p = %s) -> tensor<4xf32> {
    %u = te.launch @set(%p, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// The old value is read after the update, and by the kernel itself: two buffers.
// CHECK-LABEL: func.func @main
// CHECK: te.launch @k(%arg0) outs(%[[S:[^ ]+]] :
// CHECK: %[[U:.*]] = memref.view
// CHECK: te.launch @set(%[[S]], %arg0) outs(%[[U]] :
// CHECK: te.launch @shift(%[[U]]) outs(%[[V:[^ ]+]] :
// CHECK-NOT: outs(%[[U]] :
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %u = te.launch @set(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = te.launch @k(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %v = te.launch @shift(%u) : (tensor<4xf32>) -> tensor<4xf32>
  return %t, %v : tensor<4xf32>, tensor<4xf32>
}
te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}
te.kernel @shift(%b: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0 + 1] {
    %v = te.read %b[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// Branches write the buffer of their result.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = te.result 0()
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: te.launch @k(%arg0) outs(%[[R]]
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.copy %arg0, %[[R]]
// CHECK-NEXT: }
func.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<4xf32> {
    %s = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// A size that changes between iterations: memory is allocated dynamically and released.
// CHECK-LABEL: func.func @main
// CHECK: %[[FIRST:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: memref.copy %{{.*}}, %[[FIRST]]
// CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[FIRST]]) -> (memref<?xf32>) {
// CHECK: %[[NEW:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: te.launch @grow(%[[OLD]], {{.*}}) outs(%[[NEW]]
// CHECK: memref.dealloc %[[OLD]]
// CHECK: scf.yield %[[NEW]]
// CHECK: %[[R:.*]] = te.result 0(%{{.*}})
// CHECK: memref.copy %[[LAST]], %[[R]]
// CHECK: memref.dealloc %[[LAST]]
// CHECK: return %[[R]]
func.func @main(%x: tensor<1xf32>, %c: tensor<i64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %c[] : tensor<i64>
  %count = arith.index_cast %e : i64 to index
  %init = tensor.cast %x : tensor<1xf32> to tensor<?xf32>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%p = %init) -> tensor<?xf32> {
    %n = tensor.dim %p, %c0 : tensor<?xf32>
    %m = arith.addi %n, %c1 : index
    %u = te.launch @grow(%p, %n, %m) sizes (%m) : (tensor<?xf32>, index, index) -> tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
te.kernel @grow(%x: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index, %m: index) -> tensor<?xf32> {
  %y = te.compute @y (d0: %m) {
    %v = te.read %x[d0 mod 1] : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
}

// -----

// Results of a routine: planned memory if the size is known, else memory that the routine allocates.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = te.result 0()
// CHECK: %[[I:.*]] = memref.view
// CHECK: te.extern @topk(%arg0, %arg1) sizes() [] outs(%[[R]], %[[I]] : {{.*}}) {axis = 1 : i64}
// CHECK: %[[P:.*]] = te.extern @nonzero(%[[R]]) sizes() [-1]
// CHECK: %[[D:.*]] = memref.dim %[[P]], %c1
// CHECK: %[[Q:.*]] = te.result 1(%[[D]])
// CHECK: memref.copy %[[P]], %[[Q]]
// CHECK: memref.dealloc %[[P]]
func.func @main(%x: tensor<3x5xf32>, %k: tensor<1xi64>) -> (tensor<3x2xf32>, tensor<2x?xi64>) {
  %v, %i = te.extern @topk(%x, %k) sizes () [] {axis = 1 : i64} : (tensor<3x5xf32>, tensor<1xi64>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  %p = te.extern @nonzero(%v) sizes () [-1] : (tensor<3x2xf32>) -> tensor<2x?xi64>
  return %v, %p : tensor<3x2xf32>, tensor<2x?xi64>
}

// -----

// Values that rotate in each iteration: the copy that overwrites a source comes last. A value that
// is returned twice is copied.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = te.result 0()
// CHECK: %[[Q:.*]] = te.result 1()
// CHECK: memref.copy %arg0, %[[P]]
// CHECK: memref.copy %arg1, %[[Q]]
// CHECK: scf.for
// CHECK: te.launch @k(%[[P]]) outs(%[[Z:[^ ]+]] :
// CHECK: memref.copy %[[Q]], %[[P]]
// CHECK-NEXT: memref.copy %[[Z]], %[[Q]]
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.extract %c[] : tensor<i64>
  %n = arith.index_cast %t : i64 to index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    %z = te.launch @k(%p) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %q, %z : tensor<4xf32>, tensor<4xf32>
  }
  %w = te.constant dense<1.0> : tensor<4xf32>
  return %r#0, %r#1, %r#0, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// A pure exchange needs a third buffer for each.
// CHECK-LABEL: func.func @main
// CHECK: scf.for
// CHECK: %[[S:.*]] = memref.view
// CHECK-NEXT: memref.copy %[[Q:.*]], %[[S]]
// CHECK-NEXT: %[[T:.*]] = memref.view
// CHECK-NEXT: memref.copy %[[P:.*]], %[[T]]
// CHECK-NEXT: memref.copy %[[S]], %[[P]]
// CHECK-NEXT: memref.copy %[[T]], %[[Q]]
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.extract %c[] : tensor<i64>
  %n = arith.index_cast %t : i64 to index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %q, %p : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A while loop: the arguments of its condition and of its body share a buffer.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = te.result 0()
// CHECK: memref.copy %arg0, %[[R]]
// CHECK: scf.while : () -> () {
// CHECK: memref.load %[[R]]
// CHECK: scf.condition(%{{.*}})
// CHECK: } do {
// CHECK: te.launch @k(%[[R]]) outs(%[[N:[^ ]+]] :
// CHECK: memref.copy %[[N]], %[[R]]
// CHECK: scf.yield
// CHECK: return %[[R]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 3.0 : f32
  %r = scf.while (%p = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.extract %p[%c0] : tensor<4xf32>
    %go = arith.cmpf olt, %e, %limit : f32
    scf.condition(%go) %p : tensor<4xf32>
  } do {
  ^bb0(%q: tensor<4xf32>):
    %n = te.launch @k(%q) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// If arguments exchange their contents, both are saved before one is overwritten.
// CHECK-LABEL: func.func @main
// CHECK: %[[Y:.*]] = memref.view
// CHECK-NEXT: memref.copy %arg1, %[[Y]]
// CHECK-NEXT: %[[X:.*]] = memref.view
// CHECK-NEXT: memref.copy %arg0, %[[X]]
// CHECK-NEXT: memref.copy %[[Y]], %arg0
// CHECK-NEXT: memref.copy %[[X]], %arg1
// CHECK-NEXT: return
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32> {te.port = #te.port<writes_back = 0>}, tensor<4xf32> {te.port = #te.port<writes_back = 1>}) {
  return %y, %x : tensor<4xf32>, tensor<4xf32>
}
