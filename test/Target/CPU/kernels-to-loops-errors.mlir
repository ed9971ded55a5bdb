// RUN: tssa-opt %s -convert-kernels-to-loops -split-input-file -verify-diagnostics

te.kernel @wrong_count(%a: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = te.compute @y (d0: 3, d1: 4) {
    %x = te.read %a[d0, d1] : tensor<3x4xf32>
    te.yield %x : f32
  } : tensor<3x4xf32>
  te.return %y : tensor<3x4xf32>
} schedule {
  // expected-error @below {{expected one loop for each of 2 dims of 'y', got 1}}
  %i = layout.loops @y : !layout.loop
}

// -----

te.kernel @used_up(%a: tensor<32xf32>) -> tensor<32xf32> {
  %y = te.compute @y (d0: 32) {
    %x = te.read %a[d0] : tensor<32xf32>
    te.yield %x : f32
  } : tensor<32xf32>
  te.return %y : tensor<32xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  %o, %l = layout.split %i [*, 16]
  // expected-error @below {{this loop was split or fused before}}
  layout.vectorize %i
}

// -----

te.kernel @fused_with_itself(%a: tensor<32xf32>) -> tensor<32xf32> {
  %y = te.compute @y (d0: 32) {
    %x = te.read %a[d0] : tensor<32xf32>
    te.yield %x : f32
  } : tensor<32xf32>
  te.return %y : tensor<32xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expected two whole loops, both parallel or both of a reduction}}
  %f = layout.fuse %i, %i
}

// -----

te.kernel @vectors_of_unknown_size(%a: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index) -> tensor<?xf32> {
  %y = te.compute @y (d0: %n) {
    %x = te.read %a[d0] : tensor<?xf32>
    te.yield %x : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expected a loop of constant extent}}
  layout.vectorize %i
}

// -----

te.kernel @loop_inside_reduction(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected loops of 'y' inside of a reduction loop to be tiled}}
  %y = te.compute @y (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x8xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.reorder %j, %i
}

// -----

te.kernel @bound_inside(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{expected the bound loops of 'y' to be outermost}}
  %y = te.compute @y (d0: 4, d1: 8) {
    %x = te.read %a[d0, d1] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4x8xf32>
  te.return %y : tensor<4x8xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %j to parallel
}

// -----

te.kernel @inlined_reduction(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  %x = te.compute @x (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %a[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<4xf32>
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  // expected-error @below {{expected an expression of one piece and without a reduction}}
  layout.inline @x
}

// -----

te.kernel @result_with_halo(%a: tensor<64xf32>) -> (tensor<60xf32>, tensor<64xf32>) {
  %x = te.compute @x (d0: 64) {
    %v = te.read %a[d0] : tensor<64xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64xf32>
  %y = te.compute @y (d0: 60) reduce (d1: 5) init (0.0 : f32) {
    %v = te.read %x[d0 + d1] : tensor<64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<60xf32>
  te.return %y, %x : tensor<60xf32>, tensor<64xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 6]
  layout.reorder %io, %ii, %k
  layout.bind %io to parallel
  // expected-error @below {{expected each element of 'x', which the kernel returns, to be read in exactly one iteration of this parallel loop of 'y'}}
  layout.compute_at @x, %io
}

// -----

te.kernel @result_in_part(%a: tensor<64xf32>) -> (tensor<60xf32>, tensor<64xf32>) {
  %x = te.compute @x (d0: 64) {
    %v = te.read %a[d0] : tensor<64xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64xf32>
  %y = te.compute @y (d0: 60) {
    %v = te.read %x[d0] : tensor<64xf32>
    te.yield %v : f32
  } : tensor<60xf32>
  te.return %y, %x : tensor<60xf32>, tensor<64xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expected each element of 'x', which the kernel returns, to be read in exactly one iteration of this serial loop of 'y'}}
  layout.compute_at @x, %i
}

// -----

te.kernel @result_of_all_columns(%a: tensor<64x8xf32>) -> (tensor<64x4xf32>, tensor<64x8xf32>) {
  %x = te.compute @x (d0: 64, d1: 8) {
    %v = te.read %a[d0, d1] : tensor<64x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64x8xf32>
  %y = te.compute @y (d0: 64, d1: 4) reduce (d2: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d2] : tensor<64x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<64x4xf32>
  te.return %y, %x : tensor<64x4xf32>, tensor<64x8xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  layout.reorder %j, %i, %k
  layout.bind %j to parallel
  // expected-error @below {{expected each element of 'x', which the kernel returns, to be read in exactly one iteration of this serial loop of 'y'}}
  layout.compute_at @x, %i
}

// -----

// expected-error @below {{expected results of roots, or of members that roots read, but result 1 is another value, which nothing would write}}
te.kernel @result_that_is_not_read(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %x = te.compute @x (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  %y = te.compute @y (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y, %x : tensor<4xf32>, tensor<4xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  layout.compute_at @x, %i
}

// -----

// expected-error @below {{expected results of roots, or of members that roots read, but result 1 is another value, which nothing would write}}
te.kernel @result_of_a_member(%a: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %x = te.compute @x (d0: 4, d1: 8) {
    %v = te.read %a[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } : tensor<4x8xf32>
  %s = te.compute @s (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<4xf32>
  %y = te.compute @y (d0: 4) {
    %v = te.read %s[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y, %x : tensor<4xf32>, tensor<4x8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  layout.compute_at @s, %i
  %j, %k = layout.loops @s : !layout.loop, !layout.loop
  layout.compute_at @x, %k
}

// -----

// expected-error @below {{expected results of roots, or of members that roots read, but result 1 is another value, which nothing would write}}
te.kernel @parameter_is_a_result(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %x = te.compute @x (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %x, %a : tensor<4xf32>, tensor<4xf32>
} schedule {
}

// -----

// expected-error @below {{expected different results, but result 1 is the same as an earlier one, and only one of them would be written}}
te.kernel @result_twice(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %x = te.compute @x (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %x, %x : tensor<4xf32>, tensor<4xf32>
} schedule {
}

// -----

// expected-error @below {{expected 'x' to be computed at a loop of 'y', which reads it}}
te.kernel @root_is_read(%a: tensor<4xf32>) -> tensor<4xf32> {
  %x = te.compute @x (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  %y = te.compute @y (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

// expected-error @below {{expected a result of 'x' to be returned, since no other expression reads it}}
te.kernel @root_is_not_used(%a: tensor<4xf32>) -> tensor<4xf32> {
  %x = te.compute @x (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  %y = te.compute @y (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

te.kernel @store_left(%a: tensor<4xf32>) -> tensor<4xf32> {
  %x = te.compute @x (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %x : tensor<4xf32>
} schedule {
  // expected-error @below {{expected stores to have been applied by layout-materialize-stores}}
  layout.store 0 as map<split(0, [*, 2])>
}

// -----

// A column is computed at the loop of a sum, but what reads it is computed at the loop around.
te.kernel @at_reduction(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  %x = te.compute @x (d0: 4, d1: 8) {
    %v = te.read %a[d0, d1] : tensor<4x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %m = te.compute @m (d0: 4) reduce (d1: 8) init (0xFF800000 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<4xf32>
  %y = te.compute @y (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    %w = te.read %m[d0] : tensor<4xf32>
    %p = arith.mulf %v, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.compute_at @x, %j
  // expected-error @below {{expected what 'm' reads to be computed at this loop or at one around it, but 'x' is not}}
  layout.compute_at @m, %i
}

// -----

// All of a row is read in each iteration of the sum, and by the sum before it.
te.kernel @at_reduction_whole(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  %x = te.compute @x (d0: 4, d1: 8) {
    %v = te.read %a[d0, d1] : tensor<4x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %y = te.compute @y (d0: 4) reduce (d1: 8, d2: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d2] : tensor<4x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  // expected-error @below {{expected a loop that selects an index of 'x', but each iteration of this serial loop of 'y' would compute the same elements again}}
  layout.compute_at @x, %j
}

// -----

te.kernel @large_box(%a: tensor<64x1048576xf32>) -> tensor<64xf32> {
  %x = te.compute @x (d0: 64, d1: 1048576) {
    %v = te.read %a[d0, d1] : tensor<64x1048576xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<64x1048576xf32>
  %y = te.compute @y (d0: 64) reduce (d1: 1048576) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<64x1048576xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<64xf32>
  te.return %y : tensor<64xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 17]
  layout.reorder %io, %ii, %j
  layout.bind %io to parallel
  // expected-error @below {{expected small boxes, but what an iteration of this parallel loop of 'y' reads of 'x' has 71303168 bytes; the boxes of a kernel have at most 67108864 together}}
  layout.compute_at @x, %io
}

// -----

// A loop over columns does not select rows, so that each of its iterations would compute all rows.
te.kernel @at_columns(%a: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %s = te.compute @s (d0: 64) reduce (d1: 8) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<64x8xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<64xf32>
  %y = te.compute @y (d0: 64, d1: 8) {
    %x = te.read %a[d0, d1] : tensor<64x8xf32>
    %t = te.read %s[d0] : tensor<64xf32>
    %q = arith.divf %x, %t : f32
    te.yield %q : f32
  } : tensor<64x8xf32>
  te.return %y : tensor<64x8xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %jo, %ji = layout.split %j [*, 4]
  layout.reorder %jo, %i, %ji
  layout.bind %jo to parallel
  // expected-error @below {{expected a loop that selects an index of 's', but each iteration of this parallel loop of 'y' would compute the same elements again}}
  layout.compute_at @s, %jo
}

// -----

te.kernel @at_tile(%a: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %s = te.compute @s (d0: 64) {
    %x = te.read %a[d0, 0] : tensor<64x8xf32>
    te.yield %x : f32
  } : tensor<64xf32>
  %y = te.compute @y (d0: 64, d1: 8) {
    %t = te.read %s[d0] : tensor<64xf32>
    te.yield %t : f32
  } : tensor<64x8xf32>
  te.return %y : tensor<64x8xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.vectorize %j
  // expected-error @below {{got a tiled or vectorized loop}}
  layout.compute_at @s, %j
}

// -----

te.kernel @at_replaced(%a: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %s = te.compute @s (d0: 64) {
    %x = te.read %a[d0, 0] : tensor<64x8xf32>
    te.yield %x : f32
  } : tensor<64xf32>
  %y = te.compute @y (d0: 64, d1: 8) {
    %t = te.read %s[d0] : tensor<64xf32>
    te.yield %t : f32
  } : tensor<64x8xf32>
  te.return %y : tensor<64x8xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %f = layout.fuse %i, %j
  // expected-error @below {{got a loop that was split or fused}}
  layout.compute_at @s, %i
}

// -----

te.kernel @at_two_loops(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = te.compute @s (d0: 4, d1: 8) {
    %x = te.read %a[d0, d1] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4x8xf32>
  %y = te.compute @y (d0: 4, d1: 8) {
    %t = te.read %s[d0, d1] : tensor<4x8xf32>
    te.yield %t : f32
  } : tensor<4x8xf32>
  te.return %y : tensor<4x8xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.compute_at @s, %i
  // expected-error @below {{expected one loop at which 's' is computed}}
  layout.compute_at @s, %j
}

// -----

te.kernel @at_inner(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = te.compute @s (d0: 4, d1: 8) {
    %x = te.read %a[d0, d1] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4x8xf32>
  %t = te.compute @t (d0: 4, d1: 8) {
    %x = te.read %s[d0, d1] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4x8xf32>
  %y = te.compute @y (d0: 4, d1: 8) {
    %x = te.read %t[d0, d1] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4x8xf32>
  te.return %y : tensor<4x8xf32>
} schedule {
  %p, %q = layout.loops @s : !layout.loop, !layout.loop
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.compute_at @s, %i
  // expected-error @below {{expected a loop of an expression after 't', since 's' comes before it}}
  layout.compute_at @t, %p
}

// -----

// The root reads a row more of `s` than `t` does.
te.kernel @reads_more(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = te.compute @s (d0: 8, d1: 8) {
    %x = te.read %a[d0, d1] : tensor<8x8xf32>
    te.yield %x : f32
  } : tensor<8x8xf32>
  %t = te.compute @t (d0: 8, d1: 8) {
    %x = te.read %s[d0, d1] : tensor<8x8xf32>
    te.yield %x : f32
  } : tensor<8x8xf32>
  %y = te.compute @y (d0: 8, d1: 8) {
    %x = te.read %t[d0, d1] : tensor<8x8xf32>
    %z = te.read %s[d0 + 1, d1] : tensor<8x8xf32> where (-d0 + 6 >= 0) else 0.0
    %w = arith.addf %x, %z : f32
    te.yield %w : f32
  } : tensor<8x8xf32>
  te.return %y : tensor<8x8xf32>
} schedule {
  %p, %q = layout.loops @t : !layout.loop, !layout.loop
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 4]
  layout.reorder %io, %ii, %j
  layout.compute_at @s, %p
  // expected-error @below {{expected 't', at a loop of which 's' is computed, to read all that others read of it}}
  layout.compute_at @t, %io
}

// -----

// `t` reads each second column of `s`, and the root those between them.
te.kernel @reads_between(%a: tensor<8x8xf32>) -> tensor<8xf32> {
  %s = te.compute @s (d0: 8, d1: 8) {
    %x = te.read %a[d0, d1] : tensor<8x8xf32>
    te.yield %x : f32
  } : tensor<8x8xf32>
  %t = te.compute @t (d0: 8, d1: 4) {
    %x = te.read %s[d0, d1 * 2] : tensor<8x8xf32>
    te.yield %x : f32
  } : tensor<8x4xf32>
  %y = te.compute @y (d0: 8) reduce (d1: 4) init (0.0 : f32) {
    %x = te.read %t[d0, d1] : tensor<8x4xf32>
    %z = te.read %s[d0, 3] : tensor<8x8xf32>
    %w = arith.addf %x, %z : f32
    te.yield %w : f32
  } combine arith.addf : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  %p, %q = layout.loops @t : !layout.loop, !layout.loop
  layout.reorder %q, %p
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  // expected-error @below {{expected iterations of 't' to compute all of 's', since others read it too}}
  layout.compute_at @s, %q
  layout.compute_at @t, %i
}

// -----

te.kernel @at_later_loop(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = te.compute @s (d0: 4, d1: 8) {
    %x = te.read %a[d0, d1] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4x8xf32>
  %t = te.compute @t (d0: 4, d1: 8) {
    %x = te.read %s[d0, d1] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4x8xf32>
  %y = te.compute @y (d0: 4, d1: 8) {
    %x = te.read %t[d0, d1] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4x8xf32>
  te.return %y : tensor<4x8xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.compute_at @s, %j
  // expected-error @below {{expected what 't' reads to be computed at this loop or at one around it, but 's' is not}}
  layout.compute_at @t, %i
}

// -----

// expected-error @below {{expected no te.window in a kernel with te.update}}
te.kernel @windowed_update(%b: tensor<4xf32> {te.window = #te.window<sizes = [8], at = [0]>}) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
}

// -----

te.kernel @after_a_serial_loop(%a: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x4xf32>) {
  %y = te.compute @y (d0: 8, d1: 64) {
    %v = te.read %a[d0, d1] : tensor<8x64xf32>
    te.yield %v : f32
  } : tensor<8x64xf32>
  %p = te.compute @p (d0: 8, d1: 4) reduce (d2: 16) init (0.0 : f32) {
    %v = te.read %y[d0, d1 * 16 + d2] : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8x4xf32>
  te.return %y, %p : tensor<8x64xf32>, tensor<8x4xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %jo, %jl = layout.split %j [*, 16]
  layout.reorder %i, %jo, %jl
  layout.bind %i to parallel
  // expected-error @below {{expected 'p' to be computed after the innermost bound loop of 'y', which has no lanes}}
  layout.compute_after @p, %jo
}

// -----

te.kernel @after_twice(%a: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x4xf32>) {
  %y = te.compute @y (d0: 8, d1: 64) {
    %v = te.read %a[d0, d1] : tensor<8x64xf32>
    te.yield %v : f32
  } : tensor<8x64xf32>
  %p = te.compute @p (d0: 8, d1: 4) reduce (d2: 16) init (0.0 : f32) {
    %v = te.read %y[d0, d1 * 16 + d2] : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8x4xf32>
  te.return %y, %p : tensor<8x64xf32>, tensor<8x4xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i to parallel
  layout.compute_after @p, %i
  // expected-error @below {{expected one loop at which 'p' is computed}}
  layout.compute_after @p, %i
}

// -----

te.kernel @part_of_two_iterations(%a: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x4xf32>) {
  %y = te.compute @y (d0: 8, d1: 64) {
    %v = te.read %a[d0, d1] : tensor<8x64xf32>
    te.yield %v : f32
  } : tensor<8x64xf32>
  %p = te.compute @p (d0: 8, d1: 4) reduce (d2: 16) init (0.0 : f32) {
    %v = te.read %y[d0, d1 * 16 + d2] : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8x4xf32>
  te.return %y, %p : tensor<8x64xf32>, tensor<8x4xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %jo, %jl = layout.split %j [*, 8]
  layout.reorder %i, %jo, %jl
  layout.bind %i, %jo to parallel
  // expected-error @below {{expected one iteration of 'y' to write all that an element of 'p' reads}}
  layout.compute_after @p, %jo
}

// -----

te.kernel @row_of_two_iterations(%a: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  %y = te.compute @y (d0: 8, d1: 64) {
    %v = te.read %a[d0, d1] : tensor<8x64xf32>
    te.yield %v : f32
  } : tensor<8x64xf32>
  %p = te.compute @p (d0: 8) reduce (d1: 64) init (0.0 : f32) {
    %v = te.read %y[d0, d1] : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8xf32>
  te.return %y, %p : tensor<8x64xf32>, tensor<8xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %jo, %jl = layout.split %j [*, 16]
  layout.reorder %i, %jo, %jl
  layout.bind %i, %jo to parallel
  // expected-error @below {{expected one iteration of 'y' to write all that an element of 'p' reads}}
  layout.compute_after @p, %jo
}

// -----

te.kernel @fused_columns(%a: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x4xf32>) {
  %y = te.compute @y (d0: 8, d1: 64) {
    %v = te.read %a[d0, d1] : tensor<8x64xf32>
    te.yield %v : f32
  } : tensor<8x64xf32>
  %p = te.compute @p (d0: 8, d1: 4) reduce (d2: 16) init (0.0 : f32) {
    %v = te.read %y[d0, d1 * 16 + d2] : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8x4xf32>
  te.return %y, %p : tensor<8x64xf32>, tensor<8x4xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  %f = layout.fuse %i, %j
  %fo, %fl = layout.split %f [*, 12]
  layout.bind %fo to parallel
  // expected-error @below {{expected one iteration of 'y' to write all that an element of 'p' reads}}
  layout.compute_after @p, %fo
}

// -----

// expected-error @below {{expected the results of 'p' to be returned, since it is computed after a loop}}
te.kernel @not_returned(%a: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = te.compute @y (d0: 8, d1: 64) {
    %v = te.read %a[d0, d1] : tensor<8x64xf32>
    te.yield %v : f32
  } : tensor<8x64xf32>
  %p = te.compute @p (d0: 8, d1: 4) reduce (d2: 16) init (0.0 : f32) {
    %v = te.read %y[d0, d1 * 16 + d2] : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8x4xf32>
  te.return %y : tensor<8x64xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i to parallel
  layout.compute_after @p, %i
}

// -----

te.kernel @reads_the_part_of_another_row(%a: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x4xf32>, tensor<8x64xf32>) {
  %y = te.compute @y (d0: 8, d1: 64) {
    %v = te.read %a[d0, d1] : tensor<8x64xf32>
    te.yield %v : f32
  } : tensor<8x64xf32>
  %p = te.compute @p (d0: 8, d1: 4) reduce (d2: 16) init (0.0 : f32) {
    %v = te.read %y[d0, d1 * 16 + d2] : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8x4xf32>
  %z = te.compute @z (d0: 8, d1: 64) {
    %v = te.read %y[d0, d1] : tensor<8x64xf32>
    %u = te.read %p[7 - d0, 0] : tensor<8x4xf32>
    %w = arith.addf %u, %v : f32
    te.yield %w : f32
  } : tensor<8x64xf32>
  te.return %y, %p, %z : tensor<8x64xf32>, tensor<8x4xf32>, tensor<8x64xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i to parallel
  layout.compute_after @p, %i
  // expected-error @below {{expected one iteration of 'y' to write all that an element of 'z' reads}}
  layout.compute_after @z, %i
}

// -----

te.kernel @follower_before_its_source(%a: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %y = te.compute @y (d0: 8, d1: 64) {
    %v = te.read %a[d0, d1] : tensor<8x64xf32>
    te.yield %v : f32
  } : tensor<8x64xf32>
  %p = te.compute @p (d0: 8, d1: 4) reduce (d2: 16) init (0.0 : f32) {
    %v = te.read %y[d0, d1 * 16 + d2] : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8x4xf32>
  %z = te.compute @z (d0: 8, d1: 4) reduce (d2: 16) init (0.0 : f32) {
    %v = te.read %y[d0, d1 * 16 + d2] : tensor<8x64xf32>
    %u = te.read %p[d0, d1] : tensor<8x4xf32>
    %w = arith.addf %u, %v : f32
    te.yield %w : f32
  } combine arith.addf : tensor<8x4xf32>
  te.return %y, %p, %z : tensor<8x64xf32>, tensor<8x4xf32>, tensor<8x4xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i to parallel
  // expected-error @below {{expected 'p', which 'z' reads, to be computed after the same loop}}
  layout.compute_after @z, %i
}

// -----

te.kernel @parallel_follower(%a: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x4xf32>) {
  %y = te.compute @y (d0: 8, d1: 64) {
    %v = te.read %a[d0, d1] : tensor<8x64xf32>
    te.yield %v : f32
  } : tensor<8x64xf32>
  %p = te.compute @p (d0: 8, d1: 4) reduce (d2: 16) init (0.0 : f32) {
    %v = te.read %y[d0, d1 * 16 + d2] : tensor<8x64xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8x4xf32>
  te.return %y, %p : tensor<8x64xf32>, tensor<8x4xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i to parallel
  %k:3 = layout.loops @p : !layout.loop, !layout.loop, !layout.loop
  layout.bind %k#0 to parallel
  // expected-error @below {{expected serial loops, and nothing computed at them, in 'p'}}
  layout.compute_after @p, %i
}

// -----

te.kernel @follows_two_pieces(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error @below {{expected one piece, and no lanes, since 'p' is computed after it}}
  %y = te.compute @y (d0: 8) where (3 - d0 >= 0) {
    %v = te.read %a[d0] : tensor<8xf32>
    te.yield %v : f32
  } where (d0 - 4 >= 0) {
    %v = te.read %a[d0 - 4] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %p = te.compute @p (d0: 8) {
    %v = te.read %y[d0] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  te.return %y, %p : tensor<8xf32>, tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  layout.bind %i to parallel
  layout.compute_after @p, %i
}
