// RUN: tssa-opt %s --te-simplify --split-input-file | FileCheck %s
// Index expressions, guards and sets are simplified with the ranges of their domain.

// CHECK-LABEL: @reshape_constant
// CHECK: te.read %{{.+}}[d0, d1]
func.func @reshape_constant(%x: tensor<12x64xf32>) -> tensor<12x64xf32> {
  %y = te.compute (d0: 12, d1: 64) {
    %v = te.read %x[(d0 * 64 + d1) floordiv 64, (d0 * 64 + d1) mod 64] : tensor<12x64xf32>
    te.yield %v : f32
  } : tensor<12x64xf32>
  return %y : tensor<12x64xf32>
}

// -----

// A symbol as factor and divisor: the range of d1 is that symbol's.
// CHECK-LABEL: @reshape_dynamic
// CHECK: te.read %{{.+}}[d0, d1] :
func.func @reshape_dynamic(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = te.compute (d0: %n, d1: %m) {
    %v = te.read %x[(d0 * s0 + d1) floordiv s0, (d0 * s0 + d1) mod s0](%m) : tensor<?x?xf32>
    te.yield %v : f32
  } : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// d1 is not known to be below %k: nothing is simplified.
// CHECK-LABEL: @reshape_other_size
// CHECK: te.read %{{.+}}[d0 + d1 floordiv s0, d1 mod s0](%{{.+}})
func.func @reshape_other_size(%x: tensor<?x?xf32>, %k: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = te.compute (d0: %n, d1: %m) {
    %v = te.read %x[(d0 * s0 + d1) floordiv s0, (d0 * s0 + d1) mod s0](%k) : tensor<?x?xf32>
    te.yield %v : f32
  } : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @guard_always
// CHECK: te.read %{{.+}}[d0 + 1] : tensor<6xf32>
// CHECK-NEXT: te.yield
func.func @guard_always(%x: tensor<6xf32>) -> tensor<4xf32> {
  %y = te.compute (d0: 4) {
    %v = te.read %x[d0 + 1] : tensor<6xf32> where (d0 + 1 >= 0, 5 - d0 >= 0) else 0.0
    te.yield %v : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: @guard_never
// CHECK: %[[PAD:.+]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: te.yield %[[PAD]]
func.func @guard_never(%x: tensor<6xf32>) -> tensor<4xf32> {
  %y = te.compute (d0: 4) {
    %v = te.read %x[d0 - 4] : tensor<6xf32> where (d0 - 4 >= 0) else 2.0
    te.yield %v : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// One constraint always holds and is removed.
// CHECK-LABEL: @guard_partly
// CHECK: te.read %{{.+}}[d0 - 1] : tensor<6xf32> where (d0 - 1 >= 0) else 0.000000e+00
func.func @guard_partly(%x: tensor<6xf32>) -> tensor<7xf32> {
  %y = te.compute (d0: 7) {
    %v = te.read %x[d0 - 1] : tensor<6xf32> where (d0 - 1 >= 0, 6 - d0 >= 0, 2 * d0 - 2 >= 0) else 0.0
    te.yield %v : f32
  } : tensor<7xf32>
  return %y : tensor<7xf32>
}

// -----

// Where the guard holds, d0 - 1 is below 6.
// CHECK-LABEL: @guard_is_known
// CHECK: te.read %{{.+}}[0, d0 - 1] : tensor<2x6xf32> where (d0 - 1 >= 0, -d0 + 6 >= 0)
func.func @guard_is_known(%x: tensor<2x6xf32>) -> tensor<9xf32> {
  %y = te.compute (d0: 9) {
    %v = te.read %x[(d0 - 1) floordiv 6, (d0 - 1) mod 6] : tensor<2x6xf32> where (d0 - 1 >= 0, 6 - d0 >= 0) else 0.0
    te.yield %v : f32
  } : tensor<9xf32>
  return %y : tensor<9xf32>
}

// -----

// CHECK-LABEL: @sets
// CHECK-DAG: %[[TRUE:.+]] = arith.constant true
// CHECK-DAG: %[[FALSE:.+]] = arith.constant false
// CHECK: %[[OPEN:.+]] = te.inside (d0 - 2 >= 0)
// CHECK: te.yield %[[TRUE]], %[[FALSE]], %[[OPEN]]
func.func @sets() -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %a, %b, %c = te.compute (d0: 4) {
    %t = te.inside (3 - d0 >= 0)
    %f = te.inside (d0 - 7 == 0)
    %u = te.inside (d0 - 2 >= 0, d0 >= 0)
    te.yield %t, %f, %u : i1, i1, i1
  } : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
  return %a, %b, %c : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: @splat
// CHECK: %[[C:.+]] = arith.constant 3.000000e+00 : f32
// CHECK-NEXT: te.yield %[[C]]
func.func @splat() -> tensor<4xf32> {
  %c = te.constant dense<3.0> : tensor<4xf32>
  %y = te.compute (d0: 4) {
    %v = te.read %c[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// An opaque index may make the run fail: the read is kept.
// CHECK-LABEL: @splat_opaque
// CHECK: te.read %{{.+}}[s0](%{{.+}}) : tensor<4xf32>
func.func @splat_opaque(%i: tensor<4xi64>) -> tensor<4xf32> {
  %c = te.constant dense<3.0> : tensor<4xf32>
  %y = te.compute (d0: 4) {
    %k = te.read %i[d0] : tensor<4xi64>
    %j = arith.index_cast %k : i64 to index
    %v = te.read %c[s0](%j) : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// An index computed from the point is an expression where it is in bounds ...
// CHECK-LABEL: @index_in_bounds
// CHECK: te.read %{{.+}}[d0 * 2 + 1] : tensor<8xf32>
func.func @index_in_bounds(%x: tensor<8xf32>) -> tensor<4xf32> {
  %y = te.compute (d0: 4) {
    %i = te.index d0 * 2
    %c1 = arith.constant 1 : index
    %j = arith.addi %i, %c1 : index
    %v = te.read %x[s0](%j) : tensor<8xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// ... and stays opaque, to be checked by the run, where it is not.
// CHECK-LABEL: @index_out_of_bounds
// CHECK: te.read %{{.+}}[s0](%{{.+}}) : tensor<6xf32>
func.func @index_out_of_bounds(%x: tensor<6xf32>) -> tensor<4xf32> {
  %y = te.compute (d0: 4) {
    %i = te.index d0 * 2
    %v = te.read %x[s0](%i) : tensor<6xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Symbols are listed once, in the order of their first use.
// CHECK-LABEL: @symbols
// CHECK-SAME: %[[A:[^:]+]]: index, %[[B:[^:]+]]: index
// CHECK: te.index d0 * s0 + s1 + s0(%[[B]], %[[A]])
func.func @symbols(%a: index, %b: index) -> tensor<4xi64> {
  %y = te.compute (d0: 4) {
    %i = te.index d0 * s2 + s0 + s1(%a, %b, %b)
    %v = arith.index_cast %i : index to i64
    te.yield %v : i64
  } : tensor<4xi64>
  return %y : tensor<4xi64>
}

// -----

// CHECK-LABEL: @empty_piece
// CHECK: te.compute (d0: 4) {
// CHECK-NEXT: te.read %arg0[d0]
// CHECK-NEXT: te.yield
// CHECK-NEXT: } : tensor<4xf32>
func.func @empty_piece(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute (d0: 4) where (3 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %x[d0 - 4] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// In the body of a piece, the set of the piece is assumed.
// CHECK-LABEL: @piece_is_known
// CHECK: where (-d0 + 3 >= 0) {
// CHECK-NEXT: te.read %{{.+}}[0, d0]
// CHECK: where (d0 - 4 >= 0) {
// CHECK-NEXT: te.read %{{.+}}[1, d0 - 4]
func.func @piece_is_known(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  %y = te.compute (d0: 8) where (3 - d0 >= 0) {
    %v = te.read %x[d0 floordiv 4, d0 mod 4] : tensor<2x4xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %x[d0 floordiv 4, d0 mod 4] : tensor<2x4xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// CHECK-LABEL: @dim_of_result
// CHECK-SAME: %[[N:[^:]+]]: index
// CHECK: return %{{.+}}, %[[N]]
func.func @dim_of_result(%n: index) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %y = te.compute (d0: %n) {
    te.yield %f : f32
  } : tensor<?xf32>
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  return %y, %d : tensor<?xf32>, index
}

// -----

// CHECK-LABEL: @equal
// CHECK: %[[Y:.+]] = te.compute
// CHECK-NOT: te.compute
// CHECK: return %[[Y]], %[[Y]]
func.func @equal(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = te.compute (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<4xf32>
  %z = te.compute (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// Equal calls of a library routine are not merged.
// CHECK-LABEL: @extern_twice
// CHECK-COUNT-2: te.extern @random_normal
func.func @extern_twice() -> (tensor<4xf32>, tensor<4xf32>) {
  %y = te.extern @random_normal() sizes () [] : () -> tensor<4xf32>
  %z = te.extern @random_normal() sizes () [] : () -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// A tensor that folding makes an arith.constant becomes a te.constant.
// CHECK-LABEL: func.func @tensor_constant
// CHECK: te.constant dense<7> : tensor<i64>
func.func @tensor_constant() -> tensor<i64> {
  %c = arith.constant dense<7> : tensor<i64>
  return %c : tensor<i64>
}

// -----

// A read of positions is a te.index, and a gather at them reads at an expression of the point: the
// index is wrapped by 10 where it is negative, which it never is.
// CHECK-LABEL: @gather_progression
// CHECK-NOT: te.constant
// CHECK: %[[V:.+]] = te.index d0 * 2 + d1 + 1
// CHECK: %[[I:.+]] = arith.index_cast %[[V]] : index to i32
// CHECK: %[[X:.+]] = te.read %{{.+}}[d0 * 2 + d1 + 1] : tensor<10xf32>
// CHECK-NEXT: te.yield %[[X]], %[[I]] : f32, i32
func.func @gather_progression(%x: tensor<10xf32>) -> (tensor<3x3xf32>, tensor<3x3xi32>) {
  %c = te.constant dense<[[1, 2, 3], [3, 4, 5], [5, 6, 7]]> : tensor<3x3xi32>
  %y:2 = te.compute (d0: 3, d1: 3) {
    %v = te.read %c[d0, d1] : tensor<3x3xi32>
    %c0 = arith.constant 0 : i32
    %c10 = arith.constant 10 : i32
    %negative = arith.cmpi slt, %v, %c0 : i32
    %wrapped = arith.addi %v, %c10 : i32
    %k = arith.select %negative, %wrapped, %v : i32
    %j = arith.index_cast %k : i32 to index
    %w = te.read %x[s0](%j) : tensor<10xf32>
    te.yield %w, %v : f32, i32
  } : tensor<3x3xf32>, tensor<3x3xi32>
  return %y#0, %y#1 : tensor<3x3xf32>, tensor<3x3xi32>
}

// -----

// All indexes are negative.
// CHECK-LABEL: @gather_from_end
// CHECK: te.read %{{.+}}[d0 + 6] : tensor<10xf32>
func.func @gather_from_end(%x: tensor<10xf32>) -> tensor<4xf32> {
  %c = te.constant dense<[-4, -3, -2, -1]> : tensor<4xi64>
  %y = te.compute (d0: 4) {
    %v = te.read %c[d0] : tensor<4xi64>
    %c0 = arith.constant 0 : i64
    %c10 = arith.constant 10 : i64
    %isInside = arith.cmpi sge, %v, %c0 : i64
    %wrapped = arith.addi %v, %c10 : i64
    %k = arith.select %isInside, %v, %wrapped : i64
    %j = arith.index_cast %k : i64 to index
    %w = te.read %x[s0](%j) : tensor<10xf32>
    te.yield %w : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Positions that an expression computes from its point are not read either.
// CHECK-LABEL: @gather_computed
// CHECK-COUNT-1: te.compute
// CHECK: te.read %{{.+}}[d0 + d1] : tensor<10xf32>
func.func @gather_computed(%x: tensor<10xf32>) -> tensor<6x5xf32> {
  %a = te.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi64>
  %b = te.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %p = te.compute (d0: 6, d1: 5) {
    %v = te.read %a[d0] : tensor<6xi64>
    %w = te.read %b[d1] : tensor<5xi64>
    %s = arith.addi %v, %w : i64
    te.yield %s : i64
  } : tensor<6x5xi64>
  %y = te.compute (d0: 6, d1: 5) {
    %v = te.read %p[d0, d1] : tensor<6x5xi64>
    %j = arith.index_cast %v : i64 to index
    %w = te.read %x[s0](%j) : tensor<10xf32>
    te.yield %w : f32
  } : tensor<6x5xf32>
  return %y : tensor<6x5xf32>
}

// -----

// The last of the first elements is not in line, the sum of two of the second ones has no room in an
// i8, and the last of the third ones is out of bounds, so that the run must fail.
// CHECK-LABEL: @no_positions
// CHECK: te.read %{{.+}}[d0] : tensor<3xi64>
// CHECK: te.index d0 * 60
// CHECK: te.read %{{.+}}[s0](%{{.+}}) : tensor<400xf32>
// CHECK: te.read %{{.+}}[s0](%{{.+}}) : tensor<7xf32>
func.func @no_positions(%x: tensor<400xf32>, %z: tensor<7xf32>)
    -> (tensor<3xi64>, tensor<3xf32>, tensor<3xf32>) {
  %a = te.constant dense<[1, 2, 4]> : tensor<3xi64>
  %b = te.constant dense<[0, 60, 120]> : tensor<3xi8>
  %c = te.constant dense<[5, 6, 7]> : tensor<3xi64>
  %y:3 = te.compute (d0: 3) {
    %u = te.read %a[d0] : tensor<3xi64>
    %v = te.read %b[d0] : tensor<3xi8>
    %sum = arith.addi %v, %v : i8
    %i = arith.index_cast %sum : i8 to index
    %r = te.read %x[s0](%i) : tensor<400xf32>
    %w = te.read %c[d0] : tensor<3xi64>
    %j = arith.index_cast %w : i64 to index
    %s = te.read %z[s0](%j) : tensor<7xf32>
    te.yield %u, %r, %s : i64, f32, f32
  } : tensor<3xi64>, tensor<3xf32>, tensor<3xf32>
  return %y#0, %y#1, %y#2 : tensor<3xi64>, tensor<3xf32>, tensor<3xf32>
}
