// RUN: tssa-opt %s -layout-keep-rows | FileCheck %s
// RUN: tssa-opt %s -layout-keep-rows -layout-schedule-default | FileCheck %s --check-prefix=AT
// RUN: tssa-opt %s -layout-keep-rows="elements=64" | FileCheck %s --check-prefix=SMALL
// RUN: tssa-opt %s --layout-keep-rows --remarks-filter=layout-keep-rows --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] kept | {{.*}} | Kernel=softmax, Readers=2
// REMARK: [Missed] kept | {{.*}} | Reason="a row is not known to have at most 4096 elements"

// A softmax: the exponentials of a row are summed and scaled. Its sum and its root read
// them; they and the sum are computed at the row.
// CHECK-LABEL: te.kernel @softmax
// CHECK: %[[MAX:.*]] = te.compute @max
// CHECK: %[[KEPT:.*]] = te.compute @kept0 (d0: 5, d1: 370) {
// CHECK-NEXT: te.read %{{.*}}[d0, d1]
// CHECK-NEXT: te.read %[[MAX]][d0]
// CHECK-NEXT: arith.subf
// CHECK-NEXT: math.exp
// CHECK-NEXT: te.yield
// CHECK: te.compute @sum
// CHECK-NEXT: %[[E:.*]] = te.read %[[KEPT]][d0, d1]
// CHECK-NEXT: te.yield %[[E]]
// CHECK: te.compute @y
// CHECK-NOT: math.exp
// CHECK: te.read %[[KEPT]][d0, d1]
// CHECK-NOT: math.exp
// CHECK: te.return
// AT-LABEL: te.kernel @softmax
// AT: %[[K:.*]]:2 = layout.loops @kept0
// AT: layout.split %[[K]]#1
// AT: %[[Y:.*]]:2 = layout.loops @y
// AT: layout.bind %[[Y]]#0 to parallel
// AT-NEXT: layout.compute_at @max, %[[Y]]#0
// AT-NEXT: layout.compute_at @kept0, %[[Y]]#0
// AT-NEXT: layout.compute_at @sum, %[[Y]]#0
// A row of 370 is more than 64.
// SMALL-LABEL: te.kernel @softmax
// SMALL-NOT: @kept0
// SMALL: te.return
te.kernel @softmax(%x: tensor<5x370xf32>) -> tensor<5x370xf32> {
  %m = te.compute @max (d0: 5) reduce (d1: 370) init (0xFF800000 : f32) {
    %v = te.read %x[d0, d1] : tensor<5x370xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<5xf32>
  %s = te.compute @sum (d0: 5) reduce (d1: 370) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<5x370xf32>
    %w = te.read %m[d0] : tensor<5xf32>
    %d = arith.subf %v, %w : f32
    %e = math.exp %d : f32
    te.yield %e : f32
  } combine arith.addf : tensor<5xf32>
  %y = te.compute @y (d0: 5, d1: 370) {
    %v = te.read %x[d0, d1] : tensor<5x370xf32>
    %w = te.read %m[d0] : tensor<5xf32>
    %t = te.read %s[d0] : tensor<5xf32>
    %d = arith.subf %v, %w : f32
    %e = math.exp %d : f32
    %r = arith.divf %e, %t : f32
    te.yield %r : f32
  } : tensor<5x370xf32>
  te.return %y : tensor<5x370xf32>
}

// A difference is not kept: computing it costs no more than reading it.
// CHECK-LABEL: te.kernel @cheap
// CHECK-NOT: @kept0
// CHECK: te.return
te.kernel @cheap(%x: tensor<5x37xf32>) -> tensor<5x37xf32> {
  %m = te.compute @max (d0: 5) reduce (d1: 37) init (0xFF800000 : f32) {
    %v = te.read %x[d0, d1] : tensor<5x37xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<5xf32>
  %s = te.compute @sum (d0: 5) reduce (d1: 37) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<5x37xf32>
    %w = te.read %m[d0] : tensor<5xf32>
    %d = arith.subf %v, %w : f32
    te.yield %d : f32
  } combine arith.addf : tensor<5xf32>
  %y = te.compute @y (d0: 5, d1: 37) {
    %v = te.read %x[d0, d1] : tensor<5x37xf32>
    %w = te.read %m[d0] : tensor<5xf32>
    %t = te.read %s[d0] : tensor<5xf32>
    %d = arith.subf %v, %w : f32
    %r = arith.divf %d, %t : f32
    te.yield %r : f32
  } : tensor<5x37xf32>
  te.return %y : tensor<5x37xf32>
}

// The exponentials of different values are not shared.
// CHECK-LABEL: te.kernel @different
// CHECK-NOT: @kept0
// CHECK: te.return
te.kernel @different(%x: tensor<5x37xf32>) -> tensor<5x37xf32> {
  %s = te.compute @sum (d0: 5) reduce (d1: 37) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<5x37xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } combine arith.addf : tensor<5xf32>
  %y = te.compute @y (d0: 5, d1: 37) {
    %v = te.read %x[d0, -d1 + 36] : tensor<5x37xf32>
    %t = te.read %s[d0] : tensor<5xf32>
    %e = math.exp %v : f32
    %r = arith.divf %e, %t : f32
    te.yield %r : f32
  } : tensor<5x37xf32>
  te.return %y : tensor<5x37xf32>
}

// The values of a row of dynamic size are computed again.
// CHECK-LABEL: te.kernel @open
// CHECK-NOT: @kept0
// CHECK: te.return
te.kernel @open(%x: tensor<5x?xf32> {te.sizes = array<i64: -1, 1>}, %n: index) -> tensor<5x?xf32> {
  %s = te.compute @sum (d0: 5) reduce (d1: %n) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<5x?xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } combine arith.addf : tensor<5xf32>
  %y = te.compute @y (d0: 5, d1: %n) {
    %v = te.read %x[d0, d1] : tensor<5x?xf32>
    %t = te.read %s[d0] : tensor<5xf32>
    %e = math.exp %v : f32
    %r = arith.divf %e, %t : f32
    te.yield %r : f32
  } : tensor<5x?xf32>
  te.return %y : tensor<5x?xf32>
}

// Of two shared values, the one that all three expressions compute is kept.
// CHECK-LABEL: te.kernel @two_sums
// CHECK: te.compute @kept0
// CHECK: te.compute @sum (
// CHECK-NOT: math.tanh
// CHECK: te.compute @squares
// CHECK-NOT: math.tanh
// CHECK: te.compute @y
// CHECK-NOT: math.tanh
// CHECK: te.return
te.kernel @two_sums(%x: tensor<5x37xf32>) -> tensor<5x37xf32> {
  %s = te.compute @sum (d0: 5) reduce (d1: 37) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<5x37xf32>
    %e = math.tanh %v : f32
    te.yield %e : f32
  } combine arith.addf : tensor<5xf32>
  %q = te.compute @squares (d0: 5) reduce (d1: 37) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<5x37xf32>
    %t = te.read %s[d0] : tensor<5xf32>
    %e = math.tanh %v : f32
    %d = arith.subf %e, %t : f32
    %p = arith.mulf %d, %d : f32
    te.yield %p : f32
  } combine arith.addf : tensor<5xf32>
  %y = te.compute @y (d0: 5, d1: 37) {
    %v = te.read %x[d0, d1] : tensor<5x37xf32>
    %t = te.read %q[d0] : tensor<5xf32>
    %u = te.read %s[d0] : tensor<5xf32>
    %e = math.tanh %v : f32
    %d = arith.subf %e, %u : f32
    %r = arith.divf %d, %t : f32
    te.yield %r : f32
  } : tensor<5x37xf32>
  te.return %y : tensor<5x37xf32>
}
