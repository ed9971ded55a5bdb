// RUN: tssa-opt %s -split-input-file -layout-choose-stores | FileCheck %s
// RUN: tssa-opt %s -split-input-file -te-check-pipeline=passes=layout-choose-stores,layout-materialize-stores,layout-drop-copies -o /dev/null
// RUN: tssa-opt %s -split-input-file -layout-choose-stores --remarks-filter=layout-choose-stores --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A product of two inputs reads both along the sum. The second one is converted, so that the lanes
// of a row of results are adjacent.
// REMARK: [Passed] operand | {{.*}} | Conversion={{[0-9]+}}, Parameter=1, ReadersAsIs={{[0-9]+}}, ReadersConverted={{[0-9]+}}
// CHECK-LABEL: te.kernel @scores(
// CHECK: schedule {
// CHECK-NEXT: layout.store 1 as map<reorder(0, 2, 1)>
// CHECK-NEXT: }
func.func @main(%q: tensor<2x64x32xf32>, %k: tensor<2x64x32xf32>) -> tensor<2x64x64xf32> {
  %s = te.launch @scores(%q, %k) : (tensor<2x64x32xf32>, tensor<2x64x32xf32>) -> tensor<2x64x64xf32>
  return %s : tensor<2x64x64xf32>
}
te.kernel @scores(%q: tensor<2x64x32xf32>, %k: tensor<2x64x32xf32>) -> tensor<2x64x64xf32> {
  %y = te.compute @y (d0: 2, d1: 64, d2: 64) reduce (d3: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<2x64x32xf32>
    %b = te.read %k[d0, d2, d3] : tensor<2x64x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x64x64xf32>
  te.return %y : tensor<2x64x64xf32>
}

// -----

// The kernel that computes the operand stores it so. The product computes the largest of each row
// as well, and reads the parts of several heads side by side.
// REMARK: [Passed] ordered | {{.*}} | CyclesAsIs={{[0-9]+}}, CyclesStored={{[0-9]+}}, ReadersAsIs={{[0-9]+}}, ReadersConverted={{[0-9]+}}, ReadersStored={{[0-9]+}}
// CHECK-LABEL: te.kernel @project(
// CHECK: layout.store @y as map<reorder(0, 2, 1)>
// CHECK-LABEL: te.kernel @heads(
// CHECK: layout.store 1 as map<reorder(0, 2, 1)>
func.func @main(%q: tensor<1x64x64xf32>, %x: tensor<1x64x64xf32>) -> (tensor<1x2x64x64xf32>, tensor<1x2x64xf32>) {
  %w = te.constant dense<0.5> : tensor<64x64xf32>
  %k = te.launch @project(%x, %w) : (tensor<1x64x64xf32>, tensor<64x64xf32>) -> tensor<1x64x64xf32>
  %s:2 = te.launch @heads(%q, %k) : (tensor<1x64x64xf32>, tensor<1x64x64xf32>) -> (tensor<1x2x64x64xf32>, tensor<1x2x64xf32>)
  return %s#0, %s#1 : tensor<1x2x64x64xf32>, tensor<1x2x64xf32>
}
te.kernel @project(%x: tensor<1x64x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x64x64xf32> {
  %y = te.compute @y (d0: 1, d1: 64, d2: 64) reduce (d3: 64) init (0.0 : f32) {
    %a = te.read %x[0, d1, d3] : tensor<1x64x64xf32>
    %b = te.read %w[d3, d2] : tensor<64x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x64x64xf32>
  te.return %y : tensor<1x64x64xf32>
}
te.kernel @heads(%q: tensor<1x64x64xf32>, %k: tensor<1x64x64xf32>) -> (tensor<1x2x64x64xf32>, tensor<1x2x64xf32>) {
  %y = te.compute @y (d0: 1, d1: 2, d2: 64, d3: 64) reduce (d4: 32) init (0.0 : f32) {
    %a = te.read %q[0, d2, d1 * 32 + d4] : tensor<1x64x64xf32>
    %b = te.read %k[0, d3, d1 * 32 + d4] : tensor<1x64x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x2x64x64xf32>
  %m = te.compute @m (d0: 1, d1: 2, d2: 64) reduce (d3: 64) init (0xFF800000 : f32) {
    %a = te.read %y[d0, d1, d2, d3] : tensor<1x2x64x64xf32>
    te.yield %a : f32
  } combine arith.maximumf : tensor<1x2x64xf32>
  te.return %y, %m : tensor<1x2x64x64xf32>, tensor<1x2x64xf32>
}

// -----

// Two products read one operand, each of them too seldom to pay for the conversion alone.
// REMARK: [Passed] operand
// CHECK-LABEL: te.kernel @few(
// CHECK: layout.store 1 as map<reorder(0, 2, 1)>
// CHECK-LABEL: te.kernel @few_more(
// CHECK: layout.store 1 as map<reorder(0, 2, 1)>
func.func @main(%q: tensor<2x3x32xf32>, %r: tensor<2x2x32xf32>, %k: tensor<2x256x32xf32>) -> (tensor<2x3x256xf32>, tensor<2x2x256xf32>) {
  %s = te.launch @few(%q, %k) : (tensor<2x3x32xf32>, tensor<2x256x32xf32>) -> tensor<2x3x256xf32>
  %t = te.launch @few_more(%r, %k) : (tensor<2x2x32xf32>, tensor<2x256x32xf32>) -> tensor<2x2x256xf32>
  return %s, %t : tensor<2x3x256xf32>, tensor<2x2x256xf32>
}
te.kernel @few(%q: tensor<2x3x32xf32>, %k: tensor<2x256x32xf32>) -> tensor<2x3x256xf32> {
  %y = te.compute @y (d0: 2, d1: 3, d2: 256) reduce (d3: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<2x3x32xf32>
    %b = te.read %k[d0, d2, d3] : tensor<2x256x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x3x256xf32>
  te.return %y : tensor<2x3x256xf32>
}
te.kernel @few_more(%q: tensor<2x2x32xf32>, %k: tensor<2x256x32xf32>) -> tensor<2x2x256xf32> {
  %y = te.compute @y (d0: 2, d1: 2, d2: 256) reduce (d3: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<2x2x32xf32>
    %b = te.read %k[d0, d2, d3] : tensor<2x256x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x2x256xf32>
  te.return %y : tensor<2x2x256xf32>
}

// -----

// Four heads of queries share each head of keys.
// CHECK-LABEL: te.kernel @shared_heads(
// CHECK: layout.store 1 as map<reorder(0, 2, 1)>
func.func @main(%q: tensor<8x64x32xf32>, %k: tensor<2x64x32xf32>) -> tensor<8x64x64xf32> {
  %s = te.launch @shared_heads(%q, %k) : (tensor<8x64x32xf32>, tensor<2x64x32xf32>) -> tensor<8x64x64xf32>
  return %s : tensor<8x64x64xf32>
}
te.kernel @shared_heads(%q: tensor<8x64x32xf32>, %k: tensor<2x64x32xf32>) -> tensor<8x64x64xf32> {
  %y = te.compute @y (d0: 8, d1: 64, d2: 64) reduce (d3: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<8x64x32xf32>
    %b = te.read %k[d0 floordiv 4, d2, d3] : tensor<2x64x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x64x64xf32>
  te.return %y : tensor<8x64x64xf32>
}

// -----

// One row reads each element once: the time of a conversion is not saved again.
// REMARK: [Missed] operand
// CHECK-LABEL: te.kernel @one_row(
// CHECK-NOT: layout.store
func.func @main(%q: tensor<2x1x32xf32>, %k: tensor<2x256x32xf32>) -> tensor<2x1x256xf32> {
  %s = te.launch @one_row(%q, %k) : (tensor<2x1x32xf32>, tensor<2x256x32xf32>) -> tensor<2x1x256xf32>
  return %s : tensor<2x1x256xf32>
}
te.kernel @one_row(%q: tensor<2x1x32xf32>, %k: tensor<2x256x32xf32>) -> tensor<2x1x256xf32> {
  %y = te.compute @y (d0: 2, d1: 1, d2: 256) reduce (d3: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<2x1x32xf32>
    %b = te.read %k[d0, d2, d3] : tensor<2x256x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x1x256xf32>
  te.return %y : tensor<2x1x256xf32>
}

// -----

// The lanes are adjacent as it is.
// CHECK-LABEL: te.kernel @in_order(
// CHECK-NOT: layout.store
func.func @main(%q: tensor<2x64x32xf32>, %k: tensor<2x32x64xf32>) -> tensor<2x64x64xf32> {
  %s = te.launch @in_order(%q, %k) : (tensor<2x64x32xf32>, tensor<2x32x64xf32>) -> tensor<2x64x64xf32>
  return %s : tensor<2x64x64xf32>
}
te.kernel @in_order(%q: tensor<2x64x32xf32>, %k: tensor<2x32x64xf32>) -> tensor<2x64x64xf32> {
  %y = te.compute @y (d0: 2, d1: 64, d2: 64) reduce (d3: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<2x64x32xf32>
    %b = te.read %k[d0, d3, d2] : tensor<2x32x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x64x64xf32>
  te.return %y : tensor<2x64x64xf32>
}

// -----

// An open number of rows may be one, so that no operand of this product is converted. An open number
// of products does not matter, nor that of rows and columns where both are the same.
// CHECK-LABEL: te.kernel @open_rows(
// CHECK-NOT: layout.store
// CHECK-LABEL: te.kernel @open_batch(
// CHECK: layout.store 1 as map<reorder(0, 2, 1)>
// CHECK-LABEL: te.kernel @open_square(
// CHECK: layout.store 1 as map<reorder(0, 2, 1)>
func.func @main(%q: tensor<2x?x32xf32>, %k: tensor<2x64x32xf32>, %r: tensor<?x64x32xf32>, %p: tensor<2x?x32xf32>)
    -> (tensor<2x?x64xf32>, tensor<?x64x64xf32>, tensor<2x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %q, %c1 : tensor<2x?x32xf32>
  %m = tensor.dim %r, %c0 : tensor<?x64x32xf32>
  %s = te.launch @open_rows(%q, %k, %n) sizes (%n) : (tensor<2x?x32xf32>, tensor<2x64x32xf32>, index) -> tensor<2x?x64xf32>
  %t = te.launch @open_batch(%r, %r, %m) sizes (%m) : (tensor<?x64x32xf32>, tensor<?x64x32xf32>, index) -> tensor<?x64x64xf32>
  %u = te.launch @open_square(%q, %p, %n) sizes (%n, %n) : (tensor<2x?x32xf32>, tensor<2x?x32xf32>, index) -> tensor<2x?x?xf32>
  return %s, %t, %u : tensor<2x?x64xf32>, tensor<?x64x64xf32>, tensor<2x?x?xf32>
}
te.kernel @open_rows(%q: tensor<2x?x32xf32> {te.sizes = array<i64: -1, 2, -1>}, %k: tensor<2x64x32xf32>, %n: index) -> tensor<2x?x64xf32> {
  %y = te.compute @y (d0: 2, d1: %n, d2: 64) reduce (d3: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<2x?x32xf32>
    %b = te.read %k[d0, d2, d3] : tensor<2x64x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x?x64xf32>
  te.return %y : tensor<2x?x64xf32>
}
te.kernel @open_batch(%q: tensor<?x64x32xf32> {te.sizes = array<i64: 2, -1, -1>}, %k: tensor<?x64x32xf32> {te.sizes = array<i64: 2, -1, -1>}, %n: index) -> tensor<?x64x64xf32> {
  %y = te.compute @y (d0: %n, d1: 64, d2: 64) reduce (d3: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<?x64x32xf32>
    %b = te.read %k[d0, d2, d3] : tensor<?x64x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x64x64xf32>
  te.return %y : tensor<?x64x64xf32>
}
te.kernel @open_square(%q: tensor<2x?x32xf32> {te.sizes = array<i64: -1, 2, -1>}, %k: tensor<2x?x32xf32> {te.sizes = array<i64: -1, 2, -1>}, %n: index) -> tensor<2x?x?xf32> {
  %y = te.compute @y (d0: 2, d1: %n, d2: %n) reduce (d3: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<2x?x32xf32>
    %b = te.read %k[d0, d2, d3] : tensor<2x?x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x?x?xf32>
  te.return %y : tensor<2x?x?xf32>
}
