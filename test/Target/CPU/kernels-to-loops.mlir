// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// One fused loop over full vectors; the last vector is masked.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[Y:.*]]: memref<?xf32>, %{{.*}}: memref<?xi32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: scf.if
// CHECK: %[[AT:.*]] = arith.muli %[[I]], %c16
// CHECK: %[[V:.*]] = vector.load %[[A]][%[[AT]]]
// CHECK: %[[R:.*]] = arith.negf %[[V]] : vector<16xf32>
// CHECK: vector.store %[[R]], %[[Y]][%[[AT]]]
// CHECK: else
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK: func.func @elementwise.extent(%[[N:.*]]: index) -> (index, index, index) {
// CHECK: %[[FLOPS:.*]] = arith.muli %[[N]], %c3
// CHECK: return %{{.*}}, %{{.*}}, %[[FLOPS]]
te.kernel @elementwise(%a: tensor<?x3xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> tensor<?x3xf32> {
  %y = te.compute @y (d0: %n, d1: 3) {
    %x = te.read %a[d0, d1] : tensor<?x3xf32>
    %p = arith.negf %x : f32
    te.yield %p : f32
  } : tensor<?x3xf32>
  te.return %y : tensor<?x3xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %f = layout.fuse %i, %j
  %o, %l = layout.split %f [*, 16]
  layout.vectorize %l
  layout.bind %o to parallel
}

// Two rows share the vector of weights. Sums become multiply-adds in registers.
// CHECK-LABEL: func.func @matmul(
// CHECK: scf.for
// CHECK: %[[SUMS:.*]]:2 = scf.for %[[K:.*]] = %c0 to %c32 step %c1 iter_args(%[[S0:.*]] = %{{.*}}, %[[S1:.*]] = %{{.*}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK: %[[X0:.*]] = memref.load
// CHECK: %[[W:.*]] = vector.load
// CHECK-NOT: vector.load
// CHECK: math.fma %{{.*}}, %[[W]], %[[S0]]
// CHECK: math.fma %{{.*}}, %[[W]], %[[S1]]
// CHECK: vector.store %[[SUMS]]#0
// CHECK: vector.store %[[SUMS]]#1
// The number of iterations, the least number worth a thread (4096 points of 4 ops are an eighth of
// the work that is worth one), and the number of floating-point operations.
// CHECK: func.func @matmul.extent() -> (index, index, index)
// CHECK: return %c4, %c32, %c8192
te.kernel @matmul(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) reduce (d2: 32) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<8x32xf32>
    %w = te.read %b[d2, d1] : tensor<32x16xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
} schedule {
  %m, %n, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %mo, %mi = layout.split %m [*, 2]
  layout.reorder %mo, %k, %mi, %n
  layout.register_tile %mi
  layout.vectorize %n
  layout.bind %mo to parallel
}

// Lanes over the reduction dim are combined at the end. Lanes beyond the end of the dim stay
// neutral.
// CHECK-LABEL: func.func @rowmax(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: vector.maskedload
// CHECK: arith.select
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [8], sizes = [8], strides = [1]}
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK: memref.store
te.kernel @rowmax(%a: tensor<4x37xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) reduce (d1: 37) init (0xFF800000 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x37xf32>
    te.yield %x : f32
  } combine arith.maximumf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %o, %l = layout.split %j [*, 16]
  layout.vectorize %l
  layout.bind %i to parallel
}

// An index from data is checked; if it is out of bounds, the error flag is set.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[ERRORS:[a-z0-9]*]]: memref<?xi32>, %{{[a-z0-9]*}}: index, %{{[a-z0-9]*}}: index)
// CHECK: %[[OUT:.*]] = arith.cmpi uge
// CHECK: scf.if %[[OUT]]
// CHECK: memref.store %{{.*}}, %[[ERRORS]]
te.kernel @gather(%t: tensor<9x16xf32>, %ids: tensor<5xi64>) -> tensor<5x16xf32> {
  %y = te.compute @y (d0: 5, d1: 16) {
    %i = te.read %ids[d0] : tensor<5xi64>
    %k = arith.index_cast %i : i64 to index
    %x = te.read %t[s0, d1](%k) : tensor<9x16xf32>
    te.yield %x : f32
  } : tensor<5x16xf32>
  te.return %y : tensor<5x16xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.vectorize %j
  layout.bind %i to parallel
}

// A guard that does not change in the innermost loop is decided before it.
// CHECK-LABEL: func.func @window(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: scf.if %[[INSIDE]]
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: else
// CHECK: scf.for
// CHECK: arith.select
te.kernel @window(%a: tensor<8x32xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) reduce (d1: 3, d2: 32) init (0.0 : f32) {
    %x = te.read %a[d0 + d1 - 1, d2] : tensor<8x32xf32> where (d0 + d1 - 1 >= 0, -d0 - d1 + 8 >= 0) else 0.0
    te.yield %x : f32
  } combine arith.addf : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  layout.bind %i to parallel
}

// An inlined expression is computed where it is read.
// CHECK-LABEL: func.func @inlined(
// CHECK: %[[X:.*]] = vector.shuffle
// CHECK: %[[N:.*]] = arith.addf %[[X]], %[[X]]
// CHECK: arith.mulf %[[N]], %[[N]]
te.kernel @inlined(%a: tensor<32xf32>) -> tensor<32xf32> {
  %n = te.compute @n (d0: 32) {
    %x = te.read %a[d0] : tensor<32xf32>
    %m = arith.addf %x, %x : f32
    te.yield %m : f32
  } : tensor<32xf32>
  %y = te.compute @y (d0: 32) {
    %x = te.read %n[-d0 + 31] : tensor<32xf32>
    %z = te.read %n[-d0 + 31] : tensor<32xf32>
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } : tensor<32xf32>
  te.return %y : tensor<32xf32>
} schedule {
  layout.inline @n
  %i = layout.loops @y : !layout.loop
  %o, %l = layout.split %i [*, 16]
  layout.vectorize %l
  layout.bind %o to parallel
}

// The iterations of the pieces of a concatenation are numbered consecutively.
// CHECK-LABEL: func.func @concat(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: memref.load
// CHECK: else
// CHECK: memref.load
te.kernel @concat(%a: tensor<3xf32>, %b: tensor<5xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) where (-d0 + 2 >= 0) {
    %x = te.read %a[d0] : tensor<3xf32>
    te.yield %x : f32
  } where (d0 - 3 >= 0) {
    %x = te.read %b[d0 - 3] : tensor<5xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  layout.bind %i to parallel
}

// Bounds that only a run knows: the first piece ends at its bound or at the size, the second one has
// what is left.
// CHECK-LABEL: func.func @open_concat(
// CHECK: %[[FIRST:.+]] = arith.minsi
// CHECK: arith.cmpi ult, %{{.+}}, %[[FIRST]] : index
// CHECK: scf.if
// CHECK: memref.load
// CHECK: else
// CHECK: memref.load
// CHECK-LABEL: func.func @open_concat.extent(
// CHECK: %[[FIRST:.+]] = arith.minsi
// CHECK: %[[LEFT:.+]] = arith.subi
// CHECK: %[[SECOND:.+]] = arith.maxsi %[[LEFT]], %c0
// CHECK: arith.addi %[[FIRST]], %[[SECOND]]
te.kernel @open_concat(%a: tensor<?xf32> {te.sizes = array<i64: 2>}, %b: tensor<?xf32> {te.sizes = array<i64: 3>}, %n: index, %m: index, %size: index) -> tensor<?xf32> {
  %y = te.compute @y (d0: %size) symbols (%n) where (-d0 + s0 - 1 >= 0) {
    %x = te.read %a[d0] : tensor<?xf32>
    te.yield %x : f32
  } where (d0 - s0 >= 0) {
    %x = te.read %b[d0 - s0](%n) : tensor<?xf32>
    te.yield %x : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  layout.bind %i to parallel
}

// An exponential counts as 16 ops and a logarithm as 40, and the epilogue of a reduction counts too:
// 2048 points of 18 ops, and 32 points of 41.
// CHECK-LABEL: func.func @functions.extent() -> (index, index, index)
// CHECK: return %c32, %c110
te.kernel @functions(%a: tensor<32x64xf32>) -> tensor<32xf32> {
  %y = te.compute @y (d0: 32) reduce (d1: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<32x64xf32>
    %p = math.exp %x : f32
    te.yield %p : f32
  } combine arith.addf then (%s: f32) {
    %r = math.log %s : f32
    te.yield %r : f32
  } : tensor<32xf32>
  te.return %y : tensor<32xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i to parallel
}

// If the last vector has one lane, a scalar is loaded and inserted into zeros; there is no masked
// load.
// CHECK-LABEL: func.func @one_lane(
// CHECK-NOT: vector.maskedload
// CHECK: %[[LAST:.*]] = memref.load
// CHECK: vector.insert %[[LAST]], %{{.*}} [0] : f32 into vector<16xf32>
// CHECK-NOT: vector.maskedload
// CHECK: func.func @one_lane.extent
te.kernel @one_lane(%a: tensor<3x17xf32>) -> tensor<3xf32> {
  %y = te.compute @y (d0: 3) reduce (d1: 17) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<3x17xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<3xf32>
  te.return %y : tensor<3xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %o, %v, %l = layout.split %j [*, 2, 16]
  layout.reorder %i, %o, %v, %l
  layout.register_tile %v
  layout.vectorize %l
  layout.bind %i to parallel
}

// The code of a kernel may be known: then a declaration is enough, and the number of iterations.
// CHECK-LABEL: func.func private @known(memref<?xf32>, memref<?xf32>, memref<?xi32>, index, index)
// CHECK-NEXT: func.func @known.extent
te.kernel @known(%a: tensor<8xf32>) -> tensor<8xf32> attributes {te.compiled} {
  %y = te.compute @y (d0: 8) {
    %x = te.read %a[d0] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  layout.bind %i to parallel
}
