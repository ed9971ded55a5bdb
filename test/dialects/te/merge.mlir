// RUN: tssa-opt %s --te-simplify --te-merge --split-input-file | FileCheck %s
// One function for each way to merge, and for each case that must be left alone.

// slice then transpose: the producer's map is applied last.
// CHECK-LABEL: @rearrangements
// CHECK: te.compute (d0: 8, d1: 3) {
// CHECK-NEXT: te.read %arg0[d1 * 2, d0] : tensor<6x8xf32>
// CHECK-NEXT: te.yield
// CHECK-NOT: te.compute
func.func @rearrangements(%x: tensor<6x8xf32>) -> tensor<8x3xf32> {
  %s = te.compute (d0: 3, d1: 8) {
    %v = te.read %x[d0 * 2, d1] : tensor<6x8xf32>
    te.yield %v : f32
  } : tensor<3x8xf32>
  %t = te.compute (d0: 8, d1: 3) {
    %v = te.read %s[d1, d0] : tensor<3x8xf32>
    te.yield %v : f32
  } : tensor<8x3xf32>
  return %t : tensor<8x3xf32>
}

// -----

// The rearrangement is merged into both readers and erased.
// CHECK-LABEL: @rearrangement_of_many
// CHECK-COUNT-2: te.read %arg0[d1, d0]
// CHECK-NOT: te.compute
func.func @rearrangement_of_many(%x: tensor<6x8xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %t = te.compute (d0: 8, d1: 6) {
    %v = te.read %x[d1, d0] : tensor<6x8xf32>
    te.yield %v : f32
  } : tensor<8x6xf32>
  %a = te.compute (d0: 8, d1: 6) {
    %v = te.read %t[d0, d1] : tensor<8x6xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<8x6xf32>
  %b = te.compute (d0: 8, d1: 6) {
    %v = te.read %t[d0, d1] : tensor<8x6xf32>
    %w = math.tanh %v : f32
    te.yield %w : f32
  } : tensor<8x6xf32>
  return %a, %b : tensor<8x6xf32>, tensor<8x6xf32>
}

// -----

// A returned value is stored; its reader computes it again.
// CHECK-LABEL: @returned
// CHECK: %[[T:.+]] = te.compute
// CHECK-NEXT: te.read %arg0[d1, d0]
// CHECK: %[[A:.+]] = te.compute
// CHECK-NEXT: te.read %arg0[d1, d0]
// CHECK: return %[[T]], %[[A]]
func.func @returned(%x: tensor<6x8xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %t = te.compute (d0: 8, d1: 6) {
    %v = te.read %x[d1, d0] : tensor<6x8xf32>
    te.yield %v : f32
  } : tensor<8x6xf32>
  %a = te.compute (d0: 8, d1: 6) {
    %v = te.read %t[d0, d1] : tensor<8x6xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<8x6xf32>
  return %t, %a : tensor<8x6xf32>, tensor<8x6xf32>
}

// -----

// CHECK-LABEL: @chain
// CHECK: te.compute
// CHECK-NEXT: %[[V:.+]] = te.read %arg0[d0]
// CHECK-NEXT: %[[E:.+]] = math.exp %[[V]]
// CHECK-NEXT: %[[T:.+]] = math.tanh %[[E]]
// CHECK-NEXT: te.yield %[[T]]
// CHECK-NOT: te.compute
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = te.compute (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<8xf32>
  %b = te.compute (d0: 8) {
    %v = te.read %a[d0] : tensor<8xf32>
    %w = math.tanh %v : f32
    te.yield %w : f32
  } : tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

// x * sigmoid(x): both paths from the sum become its epilogue.
// CHECK-LABEL: @diamond
// CHECK: te.compute (d0: 4, d1: 8) reduce (d2: 16)
// CHECK: then (%[[S:.+]]: f32) {
// CHECK-NEXT: %[[T:.+]] = math.tanh %[[S]]
// CHECK-NEXT: arith.mulf %[[S]], %[[T]]
// CHECK-NOT: te.compute
func.func @diamond(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>) -> tensor<4x8xf32> {
  %m = te.compute (d0: 4, d1: 8) reduce (d2: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<4x16xf32>
    %b = te.read %w[d1, d2] : tensor<8x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4x8xf32>
  %t = te.compute (d0: 4, d1: 8) {
    %v = te.read %m[d0, d1] : tensor<4x8xf32>
    %r = math.tanh %v : f32
    te.yield %r : f32
  } : tensor<4x8xf32>
  %y = te.compute (d0: 4, d1: 8) {
    %v = te.read %m[d0, d1] : tensor<4x8xf32>
    %u = te.read %t[d0, d1] : tensor<4x8xf32>
    %r = arith.mulf %v, %u : f32
    te.yield %r : f32
  } : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Two epilogues in a row; reads of other tensors move into the epilogue.
// CHECK-LABEL: @epilogue_chain
// CHECK: } combine arith.addf then (%[[S:.+]]: f32) {
// CHECK: %[[B:.+]] = te.read %arg1[d0]
// CHECK-NEXT: %[[SUM:.+]] = arith.addf %[[S]], %[[B]]
// CHECK-NEXT: %[[T:.+]] = math.tanh %[[SUM]]
// CHECK-NEXT: te.yield %[[T]]
// CHECK-NOT: te.compute
func.func @epilogue_chain(%x: tensor<4x16xf32>, %bias: tensor<4xf32>) -> tensor<4xf32> {
  %m = te.compute (d0: 4) reduce (d1: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<4x16xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4xf32>
  %t = te.compute (d0: 4) {
    %v = te.read %m[d0] : tensor<4xf32>
    %b = te.read %bias[d0] : tensor<4xf32>
    %r = arith.addf %v, %b : f32
    te.yield %r : f32
  } : tensor<4xf32>
  %u = te.compute (d0: 4) {
    %v = te.read %t[d0] : tensor<4xf32>
    %r = math.tanh %v : f32
    te.yield %r : f32
  } : tensor<4xf32>
  return %u : tensor<4xf32>
}

// -----

// The consumer permutes the outer dims and adds dims of size 1: the reduction gets its dims.
// CHECK-LABEL: @epilogue_permuted
// CHECK: te.compute (d0: 5, d1: 1, d2: 4, d3: 8) reduce (d4: 16)
// CHECK-NEXT: te.read %arg0[d2, d0, d3, d4] : tensor<4x5x8x16xf32>
// CHECK: then
// CHECK-NOT: te.compute
func.func @epilogue_permuted(%x: tensor<4x5x8x16xf32>) -> tensor<5x1x4x8xf32> {
  %m = te.compute (d0: 4, d1: 5, d2: 8) reduce (d3: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2, d3] : tensor<4x5x8x16xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4x5x8xf32>
  %t = te.compute (d0: 5, d1: 1, d2: 4, d3: 8) {
    %v = te.read %m[d2, d0, d3] : tensor<4x5x8xf32>
    te.yield %v : f32
  } : tensor<5x1x4x8xf32>
  return %t : tensor<5x1x4x8xf32>
}

// -----

// The innermost dim moves. The sum has many steps for each store, so it gets the other order.
// CHECK-LABEL: @epilogue_transposed
// CHECK: te.compute (d0: 5, d1: 4) reduce (d2: 16)
// CHECK-NEXT: te.read %arg0[d1, d0, d2] : tensor<4x5x16xf32>
// CHECK: then
// CHECK-NOT: te.compute
func.func @epilogue_transposed(%x: tensor<4x5x16xf32>) -> tensor<5x4xf32> {
  %m = te.compute (d0: 4, d1: 5) reduce (d2: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2] : tensor<4x5x16xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4x5xf32>
  %t = te.compute (d0: 5, d1: 4) {
    %v = te.read %m[d1, d0] : tensor<4x5xf32>
    te.yield %v : f32
  } : tensor<5x4xf32>
  return %t : tensor<5x4xf32>
}

// -----

// The innermost dim would move, and the sum has few steps: left alone.
// CHECK-LABEL: @epilogue_transposed_short
// CHECK: combine arith.addf : tensor<4x5xf32>
// CHECK: te.compute (d0: 5, d1: 4) {
func.func @epilogue_transposed_short(%x: tensor<4x5x7xf32>) -> tensor<5x4xf32> {
  %m = te.compute (d0: 4, d1: 5) reduce (d2: 7) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2] : tensor<4x5x7xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4x5xf32>
  %t = te.compute (d0: 5, d1: 4) {
    %v = te.read %m[d1, d0] : tensor<4x5xf32>
    te.yield %v : f32
  } : tensor<5x4xf32>
  return %t : tensor<5x4xf32>
}

// -----

// The steps are open, and so assumed to be many: the sum gets the other order.
// CHECK-LABEL: @epilogue_transposed_open
// CHECK: te.compute (d0: %arg1, d1: 4) reduce (d2: %arg2)
// CHECK-NEXT: te.read %arg0[d1, d0, d2] : tensor<4x?x?xf32>
// CHECK-NOT: te.compute
func.func @epilogue_transposed_open(%x: tensor<4x?x?xf32>, %n: index, %k: index) -> tensor<?x4xf32> {
  %m = te.compute (d0: 4, d1: %n) reduce (d2: %k) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2] : tensor<4x?x?xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4x?xf32>
  %t = te.compute (d0: %n, d1: 4) {
    %v = te.read %m[d1, d0] : tensor<4x?xf32>
    te.yield %v : f32
  } : tensor<?x4xf32>
  return %t : tensor<?x4xf32>
}

// -----

// Only the steps count, and these are few: left alone.
// CHECK-LABEL: @epilogue_transposed_short_open
// CHECK: combine arith.addf : tensor<4x?xf32>
// CHECK: te.compute (d0: %arg1, d1: 4) {
func.func @epilogue_transposed_short_open(%x: tensor<4x?x7xf32>, %n: index) -> tensor<?x4xf32> {
  %m = te.compute (d0: 4, d1: %n) reduce (d2: 7) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2] : tensor<4x?x7xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4x?xf32>
  %t = te.compute (d0: %n, d1: 4) {
    %v = te.read %m[d1, d0] : tensor<4x?xf32>
    te.yield %v : f32
  } : tensor<?x4xf32>
  return %t : tensor<?x4xf32>
}

// -----

// The sum has another user, which needs its order: left alone.
// CHECK-LABEL: @epilogue_transposed_users
// CHECK: combine arith.addf : tensor<4x5xf32>
// CHECK: te.compute (d0: 5, d1: 4) {
func.func @epilogue_transposed_users(%x: tensor<4x5x16xf32>) -> (tensor<4x5xf32>, tensor<5x4xf32>) {
  %m = te.compute (d0: 4, d1: 5) reduce (d2: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2] : tensor<4x5x16xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4x5xf32>
  %t = te.compute (d0: 5, d1: 4) {
    %v = te.read %m[d1, d0] : tensor<4x5xf32>
    te.yield %v : f32
  } : tensor<5x4xf32>
  return %m, %t : tensor<4x5xf32>, tensor<5x4xf32>
}

// -----

// The transposed sum is only read by another expression, which can read the sum itself.
// CHECK-LABEL: @epilogue_transposed_read
// CHECK: combine arith.addf : tensor<4x5xf32>
// CHECK: te.compute (d0: 5) reduce (d1: 4)
// CHECK-NEXT: te.read %{{.+}}[d1, d0] : tensor<4x5xf32>
// CHECK: combine arith.maximumf
func.func @epilogue_transposed_read(%x: tensor<4x5x16xf32>) -> tensor<5xf32> {
  %m = te.compute (d0: 4, d1: 5) reduce (d2: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2] : tensor<4x5x16xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4x5xf32>
  %t = te.compute (d0: 5, d1: 4) {
    %v = te.read %m[d1, d0] : tensor<4x5xf32>
    te.yield %v : f32
  } : tensor<5x4xf32>
  %y = te.compute (d0: 5) reduce (d1: 4) init (0xFF800000 : f32) {
    %v = te.read %t[d0, d1] : tensor<5x4xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// Masks of images: exp of a product of 32 steps, with the dim of the masks moved to the front. One
// expression computes it.
// CHECK-LABEL: @masks
// CHECK: te.compute (d0: 100, d1: 138, d2: 138) reduce (d3: 32)
// CHECK-NEXT: te.read %arg0[d1, d2, d3] : tensor<138x138x32xf32>
// CHECK-NEXT: te.read %arg1[d0, d3] : tensor<100x32xf32>
// CHECK: then (%[[S:.+]]: f32) {
// CHECK-NEXT: math.exp %[[S]]
// CHECK: } : tensor<100x138x138xf32>
// CHECK-NOT: te.compute
func.func @masks(%x: tensor<138x138x32xf32>, %w: tensor<100x32xf32>) -> tensor<100x138x138xf32> {
  %m = te.compute (d0: 138, d1: 138, d2: 100) reduce (d3: 32) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d3] : tensor<138x138x32xf32>
    %b = te.read %w[d2, d3] : tensor<100x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<138x138x100xf32>
  %e = te.compute (d0: 138, d1: 138, d2: 100) {
    %v = te.read %m[d0, d1, d2] : tensor<138x138x100xf32>
    %r = math.exp %v : f32
    te.yield %r : f32
  } : tensor<138x138x100xf32>
  %t = te.compute (d0: 100, d1: 138, d2: 138) {
    %v = te.read %e[d1, d2, d0] : tensor<138x138x100xf32>
    te.yield %v : f32
  } : tensor<100x138x138xf32>
  return %t : tensor<100x138x138xf32>
}

// -----

// A broadcast of the sum is no epilogue: each sum would be computed many times.
// CHECK-LABEL: @epilogue_broadcast
// CHECK: combine arith.addf : tensor<4xf32>
// CHECK: te.compute (d0: 4, d1: 16) {
func.func @epilogue_broadcast(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %m = te.compute (d0: 4) reduce (d1: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<4x16xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4xf32>
  %t = te.compute (d0: 4, d1: 16) {
    %v = te.read %m[d0] : tensor<4xf32>
    %w = te.read %x[d0, d1] : tensor<4x16xf32>
    %r = arith.subf %w, %v : f32
    te.yield %r : f32
  } : tensor<4x16xf32>
  return %t : tensor<4x16xf32>
}

// -----

// Work on rearranged sums moves before the rearrangement.
// CHECK-LABEL: @epilogue_behind_reshape
// CHECK: then (%[[S:.+]]: f32) {
// CHECK-NEXT: math.exp %[[S]]
// CHECK: } : tensor<4x6xf32>
// CHECK: te.compute (d0: 6, d1: 2, d2: 2) {
// CHECK-NEXT: te.read %{{.+}}[d1 * 2 + d2, d0] : tensor<4x6xf32>
// CHECK-NEXT: te.yield
func.func @epilogue_behind_reshape(%x: tensor<4x6x16xf32>) -> tensor<6x2x2xf32> {
  %m = te.compute (d0: 4, d1: 6) reduce (d2: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d2] : tensor<4x6x16xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4x6xf32>
  %t = te.compute (d0: 6, d1: 2, d2: 2) {
    %v = te.read %m[d1 * 2 + d2, d0] : tensor<4x6xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<6x2x2xf32>
  return %t : tensor<6x2x2xf32>
}

// -----

// The reader is a slice; as its epilogue, the sum would compute unused elements: left alone.
// CHECK-LABEL: @epilogue_behind_slice
// CHECK: combine arith.addf : tensor<4xf32>
// CHECK: math.exp
func.func @epilogue_behind_slice(%x: tensor<4x16xf32>) -> tensor<2xf32> {
  %m = te.compute (d0: 4) reduce (d1: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<4x16xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4xf32>
  %t = te.compute (d0: 2) {
    %v = te.read %m[d0 * 2] : tensor<4xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<2xf32>
  return %t : tensor<2xf32>
}

// -----

// A tuple: both accumulators go to the epilogue.
// CHECK-LABEL: @epilogue_tuple
// CHECK: then (%[[M:.+]]: f32, %[[I:.+]]: i64) {
// CHECK-NEXT: %[[F:.+]] = arith.sitofp %[[I]]
// CHECK-NEXT: arith.addf %[[M]], %[[F]]
// CHECK: } : tensor<4xf32>
func.func @epilogue_tuple(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %m, %i = te.compute (d0: 4) reduce (d1: 16) init (0xFF800000 : f32, 0 : i64) {
    %a = te.read %x[d0, d1] : tensor<4x16xf32>
    %k = te.index d1
    %j = arith.index_cast %k : index to i64
    te.yield %a, %j : f32, i64
  } combine (%a: f32, %i: i64, %b: f32, %j: i64) {
    %gt = arith.cmpf ogt, %b, %a : f32
    %r = arith.select %gt, %b, %a : f32
    %s = arith.select %gt, %j, %i : i64
    te.yield %r, %s : f32, i64
  } : tensor<4xf32>, tensor<4xi64>
  %t = te.compute (d0: 4) {
    %v = te.read %m[d0] : tensor<4xf32>
    %w = te.read %i[d0] : tensor<4xi64>
    %f = arith.sitofp %w : i64 to f32
    %r = arith.addf %v, %f : f32
    te.yield %r : f32
  } : tensor<4xf32>
  return %t : tensor<4xf32>
}

// -----

// Padding of a rearrangement becomes a guard of the read ...
// CHECK-LABEL: @pad_of_transpose
// CHECK: te.read %arg0[d1 - 1, d0 - 1] : tensor<6x8xf32> where (d0 - 1 >= 0, -d0 + 8 >= 0, d1 - 1 >= 0, -d1 + 6 >= 0) else 1.000000e+00
// CHECK-NEXT: te.yield
// CHECK-NOT: te.compute
func.func @pad_of_transpose(%x: tensor<6x8xf32>) -> tensor<10x8xf32> {
  %t = te.compute (d0: 8, d1: 6) {
    %v = te.read %x[d1, d0] : tensor<6x8xf32>
    te.yield %v : f32
  } : tensor<8x6xf32>
  %p = te.compute (d0: 10, d1: 8) {
    %v = te.read %t[d0 - 1, d1 - 1] : tensor<8x6xf32> where (d0 - 1 >= 0, 8 - d0 >= 0, d1 - 1 >= 0, 6 - d1 >= 0) else 1.0
    te.yield %v : f32
  } : tensor<10x8xf32>
  return %p : tensor<10x8xf32>
}

// -----

// ... and padding of a computed value also a select.
// CHECK-LABEL: @pad_of_exp
// CHECK: %[[V:.+]] = te.read %arg0[d0 - 1] : tensor<6xf32> where (d0 - 1 >= 0) else 0.000000e+00
// CHECK: %[[E:.+]] = math.exp %[[V]]
// CHECK: %[[IN:.+]] = te.inside (d0 - 1 >= 0)
// CHECK: %[[R:.+]] = arith.select %[[IN]], %[[E]], %{{.+}} : f32
// CHECK: te.yield %[[R]]
// CHECK-NOT: te.compute
func.func @pad_of_exp(%x: tensor<6xf32>) -> tensor<7xf32> {
  %t = te.compute (d0: 6) {
    %v = te.read %x[d0] : tensor<6xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<6xf32>
  %p = te.compute (d0: 7) {
    %v = te.read %t[d0 - 1] : tensor<6xf32> where (d0 - 1 >= 0) else 5.0
    te.yield %v : f32
  } : tensor<7xf32>
  return %p : tensor<7xf32>
}

// -----

// Padding twice with the same value is one guard; with another value it is not.
// CHECK-LABEL: @pad_twice
// CHECK: te.read %arg0[d0 - 3] : tensor<6xf32> where (d0 - 3 >= 0) else 0.000000e+00
// CHECK-NEXT: te.yield
// CHECK: te.read %arg0[d0 - 3] : tensor<6xf32> where (d0 - 3 >= 0{{.*}}) else 0.000000e+00
// CHECK: te.inside (d0 - 2 >= 0)
// CHECK: arith.select
func.func @pad_twice(%x: tensor<6xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %a = te.compute (d0: 7) {
    %v = te.read %x[d0 - 1] : tensor<6xf32> where (d0 - 1 >= 0) else 0.0
    te.yield %v : f32
  } : tensor<7xf32>
  %b = te.compute (d0: 9) {
    %v = te.read %a[d0 - 2] : tensor<7xf32> where (d0 - 2 >= 0) else 0.0
    te.yield %v : f32
  } : tensor<9xf32>
  %c = te.compute (d0: 9) {
    %v = te.read %a[d0 - 2] : tensor<7xf32> where (d0 - 2 >= 0) else 5.0
    te.yield %v : f32
  } : tensor<9xf32>
  return %b, %c : tensor<9xf32>, tensor<9xf32>
}

// -----

// Outside of the guard the divisor may be 0: left alone.
// CHECK-LABEL: @pad_of_division
// CHECK-COUNT-2: te.compute
func.func @pad_of_division(%x: tensor<6xi32>, %y: tensor<6xi32>) -> tensor<7xi32> {
  %t = te.compute (d0: 6) {
    %v = te.read %x[d0] : tensor<6xi32>
    %w = te.read %y[d0] : tensor<6xi32>
    %r = arith.divsi %v, %w : i32
    te.yield %r : i32
  } : tensor<6xi32>
  %p = te.compute (d0: 7) {
    %v = te.read %t[d0 - 1] : tensor<6xi32> where (d0 - 1 >= 0) else 5
    te.yield %v : i32
  } : tensor<7xi32>
  return %p : tensor<7xi32>
}

// -----

// A contraction reads each element 512 times: it is computed once and stored.
// CHECK-LABEL: @into_contraction
// CHECK: math.exp
// CHECK: te.compute (d0: 64, d1: 512) reduce
// CHECK-NOT: math.exp
func.func @into_contraction(%x: tensor<64x256xf32>, %w: tensor<512x256xf32>) -> tensor<64x512xf32> {
  %e = te.compute (d0: 64, d1: 256) {
    %v = te.read %x[d0, d1] : tensor<64x256xf32>
    %r = math.exp %v : f32
    te.yield %r : f32
  } : tensor<64x256xf32>
  %m = te.compute (d0: 64, d1: 512) reduce (d2: 256) init (0.0 : f32) {
    %a = te.read %e[d0, d2] : tensor<64x256xf32>
    %b = te.read %w[d1, d2] : tensor<512x256xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x512xf32>
  return %m : tensor<64x512xf32>
}

// -----

// A sum reads each element once.
// CHECK-LABEL: @into_sum
// CHECK: te.compute (d0: %{{.+}}) reduce (d1: %{{.+}})
// CHECK: math.exp
// CHECK-NOT: te.compute
func.func @into_sum(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %k = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = te.compute (d0: %n, d1: %k) {
    %v = te.read %x[d0, d1] : tensor<?x?xf32>
    %r = math.exp %v : f32
    te.yield %r : f32
  } : tensor<?x?xf32>
  %m = te.compute (d0: %n) reduce (d1: %k) init (0.0 : f32) {
    %a = te.read %e[d0, d1] : tensor<?x?xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<?xf32>
  return %m : tensor<?xf32>
}

// -----

// A root that is broadcast is computed once per row.
// CHECK-LABEL: @costly_broadcast
// CHECK: math.sqrt
// CHECK: te.compute (d0: 64, d1: 4096)
// CHECK-NOT: math.sqrt
func.func @costly_broadcast(%x: tensor<64x4096xf32>, %s: tensor<64xf32>) -> tensor<64x4096xf32> {
  %e = te.compute (d0: 64) {
    %v = te.read %s[d0] : tensor<64xf32>
    %r = math.sqrt %v : f32
    te.yield %r : f32
  } : tensor<64xf32>
  %y = te.compute (d0: 64, d1: 4096) {
    %a = te.read %x[d0, d1] : tensor<64x4096xf32>
    %b = te.read %e[d0] : tensor<64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}

// -----

// An exponential with two readers is computed once; a sum of two vectors is not
// worth storing for two readers.
// CHECK-LABEL: @many_readers
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @many_readers(%x: tensor<65536xf32>) -> (tensor<65536xf32>, tensor<65536xf32>) {
  %e = te.compute (d0: 65536) {
    %v = te.read %x[d0] : tensor<65536xf32>
    %r = math.exp %v : f32
    te.yield %r : f32
  } : tensor<65536xf32>
  %a = te.compute (d0: 65536) {
    %v = te.read %e[d0] : tensor<65536xf32>
    %r = math.tanh %v : f32
    te.yield %r : f32
  } : tensor<65536xf32>
  %b = te.compute (d0: 65536) {
    %v = te.read %e[d0] : tensor<65536xf32>
    %r = math.sin %v : f32
    te.yield %r : f32
  } : tensor<65536xf32>
  return %a, %b : tensor<65536xf32>, tensor<65536xf32>
}

// -----

// CHECK-LABEL: @many_cheap_readers
// CHECK-COUNT-2: arith.negf
// CHECK-NOT: te.compute
func.func @many_cheap_readers(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %e = te.compute (d0: 16) {
    %v = te.read %x[d0] : tensor<16xf32>
    %r = arith.negf %v : f32
    te.yield %r : f32
  } : tensor<16xf32>
  %a = te.compute (d0: 16) {
    %v = te.read %e[d0] : tensor<16xf32>
    %r = math.tanh %v : f32
    te.yield %r : f32
  } : tensor<16xf32>
  %b = te.compute (d0: 16) {
    %v = te.read %e[d0] : tensor<16xf32>
    %r = math.sin %v : f32
    te.yield %r : f32
  } : tensor<16xf32>
  return %a, %b : tensor<16xf32>, tensor<16xf32>
}

// -----

// A rearrangement that divides to find the address does not go into a contraction ...
// CHECK-LABEL: @divisions
// CHECK: te.read %arg0[d0 mod 3, d0 floordiv 3, d1]
// CHECK: te.compute (d0: 12, d1: 8) reduce (d2: 16)
// CHECK-NOT: floordiv
func.func @divisions(%x: tensor<3x4x16xf32>, %w: tensor<8x16xf32>) -> tensor<12x8xf32> {
  %e = te.compute (d0: 12, d1: 16) {
    %v = te.read %x[d0 mod 3, d0 floordiv 3, d1] : tensor<3x4x16xf32>
    te.yield %v : f32
  } : tensor<12x16xf32>
  %m = te.compute (d0: 12, d1: 8) reduce (d2: 16) init (0.0 : f32) {
    %a = te.read %e[d0, d2] : tensor<12x16xf32>
    %b = te.read %w[d1, d2] : tensor<8x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<12x8xf32>
  return %m : tensor<12x8xf32>
}

// -----

// ... but one whose address needs no division does: a reshape ...
// CHECK-LABEL: @reshape
// CHECK: te.compute (d0: 12, d1: 8) reduce (d2: 16)
// CHECK-NEXT: te.read %arg0[d0, d2 floordiv 4, d2 mod 4]
// CHECK-NOT: te.compute
func.func @reshape(%x: tensor<12x4x4xf32>, %w: tensor<8x16xf32>) -> tensor<12x8xf32> {
  %e = te.compute (d0: 12, d1: 16) {
    %v = te.read %x[d0, d1 floordiv 4, d1 mod 4] : tensor<12x4x4xf32>
    te.yield %v : f32
  } : tensor<12x16xf32>
  %m = te.compute (d0: 12, d1: 8) reduce (d2: 16) init (0.0 : f32) {
    %a = te.read %e[d0, d2] : tensor<12x16xf32>
    %b = te.read %w[d1, d2] : tensor<8x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<12x8xf32>
  return %m : tensor<12x8xf32>
}

// -----

// ... or heads that split off the hidden dim.
// CHECK-LABEL: @heads
// CHECK: te.compute (d0: 2, d1: 5, d2: 5) reduce (d3: 4)
// CHECK-NEXT: te.read %arg0[d1, d0 * 4 + d3] : tensor<5x8xf32>
// CHECK-NEXT: te.read %arg1[d2, d0 * 4 + d3] : tensor<5x8xf32>
// CHECK-NOT: te.compute
func.func @heads(%q: tensor<5x8xf32>, %k: tensor<5x8xf32>) -> tensor<2x5x5xf32> {
  %qh = te.compute (d0: 2, d1: 5, d2: 4) {
    %v = te.read %q[d1, d0 * 4 + d2] : tensor<5x8xf32>
    te.yield %v : f32
  } : tensor<2x5x4xf32>
  %ks = te.compute (d0: 5, d1: 2, d2: 4) {
    %v = te.read %k[d0, d1 * 4 + d2] : tensor<5x8xf32>
    te.yield %v : f32
  } : tensor<5x2x4xf32>
  %kh = te.compute (d0: 2, d1: 4, d2: 5) {
    %v = te.read %ks[d2, d0, d1] : tensor<5x2x4xf32>
    te.yield %v : f32
  } : tensor<2x4x5xf32>
  %m = te.compute (d0: 2, d1: 5, d2: 5) reduce (d3: 4) init (0.0 : f32) {
    %a = te.read %qh[d0, d1, d3] : tensor<2x5x4xf32>
    %b = te.read %kh[d0, d3, d2] : tensor<2x4x5xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x5x5xf32>
  return %m : tensor<2x5x5xf32>
}

// -----

// Pieces go through an element-wise reader ...
// CHECK-LABEL: @pieces
// CHECK: te.compute (d0: 7) where (-d0 + 3 >= 0) {
// CHECK-NEXT: te.read %arg0[d0]
// CHECK-NEXT: math.exp
// CHECK: } where (d0 - 4 >= 0) {
// CHECK-NEXT: te.read %arg1[d0 - 4]
// CHECK-NEXT: math.exp
// CHECK-NOT: te.compute
func.func @pieces(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<7xf32> {
  %c = te.compute (d0: 7) where (3 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %y[d0 - 4] : tensor<3xf32>
    te.yield %v : f32
  } : tensor<7xf32>
  %e = te.compute (d0: 7) {
    %v = te.read %c[d0] : tensor<7xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<7xf32>
  return %e : tensor<7xf32>
}

// -----

// ... also through several reads of one reader, such as a roll of both dims ...
// CHECK-LABEL: @roll
// CHECK: te.compute (d0: 4, d1: 4) where (-d1 + 2 >= 0, -d0 + 2 >= 0) {
// CHECK-NEXT: te.read %arg0[d0 + 1, d1 + 1]
// CHECK: } where (-d1 + 2 >= 0, d0 - 3 >= 0) {
// CHECK-NEXT: te.read %arg0[0, d1 + 1]
// CHECK: } where (d1 - 3 >= 0, -d0 + 2 >= 0) {
// CHECK-NEXT: te.read %arg0[d0 + 1, 0]
// CHECK: } where (d1 - 3 >= 0, d0 - 3 >= 0) {
// CHECK-NEXT: te.read %arg0[0, 0]
// CHECK-NOT: te.compute
func.func @roll(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = te.compute (d0: 4, d1: 4) where (2 - d0 >= 0) {
    %v = te.read %x[d0 + 1, d1] : tensor<4x4xf32>
    te.yield %v : f32
  } where (d0 - 3 >= 0) {
    %v = te.read %x[d0 - 3, d1] : tensor<4x4xf32>
    te.yield %v : f32
  } : tensor<4x4xf32>
  %s = te.compute (d0: 4, d1: 4) where (2 - d1 >= 0) {
    %v = te.read %r[d0, d1 + 1] : tensor<4x4xf32>
    te.yield %v : f32
  } where (d1 - 3 >= 0) {
    %v = te.read %r[d0, d1 - 3] : tensor<4x4xf32>
    te.yield %v : f32
  } : tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// -----

// ... a slice within one piece reads this piece only ...
// CHECK-LABEL: @slice_of_pieces
// CHECK-NEXT: te.compute (d0: 2) {
// CHECK-NEXT: te.read %arg1[d0 + 1]
// CHECK-NOT: te.compute
func.func @slice_of_pieces(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %c = te.compute (d0: 7) where (3 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %y[d0 - 4] : tensor<3xf32>
    te.yield %v : f32
  } : tensor<7xf32>
  %e = te.compute (d0: 2) {
    %v = te.read %c[d0 + 5] : tensor<7xf32>
    te.yield %v : f32
  } : tensor<2xf32>
  return %e : tensor<2xf32>
}

// -----

// ... and the pieces are stored if the reader is a reduction.
// CHECK-LABEL: @sum_of_pieces
// CHECK: te.compute (d0: 7) where
// CHECK: te.compute () reduce (d0: 7)
func.func @sum_of_pieces(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<f32> {
  %c = te.compute (d0: 7) where (3 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %y[d0 - 4] : tensor<3xf32>
    te.yield %v : f32
  } : tensor<7xf32>
  %e = te.compute () reduce (d0: 7) init (0.0 : f32) {
    %v = te.read %c[d0] : tensor<7xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<f32>
  return %e : tensor<f32>
}

// -----

// A gather goes into its reader, its index stays opaque.
// CHECK-LABEL: @gather
// CHECK: %[[K:.+]] = te.read %arg1[d0]
// CHECK-NEXT: %[[J:.+]] = arith.index_cast %[[K]]
// CHECK-NEXT: te.read %arg0[s0, d1](%[[J]]) : tensor<100x8xf32>
// CHECK-NOT: te.compute
func.func @gather(%t: tensor<100x8xf32>, %ids: tensor<5xi64>) -> tensor<5x8xf32> {
  %g = te.compute (d0: 5, d1: 8) {
    %k = te.read %ids[d0] : tensor<5xi64>
    %j = arith.index_cast %k : i64 to index
    %v = te.read %t[s0, d1](%j) : tensor<100x8xf32>
    te.yield %v : f32
  } : tensor<5x8xf32>
  %y = te.compute (d0: 5, d1: 8) {
    %v = te.read %g[d0, d1] : tensor<5x8xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<5x8xf32>
  return %y : tensor<5x8xf32>
}

// -----

// Producers go into the body of an update.
// CHECK-LABEL: @into_update
// CHECK: te.update
// CHECK: math.exp
// CHECK-NOT: te.compute
func.func @into_update(%base: tensor<9xf32>, %x: tensor<4xf32>) -> tensor<9xf32> {
  %e = te.compute (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<4xf32>
  %u = te.update (d0: 4) into %base[d0 + 2] {
    %v = te.read %e[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<9xf32>
  return %u : tensor<9xf32>
}

// -----

// Rearrangements are merged into a loop; an exponential is not, since each iteration would repeat it.
// CHECK-LABEL: @loop
// CHECK: math.exp
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: te.read %arg0[d0 + 2]
func.func @loop(%x: tensor<8192xf32>, %n: index, %init: tensor<4096xf32>) -> tensor<4096xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = te.compute (d0: 4096) {
    %v = te.read %x[d0] : tensor<8192xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<4096xf32>
  %s = te.compute (d0: 4096) {
    %v = te.read %x[d0 + 2] : tensor<8192xf32>
    te.yield %v : f32
  } : tensor<4096xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4096xf32> {
    %y = te.compute (d0: 4096) {
      %a = te.read %acc[d0] : tensor<4096xf32>
      %b = te.read %e[d0] : tensor<4096xf32>
      %c = te.read %s[d0] : tensor<4096xf32>
      %p = arith.addf %a, %b : f32
      %q = arith.addf %p, %c : f32
      te.yield %q : f32
    } : tensor<4096xf32>
    scf.yield %y : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}

// -----

// A concatenation of sums that only expressions read is kept: it is not copied.
// CHECK-LABEL: @joined
// CHECK: te.compute {{.*}} reduce
// CHECK: te.compute {{.*}} reduce
// CHECK: %[[C:.*]] = te.compute (d0: 8) where (-d0 + 3 >= 0) {
// CHECK-NOT: math.exp
// CHECK: te.compute (d0: 8) {
// CHECK-NEXT: te.read %[[C]][d0]
// CHECK-NEXT: math.exp
func.func @joined(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %a = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<4xf32>
  %b = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.mulf : tensor<4xf32>
  %c = te.compute (d0: 8) where (3 - d0 >= 0) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %b[d0 - 4] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %e = te.compute (d0: 8) {
    %v = te.read %c[d0] : tensor<8xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

// It is also kept if a larger concatenation contains its parts in this order.
// CHECK-LABEL: @nested
// CHECK-NOT: math.exp
// CHECK: %[[C:.*]] = te.compute (d0: 8) where (-d0 + 3 >= 0) {
// CHECK: te.read %[[C]][d0]
// CHECK-NEXT: math.exp
// CHECK: %[[D:.*]] = te.compute (d0: 12) where (-d0 + 3 >= 0) {
// CHECK: te.read %[[D]][d0]
// CHECK-NEXT: math.exp
func.func @nested(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<12xf32>) {
  %a = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<4xf32>
  %b = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.mulf : tensor<4xf32>
  %l = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<4xf32>
  %c = te.compute (d0: 8) where (3 - d0 >= 0) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %b[d0 - 4] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %e = te.compute (d0: 8) {
    %v = te.read %c[d0] : tensor<8xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<8xf32>
  %d = te.compute (d0: 12) where (3 - d0 >= 0) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0, 7 - d0 >= 0) {
    %v = te.read %b[d0 - 4] : tensor<4xf32>
    te.yield %v : f32
  } where (d0 - 8 >= 0) {
    %v = te.read %l[d0 - 8] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<12xf32>
  %f = te.compute (d0: 12) {
    %v = te.read %d[d0] : tensor<12xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<12xf32>
  return %e, %f : tensor<8xf32>, tensor<12xf32>
}

// -----

// A part cannot lie at different places of two concatenations. The pieces of the first one go
// through, so that the parts can be computed in the second one.
// CHECK-LABEL: @crossed
// CHECK: %[[D:.*]] = te.compute (d0: 8) where (-d0 + 3 >= 0) {
// CHECK-NOT: math.exp
// CHECK: te.compute (d0: 8) where (-d0 + 3 >= 0) {
// CHECK-NEXT: te.read
// CHECK-NEXT: math.exp
// CHECK: te.read %[[D]][d0]
// CHECK-NEXT: math.exp
func.func @crossed(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<4xf32>
  %b = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.mulf : tensor<4xf32>
  %c = te.compute (d0: 8) where (3 - d0 >= 0) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %b[d0 - 4] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %d = te.compute (d0: 8) where (3 - d0 >= 0) {
    %v = te.read %b[d0] : tensor<4xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %a[d0 - 4] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %e = te.compute (d0: 8) {
    %v = te.read %c[d0] : tensor<8xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<8xf32>
  %f = te.compute (d0: 8) {
    %v = te.read %d[d0] : tensor<8xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<8xf32>
  return %e, %f : tensor<8xf32>, tensor<8xf32>
}

// -----

// Neither can a part that the program returns.
// CHECK-LABEL: @returned_part
// CHECK: te.compute (d0: 8) where (-d0 + 3 >= 0) {
// CHECK-NEXT: te.read
// CHECK-NEXT: math.exp
func.func @returned_part(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %a = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<4xf32>
  %b = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.mulf : tensor<4xf32>
  %c = te.compute (d0: 8) where (3 - d0 >= 0) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %b[d0 - 4] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %e = te.compute (d0: 8) {
    %v = te.read %c[d0] : tensor<8xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<8xf32>
  return %e, %a : tensor<8xf32>, tensor<4xf32>
}

// -----

// An index that the run checks is computed in each step, so a reduction does not divide for it; a map does.
// CHECK-LABEL: func @opaque_quotient
// CHECK: te.index d0 floordiv s0
// CHECK: te.yield
// CHECK: reduce
// CHECK-NOT: te.index
// CHECK: return
func.func @opaque_quotient(%x: tensor<?x?xf32>, %w: tensor<64x?xf32>, %m: index, %n: index) -> tensor<64xf32> {
  %flat = te.compute (d0: %n) {
    %i = te.index d0 floordiv s0(%m)
    %j = te.index d0 mod s0(%m)
    %v = te.read %x[s0, s1](%i, %j) : tensor<?x?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  %y = te.compute (d0: 64) reduce (d1: %n) init (0.0 : f32) {
    %a = te.read %flat[d1] : tensor<?xf32>
    %b = te.read %w[d0, d1] : tensor<64x?xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

// CHECK-LABEL: func @opaque_quotient_of_a_map
// CHECK-COUNT-1: te.compute
// CHECK: te.index d0 floordiv s0
// CHECK-NOT: te.compute
// CHECK: return
func.func @opaque_quotient_of_a_map(%x: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?xf32> {
  %flat = te.compute (d0: %n) {
    %i = te.index d0 floordiv s0(%m)
    %j = te.index d0 mod s0(%m)
    %v = te.read %x[s0, s1](%i, %j) : tensor<?x?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  %y = te.compute (d0: %n) {
    %a = te.read %flat[d0] : tensor<?xf32>
    %e = math.exp %a : f32
    te.yield %e : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// Pieces with open bounds become pieces of the reader, whose own index is shifted; the reader's
// pieces and the producer's share one list of symbols.
// CHECK-LABEL: @open_pieces
// CHECK: te.compute (d0: %{{.+}}) symbols (%[[N:.+]], %[[M:.+]]) where (-d0 + s0 - 1 >= 0) {
// CHECK-NEXT: te.read %arg0[d0] : tensor<?xf32>
// CHECK-NEXT: math.exp
// CHECK: } where (d0 - s0 >= 0, -d0 + s0 + s1 - 1 >= 0) {
// CHECK-NEXT: te.read %arg1[d0 - s0](%[[N]]) : tensor<?xf32>
// CHECK-NEXT: math.exp
// CHECK: } where (d0 - s0 - s1 >= 0) {
// CHECK-NEXT: te.read %arg2[d0 - s0 - s1](%[[N]], %[[M]]) : tensor<?xf32>
// CHECK-NEXT: math.exp
// CHECK-NOT: te.compute
func.func @open_pieces(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %k = tensor.dim %z, %c0 : tensor<?xf32>
  %nm = arith.addi %n, %m : index
  %size = arith.addi %nm, %k : index
  %cat = te.compute (d0: %size) symbols (%n, %m) where (s0 - 1 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<?xf32>
    te.yield %v : f32
  } where (d0 - s0 >= 0, s0 + s1 - 1 - d0 >= 0) {
    %v = te.read %y[d0 - s0](%n) : tensor<?xf32>
    te.yield %v : f32
  } where (d0 - s0 - s1 >= 0) {
    %v = te.read %z[d0 - s0 - s1](%n, %m) : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  %e = te.compute (d0: %size) {
    %v = te.read %cat[d0] : tensor<?xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<?xf32>
  return %e : tensor<?xf32>
}

// A reader of the first part only reads it, whatever the bounds.
// CHECK-LABEL: @slice_of_open_pieces
// CHECK: te.compute (d0: %{{.+}}) {
// CHECK-NEXT: te.read %arg0[d0] : tensor<?xf32>
// CHECK-NEXT: te.yield
// CHECK-NOT: te.compute
func.func @slice_of_open_pieces(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %size = arith.addi %n, %m : index
  %cat = te.compute (d0: %size) symbols (%n) where (s0 - 1 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<?xf32>
    te.yield %v : f32
  } where (d0 - s0 >= 0) {
    %v = te.read %y[d0 - s0](%n) : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  %part = te.compute (d0: %n) {
    %v = te.read %cat[d0] : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  return %part : tensor<?xf32>
}
