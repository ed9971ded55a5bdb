// RUN: tssa-opt %s --convert-kernels-to-loops --canonicalize --cse --split-input-file | FileCheck %s

// An iteration of the outer loop of a split reads 8 rows, all of them whole.
// CHECK-LABEL: func.func @rows(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<384xf32>
// CHECK: scf.for %[[IO:.*]] = %{{.*}} to
// CHECK: scf.for %[[I:.*]] = %c0 to %c8 step
// CHECK: scf.for %[[J:.*]] = %c0 to %c48 step
// CHECK: %[[AT:.*]] = arith.muli %[[I]], %c48
// CHECK: math.exp
// CHECK: %[[TO:.*]] = arith.addi %[[AT]], %[[J]]
// CHECK: memref.store %{{.*}}, %alloca[%[[TO]]]
// CHECK: scf.for
// CHECK: memref.load %alloca
te.kernel @rows(%a: tensor<64x48xf32>) -> tensor<64xf32> {
  %x = te.compute @x (d0: 64, d1: 48) {
    %v = te.read %a[d0, d1] : tensor<64x48xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64x48xf32>
  %y = te.compute @y (d0: 64) reduce (d1: 48) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<64x48xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<64xf32>
  te.return %y : tensor<64xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 8]
  layout.reorder %io, %ii, %j
  layout.bind %io to parallel
  layout.compute_at @x, %io
}

// -----

// Inside of a sum, the box of an iteration is computed between two steps: here 6 rows of 16 columns.
// CHECK-LABEL: func.func @reduction(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<96xf32>
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c3{{.*}} iter_args
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c6
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c16
// CHECK: math.exp
// CHECK: memref.store %{{.*}}, %alloca
// CHECK: vector.load %alloca
te.kernel @reduction(%a: tensor<60x48xf32>) -> tensor<60xf32> {
  %x = te.compute @x (d0: 60, d1: 48) {
    %v = te.read %a[d0, d1] : tensor<60x48xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<60x48xf32>
  %y = te.compute @y (d0: 60) reduce (d1: 48) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<60x48xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<60xf32>
  te.return %y : tensor<60xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 6]
  %jo, %ji = layout.split %j [*, 16]
  layout.reorder %io, %jo, %ii, %ji
  layout.register_tile %ii
  layout.vectorize %ji
  layout.bind %io to parallel
  layout.compute_at @x, %jo
}

// -----

// The last box has fewer rows: 64 is no multiple of 7.
// CHECK-LABEL: func.func @tail(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<336xf32>
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %c64
// CHECK: %[[ROWS:.*]] = arith.addi %[[END]], %{{.*}}
// CHECK: %[[N:.*]] = arith.maxsi %[[ROWS]], %c0
// CHECK: scf.for %{{.*}} = %c0 to %[[N]]
// CHECK: math.exp
te.kernel @tail(%a: tensor<64x48xf32>) -> tensor<64xf32> {
  %x = te.compute @x (d0: 64, d1: 48) {
    %v = te.read %a[d0, d1] : tensor<64x48xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64x48xf32>
  %y = te.compute @y (d0: 64) reduce (d1: 48) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<64x48xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<64xf32>
  te.return %y : tensor<64xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 7]
  layout.reorder %io, %ii, %j
  layout.bind %io to parallel
  layout.compute_at @x, %io
}

// -----

// A part of a split in the middle: 4 times 3 rows.
// CHECK-LABEL: func.func @middle(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<3xf32>
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %c0 to
// CHECK: scf.for %[[I:.*]] = %c0 to %c3
// CHECK: math.exp
// CHECK: memref.store %{{.*}}, %alloca[%[[I]]]
te.kernel @middle(%a: tensor<36xf32>) -> tensor<36xf32> {
  %x = te.compute @x (d0: 36) {
    %v = te.read %a[d0] : tensor<36xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<36xf32>
  %y = te.compute @y (d0: 36) {
    %v = te.read %x[d0] : tensor<36xf32>
    te.yield %v : f32
  } : tensor<36xf32>
  te.return %y : tensor<36xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  %io, %im, %ii = layout.split %i [*, 4, 3]
  layout.reorder %io, %im, %ii
  layout.bind %io to parallel
  layout.compute_at @x, %im
}

// -----

// A halo: 8 elements of the result read 10 of @t, and these 12 of @x, fewer at the ends. The elements that two iterations
// read are computed twice.
// CHECK-LABEL: func.func @halo(
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<12xf32>
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<10xf32>
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: math.exp
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.addf
te.kernel @halo(%a: tensor<64xf32>) -> tensor<64xf32> {
  %x = te.compute @x (d0: 64) {
    %v = te.read %a[d0] : tensor<64xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64xf32>
  %t = te.compute @t (d0: 64) {
    %u = te.read %x[d0 - 1] : tensor<64xf32> where (d0 - 1 >= 0) else 0.0
    %w = te.read %x[d0 + 1] : tensor<64xf32> where (-d0 + 62 >= 0) else 0.0
    %r = arith.addf %u, %w : f32
    te.yield %r : f32
  } : tensor<64xf32>
  %y = te.compute @y (d0: 64) {
    %u = te.read %t[d0 - 1] : tensor<64xf32> where (d0 - 1 >= 0) else 0.0
    %w = te.read %t[d0 + 1] : tensor<64xf32> where (-d0 + 62 >= 0) else 0.0
    %r = arith.addf %u, %w : f32
    te.yield %r : f32
  } : tensor<64xf32>
  te.return %y : tensor<64xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  %io, %ii = layout.split %i [*, 8]
  layout.reorder %io, %ii
  layout.bind %io to parallel
  layout.compute_at @x, %io
  layout.compute_at @t, %io
}

// -----

// The size may be open where the box is not.
// CHECK-LABEL: func.func @open(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %[[N:.*]]: index, %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xi32>
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: arith.minsi %{{.*}}, %[[N]]
// CHECK: math.exp
te.kernel @open(%a: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index) -> tensor<?xf32> {
  %x = te.compute @x (d0: %n) {
    %v = te.read %a[d0] : tensor<?xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<?xf32>
  %y = te.compute @y (d0: %n) {
    %v = te.read %x[d0] : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  %io, %ii = layout.split %i [*, 16]
  layout.reorder %io, %ii
  layout.bind %io to parallel
  layout.compute_at @x, %io
}

// -----

// Members of a member. The product of a block of columns, its exponentials and their sum are computed
// block by block, for 8 rows at a time. The root reads the sums too, so they are kept for all blocks.
// The product has vectors, and so a function of its own.
// CHECK-LABEL: func.func private @nested.p.0(
// CHECK-SAME: memref<512xf32>
// CHECK-SAME: %[[SUMS:[a-z0-9]+]]: memref<32xf32>
// CHECK-SAME: attributes {passthrough = ["noinline"]}
// CHECK: scf.for %[[K:.*]] = %c0 to %c4
// CHECK: math.exp
// CHECK: memref.store %{{.*}}, %{{.*}} : memref<512xf32>
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: scf.for %{{.*}} iter_args(%{{.*}}) -> (vector<16xf32>)
// CHECK: vector.store
// CHECK: return
// CHECK-LABEL: func.func @nested(
// CHECK: %[[X:.*]] = memref.alloca() {alignment = 64 : i64} : memref<512xf32>
// CHECK: %[[M:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32xf32>
// CHECK: %[[P:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1024xf32>
// CHECK: scf.for
// CHECK: call @nested.p.0({{.*}}%[[X]], {{.*}}%[[M]], {{.*}}%[[P]])
// CHECK: memref.load %[[M]]
// CHECK: memref.load %[[P]]
te.kernel @nested(%a: tensor<64x256xf32>, %b: tensor<256x32xf32>) -> tensor<64x32xf32> {
  %x = te.compute @x (d0: 64, d1: 256) {
    %v = te.read %a[d0, d1] : tensor<64x256xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64x256xf32>
  %m = te.compute @m (d0: 64, d1: 4) reduce (d2: 64) init (0.0 : f32) {
    %v = te.read %x[d0, d1 * 64 + d2] : tensor<64x256xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<64x4xf32>
  %p = te.compute @p (d0: 64, d1: 4, d2: 32) reduce (d3: 64) init (0.0 : f32) {
    %v = te.read %x[d0, d1 * 64 + d3] : tensor<64x256xf32>
    %w = te.read %b[d1 * 64 + d3, d2] : tensor<256x32xf32>
    %r = arith.mulf %v, %w : f32
    te.yield %r : f32
  } combine arith.addf then (%s: f32) {
    %v = te.read %m[d0, d1] : tensor<64x4xf32>
    %r = arith.divf %s, %v : f32
    te.yield %r : f32
  } : tensor<64x4x32xf32>
  %y = te.compute @y (d0: 64, d1: 32) reduce (d2: 4) init (0.0 : f32) {
    %v = te.read %m[d0, d2] : tensor<64x4xf32>
    %w = te.read %p[d0, d2, d1] : tensor<64x4x32xf32>
    %r = arith.mulf %v, %w : f32
    te.yield %r : f32
  } combine arith.addf : tensor<64x32xf32>
  te.return %y : tensor<64x32xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 8]
  layout.reorder %io, %ii, %j, %k
  layout.bind %io to parallel
  %q0, %q1, %q2, %q3 = layout.loops @p : !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %qo, %ql = layout.split %q2 [*, 16]
  layout.reorder %q1, %q0, %qo, %q3, %ql
  layout.vectorize %ql
  layout.compute_at @x, %q1
  layout.compute_at @m, %q1
  layout.compute_at @p, %io
}

// -----

// What does not fit on the stack beside smaller boxes lies in memory that the caller passes: here
// 512 KiB for 16 rows of @x, and nothing for their sums.
// CHECK-LABEL: func.func @passed(
// CHECK-SAME: %{{[^,]*}}: index, %{{[^,]*}}: index, %[[MEMORY:.*]]: memref<524288xi8>)
// CHECK-DAG: %[[X:.*]] = memref.view %[[MEMORY]][%c0][] : memref<524288xi8> to memref<131072xf32>
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: math.exp
// CHECK: memref.store %{{.*}}, %[[X]]
// CHECK: memref.load %[[X]]
te.kernel @passed(%a: tensor<64x8192xf32>) -> tensor<64xf32> {
  %x = te.compute @x (d0: 64, d1: 8192) {
    %v = te.read %a[d0, d1] : tensor<64x8192xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64x8192xf32>
  %s = te.compute @s (d0: 64) reduce (d1: 8192) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<64x8192xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<64xf32>
  %y = te.compute @y (d0: 64) {
    %v = te.read %s[d0] : tensor<64xf32>
    %e = math.sqrt %v : f32
    te.yield %e : f32
  } : tensor<64xf32>
  te.return %y : tensor<64xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  %io, %ii = layout.split %i [*, 16]
  layout.reorder %io, %ii
  layout.bind %io to parallel
  layout.compute_at @x, %io
  layout.compute_at @s, %io
}

// -----

// A member that the kernel returns has no other memory: blocks of 7 rows have each of its elements once, and what reads
// them reads the result.
// CHECK-LABEL: func.func @returned(
// CHECK-SAME: %{{[^,]*}}: memref<?xf32>, %[[Y:[^,]*]]: memref<?xf32>, %[[X:[^,]*]]: memref<?xf32>,
// CHECK-NOT: memref.alloca
// CHECK: scf.for %[[IO:.*]] =
// CHECK: math.exp
// CHECK: memref.store %{{.*}}, %[[X]][
// CHECK: memref.load %[[X]][
// CHECK: memref.store %{{.*}}, %[[Y]][
te.kernel @returned(%a: tensor<64x48xf32>) -> (tensor<64xf32>, tensor<64x48xf32>) {
  %x = te.compute @x (d0: 64, d1: 48) {
    %v = te.read %a[d0, d1] : tensor<64x48xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64x48xf32>
  %y = te.compute @y (d0: 64) reduce (d1: 48) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<64x48xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<64xf32>
  te.return %y, %x : tensor<64xf32>, tensor<64x48xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 7]
  layout.reorder %io, %ii, %j
  layout.bind %io to parallel
  layout.compute_at @x, %io
}

// -----

// Only a run knows the size of a box: a function returns the bytes that the caller passes.
// CHECK-LABEL: func.func @open.scratch(
// CHECK-SAME: %[[N:[^:]*]]: index) -> index
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %c64
// CHECK: %[[PARTS:.*]] = arith.ceildivui %[[BYTES]], %c64
// CHECK: %[[ALL:.*]] = arith.muli %[[PARTS]], %c64
// CHECK: return %[[ALL]]
// CHECK-LABEL: func.func @open(
// CHECK-SAME: %[[M:[^:,]*]]: index,
// CHECK-SAME: %[[MEMORY:[^,]*]]: memref<?xi8>)
// CHECK: %[[SIZE:.*]] = arith.muli %[[M]], %c16
// CHECK: %[[X:.*]] = memref.view %[[MEMORY]][%c0][%[[SIZE]]] : memref<?xi8> to memref<?xf32>
// CHECK: math.exp
// CHECK: memref.store %{{.*}}, %[[X]]
// CHECK: memref.load %[[X]]
te.kernel @open(%a: tensor<64x?xf32> {te.sizes = array<i64: -1, 1>}, %n: index) -> tensor<64xf32> {
  %x = te.compute @x (d0: 64, d1: %n) {
    %v = te.read %a[d0, d1] : tensor<64x?xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64x?xf32>
  %y = te.compute @y (d0: 64) reduce (d1: %n) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<64x?xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<64xf32>
  te.return %y : tensor<64xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 16]
  layout.reorder %io, %ii, %k
  layout.bind %io to parallel
  layout.compute_at @x, %io
}
