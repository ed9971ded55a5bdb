// DEFINE: %{words} = -layout-write-stores="knobs='image 4' kernel=words"
// DEFINE: %{number} = -layout-write-stores="knobs='out x' kernel=number"
// DEFINE: %{numbers} = -layout-write-stores="knobs='alt 4 16' kernel=alt"
// DEFINE: %{missing} = -layout-write-stores="knobs='image d7 4' kernel=missing"
// DEFINE: %{role} = -layout-write-stores="knobs='image d1 4' kernel=role"
// DEFINE: %{twice} = -layout-write-stores="knobs='image d0 2 d0 5' kernel=twice"
// DEFINE: %{tile} = -layout-write-stores="knobs='image d0 11' kernel=tile"
// DEFINE: %{block} = -layout-write-stores="knobs='out 33' kernel=block"
// DEFINE: %{negative} = -layout-write-stores="knobs='weights in -1' kernel=negative"
// DEFINE: %{group} = -layout-write-stores="knobs='group 2' kernel=group"
// DEFINE: %{two_dims} = -layout-write-stores="knobs='in 2' kernel=two_dims"
// DEFINE: %{dynamic} = -layout-write-stores="knobs='image d0 4' kernel=dynamic"
// DEFINE: %{dynamic_in} = -layout-write-stores="knobs='in 4' kernel=dynamic_in"
// DEFINE: %{reversed} = -layout-write-stores="knobs='image d0 5' kernel=reversed"
// DEFINE: %{mixed} = -layout-write-stores="knobs='image d1 4' kernel=mixed"
// DEFINE: %{growth} = -layout-write-stores="knobs='image d1 1' kernel=growth"
// DEFINE: %{same} = -layout-write-stores="knobs='image d0 2, in 4' kernel=same"
// DEFINE: %{shared} = -layout-write-stores="knobs='in 4' kernel=shared"
// DEFINE: %{chain} = -layout-write-stores="knobs='in 4' kernel=chain"
// DEFINE: %{reader} = -layout-write-stores="knobs='image d0 5' kernel=reader"
// DEFINE: %{opaque} = -layout-write-stores="knobs='image d0 5' kernel=opaque"
// DEFINE: %{division} = -layout-write-stores="knobs='image d0 4' kernel=division"
// RUN: tssa-opt %s -split-input-file -verify-diagnostics %{words} %{number} %{numbers} %{missing} %{role} %{twice} %{tile} %{block} %{negative} %{group} \
// RUN:   %{two_dims} %{dynamic} %{dynamic_in} %{reversed} %{mixed} %{growth} %{same} %{shared} %{chain} %{reader} %{opaque} %{division}

te.kernel @words(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: expected knobs such as 'image d2 4 d3 4, group 8, out 16, in 16, weights in 8 out 8', 'alt 4 4 16 16' or 'none', but got 'image 4'}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @number(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: expected knobs such as 'image d2 4 d3 4, group 8, out 16, in 16, weights in 8 out 8', 'alt 4 4 16 16' or 'none', but got 'out x'}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @alt(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: alt: expected the tiles of d0, the block of output channels and that of input channels, and perhaps those of input and output channels of weights}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @missing(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: image d7: there is no such dim}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @role(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: image d1: the role of the dim is out}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @twice(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: image d0: the dim has two tiles}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @tile(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: image d0: expected a size from 0 to 10, but got 11}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @block(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: out: expected a size from 0 to 32, but got 33}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @negative(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: weights in: expected a size from 0 to 24, but got -1}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @group(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: group: no dim of several iterations has the role group}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @two_dims(%x: tensor<10x4x6xf32>, %w: tensor<4x6x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: in: more than one dim of several iterations has the role in}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 4, d3: 6) init (0.0 : f32) {
    %a = te.read %x[d0, d2, d3] : tensor<10x4x6xf32>
    %b = te.read %w[d2, d3, d1] : tensor<4x6x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @dynamic(%x: tensor<?x24xf32> {te.sizes = array<i64: 2, -1>}, %w: tensor<24x32xf32>, %n: index) -> tensor<?x32xf32> {
  // expected-error @below {{the knobs do not fit: image d0: the size of the dim is dynamic}}
  %y = te.compute @y (d0: %n, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<?x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x32xf32>
  te.return %y : tensor<?x32xf32>
}

// -----

te.kernel @dynamic_in(%x: tensor<10x?xf32> {te.sizes = array<i64: -1, 2>}, %w: tensor<?x32xf32> {te.sizes = array<i64: 2, -1>}, %n: index) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: in: the size of the dim is dynamic}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: %n) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<10x?xf32>
    %b = te.read %w[d2, d1] : tensor<?x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @reversed(%x: tensor<10x24xf32>, %w: tensor<24x32xf32>) -> tensor<10x32xf32> {
  // expected-error @below {{the knobs do not fit: image d0: expected reads at a multiple of the dim plus positions in a window}}
  %y = te.compute @y (d0: 10, d1: 32) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[-d0 + 9, d2] : tensor<10x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x32xf32>
  te.return %y : tensor<10x32xf32>
}

// -----

te.kernel @mixed(%x: tensor<2x18x8xf32>, %w: tensor<8x3x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error @below {{the knobs do not fit: image d1: expected reads at a multiple of the dim plus positions in a window}}
  %y = te.compute @y (d0: 2, d1: 8, d2: 16) reduce (d3: 8, d4: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d0 * 8 + d1 + d4, d3] : tensor<2x18x8xf32>
    %b = te.read %w[d3, d4, d2] : tensor<8x3x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x8x16xf32>
  te.return %y : tensor<2x8x16xf32>
}

// -----

te.kernel @growth(%x: tensor<2x300x8xf32>, %w: tensor<8x201x16xf32>) -> tensor<2x100x16xf32> {
  // expected-error @below {{the knobs do not fit: image d1: there are more than 64 cells per element}}
  %y = te.compute @y (d0: 2, d1: 100, d2: 16) reduce (d3: 8, d4: 201) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + d4, d3] : tensor<2x300x8xf32>
    %b = te.read %w[d3, d4, d2] : tensor<8x201x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x100x16xf32>
  te.return %y : tensor<2x100x16xf32>
}

// -----

te.kernel @same(%x: tensor<8x24xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{the knobs do not fit: weights in: two reads of a tensor need different layouts}}
  %y = te.compute @y (d0: 8, d1: 8) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<8x24xf32>
    %b = te.read %x[d1, d2] : tensor<8x24xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x8xf32>
  te.return %y : tensor<8x8xf32>
}

// -----

// A parameter is stored once.
te.kernel @shared(%x: tensor<8x24xf32>, %w: tensor<24x8xf32>) -> (tensor<8x8xf32>, tensor<24x24xf32>) {
  %y = te.compute @y (d0: 8, d1: 8) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<8x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x8xf32>
  // expected-error @below {{the knobs do not fit: parameter 1 is stored for another expression}}
  %z = te.compute @z (d0: 24, d1: 24) reduce (d2: 8) init (0.0 : f32) {
    %a = te.read %w[d0, d2] : tensor<24x8xf32>
    %b = te.read %x[d2, d1] : tensor<8x24xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<24x24xf32>
  te.return %y, %z : tensor<8x8xf32>, tensor<24x24xf32>
}

// -----

te.kernel @chain(%x: tensor<8x24xf32>, %w: tensor<24x8xf32>) -> tensor<8x8xf32> {
  %y = te.compute @y (d0: 8, d1: 24) {
    %a = te.read %x[d0, d1] : tensor<8x24xf32>
    %n = arith.negf %a : f32
    te.yield %n : f32
  } : tensor<8x24xf32>
  // expected-error @below {{the knobs do not fit: a result of another expression would be stored for this one}}
  %z = te.compute @z (d0: 8, d1: 8) reduce (d2: 24) init (0.0 : f32) {
    %a = te.read %y[d0, d2] : tensor<8x24xf32>
    %b = te.read %w[d2, d1] : tensor<24x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x8xf32>
  te.return %z : tensor<8x8xf32>
}

// -----

// Another reader does not move windows over the data.
te.kernel @reader(%x: tensor<12x4xf32>, %w: tensor<4x3x8xf32>) -> (tensor<10x8xf32>, tensor<12x4xf32>) {
  // expected-error @below {{the knobs do not fit: image d0: expected windows along one logical dim in the read of an unfolded dim}}
  %y = te.compute @y (d0: 10, d1: 8) reduce (d2: 4, d3: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d3, d2] : tensor<12x4xf32>
    %b = te.read %w[d2, d3, d1] : tensor<4x3x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x8xf32>
  %z = te.compute @z (d0: 12, d1: 4) {
    %a = te.read %x[-d0 + 11, d1] : tensor<12x4xf32>
    te.yield %a : f32
  } : tensor<12x4xf32>
  te.return %y, %z : tensor<10x8xf32>, tensor<12x4xf32>
}

// -----

// Another reader computes its index from data.
te.kernel @opaque(%x: tensor<12x4xf32>, %w: tensor<4x3x8xf32>, %i: tensor<5xindex>) -> (tensor<10x8xf32>, tensor<5x4xf32>) {
  // expected-error @below {{the knobs do not fit: image d0: a tensor that is read at indexes computed from data cannot be padded or tiled}}
  %y = te.compute @y (d0: 10, d1: 8) reduce (d2: 4, d3: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d3, d2] : tensor<12x4xf32>
    %b = te.read %w[d2, d3, d1] : tensor<4x3x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<10x8xf32>
  %z = te.compute @z (d0: 5, d1: 4) {
    %n = te.read %i[d0] : tensor<5xindex>
    %a = te.read %x[s0, d1](%n) : tensor<12x4xf32>
    te.yield %a : f32
  } : tensor<5x4xf32>
  te.return %y, %z : tensor<10x8xf32>, tensor<5x4xf32>
}

// -----

// Cells of padding would divide by zero.
te.kernel @division(%x: tensor<10x8xi32>, %w: tensor<8x8xi32>) -> tensor<10x8xi32> {
  // expected-error @below {{the knobs do not fit: image d0: the body cannot run at cells of padding}}
  %y = te.compute @y (d0: 10, d1: 8) reduce (d2: 8) init (0 : i32) {
    %a = te.read %x[d0, d2] : tensor<10x8xi32>
    %b = te.read %w[d2, d1] : tensor<8x8xi32>
    %q = arith.divsi %a, %a : i32
    %p = arith.muli %q, %b : i32
    te.yield %p : i32
  } combine arith.addi : tensor<10x8xi32>
  te.return %y : tensor<10x8xi32>
}
