// RUN: tssa-opt %s -layout-schedule-simt | FileCheck %s
// RUN: tssa-opt %s --layout-schedule-simt --remarks-filter=layout-schedule-simt --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] schedule | {{.*}} | ElementsPerLane=4, Expression=y, Remark="elements are spread over lanes"
// REMARK: [Passed] schedule | {{.*}} | Expression=y, LanesPerResult=32, Remark="lanes share the reduction of a result"
// REMARK: [Passed] schedule | {{.*}} | Expression=y, Remark="each lane computes a result", Steps=128
// REMARK: [Passed] schedule | {{.*}} | Expression=y, Nanoseconds={{[0-9]+}}, Point="block 16x32, steps 32, warps 4x1, lane 2x2", Remark="a block computes a tile"
// REMARK: [Passed] schedule | {{.*}} | Expression=y, Remark="a block computes a row", ResultsPerRow=1000

// Accesses are contiguous in all tensors: each lane computes four elements.
// CHECK-LABEL: te.kernel @elements(
// CHECK: %[[I:.*]]:2 = layout.loops @y
// CHECK: %[[F:.*]] = layout.fuse %[[I]]#0, %[[I]]#1
// CHECK: %[[V:.*]]:2 = layout.split %[[F]] [*, 4]
// CHECK: %[[L:.*]]:2 = layout.split %[[V]]#0 [*, 256]
// CHECK: layout.vectorize %[[V]]#1
// CHECK: layout.bind %[[L]]#0 to block
// CHECK: layout.bind %[[L]]#1 to lane
te.kernel @elements(%a: tensor<?x77xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> tensor<?x77xf32> {
  %y = te.compute @y (d0: %n, d1: 77) {
    %x = te.read %a[d0, d1] : tensor<?x77xf32>
    te.yield %x : f32
  } : tensor<?x77xf32>
  te.return %y : tensor<?x77xf32>
} schedule {
}

// A transposition: no vectors.
// CHECK-LABEL: te.kernel @transpose(
// CHECK-NOT: layout.vectorize
// CHECK: layout.bind %{{.*}} to lane
te.kernel @transpose(%a: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %y = te.compute @y (d0: 512, d1: 512) {
    %x = te.read %a[d1, d0] : tensor<512x512xf32>
    te.yield %x : f32
  } : tensor<512x512xf32>
  te.return %y : tensor<512x512xf32>
} schedule {
}

// Sums along the last dim of the source: a warp computes each.
// CHECK-LABEL: te.kernel @rows(
// CHECK: %[[K:.*]]:2 = layout.split %{{.*}}#1 [*, 32]
// CHECK: %[[R:.*]]:2 = layout.split %{{.*}}#0 [*, 8]
// CHECK: layout.reorder %[[R]]#0, %[[R]]#1, %[[K]]#0, %[[K]]#1
// CHECK: layout.bind %[[R]]#0 to block
// CHECK: layout.bind %[[R]]#1, %[[K]]#1 to lane
te.kernel @rows(%a: tensor<4096x128xf32>) -> tensor<4096xf32> {
  %y = te.compute @y (d0: 4096) reduce (d1: 128) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<4096x128xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<4096xf32>
  te.return %y : tensor<4096xf32>
} schedule {
}

// Sums along the first dim: a lane computes each.
// CHECK-LABEL: te.kernel @columns(
// CHECK: %[[J:.*]]:2 = layout.loops @y
// CHECK: %[[L:.*]]:2 = layout.split %[[J]]#0 [*, 256]
// CHECK: layout.reorder %[[L]]#0, %[[L]]#1, %[[J]]#1
te.kernel @columns(%a: tensor<128x4096xf32>) -> tensor<4096xf32> {
  %y = te.compute @y (d0: 4096) reduce (d1: 128) init (0.0 : f32) {
    %x = te.read %a[d1, d0] : tensor<128x4096xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<4096xf32>
  te.return %y : tensor<4096xf32>
} schedule {
}

// A convolution is a product of pixels by channels; both operands are kept in shared memory.
// CHECK-LABEL: te.kernel @conv(
// CHECK: layout.reorder
// CHECK: layout.cache 0 at %[[K:.*]]#0 to shared
// CHECK: layout.cache 1 at %[[K]]#0 to shared
// CHECK: layout.register_tile
// CHECK: layout.vectorize
te.kernel @conv(%x: tensor<1x32x30x30xf32>, %w: tensor<64x32x3x3xf32>) -> tensor<1x64x28x28xf32> {
  %y = te.compute @y (d0: 1, d1: 64, d2: 28, d3: 28) reduce (d4: 32, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5, d3 + d6] : tensor<1x32x30x30xf32>
    %b = te.read %w[d1, d4, d5, d6] : tensor<64x32x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x64x28x28xf32>
  te.return %y : tensor<1x64x28x28xf32>
} schedule {
}

// All lanes of a row's block compute the reductions of the row.
// CHECK-LABEL: te.kernel @softmax(
// CHECK: layout.loops @m
// CHECK: layout.bind %{{.*}} to lane
// CHECK: %[[Y:.*]]:2 = layout.loops @y
// CHECK: layout.bind %[[Y]]#0 to block
// CHECK: layout.compute_at @m, %[[Y]]#0
te.kernel @softmax(%a: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %m = te.compute @m (d0: 64) reduce (d1: 1000) init (0xFF800000 : f32) {
    %x = te.read %a[d0, d1] : tensor<64x1000xf32>
    te.yield %x : f32
  } combine arith.maximumf : tensor<64xf32>
  %y = te.compute @y (d0: 64, d1: 1000) {
    %x = te.read %a[d0, d1] : tensor<64x1000xf32>
    %t = te.read %m[d0] : tensor<64xf32>
    %s = arith.subf %x, %t : f32
    te.yield %s : f32
  } : tensor<64x1000xf32>
  te.return %y : tensor<64x1000xf32>
} schedule {
}

// An existing schedule is kept.
// CHECK-LABEL: te.kernel @scheduled(
// CHECK: layout.loops @y
// CHECK-NOT: layout.split
te.kernel @scheduled(%a: tensor<512xf32>) -> tensor<512xf32> {
  %y = te.compute @y (d0: 512) {
    %x = te.read %a[d0] : tensor<512xf32>
    te.yield %x : f32
  } : tensor<512xf32>
  te.return %y : tensor<512xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
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

// Factors of 16 bits in runs of 16 bytes: warps compute tiles on tensor cores.
// CHECK-LABEL: te.kernel @half(
// CHECK: %[[R:.*]]:3 = layout.split %{{.*}}#1 [*, 1, 16]
// CHECK: %[[C:.*]]:3 = layout.split %{{.*}}#2 [*, 2, 32]
// CHECK: %[[K:.*]]:3 = layout.split %{{.*}}#3 [*, 1, 64]
// CHECK: layout.reorder %{{.*}}#0, %[[R]]#0, %[[C]]#0, %[[R]]#1, %[[C]]#1, %[[K]]#1, %[[K]]#0, %[[R]]#2, %[[C]]#2, %[[K]]#2
// CHECK: layout.bind %{{.*}}#0, %[[R]]#0, %[[C]]#0 to block
// CHECK: layout.bind %[[R]]#1, %[[C]]#1, %[[K]]#1 to warp
// CHECK: layout.cache 0 at %[[K]]#0 to shared
// CHECK: layout.cache 1 at %[[K]]#0 to shared
// CHECK: layout.pipeline %[[K]]#0 depth 3
// CHECK: layout.atom %[[R]]#2, %[[C]]#2, %[[K]]#2 "mma.m16n8k16"
te.kernel @half(%a: tensor<1x128x12x64xf16>, %b: tensor<768x768xf16>) -> tensor<1x128x768xf32> {
  %y = te.compute @y (d0: 1, d1: 128, d2: 768) reduce (d3: 768) init (0.0 : f32) {
    %u = te.read %a[0, d1, d3 floordiv 64, d3 mod 64] : tensor<1x128x12x64xf16>
    %v = te.read %b[d3, d2] : tensor<768x768xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x128x768xf32>
  te.return %y : tensor<1x128x768xf32>
} schedule {
}

// Rows of 100 elements do not begin at multiples of 16 bytes: threads compute what copies cannot bring.
// A convolution has the steps of all its windows; the factor with the rows may be the second one.
// CHECK-LABEL: te.kernel @odd_rows(
// CHECK: layout.atom
// CHECK-LABEL: te.kernel @half_conv(
// CHECK: layout.atom
te.kernel @odd_rows(%a: tensor<128x100xf16>, %b: tensor<100x128xf16>) -> tensor<128x128xf32> {
  %y = te.compute @y (d0: 128, d1: 128) reduce (d2: 100) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<128x100xf16>
    %v = te.read %b[d2, d1] : tensor<100x128xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<128x128xf32>
  te.return %y : tensor<128x128xf32>
} schedule {
}
te.kernel @half_conv(%x: tensor<1x32x30x30xf16>, %w: tensor<64x32x3x3xf16>) -> tensor<1x64x28x28xf32> {
  %y = te.compute @y (d0: 1, d1: 64, d2: 28, d3: 28) reduce (d4: 32, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5, d3 + d6] : tensor<1x32x30x30xf16>
    %b = te.read %w[d1, d4, d5, d6] : tensor<64x32x3x3xf16>
    %u = arith.extf %a : f16 to f32
    %v = arith.extf %b : f16 to f32
    %p = arith.mulf %u, %v : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x64x28x28xf32>
  te.return %y : tensor<1x64x28x28xf32>
} schedule {
}

// Rows of 128 bytes are 32 elements of f32, whose values are those of tf32.
// CHECK-LABEL: te.kernel @tf32(
// CHECK: %[[K:.*]]:3 = layout.split %{{.*}}#2 [*, {{.*}}, 32]
// CHECK: layout.pipeline %[[K]]#0 depth
// CHECK: layout.atom %{{.*}}, %{{.*}}, %[[K]]#2 "mma.m16n8k8"
te.kernel @tf32(%a: tensor<128x768xf32>, %b: tensor<768x768xf32>) -> tensor<128x768xf32> {
  %y = te.compute @y (d0: 128, d1: 768) reduce (d2: 768) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<128x768xf32>
    %v = te.read %b[d2, d1] : tensor<768x768xf32>
    %p = arith.mulf %u, %v {te.tf32} : f32
    te.yield %p : f32
  } combine arith.addf : tensor<128x768xf32>
  te.return %y : tensor<128x768xf32>
} schedule {
}

// No tile has a factor that is the same in all steps.
// CHECK-LABEL: te.kernel @same_factor(
// CHECK-NOT: layout.atom
te.kernel @same_factor(%a: tensor<64x20xf16>, %b: tensor<64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 20) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x20xf16>
    %v = te.read %b[d1] : tensor<64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
}

// Products of any f32 have lanes, whose sums are those of f32. A small one has small tiles, so that
// it has blocks for all multiprocessors: 16 lanes beside each other have two columns each.
// CHECK-LABEL: te.kernel @single(
// CHECK: %[[R:.*]]:2 = layout.split %{{.*}}#0 [*, 2]
// CHECK: %[[C:.*]]:2 = layout.split %{{.*}}#1 [*, 2]
// CHECK: layout.split %[[R]]#0 [*, 4, 2]
// CHECK: layout.split %[[C]]#0 [*, 1, 16]
// CHECK-NOT: layout.atom
te.kernel @single(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %y = te.compute @y (d0: 128, d1: 128) reduce (d2: 128) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<128x128xf32>
    %v = te.read %b[d2, d1] : tensor<128x128xf32>
    %p = arith.mulf %u, %v : f32
    te.yield %p : f32
  } combine arith.addf : tensor<128x128xf32>
  te.return %y : tensor<128x128xf32>
} schedule {
}

// A large product has tiles of 8 x 8 results for each lane, whose factors come from shared memory in four vectors for 64 products. A warp has lanes in 8 rows of 4.
// CHECK-LABEL: te.kernel @large(
// CHECK: %[[I:.*]]:3 = layout.loops @y
// CHECK: %[[R:.*]]:2 = layout.split %[[I]]#0 [*, 8]
// CHECK: %[[C:.*]]:2 = layout.split %[[I]]#1 [*, 8]
// CHECK: %[[RL:.*]]:3 = layout.split %[[R]]#0 [*, 1, 8]
// CHECK: %[[CL:.*]]:3 = layout.split %[[C]]#0 [*, 4, 4]
// CHECK: %[[K:.*]]:2 = layout.split %[[I]]#2 [*, 16]
// CHECK: layout.reorder %[[RL]]#0, %[[CL]]#0, %[[RL]]#1, %[[CL]]#1, %[[RL]]#2, %[[CL]]#2, %[[K]]#0, %[[K]]#1, %[[R]]#1, %[[C]]#1
// CHECK: layout.register_tile %[[R]]#1
// CHECK: layout.vectorize %[[C]]#1
// CHECK: layout.bind %[[RL]]#0, %[[CL]]#0 to block
// CHECK: layout.bind %[[RL]]#1, %[[CL]]#1, %[[RL]]#2, %[[CL]]#2 to lane
te.kernel @large(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = te.compute @y (d0: 4096, d1: 4096) reduce (d2: 4096) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<4096x4096xf32>
    %v = te.read %b[d2, d1] : tensor<4096x4096xf32>
    %p = arith.mulf %u, %v : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4096x4096xf32>
  te.return %y : tensor<4096x4096xf32>
} schedule {
}
