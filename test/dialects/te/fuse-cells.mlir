// RUN: tssa-opt %s --te-fuse-cells --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-fuse-cells=apply=always --split-input-file | FileCheck %s --check-prefix=ALWAYS
// RUN: tssa-opt %s --te-fuse-cells=apply=never --split-input-file | FileCheck %s --check-prefix=NEVER
// RUN: tssa-opt %s --te-fuse-cells --split-input-file --remarks-filter=te-fuse-cells --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// NEVER-NOT: init ({{.*}}, {{.*}})

// The state of a cell reads three windows of its gates. The product has an epilogue, which is computed for
// each window, and weights and a bias that are read at an offset.
// REMARK: remark: [Passed] cell | Category:te-fuse-cells | Accumulators=3, LaunchesSaved=1, Operations=54, Remark="an accumulator for each window"
// CHECK-LABEL: func @gates
// CHECK-DAG:   %[[B:.*]] = te.constant {{.*}} : tensor<6xf32>
// CHECK-DAG:   %[[W:.*]] = te.constant {{.*}} : tensor<6x4xf32>
// CHECK:       te.compute (d0: 2) reduce (d1: 4) init (0.000000e+00 : f32, 0.000000e+00 : f32, 0.000000e+00 : f32)
// CHECK-NEXT:    %[[X:.*]] = te.read %arg0[d1]
// CHECK-NEXT:    %[[A:.*]] = te.read %[[W]][d0, d1]
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[X]], %[[A]]
// CHECK-NEXT:    %[[A:.*]] = te.read %[[W]][d0 + 4, d1]
// CHECK-NEXT:    %[[Q:.*]] = arith.mulf %[[X]], %[[A]]
// CHECK-NEXT:    %[[A:.*]] = te.read %[[W]][d0 + 2, d1]
// CHECK-NEXT:    %[[R:.*]] = arith.mulf %[[X]], %[[A]]
// CHECK-NEXT:    te.yield %[[P]], %[[Q]], %[[R]]
// CHECK-NEXT:  } combine (%[[L0:.*]]: f32, %[[L1:.*]]: f32, %[[L2:.*]]: f32, %[[R0:.*]]: f32, %[[R1:.*]]: f32, %[[R2:.*]]: f32)
// CHECK-NEXT:    arith.addf %[[L0]], %[[R0]]
// CHECK-NEXT:    arith.addf %[[L1]], %[[R1]]
// CHECK-NEXT:    arith.addf %[[L2]], %[[R2]]
// CHECK:       } then (%[[S0:.*]]: f32, %[[S1:.*]]: f32, %[[S2:.*]]: f32)
// CHECK-NEXT:    %[[C:.*]] = te.read %[[B]][d0]
// CHECK-NEXT:    %[[I:.*]] = arith.addf %[[S0]], %[[C]]
// CHECK-NEXT:    %[[C:.*]] = te.read %[[B]][d0 + 4]
// CHECK-NEXT:    %[[J:.*]] = arith.addf %[[S1]], %[[C]]
// CHECK-NEXT:    %[[C:.*]] = te.read %[[B]][d0 + 2]
// CHECK-NEXT:    %[[K:.*]] = arith.addf %[[S2]], %[[C]]
// CHECK-NEXT:    %[[M:.*]] = arith.mulf %[[I]], %[[J]]
// CHECK-NEXT:    %[[N:.*]] = arith.addf %[[M]], %[[K]]
// CHECK-NEXT:    te.yield %[[N]], %[[M]]
// CHECK-NEXT:  } : tensor<2xf32>, tensor<2xf32>
func.func @gates(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %w = te.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 1.0, 2.0], [3.0, 4.0, 5.0, 6.0]]> : tensor<6x4xf32>
  %b = te.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %p = te.compute (d0: 6) reduce (d1: 4) init (0.0 : f32) {
    %v = te.read %x[d1] : tensor<4xf32>
    %u = te.read %w[d0, d1] : tensor<6x4xf32>
    %m = arith.mulf %v, %u : f32
    te.yield %m : f32
  } combine arith.addf then (%s: f32) {
    %c = te.read %b[d0] : tensor<6xf32>
    %r = arith.addf %s, %c : f32
    te.yield %r : f32
  } : tensor<6xf32>
  %y:2 = te.compute (d0: 2) {
    %i = te.read %p[d0] : tensor<6xf32>
    %j = te.read %p[d0 + 4] : tensor<6xf32>
    %k = te.read %p[d0 + 2] : tensor<6xf32>
    %m = arith.mulf %i, %j : f32
    %n = arith.addf %m, %k : f32
    te.yield %n, %m : f32, f32
  } : tensor<2xf32>, tensor<2xf32>
  return %y#0, %y#1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// Windows may be indexes of a dim of their own, and a batch may be open.
// REMARK: remark: [Passed] cell | {{.*}}Accumulators=2
// CHECK-LABEL: func @stacked
// CHECK:       te.compute (d0: %arg2, d1: 3) reduce (d2: 5) init (0.000000e+00 : f32, 0.000000e+00 : f32)
// CHECK:         te.read %arg1[0, d1, d2]
// CHECK:         te.read %arg1[1, d1, d2]
// CHECK-NOT:   te.compute
func.func @stacked(%x: tensor<?x5xf32>, %w: tensor<2x3x5xf32>, %n: index) -> tensor<?x3xf32> {
  %p = te.compute (d0: 2, d1: %n, d2: 3) reduce (d3: 5) init (0.0 : f32) {
    %v = te.read %x[d1, d3] : tensor<?x5xf32>
    %u = te.read %w[d0, d2, d3] : tensor<2x3x5xf32>
    %m = arith.mulf %v, %u : f32
    te.yield %m : f32
  } combine arith.addf : tensor<2x?x3xf32>
  %y = te.compute (d0: %n, d1: 3) {
    %i = te.read %p[0, d0, d1] : tensor<2x?x3xf32>
    %j = te.read %p[1, d0, d1] : tensor<2x?x3xf32>
    %m = arith.divf %i, %j : f32
    te.yield %m : f32
  } : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// Windows that overlap would compute some sums twice.
// REMARK: remark: [Missed] cell | {{.*}}Reason="an element of it is read repeatedly"
// CHECK-LABEL: func @overlap
// CHECK:       te.compute
// CHECK:       te.compute
// ALWAYS-LABEL: func @overlap
// ALWAYS:      te.compute
// ALWAYS:      te.compute
func.func @overlap(%x: tensor<6x5xf32>) -> tensor<4xf32> {
  %p = te.compute (d0: 6) reduce (d1: 5) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<6x5xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<6xf32>
  %y = te.compute (d0: 4) {
    %i = te.read %p[d0] : tensor<6xf32>
    %j = te.read %p[d0 + 2] : tensor<6xf32>
    %m = arith.addf %i, %j : f32
    te.yield %m : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A second reader needs the gates in memory.
// REMARK: remark: [Missed] cell | {{.*}}Reason="it is used by other ops than expressions"
// CHECK-LABEL: func @returned
// CHECK:       te.compute
// CHECK:       te.compute
func.func @returned(%x: tensor<4x5xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %p = te.compute (d0: 4) reduce (d1: 5) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x5xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<4xf32>
  %y = te.compute (d0: 2) {
    %i = te.read %p[d0] : tensor<4xf32>
    %j = te.read %p[d0 + 2] : tensor<4xf32>
    %m = arith.addf %i, %j : f32
    te.yield %m : f32
  } : tensor<2xf32>
  return %p, %y : tensor<4xf32>, tensor<2xf32>
}

// -----

// A large product shares its loads among rows, and stays as it is unless it is forced.
// REMARK: remark: [Missed] cell | {{.*}}Operations=4194304, Reason="it is large and compute-intensive"
// CHECK-LABEL: func @large
// CHECK:       te.compute
// CHECK:       te.compute
// ALWAYS-LABEL: func @large
// ALWAYS:      te.compute (d0: 128, d1: 64) reduce (d2: 128) init (0.000000e+00 : f32, 0.000000e+00 : f32)
// ALWAYS-NOT:  te.compute
func.func @large(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x64xf32> {
  %p = te.compute (d0: 128, d1: 128) reduce (d2: 128) init (0.0 : f32) {
    %v = te.read %x[d0, d2] : tensor<128x128xf32>
    %u = te.read %w[d2, d1] : tensor<128x128xf32>
    %m = arith.mulf %v, %u : f32
    te.yield %m : f32
  } combine arith.addf : tensor<128x128xf32>
  %y = te.compute (d0: 128, d1: 64) {
    %i = te.read %p[d0, d1] : tensor<128x128xf32>
    %j = te.read %p[d0, d1 + 64] : tensor<128x128xf32>
    %m = arith.mulf %i, %j : f32
    te.yield %m : f32
  } : tensor<128x64xf32>
  return %y : tensor<128x64xf32>
}

// -----

// Four rows read the same 2^15 weights, which do not stay in the first-level cache from one row to the next.
// REMARK: remark: [Missed] cell | {{.*}}Operations=262144, Reason="its rows share weights, which would be loaded for each row"
// CHECK-LABEL: func @rows
// CHECK:       te.compute
// CHECK:       te.compute
// ALWAYS-LABEL: func @rows
// ALWAYS:      te.compute (d0: 4, d1: 128) reduce (d2: 128) init (0.000000e+00 : f32, 0.000000e+00 : f32)
// ALWAYS-NOT:  te.compute
func.func @rows(%x: tensor<4x128xf32>) -> tensor<4x128xf32> {
  %w = te.constant dense<0.5> : tensor<128x256xf32>
  %p = te.compute (d0: 4, d1: 256) reduce (d2: 128) init (0.0 : f32) {
    %v = te.read %x[d0, d2] : tensor<4x128xf32>
    %u = te.read %w[d2, d1] : tensor<128x256xf32>
    %m = arith.mulf %v, %u : f32
    te.yield %m : f32
  } combine arith.addf : tensor<4x256xf32>
  %y = te.compute (d0: 4, d1: 128) {
    %i = te.read %p[d0, d1] : tensor<4x256xf32>
    %j = te.read %p[d0, d1 + 128] : tensor<4x256xf32>
    %m = arith.mulf %i, %j : f32
    te.yield %m : f32
  } : tensor<4x128xf32>
  return %y : tensor<4x128xf32>
}

// -----

// The reset gate of a GRU scales the state before the next product, the update gate is read after it. Both gates
// are computed with the reset state, in whose expression the update gate is a second result.
// REMARK: remark: [Passed] cell | {{.*}}Accumulators=2
// ALWAYS-LABEL: func @reset
// CHECK-LABEL: func @reset
// CHECK:       %[[G:.*]]:2 = te.compute (d0: %arg3, d1: 3) reduce (d2: 3) init (0.000000e+00 : f32, 0.000000e+00 : f32)
// CHECK:       } then (%[[R:.*]]: f32, %[[Z:.*]]: f32) {
// CHECK:         %[[A:.*]] = math.tanh %[[R]]
// CHECK:         %[[B:.*]] = math.tanh %[[Z]]
// CHECK:         %[[H:.*]] = te.read %arg0[d0, d1]
// CHECK:         %[[M:.*]] = arith.mulf %[[A]], %[[H]]
// CHECK:         te.yield %[[M]], %[[B]]
// CHECK:       te.compute (d0: %arg3, d1: 3) reduce (d2: 3)
// CHECK:         te.read %[[G]]#0[d0, d2]
// CHECK:       } combine arith.addf then
// CHECK:         te.read %[[G]]#1[d0, d1]
// CHECK-NOT:   te.compute
func.func @reset(%h: tensor<?x3xf32>, %w: tensor<6x3xf32>, %u: tensor<3x3xf32>, %n: index) -> tensor<?x3xf32> {
  %p = te.compute (d0: %n, d1: 6) reduce (d2: 3) init (0.0 : f32) {
    %a = te.read %h[d0, d2] : tensor<?x3xf32>
    %b = te.read %w[d1, d2] : tensor<6x3xf32>
    %m = arith.mulf %a, %b : f32
    te.yield %m : f32
  } combine arith.addf then (%s: f32) {
    %t = math.tanh %s : f32
    te.yield %t : f32
  } : tensor<?x6xf32>
  %r = te.compute (d0: %n, d1: 3) {
    %a = te.read %p[d0, d1 + 3] : tensor<?x6xf32>
    %b = te.read %h[d0, d1] : tensor<?x3xf32>
    %m = arith.mulf %a, %b : f32
    te.yield %m : f32
  } : tensor<?x3xf32>
  %y = te.compute (d0: %n, d1: 3) reduce (d2: 3) init (0.0 : f32) {
    %a = te.read %r[d0, d2] : tensor<?x3xf32>
    %b = te.read %u[d1, d2] : tensor<3x3xf32>
    %m = arith.mulf %a, %b : f32
    te.yield %m : f32
  } combine arith.addf then (%s: f32) {
    %z = te.read %p[d0, d1] : tensor<?x6xf32>
    %m = arith.mulf %z, %s : f32
    te.yield %m : f32
  } : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// A later reader may be of another shape: dims of size 1 do not count.
// CHECK-LABEL: func @transposed
// CHECK:       %[[G:.*]]:2 = te.compute (d0: 2, d1: 3)
// CHECK:       te.compute (d0: 3, d1: 1, d2: 2)
// CHECK:         te.read %[[G]]#0[d2, d0]
// CHECK:         te.read %[[G]]#1[d2, d0]
func.func @transposed(%x: tensor<2x6x5xf32>) -> tensor<3x1x2xf32> {
  %p = te.compute (d0: 2, d1: 6) reduce (d2: 5) init (0.0 : f32) {
    %v = te.read %x[d0, d1, d2] : tensor<2x6x5xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<2x6xf32>
  %r = te.compute (d0: 2, d1: 3) {
    %a = te.read %p[d0, d1] : tensor<2x6xf32>
    %b = math.exp %a : f32
    te.yield %b : f32
  } : tensor<2x3xf32>
  %y = te.compute (d0: 3, d1: 1, d2: 2) {
    %a = te.read %r[d2, d0] : tensor<2x3xf32>
    %b = te.read %p[d2, d0 + 3] : tensor<2x6xf32>
    %m = arith.mulf %a, %b : f32
    te.yield %m : f32
  } : tensor<3x1x2xf32>
  return %y : tensor<3x1x2xf32>
}

// -----

// Windows of a later reader that have other sizes are no results of the same expression.
// REMARK: remark: [Missed] cell | {{.*}}Reason="another expression reads windows of other sizes"
// CHECK-LABEL: func @sizes
// ALWAYS-LABEL: func @sizes
// ALWAYS:      te.compute (d0: 6) reduce
// ALWAYS:      te.compute (d0: 2) {
// ALWAYS:      te.compute (d0: 4) {
func.func @sizes(%x: tensor<6x5xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  %p = te.compute (d0: 6) reduce (d1: 5) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<6x5xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<6xf32>
  %r = te.compute (d0: 2) {
    %a = te.read %p[d0] : tensor<6xf32>
    te.yield %a : f32
  } : tensor<2xf32>
  %y = te.compute (d0: 4) {
    %a = te.read %p[d0 + 2] : tensor<6xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  return %r, %y : tensor<2xf32>, tensor<4xf32>
}

// -----

// At some of its points, a reader may read beyond what there is at others.
// REMARK: remark: [Missed] cell | {{.*}}Reason="an update reads it, or another expression at some of its points"
// CHECK-LABEL: func @pieces
// ALWAYS-LABEL: func @pieces
// ALWAYS:      te.compute (d0: 4) reduce
// ALWAYS:      te.compute (d0: 2) {
// ALWAYS:      te.compute (d0: 2) where
func.func @pieces(%x: tensor<4x5xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %p = te.compute (d0: 4) reduce (d1: 5) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x5xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<4xf32>
  %r = te.compute (d0: 2) {
    %a = te.read %p[d0] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<2xf32>
  %y = te.compute (d0: 2) where (-d0 >= 0) {
    %a = te.read %p[d0 + 3] : tensor<4xf32>
    te.yield %a : f32
  } where (d0 - 1 >= 0) {
    %a = te.read %p[d0] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<2xf32>
  return %r, %y : tensor<2xf32>, tensor<2xf32>
}

// -----

// The output of a cell, which its new state and a gate give, is computed with the state. The gate is not stored,
// the state is: the next step reads it.
// REMARK: remark: [Passed] cell | {{.*}}Accumulators=3, LaunchesSaved=2
// ALWAYS-LABEL: func @output
// CHECK-LABEL: func @output
// CHECK:       %[[R:.*]]:2 = te.compute (d0: 1, d1: 3) reduce (d2: 5)
// CHECK:       } then (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[O:.*]]: f32) {
// CHECK-NEXT:    %[[C:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT:    %[[T:.*]] = math.tanh %[[C]]
// CHECK-NEXT:    %[[H:.*]] = arith.mulf %[[O]], %[[T]]
// CHECK-NEXT:    te.yield %[[C]], %[[H]]
// CHECK-NOT:   te.compute
// CHECK:       return %[[R]]#1, %[[R]]#0
func.func @output(%x: tensor<1x9x5xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>) {
  %p = te.compute (d0: 1, d1: 9) reduce (d2: 5) init (0.0 : f32) {
    %v = te.read %x[d0, d1, d2] : tensor<1x9x5xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<1x9xf32>
  %c = te.compute (d0: 1, d1: 3) {
    %a = te.read %p[0, d1] : tensor<1x9xf32>
    %b = te.read %p[0, d1 + 3] : tensor<1x9xf32>
    %m = arith.mulf %a, %b : f32
    te.yield %m : f32
  } : tensor<1x3xf32>
  %h = te.compute (d0: 1, d1: 3) {
    %s = te.read %c[0, d1] : tensor<1x3xf32>
    %t = math.tanh %s : f32
    %o = te.read %p[0, d1 + 6] : tensor<1x9xf32>
    %m = arith.mulf %o, %t : f32
    te.yield %m : f32
  } : tensor<1x3xf32>
  return %h, %c : tensor<1x3xf32>, tensor<1x3xf32>
}

// -----

// What another expression needs earlier, or reads at another point, is stored first.
// ALWAYS-LABEL: func @elsewhere
// CHECK-LABEL: func @elsewhere
// CHECK:       te.compute (d0: 3) reduce (d1: 5) init ({{.*}}, {{.*}})
// CHECK:       te.compute (d0: 3) {
// CHECK:         math.exp
// CHECK:       te.compute (d0: 3) {
// CHECK:         math.tanh
func.func @elsewhere(%x: tensor<6x5xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %p = te.compute (d0: 6) reduce (d1: 5) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<6x5xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<6xf32>
  %c = te.compute (d0: 3) {
    %a = te.read %p[d0] : tensor<6xf32>
    %b = te.read %p[d0 + 3] : tensor<6xf32>
    %m = arith.mulf %a, %b : f32
    te.yield %m : f32
  } : tensor<3xf32>
  %r = te.compute (d0: 3) {
    %s = te.read %c[-d0 + 2] : tensor<3xf32>
    %t = math.exp %s : f32
    te.yield %t : f32
  } : tensor<3xf32>
  %h = te.compute (d0: 3) {
    %s = te.read %c[d0] : tensor<3xf32>
    %t = math.tanh %s : f32
    te.yield %t : f32
  } : tensor<3xf32>
  return %r, %h : tensor<3xf32>, tensor<3xf32>
}

// -----

// What an update writes may be read at some points only, too.
// REMARK: remark: [Missed] cell | {{.*}}Reason="an update reads it, or another expression at some of its points"
// ALWAYS-LABEL: func @update
// CHECK-LABEL: func @update
// CHECK:       te.compute (d0: 4) reduce (d1: 5) init (0.000000e+00 : f32)
// CHECK:       te.update
func.func @update(%x: tensor<4x5xf32>, %b: tensor<8xf32>) -> (tensor<2xf32>, tensor<8xf32>) {
  %p = te.compute (d0: 4) reduce (d1: 5) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x5xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<4xf32>
  %r = te.compute (d0: 2) {
    %a = te.read %p[d0] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<2xf32>
  %u = te.update (d0: 2) into %b[d0 + 1] {
    %a = te.read %p[d0 + 2] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  return %r, %u : tensor<2xf32>, tensor<8xf32>
}
