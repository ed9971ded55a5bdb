// RUN: tssa-opt %s -layout-choose-stores -layout-materialize-stores -layout-drop-copies | FileCheck %s
// RUN: tssa-opt %s -layout-choose-stores | FileCheck %s --check-prefix=STORE
// RUN: tssa-opt %s -te-check-pipeline=passes=layout-choose-stores,layout-materialize-stores,layout-drop-copies -o /dev/null
// RUN: tssa-opt %s -layout-choose-stores -layout-materialize-stores -layout-drop-copies --remarks-filter=layout-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] stored | {{.*}} | Elements=1280, Map="map<reorder(0, 2, 3, 1)>"
// REMARK: [Missed] stored | {{.*}} | Reason="it has users other than reads in kernels"
// REMARK: [Passed] copy | {{.*}} | Elements=1280, Remark="its operand is stored in the layout of the copy"
// REMARK: [Missed] copy | {{.*}} | Reason="it or its operand leaves the program or a region"

// The convolution stores channels last, and the next kernel adopts this order. The last kernel
// keeps the order of its result, which leaves the program.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x3x8x8xf32>) -> tensor<1x20x8x8xf32> {
  %w = te.constant dense<0.5> : tensor<20x3x1x1xf32>
  // CHECK: %[[CONV:.*]] = te.launch @[[K0:.*]](%{{.*}}) : (tensor<1x3x8x8xf32>, tensor<20x3x1x1xf32>) -> tensor<1x8x8x20xf32>
  %y = te.launch @conv(%x, %w) : (tensor<1x3x8x8xf32>, tensor<20x3x1x1xf32>) -> tensor<1x20x8x8xf32>
  // CHECK: %[[NEG:.*]] = te.launch @[[K1:.*]](%[[CONV]]) : (tensor<1x8x8x20xf32>) -> tensor<1x8x8x20xf32>
  %z = te.launch @neg(%y) : (tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32>
  // CHECK: te.launch @[[K2:.*]](%[[NEG]]) : (tensor<1x8x8x20xf32>) -> tensor<1x20x8x8xf32>
  %r = te.launch @neg(%z) : (tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32>
  return %r : tensor<1x20x8x8xf32>
}

// STORE: te.kernel @conv(
// STORE: schedule {
// STORE-NEXT: layout.store @y as map<reorder(0, 2, 3, 1)>
// STORE-NEXT: }
// STORE: te.kernel @neg_0
// STORE: layout.store @y as map<reorder(0, 2, 3, 1)>
// STORE-NEXT: layout.store 0 as map<reorder(0, 2, 3, 1)>
// STORE: te.kernel @neg_1
// STORE: schedule {
// STORE-NEXT: layout.store 0 as map<reorder(0, 2, 3, 1)>
// CHECK: te.kernel @[[K0]]
// CHECK: te.compute @y (d0: 1, d1: 8, d2: 8, d3: 20)
// CHECK: te.read %{{.*}}[d0, d4, d1, d2]
// CHECK: te.read %{{.*}}[d3, d4, 0, 0]
te.kernel @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<20x3x1x1xf32>) -> tensor<1x20x8x8xf32> {
  %y = te.compute @y (d0: 1, d1: 20, d2: 8, d3: 8) reduce (d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2, d3] : tensor<1x3x8x8xf32>
    %b = te.read %w[d1, d4, 0, 0] : tensor<20x3x1x1xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x20x8x8xf32>
  te.return %y : tensor<1x20x8x8xf32>
}

// CHECK: te.kernel @[[K1]](%{{.*}}: tensor<1x8x8x20xf32>) -> tensor<1x8x8x20xf32>
// CHECK: te.read %{{.*}}[d0, d1, d2, d3]
// CHECK: te.kernel @[[K2]](%{{.*}}: tensor<1x8x8x20xf32>) -> tensor<1x20x8x8xf32>
// CHECK: te.read %{{.*}}[d0, d2, d3, d1]
te.kernel @neg(%x: tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32> {
  %y = te.compute @y (d0: 1, d1: 20, d2: 8, d3: 8) {
    %a = te.read %x[d0, d1, d2, d3] : tensor<1x20x8x8xf32>
    %p = arith.negf %a : f32
    te.yield %p : f32
  } : tensor<1x20x8x8xf32>
  te.return %y : tensor<1x20x8x8xf32>
}

// A contraction of two inputs keeps its order.
// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<2x4x8xf32>, %k: tensor<2x5x8xf32>) -> tensor<2x4x5xf32> {
  // CHECK: te.launch @scores
  // CHECK-SAME: -> tensor<2x4x5xf32>
  %s = te.launch @scores(%q, %k) : (tensor<2x4x8xf32>, tensor<2x5x8xf32>) -> tensor<2x4x5xf32>
  return %s : tensor<2x4x5xf32>
}
te.kernel @scores(%q: tensor<2x4x8xf32>, %k: tensor<2x5x8xf32>) -> tensor<2x4x5xf32> {
  %y = te.compute @y (d0: 2, d1: 4, d2: 5) reduce (d3: 8) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<2x4x8xf32>
    %b = te.read %k[d0, d2, d3] : tensor<2x5x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x4x5xf32>
  te.return %y : tensor<2x4x5xf32>
}

// A transposing copy to channels last has become an identity: the result of the convolution
// replaces it, also where it leaves the program.
// CHECK-LABEL: func.func @transposed_end
func.func @transposed_end(%x: tensor<1x3x8x8xf32>) -> tensor<1x8x8x20xf32> {
  %w = te.constant dense<0.5> : tensor<20x3x1x1xf32>
  // CHECK: %[[CONV:.*]] = te.launch @{{.*}} -> tensor<1x8x8x20xf32>
  %y = te.launch @conv(%x, %w) : (tensor<1x3x8x8xf32>, tensor<20x3x1x1xf32>) -> tensor<1x20x8x8xf32>
  %r = te.launch @transpose(%y) : (tensor<1x20x8x8xf32>) -> tensor<1x8x8x20xf32>
  // CHECK-NEXT: return %[[CONV]]
  return %r : tensor<1x8x8x20xf32>
}
te.kernel @transpose(%x: tensor<1x20x8x8xf32>) -> tensor<1x8x8x20xf32> {
  %y = te.compute @y (d0: 1, d1: 8, d2: 8, d3: 20) {
    %a = te.read %x[d0, d3, d1, d2] : tensor<1x20x8x8xf32>
    te.yield %a : f32
  } : tensor<1x8x8x20xf32>
  te.return %y : tensor<1x8x8x20xf32>
}

// If two results are equal, one remains a copy; so does a copy of an argument.
// CHECK-LABEL: func.func @two_ends
func.func @two_ends(%x: tensor<1x3x8x8xf32>, %z: tensor<1x20x8x8xf32>)
    -> (tensor<1x8x8x20xf32>, tensor<1x8x8x20xf32>, tensor<1x8x8x20xf32>) {
  %w = te.constant dense<0.5> : tensor<20x3x1x1xf32>
  // CHECK: %[[CONV:.*]] = te.launch @{{.*}} -> tensor<1x8x8x20xf32>
  %y = te.launch @conv(%x, %w) : (tensor<1x3x8x8xf32>, tensor<20x3x1x1xf32>) -> tensor<1x20x8x8xf32>
  // CHECK: %[[COPY:.*]] = te.launch @{{.*}}(%[[CONV]])
  // CHECK: %[[MOVED:.*]] = te.launch @transpose(%{{.*}})
  %r = te.launch @transpose(%y) : (tensor<1x20x8x8xf32>) -> tensor<1x8x8x20xf32>
  %s = te.launch @transpose(%y) : (tensor<1x20x8x8xf32>) -> tensor<1x8x8x20xf32>
  %t = te.launch @transpose(%z) : (tensor<1x20x8x8xf32>) -> tensor<1x8x8x20xf32>
  // CHECK-NEXT: return %[[CONV]], %[[COPY]], %[[MOVED]]
  return %r, %s, %t : tensor<1x8x8x20xf32>, tensor<1x8x8x20xf32>, tensor<1x8x8x20xf32>
}

// A kernel with a schedule keeps it. A kernel that reads its result adopts the order, and an update of
// the result gets a conversion.
// CHECK-LABEL: func.func @scheduled
// CHECK: %[[Y:.*]] = te.launch @stored(%{{.*}}) : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK: %[[C:.*]] = te.launch @convert(%[[Y]])
// CHECK: te.launch @{{.*}}(%[[Y]]) : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
// CHECK: te.launch @updated(%[[C]])
func.func @scheduled(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %y = te.launch @stored(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %z = te.launch @read(%y) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %w = te.launch @read(%z) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %u = te.launch @updated(%y) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %w, %u : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}
te.kernel @stored(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = te.compute @y (d0: 2, d1: 3, d2: 4) {
    %a = te.read %x[d0, d1, d2] : tensor<2x3x4xf32>
    te.yield %a : f32
  } : tensor<2x3x4xf32>
  te.return %y : tensor<2x3x4xf32>
} schedule {
  layout.store @y as map<reorder(2, 0, 1)>
}
te.kernel @read(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = te.compute @y (d0: 2, d1: 3, d2: 4) {
    %a = te.read %x[d0, d1, d2] : tensor<2x3x4xf32>
    %p = arith.negf %a : f32
    te.yield %p : f32
  } : tensor<2x3x4xf32>
  te.return %y : tensor<2x3x4xf32>
}
te.kernel @updated(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = te.update (d0: 4) into %x[0, 0, d0] {
    %a = arith.constant 1.0 : f32
    te.yield %a : f32
  } : tensor<2x3x4xf32>
  te.return %y : tensor<2x3x4xf32>
}

// Rows that are looked up in a table and multiplied by weights keep their order.
// CHECK-LABEL: func.func @resampled
func.func @resampled(%x: tensor<3x8x40xf32>) -> tensor<3x16x40xf32> {
  %at = te.constant dense<1> : tensor<2x16xi64>
  %w = te.constant dense<0.5> : tensor<2x16xf32>
  // CHECK: te.launch @resample({{.*}} -> tensor<3x16x40xf32>
  %y = te.launch @resample(%x, %at, %w) : (tensor<3x8x40xf32>, tensor<2x16xi64>, tensor<2x16xf32>) -> tensor<3x16x40xf32>
  %r = te.launch @relu(%y) : (tensor<3x16x40xf32>) -> tensor<3x16x40xf32>
  return %r : tensor<3x16x40xf32>
}
te.kernel @resample(%x: tensor<3x8x40xf32>, %at: tensor<2x16xi64>, %w: tensor<2x16xf32>) -> tensor<3x16x40xf32> {
  %y = te.compute @y (d0: 3, d1: 16, d2: 40) reduce (d3: 2) init (0.0 : f32) {
    %i = te.read %at[d3, d1] : tensor<2x16xi64>
    %k = arith.index_cast %i : i64 to index
    %a = te.read %x[d0, s0, d2](%k) : tensor<3x8x40xf32>
    %b = te.read %w[d3, d1] : tensor<2x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<3x16x40xf32>
  te.return %y : tensor<3x16x40xf32>
}
te.kernel @relu(%x: tensor<3x16x40xf32>) -> tensor<3x16x40xf32> {
  %y = te.compute @y (d0: 3, d1: 16, d2: 40) {
    %a = te.read %x[d0, d1, d2] : tensor<3x16x40xf32>
    %z = arith.constant 0.0 : f32
    %p = arith.maximumf %a, %z : f32
    te.yield %p : f32
  } : tensor<3x16x40xf32>
  te.return %y : tensor<3x16x40xf32>
}

// An update does not take the order of what it reads over: wide channels come last only
// where the predicted times say so, as here.
// CHECK-LABEL: func.func @collected
func.func @collected(%x: tensor<1x3x8x8xf32>, %b: tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32> {
  %w = te.constant dense<0.5> : tensor<20x3x1x1xf32>
  // CHECK: te.launch @{{.*}} -> tensor<1x8x8x20xf32>
  %y = te.launch @conv(%x, %w) : (tensor<1x3x8x8xf32>, tensor<20x3x1x1xf32>) -> tensor<1x20x8x8xf32>
  %r = te.launch @collect(%b, %y) : (tensor<1x20x8x8xf32>, tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32>
  return %r : tensor<1x20x8x8xf32>
}
te.kernel @collect(%b: tensor<1x20x8x8xf32>, %y: tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32> {
  %r = te.update (d0: 20, d1: 8, d2: 8) into %b[0, d0, d1, d2] {
    %a = te.read %y[0, d0, d1, d2] : tensor<1x20x8x8xf32>
    te.yield %a : f32
  } : tensor<1x20x8x8xf32>
  te.return %r : tensor<1x20x8x8xf32>
}
