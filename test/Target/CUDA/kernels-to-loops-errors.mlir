// RUN: tssa-opt %s -convert-kernels-to-device-loops -split-input-file -verify-diagnostics

te.kernel @no_level(%a: tensor<4x64xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) reduce (d1: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x64xf32>
    %p = arith.mulf %x, %x : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  // expected-error @below {{expected a level that this target supports, block or lane or warp, got parallel}}
  layout.bind %i to parallel
}

// -----

te.kernel @lane_of_unknown_size(%a: tensor<4x?xf32> {te.sizes = array<i64: -1, 1>}, %n: index) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) reduce (d1: %n) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x?xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  // expected-error @below {{expected a loop of constant extent}}
  layout.bind %k to lane
}

// -----

te.kernel @odd_lanes(%a: tensor<4x64xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected the number of lanes of 'y' over reduction dims to be a power of two or a multiple of 32, got 24}}
  %y = te.compute @y (d0: 4) reduce (d1: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x64xf32>
    %p = arith.mulf %x, %x : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  %ko, %kl = layout.split %k [*, 24]
  layout.bind %kl to lane
}

// -----

te.kernel @reduction_outside(%a: tensor<4x64xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected the lanes of 'y' over reduction dims to be inside of its lanes over parallel dims}}
  %y = te.compute @y (d0: 4) reduce (d1: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x64xf32>
    %p = arith.mulf %x, %x : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  %ko, %kl = layout.split %k [*, 8]
  layout.reorder %kl, %i, %ko
  layout.bind %kl, %i to lane
}

// -----

te.kernel @too_many_lanes(%a: tensor<4x512xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected at most 1024 lanes for 'y', got 2048}}
  %y = te.compute @y (d0: 4) reduce (d1: 512) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x512xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i, %k to lane
}

// -----

te.kernel @cache_at_parallel(%a: tensor<4x64xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) reduce (d1: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x64xf32>
    %p = arith.mulf %x, %x : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  // expected-error @below {{expected a serial loop of a reduction}}
  layout.cache 0 at %i to shared
}

// -----

te.kernel @cache_no_operand(%a: tensor<4x64xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) reduce (d1: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x64xf32>
    %p = arith.mulf %x, %x : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  %ko, %kl = layout.split %k [*, 16]
  // expected-error @below {{expected a number, computed in the body, as operand 2 of the op that computes the yielded value}}
  layout.cache 2 at %ko to shared
}

// -----

te.kernel @cache_of_data(%a: tensor<4x64xf32>, %ids: tensor<64xindex>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) reduce (d1: 64) init (0.0 : f32) {
    %s = te.read %ids[d1] : tensor<64xindex>
    %x = te.read %a[d0, s0](%s) : tensor<4x64xf32>
    %p = arith.mulf %x, %x : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  %ko, %kl = layout.split %k [*, 16]
  // expected-error @below {{cannot cache an operand that is read at an index from data}}
  layout.cache 0 at %ko to shared
}

// -----

te.kernel @cache_of_tile(%a: tensor<4x64xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) reduce (d1: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<4x64xf32>
    %p = arith.mulf %x, %x : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  %ko, %kl = layout.split %k [*, 16]
  // expected-error @below {{expected the loop of a cache to have no register tile}}
  layout.cache 0 at %ko to shared
  layout.register_tile %kl
}

// -----

// An expression that one lane needs is computed by that lane alone.
te.kernel @lanes_at_lane(%a: tensor<64x8xf32>) -> tensor<64x8xf32> {
  // expected-error @below {{expected no loops bound to lanes in an expression that a single lane computes}}
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
  %r, %k = layout.loops @s : !layout.loop, !layout.loop
  layout.bind %k to lane
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i to lane
  layout.compute_at @s, %i
}

// -----

// More shared memory than a block can have.
// expected-error @below {{needs 196608 bytes of shared memory, more than the 166912 that a device has}}
te.kernel @too_much_shared(%a: tensor<4x96xf32>, %b: tensor<96x2048xf32>) -> tensor<4x2048xf32> {
  %y = te.compute @y (d0: 4, d1: 2048) reduce (d2: 96) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<4x96xf32>
    %w = te.read %b[d2, d1] : tensor<96x2048xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4x2048xf32>
  te.return %y : tensor<4x2048xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %jo, %jl = layout.split %j [*, 512]
  %ko, %ki = layout.split %k [*, 96]
  layout.reorder %i, %jo, %jl, %ko, %ki
  layout.cache 1 at %ko to shared
  layout.bind %jl to lane
}

// -----

te.kernel @cache_of_unknown_size(%a: tensor<4x8x?xf32> {te.sizes = array<i64: -1, -1, 1>}, %n: index) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) reduce (d1: 8, d2: %n) init (0.0 : f32) {
    %x = te.read %a[d0, d1, d2] : tensor<4x8x?xf32>
    %p = arith.mulf %x, %x : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i, %k, %l = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  // expected-error @below {{expected constant extents of all loops inside of the loop of a cache}}
  layout.cache 0 at %k to shared
}

// -----

// All lanes that combine results must run the same number of iterations of the loops around them.
te.kernel @uneven(%a: tensor<70x64xf32>) -> tensor<70xf32> {
  // expected-error @below {{expected the same number of iterations for all lanes, since lanes synchronise in the loop (a cache, or results that are combined)}}
  %y = te.compute @y (d0: 70) reduce (d1: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<70x64xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<70xf32>
  te.return %y : tensor<70xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  %ib, %il, %is = layout.split %i [*, 4, 4]
  %ko, %kl = layout.split %k [*, 32]
  layout.reorder %ib, %il, %is, %ko, %kl
  layout.bind %ib to block
  layout.bind %il, %kl to lane
}

// -----

// The blocks of a device do not wait for each other, so that one root cannot read another one.
// expected-error @below {{expected 'a' to be computed at a loop of 'b', which reads it}}
te.kernel @sequence(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = te.compute @a (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %p = arith.negf %v : f32
    te.yield %p : f32
  } : tensor<8xf32>
  %b = te.compute @b (d0: 8) {
    %v = te.read %a[d0] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  te.return %a, %b : tensor<8xf32>, tensor<8xf32>
} schedule {
  %0 = layout.loops @a : !layout.loop
  layout.bind %0 to block
  %1 = layout.loops @b : !layout.loop
  layout.bind %1 to block
}

// -----

te.kernel @member_of_a_member(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
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
  %p, %q = layout.loops @t : !layout.loop, !layout.loop
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  layout.bind %i to block
  // expected-error @below {{expected a loop of 'y', the expression that is not computed inside of another}}
  layout.compute_at @s, %p
  layout.compute_at @t, %i
}

// -----

// Only a target whose memory for a thread is planned in a run can have this box.
te.kernel @open_box(%a: tensor<64x?xf32> {te.sizes = array<i64: -1, 1>}, %n: index) -> tensor<64xf32> {
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
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  // expected-error @below {{expected a box of constant size, but an iteration of this serial loop of 'y' reads all indexes of dim 1 of 'x', and only a run knows how many these are}}
  layout.compute_at @x, %i
}
