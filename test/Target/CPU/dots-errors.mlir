// RUN: tssa-opt %s -convert-kernels-to-loops -split-input-file -verify-diagnostics

te.kernel @not_paired(%a: tensor<8x16xbf16>, %b: tensor<16x16xbf16>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) reduce (d2: 16) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<8x16xbf16>
    %v = te.read %b[d1, d2] : tensor<16x16xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %ko, %ki = layout.split %k [*, 2]
  layout.reorder %i, %ko, %j, %ki
  layout.vectorize %j
  layout.bind %i to parallel
  // expected-error @below {{expected factors of which the elements of a group, or those of neighbouring lanes, lie beside each other}}
  layout.atom %ki "avx512.bf16"
}

// -----

te.kernel @types(%a: tensor<8x16xf16>, %b: tensor<8x16x2xf16>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) reduce (d2: 16) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<8x16xf16>
    %v = te.read %b[d2 floordiv 2, d1, d2 mod 2] : tensor<8x16x2xf16>
    %x = arith.extf %u : f16 to f32
    %w = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %ko, %ki = layout.split %k [*, 2]
  layout.reorder %i, %ko, %j, %ki
  layout.vectorize %j
  layout.bind %i to parallel
  // expected-error @below {{expected products of two reads of bf16, extended to f32}}
  layout.atom %ki "avx512.bf16"
}

// -----

te.kernel @signs(%a: tensor<8x16xi8>, %b: tensor<4x16x4xi8>) -> tensor<8x16xi32> {
  %y = te.compute @y (d0: 8, d1: 16) reduce (d2: 16) init (0 : i32) {
    %u = te.read %a[d0, d2] : tensor<8x16xi8>
    %v = te.read %b[d2 floordiv 4, d1, d2 mod 4] : tensor<4x16x4xi8>
    %x = arith.extsi %u : i8 to i32
    %w = arith.extsi %v : i8 to i32
    %p = arith.muli %x, %w : i32
    te.yield %p : i32
  } combine arith.addi : tensor<8x16xi32>
  te.return %y : tensor<8x16xi32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %ko, %ki = layout.split %k [*, 4]
  layout.reorder %i, %ko, %j, %ki
  layout.vectorize %j
  // expected-error @below {{expected products of two reads of u8 and s8, extended to i32}}
  layout.atom %ki "avx512.vnni"
}

// -----

te.kernel @few_steps(%a: tensor<8x16xbf16>, %b: tensor<8x16x2xbf16>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) reduce (d2: 16) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<8x16xbf16>
    %v = te.read %b[d2 floordiv 2, d1, d2 mod 2] : tensor<8x16x2xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %ko, %ki = layout.split %k [*, 1]
  layout.reorder %i, %ko, %j, %ki
  layout.vectorize %j
  // expected-error @below {{expected a loop of a multiple of 2 iterations, got 1}}
  layout.atom %ki "avx512.bf16"
}

// -----

te.kernel @parallel(%a: tensor<8x16xbf16>, %b: tensor<8x16x2xbf16>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) reduce (d2: 16) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<8x16xbf16>
    %v = te.read %b[d2 floordiv 2, d1, d2 mod 2] : tensor<8x16x2xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 2]
  layout.reorder %io, %k, %ii, %j
  layout.vectorize %j
  // expected-error @below {{expected an innermost loop over a reduction dim}}
  layout.atom %ii "avx512.bf16"
}

// -----

te.kernel @lanes(%a: tensor<8x16xbf16>, %b: tensor<8x16x2xbf16>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) reduce (d2: 16) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<8x16xbf16>
    %v = te.read %b[d2 floordiv 2, d1, d2 mod 2] : tensor<8x16x2xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %ko, %ki = layout.split %k [*, 2]
  %jo, %ji = layout.split %j [*, 8]
  layout.reorder %i, %jo, %ko, %ji, %ki
  layout.vectorize %ji
  // expected-error @below {{expected a vector of 16 lanes over a parallel dim}}
  layout.atom %ki "avx512.bf16"
}

// -----

te.kernel @of_a_warp(%a: tensor<8x16xbf16>, %b: tensor<8x16x2xbf16>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) reduce (d2: 16) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<8x16xbf16>
    %v = te.read %b[d2 floordiv 2, d1, d2 mod 2] : tensor<8x16x2xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 8]
  // expected-error @below {{expected an instruction of this target, got 'mma.m16n8k16'}}
  layout.atom %ii, %j, %k "mma.m16n8k16"
}

// -----

te.kernel @many_parts(%a: tensor<64x64xbf16>, %b: tensor<32x64x2xbf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xbf16>
    %v = te.read %b[d2 floordiv 2, d1, d2 mod 2] : tensor<32x64x2xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 48]
  %jo, %jb, %ji = layout.split %j [*, 2, 16]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %jo, %io, %ko, %ii, %jb, %ji, %ki
  layout.register_tile %ii, %jb
  layout.vectorize %ji
  // expected-error @below {{expected a tile whose sums and factors fit into 8 registers, got 3 parts of up to 16 rows by 2 vectors}}
  layout.atom %ki "amx.bf16"
}

// -----

te.kernel @steps_of_a_matrix(%a: tensor<64x64xbf16>, %b: tensor<32x64x2xbf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xbf16>
    %v = te.read %b[d2 floordiv 2, d1, d2 mod 2] : tensor<32x64x2xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 16]
  %jo, %jb, %ji = layout.split %j [*, 2, 16]
  %ko, %ki = layout.split %k [*, 64]
  layout.reorder %jo, %io, %ko, %ii, %jb, %ji, %ki
  layout.register_tile %ii, %jb
  layout.vectorize %ji
  // expected-error @below {{expected a loop of 32 iterations, got 64}}
  layout.atom %ki "amx.bf16"
}

// -----

te.kernel @no_product(%a: tensor<64x64xbf16>, %b: tensor<64x32x64x2xbf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xbf16>
    %v = te.read %b[d0, d2 floordiv 2, d1, d2 mod 2] : tensor<64x32x64x2xbf16>
    %x = arith.extf %u : bf16 to f32
    %w = arith.extf %v : bf16 to f32
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 16]
  %jo, %jb, %ji = layout.split %j [*, 2, 16]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %jo, %io, %ko, %ii, %jb, %ji, %ki
  layout.register_tile %ii, %jb
  layout.vectorize %ji
  // expected-error @below {{expected a factor that is the same for all columns of the tile, and another one that is the same for all of its rows}}
  layout.atom %ki "amx.bf16"
}
