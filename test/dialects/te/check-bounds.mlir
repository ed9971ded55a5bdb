// RUN: tssa-opt %s --te-check-bounds=show-unknown --split-input-file --verify-diagnostics

func.func @proven(%x: tensor<?x6xf32>, %w: tensor<3xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %y = te.compute (d0: %n, d1: 4) reduce (d2: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + d2] : tensor<?x6xf32>
    %b = te.read %w[d2] : tensor<3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// An unpadded convolution with stride 2 of a dynamic image.
func.func @strided(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = arith.subi %n, %c3 : index
  %h = arith.floordivsi %r, %c2 : index
  %m = arith.addi %h, %c1 : index
  %y = te.compute (d0: %m) reduce (d1: 3) init (0.0 : f32) {
    %a = te.read %x[d0 * 2 + d1] : tensor<?xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @beyond(%x: tensor<6xf32>) -> tensor<4xf32> {
  %y = te.compute (d0: 4) {
    // expected-error @below {{reads dim 0 beyond its size}}
    %v = te.read %x[d0 * 2] : tensor<6xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @below(%x: tensor<6xf32>) -> tensor<4xf32> {
  %y = te.compute (d0: 4) {
    // expected-error @below {{reads dim 0 below 0}}
    %v = te.read %x[d0 - 1] : tensor<6xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The guard does not exclude the last point.
func.func @guard(%x: tensor<6xf32>) -> tensor<8xf32> {
  %y = te.compute (d0: 8) {
    // expected-error @below {{reads dim 0 beyond its size}}
    %v = te.read %x[d0 - 1] : tensor<6xf32> where (d0 - 1 >= 0) else 0.0
    te.yield %v : f32
  } : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Nothing is read from an empty domain.
func.func @empty(%x: tensor<6xf32>) -> tensor<0xf32> {
  %y = te.compute (d0: 0) {
    %v = te.read %x[d0 + 9] : tensor<6xf32>
    te.yield %v : f32
  } : tensor<0xf32>
  return %y : tensor<0xf32>
}

// -----

// An index from data is checked by the run.
func.func @opaque(%x: tensor<6xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %y = te.compute (d0: 4) {
    %k = te.read %i[d0] : tensor<4xi64>
    %j = arith.index_cast %k : i64 to index
    %v = te.read %x[s0 * 9](%j) : tensor<6xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-remark @below {{1 index is not known to be in bounds: the run checks it}}
func.func @unknown(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %y = te.compute (d0: %n) {
    // expected-remark @below {{not known whether it reads dim 0 out of bounds}}
    %v = te.read %x[d0] : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-remark @below {{1 index is not known to be in bounds: the run checks it}}
func.func @unknown_size(%x: tensor<6xf32>, %n: index) -> tensor<?xf32> {
  %y = te.compute (d0: %n) {
    // expected-remark @below {{not known whether it reads dim 0 beyond its size}}
    %v = te.read %x[d0] : tensor<6xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @update(%base: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @below {{writes dim 0 beyond its size}}
  %y = te.update (d0: 4) into %base[d0 * 2] {
    %c = arith.constant 0.0 : f32
    te.yield %c : f32
  } : tensor<6xf32>
  %z = te.update (d0: 4) into %y[d0 * 2] where (2 - d0 >= 0) {
    %c = arith.constant 0.0 : f32
    te.yield %c : f32
  } : tensor<6xf32>
  return %z : tensor<6xf32>
}

// -----

func.func @gap(%x: tensor<9xf32>) -> tensor<8xf32> {
  // expected-error @below {{has points in no piece}}
  %y = te.compute (d0: 8) where (3 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<9xf32>
    te.yield %v : f32
  } where (d0 - 5 >= 0) {
    %v = te.read %x[d0] : tensor<9xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @overlap(%x: tensor<9xf32>) -> tensor<8xf32> {
  // expected-error @below {{has points in piece 0 and in piece 1}}
  %y = te.compute (d0: 8) where (4 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<9xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %x[d0] : tensor<9xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// A middle piece with two bounds, and one of the mod of a dim.
func.func @covered(%x: tensor<9xf32>) -> (tensor<?xf32>, tensor<8xf32>) {
  %c8 = arith.constant 8 : index
  %y = te.compute (d0: 8) where (1 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<9xf32>
    te.yield %v : f32
  } where (d0 - 2 >= 0, 5 - d0 >= 0) {
    %v = te.read %x[d0 + 3] : tensor<9xf32>
    te.yield %v : f32
  } where (d0 - 6 >= 0) {
    %v = te.read %x[d0 - 6] : tensor<9xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %z = te.compute (d0: 8) where (d0 mod 2 == 0) {
    %v = te.read %x[d0] : tensor<9xf32>
    te.yield %v : f32
  } where (d0 mod 2 - 1 == 0) {
    %v = te.read %x[d0 + 1] : tensor<9xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %d = tensor.cast %y : tensor<8xf32> to tensor<?xf32>
  return %d, %z : tensor<?xf32>, tensor<8xf32>
}

// -----

// Too many pieces to consider one by one: their volumes prove that they cover the domain.
func.func @many_pieces(%x: tensor<10x?xf32>, %n: index) -> tensor<10x?xf32> {
  %y = te.compute (d0: 10, d1: %n) where (-d0 >= 0) {
    %v = arith.constant 0.0 : f32
    te.yield %v : f32
  } where (d0 - 1 == 0) {
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } where (d0 - 2 == 0) {
    %v = arith.constant 2.0 : f32
    te.yield %v : f32
  } where (d0 - 3 == 0) {
    %v = arith.constant 3.0 : f32
    te.yield %v : f32
  } where (d0 - 4 == 0) {
    %v = arith.constant 4.0 : f32
    te.yield %v : f32
  } where (d0 - 5 == 0) {
    %v = arith.constant 5.0 : f32
    te.yield %v : f32
  } where (d0 - 6 == 0) {
    %v = arith.constant 6.0 : f32
    te.yield %v : f32
  } where (d0 - 7 == 0) {
    %v = arith.constant 7.0 : f32
    te.yield %v : f32
  } where (d0 - 8 == 0) {
    %v = arith.constant 8.0 : f32
    te.yield %v : f32
  } where (d0 - 9 >= 0) {
    %v = arith.constant 9.0 : f32
    te.yield %v : f32
  } : tensor<10x?xf32>
  return %y : tensor<10x?xf32>
}

// -----

func.func @many_pieces_gap(%n: index) -> tensor<11x?xf32> {
  // expected-remark @below {{not known whether it has points in no piece}}
  // expected-error @below {{cannot tell whether it has points in no piece}}
  %y = te.compute (d0: 11, d1: %n) where (-d0 >= 0) {
    %v = arith.constant 0.0 : f32
    te.yield %v : f32
  } where (d0 - 1 == 0) {
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } where (d0 - 2 == 0) {
    %v = arith.constant 2.0 : f32
    te.yield %v : f32
  } where (d0 - 3 == 0) {
    %v = arith.constant 3.0 : f32
    te.yield %v : f32
  } where (d0 - 4 == 0) {
    %v = arith.constant 4.0 : f32
    te.yield %v : f32
  } where (d0 - 5 == 0) {
    %v = arith.constant 5.0 : f32
    te.yield %v : f32
  } where (d0 - 6 == 0) {
    %v = arith.constant 6.0 : f32
    te.yield %v : f32
  } where (d0 - 7 == 0) {
    %v = arith.constant 7.0 : f32
    te.yield %v : f32
  } where (d0 - 8 == 0) {
    %v = arith.constant 8.0 : f32
    te.yield %v : f32
  } where (d0 - 10 >= 0) {
    %v = arith.constant 9.0 : f32
    te.yield %v : f32
  } : tensor<11x?xf32>
  return %y : tensor<11x?xf32>
}

// -----

// No sizes are needed to see that these are disjoint and cover.
func.func @slanted_pieces(%n: index, %m: index) -> tensor<?x?xf32> {
  %y = te.compute (d0: %n, d1: %m) where (2 * d0 + 3 * d1 - 7 >= 0) {
    %v = arith.constant 0.0 : f32
    te.yield %v : f32
  } where (6 - 2 * d0 - 3 * d1 >= 0) {
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Many slanted pieces: a point in none of them is looked for piece by piece.
func.func @many_slanted_pieces() -> tensor<10x8x2xf32> {
  %y = te.compute (d0: 10, d1: 8, d2: 2) where (1 - d0 >= 0, 7 - 2 * d1 - d2 >= 0) {
    %v = arith.constant 0.0 : f32
    te.yield %v : f32
  } where (1 - d0 >= 0, 2 * d1 + d2 - 8 >= 0) {
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } where (d0 - 2 >= 0, 3 - d0 >= 0, 7 - 2 * d1 - d2 >= 0) {
    %v = arith.constant 2.0 : f32
    te.yield %v : f32
  } where (d0 - 2 >= 0, 3 - d0 >= 0, 2 * d1 + d2 - 8 >= 0) {
    %v = arith.constant 3.0 : f32
    te.yield %v : f32
  } where (d0 - 4 >= 0, 5 - d0 >= 0, 7 - 2 * d1 - d2 >= 0) {
    %v = arith.constant 4.0 : f32
    te.yield %v : f32
  } where (d0 - 4 >= 0, 5 - d0 >= 0, 2 * d1 + d2 - 8 >= 0) {
    %v = arith.constant 5.0 : f32
    te.yield %v : f32
  } where (d0 - 6 >= 0, 7 - d0 >= 0, 7 - 2 * d1 - d2 >= 0) {
    %v = arith.constant 6.0 : f32
    te.yield %v : f32
  } where (d0 - 6 >= 0, 7 - d0 >= 0, 2 * d1 + d2 - 8 >= 0) {
    %v = arith.constant 7.0 : f32
    te.yield %v : f32
  } where (d0 - 8 >= 0, 7 - 2 * d1 - d2 >= 0) {
    %v = arith.constant 8.0 : f32
    te.yield %v : f32
  } where (d0 - 8 >= 0, 2 * d1 + d2 - 8 >= 0) {
    %v = arith.constant 9.0 : f32
    te.yield %v : f32
  } : tensor<10x8x2xf32>
  return %y : tensor<10x8x2xf32>
}

// -----

// The bounds of a loop hold in it: the index of the loop needs no check in the run, the next one does.
// expected-remark@+1 {{1 index is not known to be in bounds: the run checks it}}
func.func @loop(%x: tensor<16xf32>, %init: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %init) -> tensor<f32> {
    %y = te.compute () {
      %a = te.read %acc[] : tensor<f32>
      %v = te.read %x[s0](%i) : tensor<16xf32>
      // expected-remark@+1 {{not known whether it reads dim 0 beyond its size}}
      %w = te.read %x[s0 + 1](%i) : tensor<16xf32>
      %s = arith.addf %a, %v : f32
      %t = arith.addf %s, %w : f32
      te.yield %t : f32
    } : tensor<f32>
    scf.yield %y : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// A dim of a size that is checked to be a multiple of 3 is split: its first element in each part is
// there if a part has an element.
func.func @split(%x: tensor<?xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %u = arith.divui %n, %c3 : index
  %m = arith.muli %u, %c3 : index
  %multiple = arith.cmpi eq, %n, %m : index
  te.check %multiple, "n is no multiple of 3"
  %any = arith.cmpi sge, %u, %c1 : index
  te.check %any, "n is too small"
  %y = te.compute (d0: 3) {
    %v = te.read %x[d0 * s0](%u) : tensor<?xf32>
    te.yield %v : f32
  } : tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// Parts of a joined dim are read where they lie: the quotient is below 3 as the size is a sum.
func.func @joined(%x: tensor<3x?xf32>, %y: tensor<3x?xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c1 : tensor<3x?xf32>
  %m = tensor.dim %y, %c1 : tensor<3x?xf32>
  %left = arith.muli %n, %c3 : index
  %right = arith.muli %m, %c3 : index
  %all = arith.addi %left, %right : index
  %z = te.compute (d0: %all) {
    %v = te.read %x[d0 floordiv s0, d0 mod s0](%n, %left) : tensor<3x?xf32> where (-d0 + s1 - 1 >= 0) else 0.0
    %w = te.read %y[(d0 - s1) floordiv s0, (d0 - s1) mod s0](%m, %left) : tensor<3x?xf32> where (d0 - s1 >= 0) else 0.0
    %sum = arith.addf %v, %w : f32
    te.yield %sum : f32
  } : tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

// expected-remark @below {{1 index is not known to be in bounds: the run checks it}}
func.func @no_multiple(%x: tensor<?xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %u = arith.divui %n, %c3 : index
  %y = te.compute (d0: 3) {
    // expected-remark @below {{not known whether it reads dim 0 beyond its size}}
    %v = te.read %x[d0 * s0](%u) : tensor<?xf32>
    te.yield %v : f32
  } : tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// Pieces with open bounds that cover a concatenation, which is as large as its parts together.
func.func @open_pieces(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
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
  return %cat : tensor<?xf32>
}

// -----

func.func @open_pieces_gap(%x: tensor<?xf32>, %n: index, %size: index) -> tensor<?xf32> {
  %c = arith.constant 1.0 : f32
  // expected-remark @below {{not known whether it has points in no piece}}
  // expected-error @below {{cannot tell whether it has points in no piece}}
  %cat = te.compute (d0: %size) symbols (%n) where (s0 - 1 - d0 >= 0) {
    te.yield %c : f32
  } where (d0 - s0 - 1 >= 0) {
    te.yield %c : f32
  } : tensor<?xf32>
  return %cat : tensor<?xf32>
}

// -----

// A product of a dim and a symbol in the bounds of pieces is no box of constant sizes.
func.func @strided_pieces(%x: tensor<?xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %z = te.compute (d0: %n, d1: 2) symbols (%n) where (-d0 - d1 * s0 + s0 - 1 >= 0) {
    %v = te.read %x[d0 + d1 * s0](%n) : tensor<?xf32>
    te.yield %v : f32
  } where (d0 + d1 * s0 - s0 >= 0) {
    %v = te.read %x[d0 + d1 * s0 - s0](%n) : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?x2xf32>
  return %z : tensor<?x2xf32>
}

// -----

// That sizes were checked not to be negative holds for what is computed from them, too.
func.func @pieces_of_checked_sizes(%x: tensor<?xf32>, %i: i64, %j: i64) -> tensor<?xf32> {
  %m1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = arith.index_cast %i : i64 to index
  %w = arith.index_cast %j : i64 to index
  %hfits = arith.cmpi sgt, %h, %m1 : index
  te.check %hfits, "h is negative"
  %wfits = arith.cmpi sgt, %w, %m1 : index
  te.check %wfits, "w is negative"
  %h1 = arith.addi %h, %c1 : index
  %h2 = arith.divui %h1, %c2 : index
  %w1 = arith.addi %w, %c1 : index
  %w2 = arith.divui %w1, %c2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %middle = arith.muli %h2, %w2 : index
  %two = arith.addi %n, %middle : index
  %all = arith.addi %two, %n : index
  %zero = arith.constant 0.0 : f32
  %y = te.compute (d0: %all) symbols (%n, %middle) where (-d0 + s0 - 1 >= 0) {
    %v = te.read %x[d0] : tensor<?xf32>
    te.yield %v : f32
  } where (d0 - s0 >= 0, -d0 + s0 + s1 - 1 >= 0) {
    te.yield %zero : f32
  } where (d0 - s0 - s1 >= 0) {
    %v = te.read %x[d0 - s0 - s1](%n, %middle) : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @pieces_of_a_size_that_is_not_checked(%x: tensor<?xf32>, %i: i64, %j: i64) -> tensor<?xf32> {
  %m1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = arith.index_cast %i : i64 to index
  %w = arith.index_cast %j : i64 to index
  %hfits = arith.cmpi sgt, %h, %m1 : index
  te.check %hfits, "h is negative"
  %h1 = arith.addi %h, %c1 : index
  %h2 = arith.divui %h1, %c2 : index
  %w1 = arith.addi %w, %c1 : index
  %w2 = arith.divui %w1, %c2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %middle = arith.muli %h2, %w2 : index
  %two = arith.addi %n, %middle : index
  %all = arith.addi %two, %n : index
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{cannot tell whether it has points in piece 0 and in piece 2}}
  // expected-remark @below {{not known whether it has points in piece 0 and in piece 2}}
  %y = te.compute (d0: %all) symbols (%n, %middle) where (-d0 + s0 - 1 >= 0) {
    %v = te.read %x[d0] : tensor<?xf32>
    te.yield %v : f32
  } where (d0 - s0 >= 0, -d0 + s0 + s1 - 1 >= 0) {
    te.yield %zero : f32
  } where (d0 - s0 - s1 >= 0) {
    %v = te.read %x[d0 - s0 - s1](%n, %middle) : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}
