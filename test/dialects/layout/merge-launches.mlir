// RUN: tssa-opt %s --layout-merge-launches --split-input-file | FileCheck %s
// RUN: tssa-opt %s --layout-merge-launches=apply=always --split-input-file | FileCheck %s --check-prefix=ALWAYS
// RUN: tssa-opt %s --layout-merge-launches=apply=never --split-input-file | FileCheck %s --check-prefix=NEVER
// RUN: tssa-opt %s --layout-merge-launches --split-input-file --remarks-filter=layout-merge-launches --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// Two launches over open sizes share an operand, so they become one. Each value is one parameter, and each expression
// keeps its schedule, under another label where theirs are equal. Launches of the same kernels share the new one.
// REMARK: [Passed] merged {{.*}} Kernel=softmax_and_1, LaunchesSaved=1, Work=0
// NEVER-COUNT-4: te.launch @softmax(
// CHECK-LABEL: func.func @pairs(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[N:.*]]: index, %[[F:.*]]: f32
// CHECK: %[[W:.*]] = te.constant
// CHECK-NEXT: %[[Y:.*]]:2 = te.launch @softmax_and_1(%[[X]], %[[W]], %[[N]], %[[F]]) sizes(%[[N]], %[[N]]) : (tensor<?x8xf32>, tensor<8xf32>, index, f32) -> (tensor<?x8xf32>, tensor<?x8xf32>)
// CHECK-NEXT: %[[Z:.*]]:2 = te.launch @softmax_and_1(%[[Y]]#0, %[[W]], %[[N]], %[[F]])
// CHECK-NEXT: return %[[Z]]#0, %[[Z]]#1, %[[Y]]#1
// CHECK-NOT: te.kernel @softmax(
// CHECK: te.kernel @softmax_and_1(%[[A:.*]]: tensor<?x8xf32> {te.finite, te.sizes = array<i64: 2, -1>}, %[[B:.*]]: tensor<8xf32>, %{{.*}}: index, %{{.*}}: f32)
// CHECK: te.compute @max
// CHECK: te.compute @map (
// CHECK: te.read %[[A]]
// CHECK: te.compute @max1
// CHECK: te.compute @map1
// CHECK: te.read %[[A]]
// CHECK: schedule
// CHECK: %[[L:.*]]:2 = layout.loops @map :
// CHECK: layout.compute_at @max, %[[L]]#0
// CHECK: %[[M:.*]]:2 = layout.loops @map1 :
// CHECK: layout.compute_at @max1, %[[M]]#0
// CHECK-NOT: te.kernel
func.func @pairs(%x: tensor<?x8xf32>, %n: index, %f: f32) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %v = te.constant dense<2.0> : tensor<8xf32>
  %a = te.launch @softmax(%x, %v, %n, %f) sizes(%n) : (tensor<?x8xf32>, tensor<8xf32>, index, f32) -> tensor<?x8xf32>
  %b = te.launch @softmax(%x, %v, %n, %f) sizes(%n) : (tensor<?x8xf32>, tensor<8xf32>, index, f32) -> tensor<?x8xf32>
  %c = te.launch @softmax(%a, %v, %n, %f) sizes(%n) : (tensor<?x8xf32>, tensor<8xf32>, index, f32) -> tensor<?x8xf32>
  %d = te.launch @softmax(%a, %v, %n, %f) sizes(%n) : (tensor<?x8xf32>, tensor<8xf32>, index, f32) -> tensor<?x8xf32>
  return %c, %d, %b : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}
te.kernel @softmax(%x: tensor<?x8xf32> {te.finite, te.sizes = array<i64: 2, -1>}, %w: tensor<8xf32>, %n: index, %f: f32)
    -> tensor<?x8xf32> {
  %m = te.compute @max (d0: %n) reduce (d1: 8) init (0xFF800000 : f32) {
    %v = te.read %x[d0, d1] : tensor<?x8xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<?xf32>
  %y = te.compute @map (d0: %n, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<?x8xf32>
    %u = te.read %w[d1] : tensor<8xf32>
    %t = te.read %m[d0] : tensor<?xf32>
    %s = arith.subf %v, %t : f32
    %r = arith.mulf %s, %u : f32
    %q = arith.mulf %r, %f : f32
    te.yield %q : f32
  } : tensor<?x8xf32>
  te.return %y : tensor<?x8xf32>
} schedule {
  %0:2 = layout.loops @map : !layout.loop, !layout.loop
  layout.compute_at @max, %0#0
  layout.bind %0#0 to parallel
}

// -----

// A constant between two launches moves in front of the first. Windows of joined tensors stay.
// CHECK-LABEL: func.func @moved(
// CHECK: %[[W:.*]] = te.constant
// CHECK: %[[Y:.*]]:2 = te.launch @part_and_1(%{{.*}}, %[[W]]) : (tensor<4xf32>, tensor<4xf32>)
// CHECK: te.join %[[Y]]#0, %[[Y]]#1 axis 0
// CHECK: te.kernel @part_and_1({{.*}}) -> (tensor<4xf32> {te.window = #te.window<sizes = [8], at = [0]>}, tensor<4xf32> {te.window = #te.window<sizes = [8], at = [4]>})
func.func @moved(%x: tensor<4xf32>) -> tensor<8xf32> {
  %a = te.launch @part(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %w = te.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %b = te.launch @other(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %c = te.join %a, %b axis 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}
te.kernel @part(%x: tensor<4xf32>) -> (tensor<4xf32> {te.window = #te.window<sizes = [8], at = [0]>}) {
  %y = te.compute @map (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    %u = arith.negf %v : f32
    te.yield %u : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
}
te.kernel @other(%x: tensor<4xf32>) -> (tensor<4xf32> {te.window = #te.window<sizes = [8], at = [4]>}) {
  %y = te.compute @map (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    %u = math.exp %v : f32
    te.yield %u : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
}

// -----

// The whole chain is small, so it becomes one launch, in which the second expression reads the results of the first.
// Left alone: an update, a launch in another block, and one that needs its result.
// CHECK-LABEL: func.func @dependent(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[E:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]]:2 = te.launch @neg_and_1(%[[X]]) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: te.launch @set(
// CHECK: te.launch @neg(
// CHECK: te.launch @neg(
// CHECK: return %[[Y]]#1
// CHECK: te.kernel @neg_and_1(%[[P:.*]]: tensor<4xf32>)
// CHECK: %[[A:.*]] = te.compute @map (
// CHECK: te.read %[[P]]
// CHECK: %[[B:.*]] = te.compute @map1 (
// CHECK: te.read %[[A]]
// CHECK: te.return %[[A]], %[[B]]
func.func @dependent(%x: tensor<4xf32>, %e: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = te.launch @neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = te.launch @neg(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %u = te.launch @set(%e, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %i = scf.if %c -> tensor<4xf32> {
    %d = te.launch @neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %d : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %f = te.launch @neg(%i) : (tensor<4xf32>) -> tensor<4xf32>
  return %b, %u, %f : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
te.kernel @neg(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @map (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    %u = arith.negf %v : f32
    te.yield %u : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
}
te.kernel @set(%e: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @set (d0: 4) into %e[d0] {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
}

// -----

// The size of a result is not known in front of the launch that computes it.
// CHECK-LABEL: func.func @size(
// CHECK: te.launch @one(
// CHECK: tensor.dim
// CHECK: te.launch @fill(
func.func @size(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<4xf32>) {
  %i = arith.constant 0 : index
  %a = te.launch @one(%x, %n) sizes(%n) : (tensor<?xf32>, index) -> tensor<?xf32>
  %d = tensor.dim %a, %i : tensor<?xf32>
  %b = te.launch @fill(%d) : (index) -> tensor<4xf32>
  return %a, %b : tensor<?xf32>, tensor<4xf32>
}
te.kernel @one(%x: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index) -> tensor<?xf32> {
  %y = te.compute @map (d0: %n) {
    %v = te.read %x[d0] : tensor<?xf32>
    %u = arith.negf %v : f32
    te.yield %u : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
}
te.kernel @fill(%n: index) -> tensor<4xf32> {
  %y = te.compute @map (d0: 4) {
    %i = arith.index_cast %n : index to i32
    %u = arith.sitofp %i : i32 to f32
    te.yield %u : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// What holds after a check need not hold in front of it, also of one in a branch.
// CHECK-LABEL: func.func @checks(
// CHECK: te.launch @neg(
// CHECK: te.check
// CHECK: te.launch @neg_and_1(
// CHECK: scf.if
// CHECK: te.launch @neg(
// ALWAYS-LABEL: func.func @checks(
// ALWAYS: te.launch @neg(
// ALWAYS: te.launch @neg_and_1(
// ALWAYS: te.launch @neg(
func.func @checks(%x: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = te.launch @neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  te.check %c, "a size is wrong"
  %b = te.launch @neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %d = te.launch @neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  scf.if %c {
    te.check %c, "a size is wrong"
  }
  %e = te.launch @neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a, %b, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
te.kernel @neg(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @map (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    %u = arith.negf %v : f32
    te.yield %u : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// Of large launches, @even reads what @sum reads, and its iterations take about as long. Those of @wide take much
// longer, and @apart reads nothing that the others read.
// CHECK-LABEL: func.func @large(
// CHECK: te.launch @sum_and_1(
// CHECK: te.launch @wide(
// CHECK: te.launch @apart(
// ALWAYS-LABEL: func.func @large(
// ALWAYS: te.launch @sum_and_3(
func.func @large(%x: tensor<512x1024xf32>, %z: tensor<512x1024xf32>)
    -> (tensor<512xf32>, tensor<512xf32>, tensor<32xf32>, tensor<512xf32>) {
  %a = te.launch @sum(%x) : (tensor<512x1024xf32>) -> tensor<512xf32>
  %b = te.launch @even(%x) : (tensor<512x1024xf32>) -> tensor<512xf32>
  %c = te.launch @wide(%x) : (tensor<512x1024xf32>) -> tensor<32xf32>
  %d = te.launch @apart(%z) : (tensor<512x1024xf32>) -> tensor<512xf32>
  return %a, %b, %c, %d : tensor<512xf32>, tensor<512xf32>, tensor<32xf32>, tensor<512xf32>
}
te.kernel @sum(%x: tensor<512x1024xf32>) -> tensor<512xf32> {
  %y = te.compute @y (d0: 512) reduce (d1: 1024) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<512x1024xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<512xf32>
  te.return %y : tensor<512xf32>
} schedule {
  %0:2 = layout.loops @y : !layout.loop, !layout.loop
  %1:2 = layout.split %0#0 [*, 4]
  layout.bind %1#0 to parallel
}
te.kernel @even(%x: tensor<512x1024xf32>) -> tensor<512xf32> {
  %y = te.compute @y (d0: 512) reduce (d1: 1024) init (0xFF800000 : f32) {
    %v = te.read %x[d0, d1] : tensor<512x1024xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<512xf32>
  te.return %y : tensor<512xf32>
} schedule {
  %0:2 = layout.loops @y : !layout.loop, !layout.loop
  %1:2 = layout.split %0#0 [*, 2]
  layout.bind %1#0 to parallel
}
te.kernel @wide(%x: tensor<512x1024xf32>) -> tensor<32xf32> {
  %y = te.compute @y (d0: 32) reduce (d1: 16, d2: 1024) init (0.0 : f32) {
    %v = te.read %x[d0 * 16 + d1, d2] : tensor<512x1024xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<32xf32>
  te.return %y : tensor<32xf32>
} schedule {
  %0:3 = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %1:2 = layout.split %0#0 [*, 8]
  layout.bind %1#0 to parallel
}
te.kernel @apart(%x: tensor<512x1024xf32>) -> tensor<512xf32> {
  %y = te.compute @y (d0: 512) reduce (d1: 1024) init (1.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<512x1024xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<512xf32>
  te.return %y : tensor<512xf32>
} schedule {
  %0:2 = layout.loops @y : !layout.loop, !layout.loop
  %1:2 = layout.split %0#0 [*, 4]
  layout.bind %1#0 to parallel
}

// -----

// Kernels whose expressions have no labels, which schedules need, are left alone.
// ALWAYS-LABEL: func.func @unlabelled(
// ALWAYS-COUNT-2: te.launch @copy(
func.func @unlabelled(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = te.launch @copy(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %b = te.launch @copy(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
te.kernel @copy(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
}
