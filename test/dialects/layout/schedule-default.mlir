// RUN: tssa-opt %s -layout-schedule-default | FileCheck %s
// RUN: tssa-opt %s --layout-schedule-default --remarks-filter=layout-schedule-default --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] schedule | {{.*}} | Cycles={{[0-9]+}}, Expression=y, Point="vector d1 2x16, rows d0 14, outer d1 d0, reduce d2", Points={{[0-9]+}}
// REMARK: [Passed] schedule | {{.*}} | Cycles={{[0-9]+}}, Expression=max, Point="vector d1 {{[234]}}x16, outer d0, reduce d1", Points={{[0-9]+}}

// A matrix product: vectors of columns, rows that share the loads of a vector,
// column blocks outside of row blocks.
// CHECK-LABEL: te.kernel @matmul
te.kernel @matmul(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %y = te.compute @y (d0: 512, d1: 512) reduce (d2: 512) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<512x512xf32>
    %w = te.read %b[d2, d1] : tensor<512x512xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<512x512xf32>
  // CHECK: %[[L:.*]]:3 = layout.loops @y
  // CHECK: %[[M:.*]]:2 = layout.split %[[L]]#0 [*, 14]
  // CHECK: %[[N:.*]]:3 = layout.split %[[L]]#1 [*, 2, 16]
  // CHECK: layout.reorder %[[N]]#0, %[[M]]#0, %[[L]]#2, %[[M]]#1, %[[N]]#1, %[[N]]#2
  // CHECK: layout.register_tile %[[M]]#1, %[[N]]#1
  // CHECK: layout.vectorize %[[N]]#2
  // CHECK: layout.bind %[[N]]#0, %[[M]]#0 to parallel
  te.return %y : tensor<512x512xf32>
}

// Fourteen rows at a distance of whole ways of the cache would share one set and evict each other:
// fewer rows are used.
// CHECK-LABEL: te.kernel @long_rows
te.kernel @long_rows(%a: tensor<128x3072xf32>, %b: tensor<3072x768xf32>) -> tensor<128x768xf32> {
  %y = te.compute @y (d0: 128, d1: 768) reduce (d2: 3072) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<128x3072xf32>
    %w = te.read %b[d2, d1] : tensor<3072x768xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<128x768xf32>
  // CHECK: %[[L:.*]]:3 = layout.loops @y
  // CHECK: layout.split %[[L]]#0 [*, {{[4-7]}}]
  // CHECK: layout.split %[[L]]#1 [*, {{[34]}}, 16]
  te.return %y : tensor<128x768xf32>
}

// A dynamic number of images: the rows of a tile are pixels, not images. Without padding, the dims
// of the pixels are fused.
// CHECK-LABEL: te.kernel @pointwise
te.kernel @pointwise(%a: tensor<?x7x7x64xf32> {te.sizes = array<i64: 2, -1, -1, -1>}, %w: tensor<64x32xf32>, %n: index) -> tensor<?x7x7x32xf32> {
  %y = te.compute @y (d0: %n, d1: 7, d2: 7, d3: 32) reduce (d4: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d1, d2, d4] : tensor<?x7x7x64xf32>
    %k = te.read %w[d4, d3] : tensor<64x32xf32>
    %p = arith.mulf %x, %k : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x7x7x32xf32>
  // CHECK: %[[L:.*]]:5 = layout.loops @y
  // CHECK: %[[IMAGE:.*]] = layout.fuse %[[L]]#1, %[[L]]#2
  // CHECK: %[[ROWS:.*]] = layout.fuse %[[L]]#0, %[[IMAGE]]
  // CHECK: layout.split %[[ROWS]] [*, 14]
  te.return %y : tensor<?x7x7x32xf32>
}

// With padding they are not fused, and the rows are those of the image.
// CHECK-LABEL: te.kernel @padded
te.kernel @padded(%a: tensor<?x7x7x64xf32> {te.sizes = array<i64: 2, -1, -1, -1>}, %w: tensor<3x3x64x32xf32>, %n: index) -> tensor<?x7x7x32xf32> {
  %y = te.compute @y (d0: %n, d1: 7, d2: 7, d3: 32) reduce (d4: 3, d5: 3, d6: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<?x7x7x64xf32> where (d1 + d4 - 1 >= 0, -d1 - d4 + 7 >= 0, d2 + d5 - 1 >= 0, -d2 - d5 + 7 >= 0) else 0.0
    %k = te.read %w[d4, d5, d6, d3] : tensor<3x3x64x32xf32>
    %p = arith.mulf %x, %k : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x7x7x32xf32>
  // CHECK: %[[L:.*]]:7 = layout.loops @y
  // CHECK-NOT: layout.fuse
  // CHECK: layout.split %[[L]]#2 [*, 7]
  te.return %y : tensor<?x7x7x32xf32>
}

// Dims along which all accesses are contiguous are fused before they are split into vectors.
// CHECK-LABEL: te.kernel @elementwise
te.kernel @elementwise(%a: tensor<?x3x7xf32> {te.sizes = array<i64: 1, -1, -1>}, %n: index) -> tensor<?x3x7xf32> {
  %y = te.compute @y (d0: %n, d1: 3, d2: 7) {
    %x = te.read %a[d0, d1, d2] : tensor<?x3x7xf32>
    %p = arith.negf %x : f32
    te.yield %p : f32
  } : tensor<?x3x7xf32>
  // CHECK: %[[INNER:.*]] = layout.fuse
  // CHECK: %[[ALL:.*]] = layout.fuse %{{.*}}, %[[INNER]]
  // CHECK: layout.split %[[ALL]] [*, {{[0-9]+}}, 16]
  te.return %y : tensor<?x3x7xf32>
}

// In a sum of rows, the lanes are over the reduction dim.
// CHECK-LABEL: te.kernel @rowsum
te.kernel @rowsum(%a: tensor<30x770xf32>) -> tensor<30xf32> {
  %y = te.compute @y (d0: 30) reduce (d1: 770) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<30x770xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<30xf32>
  // CHECK: %[[L:.*]]:2 = layout.loops @y
  // CHECK: %[[K:.*]]:3 = layout.split %[[L]]#1 [*, {{[34]}}, 16]
  // CHECK: layout.vectorize %[[K]]#2
  // CHECK: layout.bind %[[L]]#0 to parallel
  te.return %y : tensor<30xf32>
}

// A function of each result is cheaper on vectors of results than on scalars, so the lanes are not
// over the reduction dim. The rows share the loads of a vector, whose lanes are not adjacent: a tile
// has one vector and many rows.
// CHECK-LABEL: te.kernel @masks
te.kernel @masks(%a: tensor<138x138x32xf32>, %b: tensor<100x32xf32>) -> tensor<100x138x138xf32> {
  %y = te.compute @y (d0: 100, d1: 138, d2: 138) reduce (d3: 32) init (0.0 : f32) {
    %x = te.read %a[d1, d2, d3] : tensor<138x138x32xf32>
    %w = te.read %b[d0, d3] : tensor<100x32xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf then (%s: f32) {
    %e = math.exp %s : f32
    te.yield %e : f32
  } : tensor<100x138x138xf32>
  // CHECK: %[[L:.*]]:4 = layout.loops @y
  // CHECK: %[[HW:.*]] = layout.fuse %[[L]]#1, %[[L]]#2
  // CHECK: %[[N:.*]]:2 = layout.split %[[L]]#0 [*, 25]
  // CHECK: %[[W:.*]]:2 = layout.split %[[HW]] [*, 16]
  // CHECK: layout.register_tile %[[N]]#1
  // CHECK: layout.vectorize %[[W]]#1
  te.return %y : tensor<100x138x138xf32>
}

// In a long reduction, joining the lanes costs little: they are over the reduction dim, along which
// both factors are contiguous.
// CHECK-LABEL: te.kernel @long_product
te.kernel @long_product(%a: tensor<64x256xf32>, %b: tensor<64x256xf32>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 256) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<64x256xf32>
    %w = te.read %b[d1, d2] : tensor<64x256xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  // CHECK: %[[L:.*]]:3 = layout.loops @y
  // CHECK: %[[K:.*]]:2 = layout.split %[[L]]#2 [*, 16]
  // CHECK: layout.vectorize %[[K]]#1
  te.return %y : tensor<64x64xf32>
}

// In a short one, joining the lanes would cost more than putting together those of the columns.
// CHECK-LABEL: te.kernel @short_product
te.kernel @short_product(%a: tensor<64x32xf32>, %b: tensor<64x32xf32>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 32) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<64x32xf32>
    %w = te.read %b[d1, d2] : tensor<64x32xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  // CHECK: %[[L:.*]]:3 = layout.loops @y
  // CHECK: %[[M:.*]]:2 = layout.split %[[L]]#0
  // CHECK: %[[N:.*]]:{{[23]}} = layout.split %[[L]]#1 [*{{.*}}, 16]
  // CHECK: layout.vectorize %[[N]]#
  te.return %y : tensor<64x64xf32>
}

// A transposed read is contiguous along no dim with the write: nothing is fused.
// CHECK-LABEL: te.kernel @transpose
te.kernel @transpose(%a: tensor<64x32xf32>) -> tensor<32x64xf32> {
  %y = te.compute @y (d0: 32, d1: 64) {
    %x = te.read %a[d1, d0] : tensor<64x32xf32>
    te.yield %x : f32
  } : tensor<32x64xf32>
  // CHECK-NOT: layout.fuse
  te.return %y : tensor<32x64xf32>
}

// An existing schedule is kept.
// CHECK-LABEL: te.kernel @given
te.kernel @given(%a: tensor<64xf32>) -> tensor<64xf32> {
  %y = te.compute @y (d0: 64) {
    %x = te.read %a[d0] : tensor<64xf32>
    te.yield %x : f32
  } : tensor<64xf32>
  te.return %y : tensor<64xf32>
} schedule {
  // CHECK: schedule {
  // CHECK-NEXT: layout.loops @y
  // CHECK-NEXT: }
  %i = layout.loops @y : !layout.loop
}

// A softmax: the maximum and the sum of a row are computed at the loop over the rows, which is the
// only loop that threads share.
// CHECK-LABEL: te.kernel @softmax
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
  // CHECK: %[[Y:.*]]:2 = layout.loops @y
  // CHECK: layout.bind %[[Y]]#0 to parallel
  // CHECK-NEXT: layout.compute_at @max, %[[Y]]#0
  // CHECK-NEXT: layout.compute_at @sum, %[[Y]]#0
  te.return %y : tensor<5x370xf32>
}

// The index of a dim of one iteration may be 0: these are rows all the same.
// CHECK-LABEL: te.kernel @one_image
te.kernel @one_image(%x: tensor<1x5x370xf32>) -> tensor<1x5x370xf32> {
  %s = te.compute @sum (d0: 1, d1: 5) reduce (d2: 370) init (0.0 : f32) {
    %v = te.read %x[0, d1, d2] : tensor<1x5x370xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<1x5xf32>
  %y = te.compute @y (d0: 1, d1: 5, d2: 370) {
    %v = te.read %x[0, d1, d2] : tensor<1x5x370xf32>
    %t = te.read %s[0, d1] : tensor<1x5xf32>
    %r = arith.divf %v, %t : f32
    te.yield %r : f32
  } : tensor<1x5x370xf32>
  // CHECK: %[[Y:.*]]:3 = layout.loops @y
  // CHECK: layout.compute_at @sum, %[[Y]]#1
  te.return %y : tensor<1x5x370xf32>
}

// An expression that the root does not read is not computed at its rows.
// CHECK-LABEL: te.kernel @two_roots
// CHECK: layout.loops @x
// CHECK: layout.loops @y
// CHECK-NOT: layout.compute_at
// CHECK: }
te.kernel @two_roots(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %x = te.compute @x (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  %y = te.compute @y (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %x, %y : tensor<4xf32>, tensor<4xf32>
}

// With channels last, a vector holds four groups of 4 channels, by loads and shuffles. Groups of 24
// and of 12 channels use shorter vectors.
// CHECK-LABEL: te.kernel @grouped
// CHECK: %[[G:.*]]:5 = layout.loops @y4
// CHECK: layout.split %[[G]]#2 [*, {{.*}}16]
// CHECK: %[[H:.*]]:5 = layout.loops @y24
// CHECK: layout.split %[[H]]#2 [*, {{.*}}8]
// CHECK: %[[I:.*]]:5 = layout.loops @y12
// CHECK: layout.split %[[I]]#2 [*, {{.*}}4]
te.kernel @grouped(%x: tensor<14x14x192xf32>, %w: tensor<3x4x192xf32>, %v: tensor<3x24x192xf32>, %u: tensor<3x12x192xf32>)
    -> (tensor<14x12x192xf32>, tensor<14x12x192xf32>, tensor<14x12x192xf32>) {
  %y = te.compute @y4 (d0: 14, d1: 12, d2: 192) reduce (d3: 3, d4: 4) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + d3, (d2 floordiv 4) * 4 + d4] : tensor<14x14x192xf32>
    %b = te.read %w[d3, d4, d2] : tensor<3x4x192xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<14x12x192xf32>
  %z = te.compute @y24 (d0: 14, d1: 12, d2: 192) reduce (d3: 3, d4: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + d3, (d2 floordiv 24) * 24 + d4] : tensor<14x14x192xf32>
    %b = te.read %v[d3, d4, d2] : tensor<3x24x192xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<14x12x192xf32>
  %t = te.compute @y12 (d0: 14, d1: 12, d2: 192) reduce (d3: 3, d4: 12) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + d3, (d2 floordiv 12) * 12 + d4] : tensor<14x14x192xf32>
    %b = te.read %u[d3, d4, d2] : tensor<3x12x192xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<14x12x192xf32>
  te.return %y, %z, %t : tensor<14x12x192xf32>, tensor<14x12x192xf32>, tensor<14x12x192xf32>
}

// A kernel of a te.update has no schedule.
// REMARK: [Missed] schedule | {{.*}} | Reason="te.update and te.scan have no schedule"
// CHECK-LABEL: te.kernel @write
// CHECK: schedule {
// CHECK-NEXT: }
te.kernel @write(%b: tensor<4xf32>, %x: tensor<2xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = te.read %x[d0] : tensor<2xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// The loops of both dims are one where nothing but addresses depends on them: it has whole vectors.
// CHECK-LABEL: te.kernel @fused
// CHECK: %[[L:.*]]:2 = layout.loops @y
// CHECK: layout.fuse %[[L]]#0, %[[L]]#1
te.kernel @fused(%x: tensor<1000x100xf32>) -> tensor<1000x100xi64> {
  %y = te.compute @y (d0: 1000, d1: 100) {
    %v = te.read %x[d0, d1] : tensor<1000x100xf32>
    %f = te.index d0 * 100 + d1
    %i = arith.index_cast %f : index to i64
    %n = arith.fptosi %v : f32 to i64
    %s = arith.addi %n, %i : i64
    te.yield %s : i64
  } : tensor<1000x100xi64>
  te.return %y : tensor<1000x100xi64>
}

// The index within a line would be the remainder of a division in each lane: the loops stay two, ...
// CHECK-LABEL: te.kernel @lines
// CHECK-NOT: layout.fuse
// CHECK: layout.vectorize
te.kernel @lines(%x: tensor<1000x100xf32>) -> tensor<1000x100xf32> {
  %zero = arith.constant 0.0 : f32
  %y = te.compute @y (d0: 1000, d1: 100) {
    %v = te.read %x[d0, d1] : tensor<1000x100xf32>
    %isBelow = te.inside (d0 - d1 >= 0)
    %s = arith.select %isBelow, %v, %zero : f32
    te.yield %s : f32
  } : tensor<1000x100xf32>
  te.return %y : tensor<1000x100xf32>
}

// ... unless lines are so short that most lanes would be idle.
// CHECK-LABEL: te.kernel @short_lines
// CHECK: layout.fuse
te.kernel @short_lines(%x: tensor<1000x3xf32>) -> tensor<1000x3xi64> {
  %y = te.compute @y (d0: 1000, d1: 3) {
    %v = te.read %x[d0, d1] : tensor<1000x3xf32>
    %f = te.index d1
    %i = arith.index_cast %f : index to i64
    %n = arith.fptosi %v : f32 to i64
    %s = arith.addi %n, %i : i64
    te.yield %s : i64
  } : tensor<1000x3xi64>
  te.return %y : tensor<1000x3xi64>
}
