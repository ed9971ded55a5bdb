// RUN: tssa-opt %s --te-simplify --te-merge --split-input-file | FileCheck %s
// Updates of windows become expressions with pieces, if their base can be computed there.

// The whole base is written: nothing of it is left.
// CHECK-LABEL: @whole
// CHECK-NOT: te.update
// CHECK: te.compute (d0: 6, d1: 8) {
// CHECK-NEXT: te.read %arg0[d0, d1]
// CHECK-NEXT: math.exp
// CHECK-NOT: te.compute
func.func @whole(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %b = te.compute (d0: 6, d1: 8) {
    te.yield %zero : f32
  } : tensor<6x8xf32>
  %r = te.update (d0: 6, d1: 8) into %b[d0, d1] injective {
    %v = te.read %x[d0, d1] : tensor<6x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// -----

// A window in one dim, with elements before and behind it.
// CHECK-LABEL: @one_dim
// CHECK-NOT: te.update
// CHECK: te.compute (d0: 6, d1: 8) where (-d1 + 1 >= 0) {
// CHECK-NEXT: te.read %arg0[d0, d1]
// CHECK-NEXT: math.sqrt
// CHECK: } where (d1 - 5 >= 0) {
// CHECK-NEXT: te.read %arg0[d0, d1]
// CHECK-NEXT: math.sqrt
// CHECK: } where (d1 - 2 >= 0, -d1 + 4 >= 0) {
// CHECK-NEXT: te.read %arg1[d0, d1 - 2]
// CHECK-NOT: te.compute
func.func @one_dim(%x: tensor<6x8xf32>, %y: tensor<6x3xf32>) -> tensor<6x8xf32> {
  %b = te.compute (d0: 6, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<6x8xf32>
    %e = math.sqrt %v : f32
    te.yield %e : f32
  } : tensor<6x8xf32>
  %r = te.update (d0: 6, d1: 3) into %b[d0, d1 + 2] injective {
    %v = te.read %y[d0, d1] : tensor<6x3xf32>
    te.yield %v : f32
  } : tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// -----

// A window in two dims, one of which the update does not have.
// CHECK-LABEL: @two_dims
// CHECK-NOT: te.update
// CHECK: te.compute (d0: 4, d1: 6) where (-d0 + 2 >= 0) {
// CHECK: } where (d0 - 3 >= 0, -d1 + 1 >= 0) {
// CHECK: } where (d0 - 3 >= 0, d1 - 2 >= 0) {
// CHECK-NEXT: te.read %arg1[d1 - 2]
// CHECK-NOT: te.compute
func.func @two_dims(%x: tensor<4x6xf32>, %y: tensor<4xf32>) -> tensor<4x6xf32> {
  %b = te.compute (d0: 4, d1: 6) {
    %v = te.read %x[d0, d1] : tensor<4x6xf32>
    %e = arith.negf %v : f32
    te.yield %e : f32
  } : tensor<4x6xf32>
  %r = te.update (d0: 4) into %b[3, d0 + 2] injective {
    %v = te.read %y[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

// Boxes of a detector: columns are written one after the other, with the old values of others, and
// then all are clamped. No column is computed that is written again.
// CHECK-LABEL: @chain
// CHECK-NOT: te.update
// CHECK: te.compute (d0: 9, d1: 6) where
// CHECK-COUNT-3: } where
// CHECK-NOT: te.compute
// CHECK-NOT: te.update
// CHECK: return
func.func @chain(%x: tensor<9x6xf32>) -> tensor<9x6xf32> {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %b = te.compute (d0: 9, d1: 6) {
    %v = te.read %x[d0, d1] : tensor<9x6xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<9x6xf32>
  %u = te.update (d0: 9) into %b[d0, 0] injective {
    %c = te.read %b[d0, 0] : tensor<9x6xf32>
    %w = te.read %b[d0, 1] : tensor<9x6xf32>
    %h = arith.mulf %w, %half : f32
    %l = arith.subf %c, %h : f32
    te.yield %l : f32
  } : tensor<9x6xf32>
  %v = te.update (d0: 9) into %u[d0, 1] injective {
    %l = te.read %u[d0, 0] : tensor<9x6xf32>
    %w = te.read %b[d0, 1] : tensor<9x6xf32>
    %h = arith.addf %l, %w : f32
    te.yield %h : f32
  } : tensor<9x6xf32>
  %w = te.update (d0: 9, d1: 2) into %v[d0, d1] injective {
    %e = te.read %v[d0, d1] : tensor<9x6xf32>
    %m = arith.minimumf %e, %one : f32
    te.yield %m : f32
  } : tensor<9x6xf32>
  %r = te.update (d0: 9, d1: 3) into %w[d0, d1 + 3] injective {
    %e = te.read %w[d0, d1 + 3] : tensor<9x6xf32>
    %m = arith.addf %e, %one : f32
    te.yield %m : f32
  } : tensor<9x6xf32>
  return %r : tensor<9x6xf32>
}

// -----

// A concatenation in which a column is written: pieces of both.
// CHECK-LABEL: @concat
// CHECK-NOT: te.update
// CHECK: te.compute (d0: 7, d1: 4) where
// CHECK-COUNT-2: } where
// CHECK-NOT: te.compute
func.func @concat(%x: tensor<3x4xf32>, %y: tensor<4x4xf32>) -> tensor<7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %b = te.compute (d0: 7, d1: 4) where (-d0 + 2 >= 0) {
    %v = te.read %x[d0, d1] : tensor<3x4xf32>
    te.yield %v : f32
  } where (d0 - 3 >= 0) {
    %v = te.read %y[d0 - 3, d1] : tensor<4x4xf32>
    te.yield %v : f32
  } : tensor<7x4xf32>
  %r = te.update (d0: 7) into %b[d0, 0] injective {
    te.yield %zero : f32
  } : tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

// -----

// The base is a product, which is stored: most of it is written, and all of it is read once.
// CHECK-LABEL: @large_part_of_a_product
// CHECK: te.compute (d0: 4, d1: 8) reduce (d2: 5)
// CHECK-NOT: te.update
// CHECK: te.compute (d0: 4, d1: 8) where
func.func @large_part_of_a_product(%x: tensor<4x5xf32>, %y: tensor<5x8xf32>) -> tensor<4x8xf32> {
  %p = te.compute (d0: 4, d1: 8) reduce (d2: 5) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<4x5xf32>
    %b = te.read %y[d2, d1] : tensor<5x8xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<4x8xf32>
  %r = te.update (d0: 4, d1: 6) into %p[d0, d1] injective {
    %e = te.read %p[d0, d1] : tensor<4x8xf32>
    %m = math.tanh %e : f32
    te.yield %m : f32
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// A small part of a stored base is written in place.
// CHECK-LABEL: @small_part_of_a_product
// CHECK: te.update
func.func @small_part_of_a_product(%x: tensor<4x5xf32>, %y: tensor<5x8xf32>) -> tensor<4x8xf32> {
  %p = te.compute (d0: 4, d1: 8) reduce (d2: 5) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<4x5xf32>
    %b = te.read %y[d2, d1] : tensor<5x8xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<4x8xf32>
  %r = te.update (d0: 4, d1: 2) into %p[d0, d1] injective {
    %e = te.read %p[d0, d1] : tensor<4x8xf32>
    %m = math.tanh %e : f32
    te.yield %m : f32
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// The old values are summed, too: the base is stored.
// CHECK-LABEL: @base_of_a_reduction
// CHECK: te.update
func.func @base_of_a_reduction(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %b = te.compute (d0: 4, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %s = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %b[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<4xf32>
  %r = te.update (d0: 4, d1: 2) into %b[d0, d1] injective {
    te.yield %zero : f32
  } : tensor<4x8xf32>
  return %r, %s : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// The caller owns the base.
// CHECK-LABEL: @argument
// CHECK: te.update
func.func @argument(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %r = te.update (d0: 4, d1: 2) into %x[d0, d1] injective {
    te.yield %zero : f32
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// A loop carries the base: each iteration writes a little of it.
// CHECK-LABEL: @carried
// CHECK: scf.for
// CHECK: te.update
func.func @carried(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = te.compute (d0: 4, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %b) -> tensor<4x8xf32> {
    %u = te.update (d0: 4) into %t[d0, 3] injective {
      %o = te.read %t[d0, 3] : tensor<4x8xf32>
      %v = te.read %y[d0] : tensor<4xf32>
      %w = arith.addf %o, %v : f32
      te.yield %w : f32
    } : tensor<4x8xf32>
    scf.yield %u : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// -----

// Every second column.
// CHECK-LABEL: @strided
// CHECK: te.update
func.func @strided(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %b = te.compute (d0: 4, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %r = te.update (d0: 4, d1: 4) into %b[d0, d1 * 2] injective {
    te.yield %zero : f32
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Where the window begins, only a run knows.
// CHECK-LABEL: @dynamic_offset
// CHECK: te.update
func.func @dynamic_offset(%x: tensor<4x8xf32>, %at: index) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %b = te.compute (d0: 4, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %r = te.update (d0: 4, d1: 2) into %b[d0, d1 + s0](%at) injective {
    te.yield %zero : f32
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// The number of rows is open, and all rows are written.
// CHECK-LABEL: @open_size
// CHECK-NOT: te.update
// CHECK: te.compute (d0: %arg1, d1: 8) where (d1 - 2 >= 0) {
// CHECK: } where (-d1 + 1 >= 0) {
func.func @open_size(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %b = te.compute (d0: %n, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<?x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<?x8xf32>
  %r = te.update (d0: %n, d1: 2) into %b[d0, d1] injective {
    te.yield %zero : f32
  } : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// The base divides by an open size along the innermost dim: each piece would divide for each element.
// CHECK-LABEL: @open_division
// CHECK: te.update
func.func @open_division(%x: tensor<?x?x?xf32>, %n: index, %m: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %b = te.compute (d0: %n, d1: 8) {
    %v = te.read %x[d0, d1 floordiv s0, d1 mod s0](%m) : tensor<?x?x?xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<?x8xf32>
  %r = te.update (d0: %n, d1: 2) into %b[d0, d1] injective {
    te.yield %zero : f32
  } : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// A division of an outer index is computed once for a row.
// CHECK-LABEL: @open_rows
// CHECK-NOT: te.update
// CHECK: te.compute (d0: %{{.*}}, d1: 8) where (d1 - 2 >= 0) {
// CHECK-NOT: te.compute
func.func @open_rows(%x: tensor<?x?x8xf32>, %n: index, %m: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %b = te.compute (d0: %n, d1: 8) {
    %v = te.read %x[d0 floordiv s0, d0 mod s0, d1](%m) : tensor<?x?x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<?x8xf32>
  %r = te.update (d0: %n, d1: 2) into %b[d0, d1] injective {
    te.yield %zero : f32
  } : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// An open number of rows that need not be all rows.
// CHECK-LABEL: @open_window
// CHECK: te.update
func.func @open_window(%x: tensor<?x8xf32>, %n: index, %m: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %b = te.compute (d0: %n, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<?x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<?x8xf32>
  %r = te.update (d0: %m, d1: 2) into %b[d0, d1] injective {
    te.yield %zero : f32
  } : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// Values are added to the old ones, or written where a condition holds.
// CHECK-LABEL: @combined
// CHECK-COUNT-2: te.update
func.func @combined(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = arith.constant 1.0 : f32
  %b = te.compute (d0: 4, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %u = te.update (d0: 4, d1: 2) into %b[d0, d1] injective {
    te.yield %one : f32
  } combine arith.addf : tensor<4x8xf32>
  %r = te.update (d0: 4, d1: 8) into %u[d0, d1] where (d0 - d1 >= 0) injective {
    te.yield %one : f32
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// An older version of the tensor is a result: it is stored, and updated in place behind a copy.
// CHECK-LABEL: @older_version
// CHECK: te.update
func.func @older_version(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %one = arith.constant 1.0 : f32
  %b = te.compute (d0: 4, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %u = te.update (d0: 4, d1: 2) into %b[d0, d1] injective {
    te.yield %one : f32
  } : tensor<4x8xf32>
  return %u, %b : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Windows in a dim of an open size: a check says that the size has room for one, and the other ends
// where the dim ends.
// CHECK-LABEL: @open_bounds
// CHECK-NOT: te.update
// CHECK: te.compute (d0: 6, d1: %{{.*}}) where (-d1 + 1 >= 0, d1 - 1 >= 0) {
// CHECK: where (-d1 >= 0) {
// CHECK: where (d1 - 2 >= 0) {
// CHECK-NOT: te.compute
func.func @open_bounds(%x: tensor<6x?xf32>) -> tensor<6x?xf32> {
  %one = arith.constant 1.0 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c1 : tensor<6x?xf32>
  %holds = arith.cmpi sge, %n, %c2 : index
  te.check %holds, "n is too small"
  %rest = arith.subi %n, %c2 : index
  %b = te.compute (d0: 6, d1: %n) {
    %v = te.read %x[d0, d1] : tensor<6x?xf32>
    %e = math.sqrt %v : f32
    te.yield %e : f32
  } : tensor<6x?xf32>
  %u = te.update (d0: 6) into %b[d0, 0] injective {
    te.yield %one : f32
  } : tensor<6x?xf32>
  %r = te.update (d0: 6, d1: %rest) into %u[d0, d1 + 2] injective {
    %v = te.read %x[d0, d1] : tensor<6x?xf32>
    te.yield %v : f32
  } : tensor<6x?xf32>
  return %r : tensor<6x?xf32>
}

// -----

// Nothing is known of the open size, or of the rows that are written.
// CHECK-LABEL: @unknown_bounds
// CHECK-COUNT-2: te.update
func.func @unknown_bounds(%x: tensor<6x?xf32>, %m: index) -> tensor<6x?xf32> {
  %one = arith.constant 1.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<6x?xf32>
  %b = te.compute (d0: 6, d1: %n) {
    %v = te.read %x[d0, d1] : tensor<6x?xf32>
    %e = math.sqrt %v : f32
    te.yield %e : f32
  } : tensor<6x?xf32>
  %u = te.update (d0: 6) into %b[d0, 0] injective {
    te.yield %one : f32
  } : tensor<6x?xf32>
  %r = te.update (d0: 6, d1: %m) into %u[d0, d1 + 2] injective {
    te.yield %one : f32
  } : tensor<6x?xf32>
  return %r : tensor<6x?xf32>
}
