// RUN: tssa-opt %s --te-print-sharing | FileCheck %s

// Three products read one tensor: they are independent. Their sum depends on them.
// CHECK-LABEL: function @products
// CHECK-NEXT:  %arg0: spatial %0, %1, %2; temporal %4 at depth 2
// CHECK-NOT:   %
func.func @products(%x: tensor<8x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = te.compute (d0: 8, d1: 8) reduce (d2: 8) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<8x8xf32>
    %b = te.read %q[d2, d1] : tensor<8x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x8xf32>
  %1 = te.compute (d0: 8, d1: 8) reduce (d2: 8) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<8x8xf32>
    %b = te.read %k[d2, d1] : tensor<8x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x8xf32>
  %2 = te.compute (d0: 8, d1: 8) reduce (d2: 8) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<8x8xf32>
    %b = te.read %v[d2, d1] : tensor<8x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x8xf32>
  %3 = te.compute (d0: 8, d1: 8) {
    %a = te.read %0[d0, d1] : tensor<8x8xf32>
    %b = te.read %1[d0, d1] : tensor<8x8xf32>
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  } : tensor<8x8xf32>
  %4 = te.compute (d0: 8, d1: 8) {
    %a = te.read %3[d0, d1] : tensor<8x8xf32>
    %b = te.read %x[d0, d1] : tensor<8x8xf32>
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  } : tensor<8x8xf32>
  return %4, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// A weight is read in each iteration, and a size may be open. What the loop carries is another
// tensor in each iteration; two readers in one iteration share it.
// CHECK-LABEL: function @cells
// CHECK-NEXT:  %arg0: temporal %2 in a loop
// CHECK-NEXT:  %arg1: read by %1; temporal %3 in a loop
// CHECK-NEXT:  %arg5: spatial %2, %3
func.func @cells(%w: tensor<?x?xf32>, %b: tensor<?xf32>, %h: tensor<?xf32>, %steps: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %w, %c0 : tensor<?x?xf32>
  %r:2 = scf.for %i = %c0 to %steps step %c1 iter_args(%a = %h, %c = %h) -> (tensor<?xf32>, tensor<?xf32>) {
    %s = te.compute (d0: %n) reduce (d1: %n) init (0.0 : f32) {
      %v = te.read %w[d0, d1] : tensor<?x?xf32>
      %u = te.read %a[d1] : tensor<?xf32>
      %p = arith.mulf %v, %u : f32
      te.yield %p : f32
    } combine arith.addf : tensor<?xf32>
    %t = te.compute (d0: %n) {
      %v = te.read %a[d0] : tensor<?xf32>
      %u = te.read %b[d0] : tensor<?xf32>
      %p = arith.addf %v, %u : f32
      te.yield %p : f32
    } : tensor<?xf32>
    scf.yield %s, %t : tensor<?xf32>, tensor<?xf32>
  }
  %z = te.compute (d0: %n) {
    %u = te.read %b[d0] : tensor<?xf32>
    te.yield %u : f32
  } : tensor<?xf32>
  return %r#0, %z : tensor<?xf32>, tensor<?xf32>
}

// A dependence through the value that the loop carries: the last reader uses what the first one of
// the earlier iteration has computed.
// CHECK-LABEL: function @carried
// CHECK-NEXT:  %arg0: temporal %3 in a loop, %1 at depth 2
func.func @carried(%x: tensor<8xf32>, %steps: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %steps step %c1 iter_args(%a = %x, %b = %x) -> (tensor<8xf32>, tensor<8xf32>) {
    %s = te.compute (d0: 8) {
      %v = te.read %a[d0] : tensor<8xf32>
      %e = math.exp %v : f32
      te.yield %e : f32
    } : tensor<8xf32>
    %t = te.compute (d0: 8) {
      %v = te.read %x[d0] : tensor<8xf32>
      %e = math.exp %v : f32
      te.yield %e : f32
    } : tensor<8xf32>
    scf.yield %t, %s : tensor<8xf32>, tensor<8xf32>
  }
  %z = te.compute (d0: 8) {
    %v = te.read %r#1[d0] : tensor<8xf32>
    %u = te.read %x[d0] : tensor<8xf32>
    %p = arith.addf %v, %u : f32
    te.yield %p : f32
  } : tensor<8xf32>
  return %z : tensor<8xf32>
}

// Whether the branch runs depends on the first reader. Casts are the same tensor.
// CHECK-LABEL: function @branch
// CHECK-NEXT:  %arg0: read by %0; temporal %{{.*}} at depth 1
// CHECK-NOT:   :
func.func @branch(%x: tensor<8xf32>) -> tensor<8xf32> {
  %m = te.compute () reduce (d0: 8) init (0xFF800000 : f32) {
    %v = te.read %x[d0] : tensor<8xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<f32>
  %v = tensor.extract %m[] : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %c = arith.cmpf ogt, %v, %zero : f32
  %cast = tensor.cast %x : tensor<8xf32> to tensor<?xf32>
  %y = scf.if %c -> tensor<8xf32> {
    %e = te.compute (d0: 8) {
      %u = te.read %cast[d0] : tensor<?xf32>
      %n = arith.negf %u : f32
      te.yield %n : f32
    } : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// Launches and the expressions of a kernel are readers, too.
// CHECK-LABEL: function @launches
// CHECK-NEXT:  %arg0: read by %0; temporal %1 at depth 1
// CHECK-LABEL: kernel @k
// CHECK-NEXT:  %arg0: read by @s; temporal @y at depth 1
func.func @launches(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = te.launch @k(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = te.launch @k(%x, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
te.kernel @k(%x: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %s = te.compute @s () reduce (d0: 8) init (0.0 : f32) {
    %v = te.read %x[d0] : tensor<8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<f32>
  %y = te.compute @y (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %u = te.read %s[] : tensor<f32>
    %w = te.read %b[d0] : tensor<8xf32>
    %d = arith.divf %v, %u : f32
    %p = arith.addf %d, %w : f32
    te.yield %p : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
}
