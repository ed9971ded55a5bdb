// RUN: tssa-opt %s --layout-split-rows --split-input-file | FileCheck %s
// RUN: tssa-opt %s --layout-split-rows=apply=never --split-input-file | FileCheck %s --check-prefix=NEVER
// RUN: tssa-opt %s --layout-split-rows=apply=always --split-input-file | FileCheck %s --check-prefix=ALWAYS
// RUN: tssa-opt %s --layout-split-rows --split-input-file --remarks-filter=layout-split-rows --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// A layer normalisation behind a product of open rows (Figure 1 of Souffle: R0 is the product, R1 and R2 the phases). An
// iteration of the product writes 32 columns, so a part has 32 elements. The sum and the variance of the parts are
// results of the product, and the kernel of the rows combines them without reading the rows for it.
// REMARK: [Passed] phases {{.*}} Kernel=norm, Length=32, Product=product, Reductions=2
// NEVER-NOT: layout.compute_after
// CHECK-LABEL: func.func @norm_behind_product(
// CHECK-SAME: %[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<64x96xf32>, %[[N:.*]]: index
// CHECK: %[[X:.*]]:3 = te.launch @product_0(%[[A]], %[[B]], %[[N]]) sizes(%[[N]], %[[N]], %[[N]]) : (tensor<?x64xf32>, tensor<64x96xf32>, index) -> (tensor<?x96xf32>, tensor<?x3xf32>, tensor<?x3xf32>)
// CHECK: %[[Y:.*]] = te.launch @norm_1(%[[X]]#0, %[[X]]#1, %[[X]]#2, %[[N]]) sizes(%[[N]])
// CHECK: return %[[Y]], %[[X]]#0
// CHECK-NOT: te.kernel @product(
// CHECK: te.kernel @product_0(
// CHECK: %[[ROWS:.*]] = te.compute @contract
// CHECK: %[[SUMS:.*]] = te.compute @parts0 (d0: %{{.*}}, d1: 3) reduce (d2: 32) init (0.000000e+00 : f32) {
// CHECK-NEXT: te.read %[[ROWS]][d0, d1 * 32 + d2] : tensor<?x96xf32>
// CHECK-NEXT: te.yield
// CHECK: } combine arith.addf : tensor<?x3xf32>
// CHECK: te.compute @parts1 (d0: %{{.*}}, d1: 3) reduce (d2: 32)
// CHECK: %[[V:.*]] = te.read %[[ROWS]][d0, d1 * 32 + d2]
// CHECK: %[[SUM:.*]] = te.read %[[SUMS]][d0, d1] : tensor<?x3xf32>
// CHECK: %[[M:.*]] = arith.divf %[[SUM]], %{{.*}} : f32
// CHECK: %[[D:.*]] = arith.subf %[[V]], %[[M]] : f32
// CHECK: arith.mulf %[[D]], %[[D]] : f32
// CHECK: schedule
// CHECK: layout.bind %{{.*}}, %[[TILE:.*]] to parallel
// CHECK: %[[LOOPS:.*]]:3 = layout.loops @parts0
// CHECK: %[[R:.*]]:3 = layout.split %[[LOOPS]]#2 [*, 2, 16]
// CHECK: layout.register_tile %[[R]]#1
// CHECK: layout.vectorize %[[R]]#2
// CHECK: layout.compute_after @parts0, %[[TILE]]
// CHECK: layout.compute_after @parts1, %[[TILE]]
// CHECK-NOT: te.kernel @norm(
// CHECK: te.kernel @norm_1(%{{.*}}: tensor<?x96xf32> {te.sizes = array<i64: 3, -1>}, %[[P0:.*]]: tensor<?x3xf32> {te.sizes = array<i64: 3, -1>}, %[[P1:.*]]: tensor<?x3xf32> {te.sizes = array<i64: 3, -1>}, %{{.*}}: index)
// CHECK: %[[MEAN:.*]] = te.compute @sum (d0: %{{.*}}) reduce (d1: 3)
// CHECK-NEXT: te.read %[[P0]][d0, d1]
// CHECK: combine arith.addf then
// CHECK: arith.divf
// CHECK: te.compute @variance (d0: %{{.*}}) reduce (d1: 3)
// CHECK-NEXT: %[[SQUARES:.*]] = te.read %[[P1]][d0, d1]
// CHECK-NEXT: %[[S:.*]] = te.read %[[P0]][d0, d1]
// CHECK-NEXT: %[[MM:.*]] = te.read %[[MEAN]][d0]
// CHECK-NEXT: %[[OWN:.*]] = arith.divf %[[S]],
// CHECK-NEXT: %[[SHIFT:.*]] = arith.subf %[[OWN]], %[[MM]]
// CHECK-NEXT: %[[SQ:.*]] = arith.mulf %[[SHIFT]], %[[SHIFT]]
// CHECK-NEXT: %[[MOVED:.*]] = arith.mulf %[[SQ]],
// CHECK-NEXT: arith.addf %[[SQUARES]], %[[MOVED]]
func.func @norm_behind_product(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %n: index) -> (tensor<?x96xf32>, tensor<?x96xf32>) {
  %x = te.launch @product(%a, %b, %n) sizes(%n) : (tensor<?x64xf32>, tensor<64x96xf32>, index) -> tensor<?x96xf32>
  %y = te.launch @norm(%x, %n) sizes(%n) : (tensor<?x96xf32>, index) -> tensor<?x96xf32>
  return %y, %x : tensor<?x96xf32>, tensor<?x96xf32>
}
te.kernel @product(%a: tensor<?x64xf32> {te.sizes = array<i64: 2, -1>}, %b: tensor<64x96xf32>, %n: index) -> tensor<?x96xf32> {
  %x = te.compute @contract (d0: %n, d1: 96) reduce (d2: 64) init (0.0 : f32) {
    %l = te.read %a[d0, d2] : tensor<?x64xf32>
    %r = te.read %b[d2, d1] : tensor<64x96xf32>
    %p = arith.mulf %l, %r : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x96xf32>
  te.return %x : tensor<?x96xf32>
} schedule {
  %0:3 = layout.loops @contract : !layout.loop, !layout.loop, !layout.loop
  %1:2 = layout.split %0#0 [*, 4]
  %2:3 = layout.split %0#1 [*, 2, 16]
  layout.reorder %2#0, %1#0, %0#2, %1#1, %2#1, %2#2
  layout.register_tile %1#1, %2#1
  layout.vectorize %2#2
  layout.bind %2#0, %1#0 to parallel
}
te.kernel @norm(%x: tensor<?x96xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> tensor<?x96xf32> {
  %c = arith.constant 96.0 : f32
  %m = te.compute @sum (d0: %n) reduce (d1: 96) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<?x96xf32>
    te.yield %v : f32
  } combine arith.addf then (%t: f32) {
    %q = arith.divf %t, %c : f32
    te.yield %q : f32
  } : tensor<?xf32>
  %s = te.compute @variance (d0: %n) reduce (d1: 96) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<?x96xf32>
    %u = te.read %m[d0] : tensor<?xf32>
    %d = arith.subf %v, %u : f32
    %q = arith.mulf %d, %d : f32
    te.yield %q : f32
  } combine arith.addf : tensor<?xf32>
  %y = te.compute @map (d0: %n, d1: 96) {
    %v = te.read %x[d0, d1] : tensor<?x96xf32>
    %u = te.read %m[d0] : tensor<?xf32>
    %w = te.read %s[d0] : tensor<?xf32>
    %d = arith.subf %v, %u : f32
    %q = arith.divf %d, %w : f32
    te.yield %q : f32
  } : tensor<?x96xf32>
  te.return %y : tensor<?x96xf32>
} schedule {
  %0:2 = layout.loops @sum : !layout.loop, !layout.loop
  %1:3 = layout.split %0#1 [*, 2, 16]
  layout.register_tile %1#1
  layout.vectorize %1#2
  %2:2 = layout.loops @variance : !layout.loop, !layout.loop
  %3:3 = layout.split %2#1 [*, 2, 16]
  layout.register_tile %3#1
  layout.vectorize %3#2
  %4:2 = layout.loops @map : !layout.loop, !layout.loop
  %5:2 = layout.split %4#1 [*, 16]
  layout.vectorize %5#1
  layout.bind %4#0 to parallel
  layout.compute_at @sum, %4#0
  layout.compute_at @variance, %4#0
}

// -----

// The maximum of a softmax behind a product whose rows are another dim. The sum of the exponentials reads the maximum,
// and would be computed twice, so it stays. The product of a short sum is split only if it is forced.
// REMARK: [Missed] phases {{.*}} Kernel=softmax, Reason="what writes the rows is not a product, or has a short sum"
// CHECK-NOT: @parts0
// ALWAYS-LABEL: func.func @softmax_behind_product(
// ALWAYS: te.launch @product_0
// ALWAYS: te.compute @parts0 (d0: 1, d1: 8, d2: 2) reduce (d3: 16) init (0xFF800000 : f32) {
// ALWAYS-NEXT: te.read %{{.*}}[d1, d2 * 16 + d3] : tensor<8x32xf32>
// ALWAYS: combine arith.maximumf : tensor<1x8x2xf32>
// ALWAYS-NOT: te.compute @parts1
// ALWAYS: layout.split %{{.*}}#3 [*, 16]
// ALWAYS: te.kernel @softmax
// ALWAYS: te.compute @max (d0: 1, d1: 8) reduce (d2: 2)
// ALWAYS: te.compute @sum (d0: 1, d1: 8) reduce (d2: 32)
func.func @softmax_behind_product(%a: tensor<8x4xf32>, %b: tensor<4x32xf32>) -> tensor<1x8x32xf32> {
  %x = te.launch @product(%a, %b) : (tensor<8x4xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  %y = te.launch @softmax(%x) : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  return %y : tensor<1x8x32xf32>
}
te.kernel @product(%a: tensor<8x4xf32>, %b: tensor<4x32xf32>) -> tensor<8x32xf32> {
  %x = te.compute @contract (d0: 8, d1: 32) reduce (d2: 4) init (0.0 : f32) {
    %l = te.read %a[d0, d2] : tensor<8x4xf32>
    %r = te.read %b[d2, d1] : tensor<4x32xf32>
    %p = arith.mulf %l, %r : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x32xf32>
  te.return %x : tensor<8x32xf32>
} schedule {
  %0:3 = layout.loops @contract : !layout.loop, !layout.loop, !layout.loop
  %2:2 = layout.split %0#1 [*, 16]
  layout.reorder %0#0, %2#0, %0#2, %2#1
  layout.vectorize %2#1
  layout.bind %0#0, %2#0 to parallel
}
te.kernel @softmax(%x: tensor<8x32xf32>) -> tensor<1x8x32xf32> {
  %m = te.compute @max (d0: 1, d1: 8) reduce (d2: 32) init (0xFF800000 : f32) {
    %v = te.read %x[d1, d2] : tensor<8x32xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<1x8xf32>
  %s = te.compute @sum (d0: 1, d1: 8) reduce (d2: 32) init (0.0 : f32) {
    %v = te.read %x[d1, d2] : tensor<8x32xf32>
    %u = te.read %m[d0, d1] : tensor<1x8xf32>
    %d = arith.subf %v, %u : f32
    %e = math.exp %d : f32
    te.yield %e : f32
  } combine arith.addf : tensor<1x8xf32>
  %y = te.compute @map (d0: 1, d1: 8, d2: 32) {
    %v = te.read %x[d1, d2] : tensor<8x32xf32>
    %u = te.read %m[d0, d1] : tensor<1x8xf32>
    %w = te.read %s[d0, d1] : tensor<1x8xf32>
    %d = arith.subf %v, %u : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %w : f32
    te.yield %q : f32
  } : tensor<1x8x32xf32>
  te.return %y : tensor<1x8x32xf32>
} schedule {
  %0:3 = layout.loops @max : !layout.loop, !layout.loop, !layout.loop
  %1:2 = layout.split %0#2 [*, 16]
  layout.vectorize %1#1
  %2:3 = layout.loops @map : !layout.loop, !layout.loop, !layout.loop
  layout.bind %2#0, %2#1 to parallel
  layout.compute_at @max, %2#1
  layout.compute_at @sum, %2#1
}

// -----

// What must be left alone, even if it is forced: rows of which an iteration writes 12 elements, and 12 does not divide
// into vectors; rows whose loops are fused; and rows that are written by pieces.
// REMARK: Kernel=sums, Reason="the width of an iteration does not divide a row into long parts"
// REMARK: Kernel=sums, Reason="an iteration does not write consecutive elements"
// REMARK: Kernel=sums, Reason="what writes the rows has pieces, or computes parts for other rows"
// ALWAYS-LABEL: func.func @left_alone(
// ALWAYS-NOT: layout.compute_after
func.func @left_alone(%a: tensor<8x64xf32>, %b: tensor<64x96xf32>) -> (tensor<8x96xf32>, tensor<8x96xf32>, tensor<8x96xf32>) {
  %x = te.launch @narrow(%a, %b) : (tensor<8x64xf32>, tensor<64x96xf32>) -> tensor<8x96xf32>
  %y = te.launch @sums(%x) : (tensor<8x96xf32>) -> tensor<8x96xf32>
  %u = te.launch @fused(%a, %b) : (tensor<8x64xf32>, tensor<64x96xf32>) -> tensor<8x96xf32>
  %v = te.launch @sums(%u) : (tensor<8x96xf32>) -> tensor<8x96xf32>
  %s = te.launch @pieces(%a, %b) : (tensor<8x64xf32>, tensor<64x96xf32>) -> tensor<8x96xf32>
  %t = te.launch @sums(%s) : (tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y, %v, %t : tensor<8x96xf32>, tensor<8x96xf32>, tensor<8x96xf32>
}
te.kernel @narrow(%a: tensor<8x64xf32>, %b: tensor<64x96xf32>) -> tensor<8x96xf32> {
  %x = te.compute @contract (d0: 8, d1: 96) reduce (d2: 64) init (0.0 : f32) {
    %l = te.read %a[d0, d2] : tensor<8x64xf32>
    %r = te.read %b[d2, d1] : tensor<64x96xf32>
    %p = arith.mulf %l, %r : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x96xf32>
  te.return %x : tensor<8x96xf32>
} schedule {
  %0:3 = layout.loops @contract : !layout.loop, !layout.loop, !layout.loop
  %2:2 = layout.split %0#1 [*, 12]
  layout.reorder %0#0, %2#0, %0#2, %2#1
  layout.register_tile %2#1
  layout.bind %0#0, %2#0 to parallel
}
te.kernel @fused(%a: tensor<8x64xf32>, %b: tensor<64x96xf32>) -> tensor<8x96xf32> {
  %x = te.compute @contract (d0: 8, d1: 96) reduce (d2: 64) init (0.0 : f32) {
    %l = te.read %a[d0, d2] : tensor<8x64xf32>
    %r = te.read %b[d2, d1] : tensor<64x96xf32>
    %p = arith.mulf %l, %r : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x96xf32>
  te.return %x : tensor<8x96xf32>
} schedule {
  %0:3 = layout.loops @contract : !layout.loop, !layout.loop, !layout.loop
  %1 = layout.fuse %0#0, %0#1
  layout.bind %1 to parallel
}
te.kernel @pieces(%a: tensor<8x64xf32>, %b: tensor<64x96xf32>) -> tensor<8x96xf32> {
  %x = te.compute @contract (d0: 8, d1: 96) where (3 - d0 >= 0) {
    %l = te.read %a[d0, 0] : tensor<8x64xf32>
    te.yield %l : f32
  } where (d0 - 4 >= 0) {
    %r = te.read %b[0, d1] : tensor<64x96xf32>
    te.yield %r : f32
  } : tensor<8x96xf32>
  te.return %x : tensor<8x96xf32>
} schedule {
  %0:2 = layout.loops @contract : !layout.loop, !layout.loop
  layout.bind %0#0 to parallel
}
te.kernel @sums(%x: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %m = te.compute @sum (d0: 8) reduce (d1: 96) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<8x96xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8xf32>
  %y = te.compute @map (d0: 8, d1: 96) {
    %v = te.read %x[d0, d1] : tensor<8x96xf32>
    %u = te.read %m[d0] : tensor<8xf32>
    %d = arith.subf %v, %u : f32
    te.yield %d : f32
  } : tensor<8x96xf32>
  te.return %y : tensor<8x96xf32>
} schedule {
  %0:2 = layout.loops @sum : !layout.loop, !layout.loop
  %1:2 = layout.split %0#1 [*, 16]
  layout.vectorize %1#1
  %2:2 = layout.loops @map : !layout.loop, !layout.loop
  layout.bind %2#0 to parallel
  layout.compute_at @sum, %2#0
}

// -----

// A reduction of the first 64 of 96 columns, and one of the first row: neither reduces whole rows of what the product
// writes.
// ALWAYS-LABEL: func.func @parts_of_rows(
// ALWAYS-NOT: layout.compute_after
func.func @parts_of_rows(%a: tensor<8x64xf32>, %b: tensor<64x96xf32>) -> tensor<8xf32> {
  %x = te.launch @product(%a, %b) : (tensor<8x64xf32>, tensor<64x96xf32>) -> tensor<8x96xf32>
  %y = te.launch @sums(%x) : (tensor<8x96xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
te.kernel @product(%a: tensor<8x64xf32>, %b: tensor<64x96xf32>) -> tensor<8x96xf32> {
  %x = te.compute @contract (d0: 8, d1: 96) reduce (d2: 64) init (0.0 : f32) {
    %l = te.read %a[d0, d2] : tensor<8x64xf32>
    %r = te.read %b[d2, d1] : tensor<64x96xf32>
    %p = arith.mulf %l, %r : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x96xf32>
  te.return %x : tensor<8x96xf32>
} schedule {
  %0:3 = layout.loops @contract : !layout.loop, !layout.loop, !layout.loop
  %2:2 = layout.split %0#1 [*, 16]
  layout.reorder %0#0, %2#0, %0#2, %2#1
  layout.vectorize %2#1
  layout.bind %0#0, %2#0 to parallel
}
te.kernel @sums(%x: tensor<8x96xf32>) -> tensor<8xf32> {
  %m = te.compute @sum (d0: 8) reduce (d1: 64) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<8x96xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8xf32>
  %n = te.compute @first (d0: 1) reduce (d1: 96) init (0.0 : f32) {
    %v = te.read %x[0, d1] : tensor<8x96xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<1xf32>
  %y = te.compute @map (d0: 8) {
    %u = te.read %m[d0] : tensor<8xf32>
    %w = te.read %n[0] : tensor<1xf32>
    %d = arith.subf %w, %u : f32
    te.yield %d : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  %0:2 = layout.loops @sum : !layout.loop, !layout.loop
  %1:2 = layout.split %0#1 [*, 16]
  layout.vectorize %1#1
  %3:2 = layout.loops @first : !layout.loop, !layout.loop
  %4:2 = layout.split %3#1 [*, 16]
  layout.vectorize %4#1
  %2 = layout.loops @map : !layout.loop
  layout.bind %2 to parallel
  layout.compute_at @sum, %2
  layout.compute_at @first, %2
}
