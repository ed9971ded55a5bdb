// RUN: tssa-opt %s --te-plan-buffers --split-input-file | FileCheck %s

// A state that is copied into row i of a tensor is computed there: no launch copies.
// CHECK-LABEL: func.func @main
// CHECK:      scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step
// CHECK:        %[[E:.+]] = arith.muli %[[I]], %{{.+}}
// CHECK:        %[[D:.+]] = arith.muli %[[E]], %{{.+}}
// CHECK:        %[[AT:.+]] = arith.addi %{{.+}}, %[[D]]
// CHECK:        %[[ROW:.+]] = memref.view %arg2[%[[AT]]][] : memref<?xi8> to memref<1x16xf32>
// CHECK:        te.launch @step(%[[STATE:.+]]) outs(%[[ROW]] :
// CHECK-NOT:    te.launch
// CHECK:        memref.copy %[[ROW]], %[[STATE]]
func.func @main(%x: tensor<1x16xf32>) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %all = te.launch @zero() : () -> tensor<8x16xf32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%rows = %all, %state = %x) -> (tensor<8x16xf32>, tensor<1x16xf32>) {
    %h = te.launch @step(%state) : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %u = te.launch @put(%rows, %h, %i) : (tensor<8x16xf32>, tensor<1x16xf32>, index) -> tensor<8x16xf32>
    scf.yield %u, %h : tensor<8x16xf32>, tensor<1x16xf32>
  }
  %y = te.launch @negate(%r#0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
te.kernel @zero() -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) {
    %v = arith.constant 0.0 : f32
    te.yield %v : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}
te.kernel @step(%x: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %y = te.compute @y (d0: 1, d1: 16) {
    %v = te.read %x[d0, -d1 + 15] : tensor<1x16xf32>
    te.yield %v : f32
  } : tensor<1x16xf32>
  te.return %y : tensor<1x16xf32>
}
te.kernel @put(%b: tensor<8x16xf32>, %h: tensor<1x16xf32>, %i: index) -> tensor<8x16xf32> {
  %y = te.update @y (d0: 1, d1: 16) into %b[s0, d1](%i) injective {
    %v = te.read %h[d0, d1] : tensor<1x16xf32>
    te.yield %v : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}
te.kernel @negate(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) {
    %v = te.read %x[d0, d1] : tensor<8x16xf32>
    %n = arith.negf %v : f32
    te.yield %n : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}

// -----

// The number of rows and a size of each row may be open. The row begins at a multiple of this size.
// CHECK-LABEL: func.func @main
// CHECK:      scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step
// CHECK:        %[[E:[^ ]+]] = arith.muli %dim{{.*}}, %c16{{.*}} : index
// CHECK:        %[[F:[^ ]+]] = arith.muli %[[I]], %[[E]]{{.*}} : index
// CHECK:        %[[D:.+]] = arith.muli %[[F]], %{{.+}} : index
// CHECK:        %[[AT:.+]] = arith.addi %{{.+}}, %[[D]]
// CHECK:        %[[ROW:.+]] = memref.view %{{.+}}[%[[AT]]][%dim{{.*}}] : memref<?xi8> to memref<?x16xf32>
// CHECK:        te.launch @step(%[[STATE:[^,]+]], %{{.+}}) outs(%[[ROW]] :
// CHECK-NOT:    te.launch
// CHECK:        memref.copy %[[ROW]], %[[STATE]]
func.func @main(%x: tensor<?x16xf32>, %n: tensor<?xf32>) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x16xf32>
  %size = tensor.dim %n, %c0 : tensor<?xf32>
  %all = te.launch @zero(%size, %b) sizes (%size, %b) : (index, index) -> tensor<?x?x16xf32>
  %r:2 = scf.for %i = %c0 to %size step %c1 iter_args(%rows = %all, %state = %x) -> (tensor<?x?x16xf32>, tensor<?x16xf32>) {
    %h = te.launch @step(%state, %b) sizes (%b) : (tensor<?x16xf32>, index) -> tensor<?x16xf32>
    %u = te.launch @put(%rows, %h, %i, %size, %b) sizes (%size, %b) : (tensor<?x?x16xf32>, tensor<?x16xf32>, index, index, index) -> tensor<?x?x16xf32>
    scf.yield %u, %h : tensor<?x?x16xf32>, tensor<?x16xf32>
  }
  %y = te.launch @negate(%r#0, %size, %b) sizes (%size, %b) : (tensor<?x?x16xf32>, index, index) -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}
te.kernel @zero(%n: index, %b: index) -> tensor<?x?x16xf32> {
  %y = te.compute @y (d0: %n, d1: %b, d2: 16) {
    %v = arith.constant 0.0 : f32
    te.yield %v : f32
  } : tensor<?x?x16xf32>
  te.return %y : tensor<?x?x16xf32>
}
te.kernel @step(%x: tensor<?x16xf32> {te.sizes = array<i64: 1, -1>}, %b: index) -> tensor<?x16xf32> {
  %y = te.compute @y (d0: %b, d1: 16) {
    %v = te.read %x[d0, -d1 + 15] : tensor<?x16xf32>
    te.yield %v : f32
  } : tensor<?x16xf32>
  te.return %y : tensor<?x16xf32>
}
te.kernel @put(%a: tensor<?x?x16xf32> {te.sizes = array<i64: 3, 4, -1>}, %h: tensor<?x16xf32> {te.sizes = array<i64: 4, -1>}, %i: index, %n: index, %b: index) -> tensor<?x?x16xf32> {
  %y = te.update @y (d0: %b, d1: 16) into %a[s0, d0, d1](%i) injective {
    %v = te.read %h[d0, d1] : tensor<?x16xf32>
    te.yield %v : f32
  } : tensor<?x?x16xf32>
  te.return %y : tensor<?x?x16xf32>
}
te.kernel @negate(%x: tensor<?x?x16xf32> {te.sizes = array<i64: 1, 2, -1>}, %n: index, %b: index) -> tensor<?x?x16xf32> {
  %y = te.compute @y (d0: %n, d1: %b, d2: 16) {
    %v = te.read %x[d0, d1, d2] : tensor<?x?x16xf32>
    %m = arith.negf %v : f32
    te.yield %m : f32
  } : tensor<?x?x16xf32>
  te.return %y : tensor<?x?x16xf32>
}

// -----

// What is left alone: rows that do not begin at multiples of 64 bytes (@narrow), elements in another
// order (@turned), an index that data decide (@checked), and a tensor that the launch of the row
// reads (@last).
// CHECK-LABEL: func.func @main
// CHECK: te.launch @narrow(
// CHECK: te.launch @turned(
// CHECK: te.launch @checked(
// CHECK: te.launch @last(
// CHECK: te.launch @put(
func.func @main(%n: tensor<1x3xf32>, %x: tensor<1x16xf32>, %i: tensor<i64>) -> (tensor<8x3xf32>, tensor<8x16xf32>) {
  %e = tensor.extract %i[] : tensor<i64>
  %at = arith.index_cast %e : i64 to index
  %c1 = arith.constant 1 : index
  %small = te.launch @small() : () -> tensor<8x3xf32>
  %s = te.launch @three(%n) : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %a = te.launch @narrow(%small, %s, %c1) : (tensor<8x3xf32>, tensor<1x3xf32>, index) -> tensor<8x3xf32>
  %a2 = te.launch @negate(%a) : (tensor<8x3xf32>) -> tensor<8x3xf32>
  %zero = te.launch @zero() : () -> tensor<8x16xf32>
  %h = te.launch @step(%x) : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %b = te.launch @turned(%zero, %h, %c1) : (tensor<8x16xf32>, tensor<1x16xf32>, index) -> tensor<8x16xf32>
  %k = te.launch @step(%h) : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %c = te.launch @checked(%b, %k, %at) : (tensor<8x16xf32>, tensor<1x16xf32>, index) -> tensor<8x16xf32>
  %l = te.launch @last(%c) : (tensor<8x16xf32>) -> tensor<1x16xf32>
  %d = te.launch @put(%c, %l, %c1) : (tensor<8x16xf32>, tensor<1x16xf32>, index) -> tensor<8x16xf32>
  %d2 = te.launch @twice(%d) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %a2, %d2 : tensor<8x3xf32>, tensor<8x16xf32>
}
te.kernel @small() -> tensor<8x3xf32> {
  %y = te.compute @y (d0: 8, d1: 3) {
    %v = arith.constant 0.0 : f32
    te.yield %v : f32
  } : tensor<8x3xf32>
  te.return %y : tensor<8x3xf32>
}
te.kernel @three(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %y = te.compute @y (d0: 1, d1: 3) {
    %v = te.read %x[d0, -d1 + 2] : tensor<1x3xf32>
    te.yield %v : f32
  } : tensor<1x3xf32>
  te.return %y : tensor<1x3xf32>
}
te.kernel @narrow(%b: tensor<8x3xf32>, %h: tensor<1x3xf32>, %i: index) -> tensor<8x3xf32> {
  %y = te.update @y (d0: 1, d1: 3) into %b[s0, d1](%i) injective {
    %v = te.read %h[d0, d1] : tensor<1x3xf32>
    te.yield %v : f32
  } : tensor<8x3xf32>
  te.return %y : tensor<8x3xf32>
}
te.kernel @negate(%x: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %y = te.compute @y (d0: 8, d1: 3) {
    %v = te.read %x[d0, d1] : tensor<8x3xf32>
    %n = arith.negf %v : f32
    te.yield %n : f32
  } : tensor<8x3xf32>
  te.return %y : tensor<8x3xf32>
}
te.kernel @zero() -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) {
    %v = arith.constant 0.0 : f32
    te.yield %v : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}
te.kernel @step(%x: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %y = te.compute @y (d0: 1, d1: 16) {
    %v = te.read %x[d0, -d1 + 15] : tensor<1x16xf32>
    te.yield %v : f32
  } : tensor<1x16xf32>
  te.return %y : tensor<1x16xf32>
}
te.kernel @turned(%b: tensor<8x16xf32>, %h: tensor<1x16xf32>, %i: index) -> tensor<8x16xf32> {
  %y = te.update @y (d0: 1, d1: 16) into %b[s0, -d1 + 15](%i) injective {
    %v = te.read %h[d0, d1] : tensor<1x16xf32>
    te.yield %v : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}
te.kernel @checked(%b: tensor<8x16xf32>, %h: tensor<1x16xf32>, %i: index) -> tensor<8x16xf32> {
  %y = te.update @y (d0: 1, d1: 16) into %b[s1, d1](%i) {
    %v = te.read %h[d0, d1] : tensor<1x16xf32>
    %at = te.index s0(%i)
    te.yield %v, %at : f32, index
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}
te.kernel @last(%x: tensor<8x16xf32>) -> tensor<1x16xf32> {
  %y = te.compute @y (d0: 1, d1: 16) {
    %v = te.read %x[7, d1] : tensor<8x16xf32>
    te.yield %v : f32
  } : tensor<1x16xf32>
  te.return %y : tensor<1x16xf32>
}
te.kernel @put(%b: tensor<8x16xf32>, %h: tensor<1x16xf32>, %i: index) -> tensor<8x16xf32> {
  %y = te.update @y (d0: 1, d1: 16) into %b[s0, d1](%i) injective {
    %v = te.read %h[d0, d1] : tensor<1x16xf32>
    te.yield %v : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}
te.kernel @twice(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) {
    %v = te.read %x[d0, d1] : tensor<8x16xf32>
    %n = arith.addf %v, %v : f32
    te.yield %n : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}

// -----

// A loop updates the tensor of the rows, and may overwrite the row, which is read after it.
// CHECK-LABEL: func.func @main
// CHECK: te.launch @step(%arg0) outs(%[[ROW:[^ ]+]] :
// CHECK: te.launch @put(%{{.+}}, %[[ROW]], %{{.+}})
// CHECK: scf.for
// CHECK:   te.launch @put(
// CHECK: te.launch @step(%[[ROW]])
func.func @main(%x: tensor<1x16xf32>) -> (tensor<8x16xf32>, tensor<1x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = te.launch @zero() : () -> tensor<8x16xf32>
  %h = te.launch @step(%x) : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %u = te.launch @put(%zero, %h, %c1) : (tensor<8x16xf32>, tensor<1x16xf32>, index) -> tensor<8x16xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%rows = %u) -> tensor<8x16xf32> {
    %v = te.launch @put(%rows, %x, %i) : (tensor<8x16xf32>, tensor<1x16xf32>, index) -> tensor<8x16xf32>
    scf.yield %v : tensor<8x16xf32>
  }
  %k = te.launch @step(%h) : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %y = te.launch @twice(%r) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y, %k : tensor<8x16xf32>, tensor<1x16xf32>
}
te.kernel @zero() -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) {
    %v = arith.constant 0.0 : f32
    te.yield %v : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}
te.kernel @step(%x: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %y = te.compute @y (d0: 1, d1: 16) {
    %v = te.read %x[d0, -d1 + 15] : tensor<1x16xf32>
    te.yield %v : f32
  } : tensor<1x16xf32>
  te.return %y : tensor<1x16xf32>
}
te.kernel @put(%b: tensor<8x16xf32>, %h: tensor<1x16xf32>, %i: index) -> tensor<8x16xf32> {
  %y = te.update @y (d0: 1, d1: 16) into %b[s0, d1](%i) injective {
    %v = te.read %h[d0, d1] : tensor<1x16xf32>
    te.yield %v : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}
te.kernel @twice(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) {
    %v = te.read %x[d0, d1] : tensor<8x16xf32>
    %n = arith.addf %v, %v : f32
    te.yield %n : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}
