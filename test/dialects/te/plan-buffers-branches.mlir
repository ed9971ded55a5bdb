// RUN: tssa-opt %s --te-plan-buffers --split-input-file | FileCheck %s

// In place: one branch of a loop updates the loop-carried value, and the other passes it on.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = te.result 0()
// CHECK: memref.copy %arg0, %[[R]]
// CHECK: scf.for
// CHECK-NEXT: scf.if
// CHECK-NEXT: te.launch @set(%[[R]], %arg0) outs(%[[R]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]
func.func @main(%x: tensor<4xf32>, %n: index, %c: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> tensor<4xf32> {
    %q = scf.if %c -> tensor<4xf32> {
      %u = te.launch @set(%p, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      scf.yield %u : tensor<4xf32>
    } else {
      scf.yield %p : tensor<4xf32>
    }
    scf.yield %q : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// In place at any depth: a while loop in a loop, and a branch in a branch. The branch that passes the value on comes
// first, and both branches of the inner one update it.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = te.result 0()
// CHECK: memref.copy %arg0, %[[R]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.while
// CHECK-NOT: memref.copy
// CHECK: te.launch @set(%[[R]], %arg0) outs(%[[R]] :
// CHECK-NOT: memref.copy
// CHECK: te.launch @set(%[[R]], %arg1) outs(%[[R]] :
// CHECK-NOT: memref.copy
// CHECK: return %[[R]]
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index, %c: i1, %d: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> tensor<4xf32> {
    %w:2 = scf.while (%s = %p, %k = %c0) : (tensor<4xf32>, index) -> (tensor<4xf32>, index) {
      %go = arith.cmpi slt, %k, %n : index
      scf.condition(%go) %s, %k : tensor<4xf32>, index
    } do {
    ^bb0(%t: tensor<4xf32>, %k: index):
      %o = scf.if %c -> tensor<4xf32> {
        scf.yield %t : tensor<4xf32>
      } else {
        %q = scf.if %d -> tensor<4xf32> {
          %u = te.launch @set(%t, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          scf.yield %u : tensor<4xf32>
        } else {
          %v = te.launch @set(%t, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          scf.yield %v : tensor<4xf32>
        }
        scf.yield %q : tensor<4xf32>
      }
      %next = arith.addi %k, %c1 : index
      scf.yield %o, %next : tensor<4xf32>, index
    }
    scf.yield %w#0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// In place: the other branch reads the value, and gives one of its own.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = te.result 0()
// CHECK: te.launch @k(%arg0) outs(%[[R]] :
// CHECK-NEXT: scf.if
// CHECK-NEXT: te.launch @set(%[[R]], %arg0) outs(%[[R]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[Z:.*]] = memref.view
// CHECK-NEXT: te.launch @k(%[[R]]) outs(%[[Z]] :
// CHECK-NEXT: memref.copy %[[Z]], %[[R]]
func.func @main(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %s = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %q = scf.if %c -> tensor<4xf32> {
    %u = te.launch @set(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  } else {
    %z = te.launch @k(%s) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  }
  return %q : tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}
te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// Not in place: the old value is read after the branch. Each branch copies it.
// CHECK-LABEL: func.func @main
// CHECK: te.launch @k(%arg0) outs(%[[S:[^ ]+]] :
// CHECK: scf.if
// CHECK-NOT: outs(%[[S]] :
// CHECK-NOT: memref.copy %{{.*}}, %[[S]]
// CHECK: te.launch @set(%[[S]], %arg0) outs(%[[U:[^ ]+]] :
// CHECK: } else {
// CHECK-NEXT: memref.copy %[[S]], %[[Q:.*]] :
// CHECK: te.launch @k(%[[S]]) outs(%[[T:[^ ]+]] :
func.func @main(%x: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %q = scf.if %c -> tensor<4xf32> {
    %u = te.launch @set(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  } else {
    scf.yield %s : tensor<4xf32>
  }
  %t = te.launch @k(%s) : (tensor<4xf32>) -> tensor<4xf32>
  return %t, %q : tensor<4xf32>, tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}
te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// Not in place: the next iteration updates the old value again.
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = memref.view %{{.*}}[%[[OFFSET:.*]]][]
// CHECK-NEXT: te.launch @k(%arg0) outs(%[[S]] :
// CHECK: scf.for
// CHECK-NOT: memref.view %{{.*}}[%[[OFFSET]]][]
// CHECK: %[[U:.*]] = memref.view
// CHECK-NEXT: te.launch @set(%[[S]], %arg0) outs(%[[U]] :
// CHECK-NOT: memref.view %{{.*}}[%[[OFFSET]]][]
// CHECK: return
func.func @main(%x: tensor<4xf32>, %n: index, %c: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %a = te.launch @k(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> tensor<4xf32> {
    %q = scf.if %c -> tensor<4xf32> {
      %u = te.launch @set(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %v = te.launch @k(%u) : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %v : tensor<4xf32>
    } else {
      scf.yield %p : tensor<4xf32>
    }
    scf.yield %q : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}
te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// The branches give different values, and one of them is still needed: it is copied, and the other is updated in
// place.
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = te.result 0()
// CHECK: %[[Q:.*]] = te.result 1()
// CHECK: te.launch @k(%arg0) outs(%[[P]] :
// CHECK: te.launch @k(%[[P]]) outs(%[[Q]] :
// CHECK: scf.if
// CHECK-NEXT: te.launch @set(%[[P]], %arg0) outs(%[[P]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.copy %[[Q]], %[[P]]
// CHECK-NEXT: }
func.func @main(%x: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %t = te.launch @k(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %q = scf.if %c -> tensor<4xf32> {
    %u = te.launch @set(%s, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  } else {
    scf.yield %t : tensor<4xf32>
  }
  return %q, %t : tensor<4xf32>, tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}
te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// Not in place: the value has a second name, which the loop carries. Only the update copies.
// CHECK-LABEL: func.func @main
// CHECK: scf.for
// CHECK-NEXT: %[[U:.*]] = memref.view
// CHECK-NEXT: scf.if
// CHECK-NOT: te.launch @set(%[[S:[^,]+]], %arg0) outs(%[[S]] :
// CHECK: return
func.func @main(%x: tensor<4xf32>, %n: index, %c: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %o = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %q = scf.if %c -> tensor<4xf32> {
      %u = te.launch @set(%p, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      scf.yield %u : tensor<4xf32>
    } else {
      scf.yield %p : tensor<4xf32>
    }
    scf.yield %q, %p : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// The argument is written in place, because the result goes back to it.
// CHECK-LABEL: func.func @main
// CHECK-NOT: memref.copy
// CHECK: scf.if
// CHECK-NEXT: te.launch @set(%arg0, %arg1) outs(%arg0 :
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: return %arg0
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: i1) -> (tensor<4xf32> {te.port = #te.port<writes_back = 0>}) {
  %q = scf.if %c -> tensor<4xf32> {
    %u = te.launch @set(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %q : tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// A cast in a loop: its source is read in each iteration, so that nothing else has its buffer there.
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = memref.view %{{.*}}[%[[OFFSET:.*]]][]
// CHECK-NEXT: te.launch @k(%arg0) outs(%[[S]] :
// CHECK-NOT: memref.view %{{.*}}[%[[OFFSET]]][]
// CHECK: return
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %a = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> tensor<4xf32> {
    %d = tensor.cast %s : tensor<4xf32> to tensor<?xf32>
    %e = tensor.cast %d : tensor<?xf32> to tensor<4xf32>
    %t = te.launch @k(%e) : (tensor<4xf32>) -> tensor<4xf32>
    %u = te.launch @k(%t) : (tensor<4xf32>) -> tensor<4xf32>
    %v = te.launch @k(%u) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %v : tensor<4xf32>
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

// Memory that is allocated dynamically is passed on in the branches too, at any depth. A branch that does not use it
// releases it.
// CHECK-LABEL: func.func @main
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (memref<?xf32>) {
// CHECK: %[[S:.*]] = memref.alloc
// CHECK: memref.dealloc %[[P]]
// CHECK-NEXT: %[[Q:.*]] = scf.if
// CHECK-NEXT: %[[I:.*]] = scf.if
// CHECK-NEXT: te.launch @set(%[[S]], {{.*}}) outs(%[[S]] :
// CHECK-NEXT: scf.yield %[[S]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[S]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[I]]
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[S]]
// CHECK-NEXT: %[[N:.*]] = memref.alloc
// CHECK-NEXT: te.launch @grow({{.*}}) outs(%[[N]] :
// CHECK-NEXT: scf.yield %[[N]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[Q]]
func.func @main(%x: tensor<4xf32>, %k: index, %c: i1, %d: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%p = %init) -> tensor<?xf32> {
    %n = tensor.dim %p, %c0 : tensor<?xf32>
    %m = arith.addi %n, %c1 : index
    %s = te.launch @grow(%p, %n, %m) sizes (%m) : (tensor<?xf32>, index, index) -> tensor<?xf32>
    %q = scf.if %c -> tensor<?xf32> {
      %j = scf.if %d -> tensor<?xf32> {
        %u = te.launch @set(%s, %x, %m) sizes (%m) : (tensor<?xf32>, tensor<4xf32>, index) -> tensor<?xf32>
        scf.yield %u : tensor<?xf32>
      } else {
        scf.yield %s : tensor<?xf32>
      }
      scf.yield %j : tensor<?xf32>
    } else {
      %o = te.launch @grow(%init, %m, %m) sizes (%m) : (tensor<?xf32>, index, index) -> tensor<?xf32>
      scf.yield %o : tensor<?xf32>
    }
    scf.yield %q : tensor<?xf32>
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
te.kernel @set(%b: tensor<?xf32> {te.sizes = array<i64: 2>}, %x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %y = te.update @y (d0: 1) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
}

// -----

// Memory that is read after the branch stays with its owner: both branches copy it.
// CHECK-LABEL: func.func @main
// CHECK: scf.for
// CHECK: %[[S:.*]] = memref.alloc
// CHECK: %[[Q:.*]] = scf.if
// CHECK-NEXT: %[[U:.*]] = memref.alloc
// CHECK-NEXT: te.launch @set(%[[S]], {{.*}}) outs(%[[U]] :
// CHECK-NEXT: scf.yield %[[U]]
// CHECK-NEXT: } else {
// CHECK: memref.copy %[[S]], %[[V:.*]] :
// CHECK-NEXT: scf.yield %[[V]]
// CHECK-NEXT: }
// CHECK: te.launch @add(%[[S]], %[[Q]], 
// CHECK-NEXT: memref.dealloc %[[S]]
// CHECK-NEXT: memref.dealloc %[[Q]]
func.func @main(%x: tensor<4xf32>, %k: index, %c: i1, %d: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%p = %init) -> tensor<?xf32> {
    %n = tensor.dim %p, %c0 : tensor<?xf32>
    %m = arith.addi %n, %c1 : index
    %s = te.launch @grow(%p, %n, %m) sizes (%m) : (tensor<?xf32>, index, index) -> tensor<?xf32>
    %q = scf.if %c -> tensor<?xf32> {
      %u = te.launch @set(%s, %x, %m) sizes (%m) : (tensor<?xf32>, tensor<4xf32>, index) -> tensor<?xf32>
      scf.yield %u : tensor<?xf32>
    } else {
      scf.yield %s : tensor<?xf32>
    }
    %o = te.launch @add(%s, %q, %m) sizes (%m) : (tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
    scf.yield %o : tensor<?xf32>
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
te.kernel @set(%b: tensor<?xf32> {te.sizes = array<i64: 2>}, %x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %y = te.update @y (d0: 1) into %b[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
}
te.kernel @add(%a: tensor<?xf32> {te.sizes = array<i64: 2>}, %b: tensor<?xf32> {te.sizes = array<i64: 2>}, %m: index) -> tensor<?xf32> {
  %y = te.compute @y (d0: %m) {
    %v = te.read %a[d0] : tensor<?xf32>
    %w = te.read %b[d0] : tensor<?xf32>
    %z = arith.addf %v, %w : f32
    te.yield %z : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
}
